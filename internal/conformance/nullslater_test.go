package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Nulls of later columns, and of the first where rows are not ordered apart, have a code of their own
// if 64-bit keys leave one. Keys have the lowest code, the highest, both or neither.

// laterKeys are values of keys, of which rows draw.
type laterKeys[K sorter.Key] struct {
	name  string
	draw  func(r *rand.Rand) K
	under K // the key of a null
}

func laterInts() (all []laterKeys[int64]) {
	one := func(name string, under int64, values ...int64) {
		all = append(all, laterKeys[int64]{name, func(r *rand.Rand) int64 { return values[r.IntN(len(values))] }, under})
	}
	one("both ends", 0, math.MinInt64, math.MaxInt64, -1, 0, 1)
	one("lowest", 7, math.MinInt64, math.MinInt64+1, math.MaxInt64-1)
	one("highest", 7, math.MaxInt64, math.MaxInt64-1, math.MinInt64+1)
	one("ends under nulls", math.MinInt64, math.MaxInt64-1, 0)
	all = append(all, laterKeys[int64]{"narrow", func(r *rand.Rand) int64 { return 1e15 + r.Int64N(1e12) }, 0},
		laterKeys[int64]{"any", func(r *rand.Rand) int64 { return int64(r.Uint64()) }, 0})
	return all
}

func laterFloats() []laterKeys[float64] {
	return []laterKeys[float64]{
		{"specials", func(r *rand.Rand) float64 { return specials64[r.IntN(len(specials64))] }, math.NaN()},
		{"no NaN", func(r *rand.Rand) float64 {
			return []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, 0, r.NormFloat64()}[r.IntN(5)]
		}, 0},
		{"NaN", func(r *rand.Rand) float64 { return []float64{math.NaN(), math.MaxFloat64, r.NormFloat64()}[r.IntN(3)] }, 0},
		{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }, math.Inf(1)},
	}
}

func laterUints() []laterKeys[uint64] {
	return []laterKeys[uint64]{
		{"both ends", func(r *rand.Rand) uint64 { return []uint64{0, 1, math.MaxUint64 - 1, math.MaxUint64}[r.IntN(4)] }, 5},
		{"small", func(r *rand.Rand) uint64 { return r.Uint64N(50) }, math.MaxUint64},
	}
}

// laterLeads are first columns, by row.
var laterLeads = map[string]func(i, n int, r *rand.Rand) int32{
	"equal":    func(int, int, *rand.Rand) int32 { return 3 },
	"few":      func(_, _ int, r *rand.Rand) int32 { return r.Int32N(5) },
	"in order": func(i, n int, _ *rand.Rand) int32 { return int32(i * 7 / n) },
	"short":    func(i, _ int, _ *rand.Rand) int32 { return int32(i / 3) },
}

func TestNullsLater(t *testing.T) {
	t.Parallel()
	for _, keys := range laterInts() {
		testNullsLater(t, keys)
	}
	for _, keys := range laterUints() {
		testNullsLater(t, keys)
	}
	for _, keys := range laterFloats() {
		testNullsLater(t, keys)
	}
}

func testNullsLater[K interface {
	sorter.Key
	cmp.Ordered
}](t *testing.T, keys laterKeys[K]) {
	turn := 0
	for lead, first := range laterLeads {
		for _, n := range []int{4500, 20_000} {
			for _, pattern := range nullPatterns {
				if turn++; testkit.Thinned(turn) || n > 10_000 && !testkit.Long() && turn%9 != 0 {
					continue
				}
				r := dist.Rand(uint64(turn))
				leads, col, null, valid := make([]int32, n), make([]K, n), make([]bool, n), make([]byte, n/8+2)
				for i := range n {
					leads[i], col[i] = first(i, n, r), keys.draw(r)
					if null[i] = pattern.null(i, n, r); null[i] {
						col[i] = keys.under
					} else {
						valid[(i+3)/8] |= 1 << ((i + 3) % 8)
					}
				}
				for way := turn % testkit.Pick(4, 1); way < 8; way += testkit.Pick(4, 1) {
					c := laterCase[K]{
						name: fmt.Sprintf("%s, lead %s, n=%d, %s null, way %d", keys.name, lead, n, pattern.name, way),
						lead: leads, col: col, null: null, desc: way&1 != 0, first: way&2 != 0,
					}
					c.key = c.column(way&4 != 0, valid, r)
					c.check(t, nullOptions[turn%3].opts, nullOptions[turn%3].order, r)
				}
			}
		}
	}
}

