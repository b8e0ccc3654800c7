package conformance_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// perVerbs are the verbs on each partition of rows.
var perVerbs = []verbDrawn{
	{"Partitions.Top", checkDrawnPartitionsTop},
	{"Partitions.Nth", checkDrawnPartitionsNth}, {"Partitions.Nth", checkDrawnPartitionsNth},
	{"Partitions.Quantiles", checkDrawnPartitionsQuantiles},
	{"quantiles of values", checkDrawnQuantilesPer}, {"quantiles of values", checkDrawnQuantilesPer},
}

// drawPartition draws the columns of partitions: up to two of any keys, or one of numbers of partitions.
func (c *drawnCase) drawPartition() {
	rows := c.rows()
	for range c.IntN(3) {
		c.partition = append(c.partition, drawKind(c.Rand).drawColumn(rows, columnDraw{Rand: c.Rand, calls: c.keyCalls}))
	}
	if c.IntN(3) == 0 {
		return
	}
	numbers, name := drawPartitions(rows, c.Rand)
	c.partition = []drawnColumn{[]drawnColumn{
		numberedBy(c, name, numbers, signed[int8]("int8", 8, true)),
		numberedBy(c, name, numbers, unsigned[uint16]("uint16", 16, true)),
		numberedBy(c, name, numbers, signed[int64]("int64", 64, true)),
		numberedBy(c, name, numbers, keyKindNamed[string]("string")),
	}[c.IntN(4)]}
	if c.IntN(4) == 0 {
		c.partition = append(c.partition, drawKind(c.Rand).drawColumn(rows, columnDraw{Rand: c.Rand, calls: c.keyCalls, tied: numbers}))
	}
}

// numberedBy makes keys of numbers, on the line, of which the lowest bits may be lost.
func numberedBy[K sorter.Key](c *drawnCase, name string, numbers []uint64, kind keyKind[K]) drawnColumn {
	keys := mapped(numbers, func(v uint64) K { return kind.of(v<<56 + v>>8<<48 + v) })
	name = kind.name + " " + name
	return &columnOf[K]{kind: callKind[K]{keyKind: kind}, keys: keys, calls: c.keyCalls, name: name, draws: keysDrawn{name, "partitions", "values", numbers}}
}

