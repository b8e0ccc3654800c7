package conformance_test

import (
	"slices"

	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// permVerbs are the functions of packages perm and rank, on the order of the rows.
var permVerbs = []verbDrawn{
	{"perm", checkDrawnPerm},
	{"runs", checkDrawnRuns},
	{"rank", checkDrawnRank},
}

func checkDrawnPerm(x *drawnCall) {
	rows, workers := x.inOrder(sortedBy{}), x.IntN(5)
	p := permOf(rows)
	if err := p.Valid(); err != nil {
		x.fail("Valid: %v", err)
	}
	inverse := make([]int, x.n)
	for i, row := range rows {
		inverse[row] = i
	}
	x.sameNumbers(p.Inverse(), inverse)
	x.sameNumbers(p.Inverse().Compose(p), at(inverse, rows))
	x.sameNumbers(p.Compose(p), at(rows, rows))
	x.sameNumbers(perm.Identity(x.n), ascending(x.n))

	got := make([]int, x.n)
	perm.Gather(got, inverse, p, workers)
	x.same("Gather", got, ascending(x.n))
	perm.Scatter(got, ascending(x.n), p, workers)
	x.same("Scatter", got, inverse)
	perm.Apply(got, p, workers)
	x.same("Apply", got, ascending(x.n))
	s := mapped(ascending(x.n), carry)
	perm.Apply(s, p, workers)
	x.same("Apply to carried elements", mapped(s, rowOf), rows)
	clear(s)
	perm.Gather(s, mapped(inverse, carry), p, workers)
	x.same("Gather of carried elements", mapped(s, rowOf), ascending(x.n))
	if x.n > 1 {
		p[x.IntN(x.n)] = p[x.IntN(x.n)]
		if valid := p.Valid() == nil; valid != (slices.Equal(p, permOf(rows))) {
			x.fail("Valid is %v of repeated indices", valid)
		}
	}
}

func checkDrawnRuns(x *drawnCall) {
	offsets := x.offsetsFrom0()
	runs, n := perm.RunsAt(offsets), offsets[len(offsets)-1]
	offsets = slices.Compact(offsets)
	if n > 0 {
		x.same("Offsets", runs.Offsets(), offsets)
	}
	if runs.Rows() != n || runs.Len() != len(offsets)-1 {
		x.fail("%d rows, %d runs, want %d and %d", runs.Rows(), runs.Len(), n, len(offsets)-1)
	}
	i := 0
	for lo, hi := range runs.All() {
		if lo != offsets[i] || hi != offsets[i+1] {
			x.fail("run %d is %d to %d", i, lo, hi)
			return
		}
		i++
	}
	for range min(n, 50) {
		at := x.IntN(n)
		i, begins := slices.BinarySearch(offsets, at)
		next := offsets[i]
		if !begins {
			i--
		}
		if lo, hi := runs.At(at); lo != offsets[i] || hi != offsets[i+1] || runs.Begins(at) != begins || runs.Next(at) != next {
			x.fail("position %d: run %d to %d, begins %v, next %d", at, lo, hi, runs.Begins(at), runs.Next(at))
		}
		to := at + x.IntN(n-at+1)
		end, _ := slices.BinarySearch(offsets[:len(offsets)-1], to)
		first, _ := slices.BinarySearch(offsets[:len(offsets)-1], at)
		if got := runs.Count(at, to); got != end-first {
			x.fail("Count(%d, %d) = %d, want %d", at, to, got, end-first)
		}
	}
}

func (x *drawnCall) offsetsFrom0() []int {
	offsets := x.drawOffsets(x.n)
	from := offsets[0]
	return mapped(offsets, func(at int) int { return at - from })
}

// ranksOf are the ranks of a row: by its place, those of its peers and of its partition.
type ranksOf struct {
	number, first, last, dense, tile uint32
	average, percent, cume           float64
}

func checkDrawnRank(x *drawnCall) {
	x.order.Desc = x.IntN(2) == 0
	p := permOf(x.inOrder(sortedBy{x.order, true}))
	rows, parts := x.partitionsInOrder()
	by := x.compare(x.order)
	peers := offsetsOf(x.n, func(i int) bool {
		_, begins := slices.BinarySearch(parts, i)
		return begins || by(rows[i-1], rows[i]) != 0
	})
	k := 1 + x.IntN(10)
	want := ranksInOrder(rows, parts, peers, k)
	inParts, ofPeers := perm.RunsAt(parts), perm.RunsAt(peers)
	if x.n == 0 {
		inParts, ofPeers = perm.Runs{}, perm.Runs{}
	}
	x.checkRanks(want, p, inParts, ofPeers, k)
	x.checkDistinct(p, ofPeers, peers)
}

// ranksInOrder computes the ranks of rows, one after the other.
func ranksInOrder(rows, parts, peers []int, k int) []ranksOf {
	ranks := make([]ranksOf, len(rows))
	part, dense := 0, uint32(0)
	for j := range len(peers) - 1 {
		from, to := peers[j], peers[j+1]
		if from == parts[part+1] {
			part, dense = part+1, 0
		}
		lo, n := parts[part], parts[part+1]-parts[part]
		dense++
		for at := from; at < to; at++ {
			ranks[rows[at]] = ranksOf{
				number: uint32(at - lo + 1), first: uint32(from - lo + 1), last: uint32(to - lo), dense: dense, tile: tileOf(at-lo, n, k),
				average: float64(from-lo+1+to-lo) / 2, percent: float64(from-lo) / float64(max(1, n-1)), cume: float64(to-lo) / float64(n),
			}
		}
	}
	return ranks
}

// tileOf is the bucket of the i-th of n rows.
func tileOf(i, n, k int) uint32 {
	for b := range k {
		size := n / k
		if b < n%k {
			size++
		}
		if i < size {
			return uint32(b + 1)
		}
		i -= size
	}
	panic("no bucket")
}

func (x *drawnCall) checkRanks(want []ranksOf, p perm.Perm, parts, peers perm.Runs, k int) {
	n := len(want)
	dst, floats := make([]uint32, n), make([]float64, n)
	numbers := func(name string, write func(), of func(r ranksOf) uint32) {
		write()
		x.same(name, mapped(dst, func(v uint32) int { return int(v) }), mapped(want, func(r ranksOf) int { return int(of(r)) }))
	}
	shares := func(write func(), of func(r ranksOf) float64) {
		write()
		x.sameQuantiles(floats, mapped(want, func(r ranksOf) shareOf { return shareOf{of(r), of(r), 0} }))
	}
	w := rank.Window{Order: p, Partitions: parts, Peers: peers}
	numbers("RowNumber", func() { w.RowNumber(dst) }, func(r ranksOf) uint32 { return r.number })
	numbers("Rank", func() { w.Rank(dst) }, func(r ranksOf) uint32 { return r.first })
	numbers("MaxRank", func() { w.MaxRank(dst) }, func(r ranksOf) uint32 { return r.last })
	numbers("DenseRank", func() { w.DenseRank(dst) }, func(r ranksOf) uint32 { return r.dense })
	numbers("NTile", func() { w.NTile(dst, k) }, func(r ranksOf) uint32 { return r.tile })
	shares(func() { w.AverageRank(floats) }, func(r ranksOf) float64 { return r.average })
	shares(func() { w.PercentRank(floats) }, func(r ranksOf) float64 { return r.percent })
	shares(func() { w.CumeDist(floats) }, func(r ranksOf) float64 { return r.cume })
}

func (x *drawnCall) checkDistinct(p perm.Perm, runs perm.Runs, offsets []int) {
	var first, doubled, got []int
	for i := range len(offsets) - 1 {
		first = append(first, int(p[offsets[i]]))
		if offsets[i+1]-offsets[i] > 1 {
			doubled = append(doubled, mapped(p[offsets[i]:offsets[i+1]], func(row uint32) int { return int(row) })...)
		}
	}
	w := rank.Window{Order: p, Peers: runs}
	x.sameNumbers(w.Distinct(), first)
	for rows := range w.Duplicates() {
		if cap(rows) != len(rows) || len(rows) < 2 {
			x.fail("a run of %d duplicates with capacity %d", len(rows), cap(rows))
		}
		got = append(got, mapped(rows, func(row uint32) int { return int(row) })...)
	}
	x.same("Duplicates", got, doubled)
}