// laterCase is rows by a column that may be null, after one that may not.
type laterCase[K interface {
	sorter.Key
	cmp.Ordered
}] struct {
	name        string
	lead        []int32
	col         []K
	null        []bool
	desc, first bool
	key         sorter.Column[int]
}

// column returns the column that may be null, with bits from 3 on or a function.
func (c *laterCase[K]) column(bits bool, valid []byte, r *rand.Rand) sorter.Column[int] {
	col := sorter.AscOf(c.col)
	switch chunks := r.IntN(2) == 0; {
	case chunks && c.desc:
		col = sorter.Chunks(testkit.Cut(c.col, r)).Desc()
	case chunks:
		col = sorter.Chunks(testkit.Cut(c.col, r)).Asc()
	case c.desc:
		col = sorter.DescOf(c.col)
	}
	isNull := func(row int) bool { return c.null[row] }
	switch {
	case bits && c.first:
		return col.NullsFirstBits(valid, 3)
	case bits:
		return col.NullsLastBits(valid, 3)
	case c.first:
		return col.NullsFirst(isNull)
	}
	return col.NullsLast(isNull)
}

// compare compares two rows.
func (c *laterCase[K]) compare(o oracle.Order, lead bool) func(a, b uint32) int {
	of := oracle.Ordered[K](o.Of(oracle.Order{Desc: c.desc}))
	leads := oracle.Ordered[int32](o)
	return func(a, b uint32) int {
		if d := leads(c.lead[a], c.lead[b]); lead && d != 0 {
			return d
		}
		switch x, y := c.null[a], c.null[b]; {
		case x && y:
			return 0
		case x != y && x == c.first:
			return -1
		case x != y:
			return 1
		}
		return of(c.col[a], c.col[b])
	}
}

// check compares orders with the oracle's.
func (c *laterCase[K]) check(t *testing.T, opts []sorter.Option, o oracle.Order, r *rand.Rand) {
	t.Helper()
	n := len(c.col)
	opts = append(slices.Clone(opts), sorter.Stable())
	both, alone := []sorter.Column[int]{sorter.AscOf(c.lead), c.key}, []sorter.Column[int]{c.key}
	compare := c.compare(o, true)
	want := perm.Identity(n)
	oracle.SortStable(want, compare)
	var runs perm.Runs
	p, err := sorter.OrderN(n, both, opts...)
	checkSame(t, "OrderN: "+c.name, err, p, want)
	p, err = sorter.OrderN(n, both, append(opts, sorter.MarkRuns(&runs))...)
	checkSame(t, "OrderN: "+c.name, err, p, want)
	checkRuns(t, c.name, p, runs, func(a, b uint32) bool { return compare(a, b) == 0 })
	top, err := sorter.TopN(n, 50, both, opts...)
	checkSame(t, "TopN: "+c.name, err, top, want[:50])
	k := r.IntN(n)
	at, err := sorter.NthN(n, k, both, opts...)
	checkSame(t, "NthN: "+c.name, err, []uint32{uint32(at)}, want[k:k+1])

	rows := make([]uint32, 0, n)
	for i := range n {
		if i%4 != 1 {
			rows = append(rows, uint32(i))
		}
	}
	some := slices.Clone(rows)
	oracle.SortStable(some, compare)
	err = sorter.OrderRows(rows, both, opts...)
	checkSame(t, "OrderRows: "+c.name, err, rows, some)

	slices.Sort(want)
	offsets := []int{0, 10, 11, n / 3, n / 3, n}
	for i := range offsets[1:] {
		oracle.SortStable(want[offsets[i]:offsets[i+1]], c.compare(o, false))
	}
	p, err = sorter.OrderWithin(offsets, alone, opts...)
	checkSame(t, "OrderWithin: "+c.name, err, p, want)
}