// drawPartitions draws which partition each of n rows is in.
func drawPartitions(n int, r *rand.Rand) (numbers []uint64, name string) {
	many := uint64(1 + r.IntN(1<<r.IntN(16)))
	size := near(thresholds[r.IntN(len(thresholds))], r)
	if r.IntN(2) == 0 {
		size = n - r.IntN(1+n/3)
	}
	switch r.IntN(8) {
	case 0:
		return valuesOf(n, func(i int) uint64 { return uint64(i) % many }), fmt.Sprintf("%d by turns", many)
	case 1:
		return valuesOf(n, func(int) uint64 { return r.Uint64N(many) }), fmt.Sprintf("%d at random", many)
	case 2:
		return valuesOf(n, func(i int) uint64 { return uint64(i / max(1, size)) }), fmt.Sprintf("%d rows each", size)
	case 3:
		return valuesOf(n, func(int) uint64 { return uint64(float64(many) * math.Pow(r.Float64(), 8)) }), fmt.Sprintf("zipf of %d", many)
	case 4:
		return valuesOf(n, func(i int) uint64 { return uint64(2*i) / uint64(n) }), "two halves"
	}
	numbers = valuesOf(n, func(i int) uint64 { // one of this size, others share the rest
		if i < size {
			return many / 2
		}
		return r.Uint64N(many)
	})
	r.Shuffle(n, func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return numbers, fmt.Sprintf("%d rows and %d others", size, many)
}

// partitionsInOrder returns all rows in the order by partitions and columns, and the offsets of partitions.
func (x *drawnCall) partitionsInOrder() (rows, offsets []int) {
	rows = x.inOrder(sortedBy{x.order, true})
	by := compareInTurn(compares(x.partition, x.order))
	return rows, offsetsOf(x.n, func(i int) bool { return by(rows[i-1], rows[i]) != 0 })
}

// per are the partitions of the rows.
func (x *drawnCall) per() sorter.Partitions {
	rows := sorter.RowsBy(x.n, x.columns(x.cols)...)
	return rows.Per(x.columns(x.partition)...)
}

func (x *drawnCall) drawPer() []sorter.Option { return x.draw(x.n, len(x.partition)+len(x.cols)) }

func checkDrawnPartitionsTop(x *drawnCall) {
	k := []int{0, 1, 1, 2, 3, 7, 16, 63, 64, 65, 1000, x.n}[x.IntN(12)]
	x.note("k = %d", k)
	opts := x.drawPer()
	by := x.per()
	x.says(nil, fmt.Sprintf("p, _, err := sorter.RowsBy(%d, cols...).Per(parts...).Top(%d, opts...)\ngot := rowsOf(p)", x.n, k), first(x.firstPer(ascending(x.n), k)))
	var parts perm.Runs
	got, err := called(x, func() (rows []uint32, err error) { rows, parts, err = by.Top(k, opts...); return rows, err })
	if x.failed(err) {
		return
	}
	rows, offsets := x.partitionsInOrder()
	var want []int
	starts := []int{0}
	for i := range len(offsets) - 1 {
		want = append(want, rows[offsets[i]:min(offsets[i]+k, offsets[i+1])]...)
		starts = append(starts, len(want))
	}
	x.sameNumbers(got, want)
	if k > 0 {
		x.same("partitions", parts.Offsets(), starts)
	}
}

// mostPlaces is how many places of each partition a call may ask for, so that there are not too many results.
func (x *drawnCall) mostPlaces() int {
	_, offsets := x.partitionsInOrder()
	return 1_000_000 / len(offsets)
}

func atMost[T any](n int, s []T) []T { return s[:min(n, len(s))] }

func checkDrawnPartitionsNth(x *drawnCall) {
	ks := x.drawPlaces(x.n)
	if x.IntN(2) == 0 {
		ks = x.drawPlaces(min(x.n, 100))
	}
	opts := x.drawPer()
	ks = atMost(x.mostPlaces(), ks)
	by := x.per()
	noRow := uint32(sorter.NoRow)
	want := x.perPartition(func(rows []int, add func(row int)) {
		for _, k := range ks {
			if k < len(rows) {
				add(rows[k])
			} else {
				add(int(noRow))
			}
		}
	})
	x.says(ks, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Per(parts...).Nth(rows, opts...)\ngot := rowsOf(p)", x.n), want)
	got, err := called(x, func() ([]uint32, error) { return by.Nth(ks, opts...) })
	if !x.failed(err) {
		x.sameNumbers(got, want)
	}
}

// perPartition lists the rows that of adds for each partition.
func (x *drawnCall) perPartition(of func(rows []int, add func(row int))) (all []int) {
	rows, offsets := x.partitionsInOrder()
	for i := range len(offsets) - 1 {
		of(rows[offsets[i]:offsets[i+1]], func(row int) { all = append(all, row) })
	}
	return all
}

func checkDrawnPartitionsQuantiles(x *drawnCall) {
	qs, opts := x.drawShares(), x.drawPer()
	qs = atMost(x.mostPlaces(), qs)
	by := x.per()
	got, err := called(x, func() ([]uint32, error) { return by.Quantiles(qs, opts...) })
	if x.failed(err) {
		return
	}
	x.sameNumbers(got, x.perPartition(func(rows []int, add func(row int)) {
		for _, q := range qs {
			add(rows[placeOf(q, len(rows))])
		}
	}))
}

// checkDrawnQuantilesPer draws the interpolated quantiles of the first column's keys within each partition.
func checkDrawnQuantilesPer(x *drawnCall) {
	if len(x.cols) == 0 || x.cols[0].quantiles() == nil {
		x.skip()
		return
	}
	x.drawnCase = x.byFirst()
	keys, qs, opts := x.cols[0].quantiles(), x.drawShares(), x.drawPer()
	qs = atMost(x.mostPlaces(), qs)
	partition := x.columns(x.partition)
	var first []uint32
	got, err := called(x, func() (all []float64, err error) {
		all, first, err = keys.per(x.n, qs, partition, opts...)
		return all, err
	})
	if x.failed(err) {
		return
	}
	var want []shareOf
	x.sameNumbers(first, x.perPartition(func(rows []int, add func(row int)) {
		want = append(want, keys.at(rows, qs)...)
		add(rows[0])
	}))
	x.sameQuantiles(got, want)
}

// byFirst returns the case with the keys of the first column alone.
func (c *drawnCase) byFirst() *drawnCase {
	first := *c
	first.cols, first.sorted = []drawnColumn{c.cols[0].plain()}, map[sortedBy][]int{}
	return &first
}

// shareOf is the number at a share of the way from one key to another.
type shareOf struct{ from, to, share float64 }

// at returns the quantiles of rows in order.
func (q quantile) at(rows []int, qs []float64) []shareOf {
	return mapped(qs, func(share float64) shareOf {
		if len(rows) == 0 {
			return shareOf{from: math.NaN(), to: math.NaN()}
		}
		place := share * float64(len(rows)-1)
		i := int(place)
		return shareOf{q.float(rows[i]), q.float(rows[min(i+1, len(rows)-1)]), place - float64(i)}
	})
}

// is reports whether got is the number, up to rounding. Where a distance is not a number it takes any that
// is none.
func (b shareOf) is(got float64) bool {
	switch {
	case b.share == 0 || b.from == b.to:
		return got == b.from || got != got && b.from != b.from
	case math.IsNaN(b.from + b.to):
		return math.IsNaN(got) || math.IsInf(b.from, 0) && math.IsInf(b.to, 0)
	case math.IsInf(b.from+b.to, 0):
		return math.IsNaN(got) || math.IsInf(got, 0) || !math.IsInf(b.from, 0) && !math.IsInf(b.to, 0)
	}
	want := b.from*(1-b.share) + b.to*b.share
	return math.Abs(got-want) <= 1e-9*(math.Abs(b.from)+math.Abs(b.to))+1e-300
}

// sameQuantiles fails unless numbers are those wanted.
func (x *drawnCall) sameQuantiles(got []float64, want []shareOf) {
	if len(got) != len(want) {
		x.fail("%d numbers, want %d", len(got), len(want))
		return
	}
	for i, b := range want {
		if !b.is(got[i]) {
			x.fail("number %d is %v, want %+v", i, got[i], b)
			return
		}
	}
}

// checkDrawnQuantiles draws the quantiles of the first column's keys, without partitions.
func checkDrawnQuantiles(x *drawnCall) {
	if len(x.cols) == 0 || x.cols[0].quantiles() == nil {
		x.skip()
		return
	}
	x.drawnCase = x.byFirst()
	keys, qs := x.cols[0].quantiles(), x.drawShares()
	n, opts := x.n, x.draw(x.n, 1)
	x.elementColumns("keys")
	got, err := called(x, func() ([]float64, error) { return keys.all(n, qs, opts...) })
	if x.failed(err) {
		return
	}
	x.sameQuantiles(got, keys.at(slices.Clip(x.inOrder(sortedBy{Order: x.order})), qs))
}
