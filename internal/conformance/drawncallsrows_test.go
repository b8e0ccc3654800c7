package conformance_test

import (
	"fmt"
	"math"
	"slices"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// rowVerbs are the verbs on rows by columns.
var rowVerbs = []verbDrawn{
	{"Rows.Order", checkDrawnRowsOrder}, {"Rows.Order", checkDrawnRowsOrder}, {"Rows.Order", checkDrawnRowsOrder},
	{"Rows.Sort", checkDrawnRowsSort}, {"Rows.Sort", checkDrawnRowsSort},
	{"Rows.Within", checkDrawnRowsWithin},
	{"Rows.Top", checkDrawnRowsTop},
	{"Rows.Nth of one", checkDrawnRowsNthOfOne},
	{"Rows.Nth", checkDrawnRowsNth},
	{"Rows.Quantiles", checkDrawnRowsQuantiles},
	{"Rows.SearchRange", checkDrawnRowsSearchRange},
}

// rowsBy are the rows in the order of the columns.
func (x *drawnCall) rowsBy() sorter.Rows { return sorter.RowsBy(x.n, x.columns(x.cols)...) }

func checkDrawnRowsOrder(x *drawnCall) {
	opts := x.draw(x.n, len(x.cols))
	by := x.rowsBy()
	x.says(nil, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Order(opts...)\ngot := rowsOf(p)", x.n), x.inOrder(sortedBy{Order: x.order}))
	p, err := called(x, func() (perm.Perm, error) { return by.Order(opts...) })
	x.checkPerm(p, err, x.inOrder(sortedBy{Order: x.order}), compares(x.cols, x.order))
}

func checkDrawnRowsSort(x *drawnCall) {
	rows := x.drawRows()
	opts := x.draw(len(rows), len(x.cols))
	got := mapped(rows, func(row int) uint32 { return uint32(row) })
	by := x.rowsBy()
	x.says(rows, fmt.Sprintf("some := permOf(rows)\nerr := sorter.RowsBy(%d, cols...).Sort(some, opts...)\ngot := rowsOf(some)", x.n), x.stableOf(rows, x.order))
	if x.failed(calledFor(x, func() error { return by.Sort(got, opts...) })) {
		x.sameNumbers(got, rows)
		return
	}
	want := x.stableOf(rows, x.order)
	x.sameNumbers(got, want)
	x.checkMarks(want, compares(x.cols, x.order), nil)
}

func checkDrawnRowsWithin(x *drawnCall) {
	offsets, opts := x.drawOffsets(x.n), x.draw(x.n, len(x.cols))
	by := x.rowsBy()
	want := ascending(x.n)
	x.sortSegments(want, offsets)
	x.says(offsets, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Within(rows, opts...)\ngot := rowsOf(p)", x.n), want)
	p, err := called(x, func() (perm.Perm, error) { return by.Within(offsets, opts...) })
	if x.failed(err) {
		return
	}
	x.sameNumbers(p, want)
	last := offsets[len(offsets)-1]
	ends := slices.Concat(want[:offsets[0]], offsets, ascending(x.n)[last:])
	x.checkMarks(want, compares(x.cols, x.order), ends)
}

func checkDrawnRowsTop(x *drawnCall) {
	k, opts := x.drawCount(x.n), x.draw(x.n, len(x.cols))
	by := x.rowsBy()
	x.says(nil, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Top(%d, opts...)\ngot := rowsOf(p)", x.n, k), atMost(k, x.inOrder(sortedBy{Order: x.order})))
	got, err := called(x, func() ([]uint32, error) { return by.Top(k, opts...) })
	if !x.failed(err) {
		x.sameNumbers(got, x.inOrder(sortedBy{Order: x.order})[:min(k, x.n)])
	}
}

func checkDrawnRowsNthOfOne(x *drawnCall) {
	if x.n == 0 {
		x.skip()
		return
	}
	k, opts := x.IntN(x.n), x.draw(x.n, len(x.cols))
	x.note("k = %d", k)
	by := x.rowsBy()
	x.says(nil, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Nth([]int{%d}, opts...)\ngot := rowsOf(p)", x.n, k), x.inOrder(sortedBy{Order: x.order})[k:k+1])
	got, err := called(x, func() ([]uint32, error) { return by.Nth([]int{k}, opts...) })
	if !x.failed(err) {
		x.sameNumbers(got, x.inOrder(sortedBy{Order: x.order})[k:k+1])
	}
}

// drawPlaces draws places below n: few or many, at random or close together, some twice.
func (x *drawnCall) drawPlaces(n int) []int {
	if n == 0 {
		return nil
	}
	ks := make([]int, []int{0, 1, 1, 2, 3, 8, 9, 10, 17, 100, 255, 256, 257, 513, 600, 5000}[x.IntN(16)])
	from, width := x.IntN(n), 1+x.IntN(n)
	if x.IntN(2) == 0 {
		from, width = 0, n
	}
	for i := range ks {
		ks[i] = min(n-1, from+x.IntN(width))
	}
	if x.IntN(3) == 0 {
		slices.Sort(ks)
	}
	x.note("%d places from %d on of %d", len(ks), from, width)
	return ks
}

// at returns the elements of s at places.
func at[E any](s []E, places []int) []E { return mapped(places, func(k int) E { return s[k] }) }

func checkDrawnRowsNth(x *drawnCall) {
	ks, opts := x.drawPlaces(x.n), x.draw(x.n, len(x.cols))
	left := slices.Clone(ks)
	by := x.rowsBy()
	x.says(ks, fmt.Sprintf("p, err := sorter.RowsBy(%d, cols...).Nth(rows, opts...)\ngot := rowsOf(p)", x.n), at(x.inOrder(sortedBy{Order: x.order}), ks))
	got, err := called(x, func() ([]uint32, error) { return by.Nth(left, opts...) })
	x.same("the places", left, ks)
	if !x.failed(err) {
		x.sameNumbers(got, at(x.inOrder(sortedBy{Order: x.order}), ks))
	}
}

// drawShares draws quantiles.
func (x *drawnCall) drawShares() []float64 {
	qs := make([]float64, []int{0, 1, 1, 2, 3, 4, 5, 9, 20, 100, 128, 129, 255, 256, 257, 600}[x.IntN(16)])
	for i := range qs {
		qs[i] = []float64{0, 1, 0.5, 0.25, 0.75, 0.01, 0.99, 0.999, x.Float64(), x.Float64(), x.Float64()}[x.IntN(11)]
	}
	x.note("%d quantiles", len(qs))
	return qs
}

// placeOf is the place of the quantile q of n rows, as SQL's percentile_disc has it.
func placeOf(q float64, n int) int { return max(0, int(math.Ceil(q*float64(n)))-1) }

func checkDrawnRowsQuantiles(x *drawnCall) {
	qs, opts := x.drawShares(), x.draw(x.n, len(x.cols))
	if x.n == 0 {
		x.skip()
		return
	}
	by := x.rowsBy()
	got, err := called(x, func() ([]uint32, error) { return by.Quantiles(qs, opts...) })
	if !x.failed(err) {
		rows := x.inOrder(sortedBy{Order: x.order})
		x.sameNumbers(got, mapped(qs, func(q float64) int { return rows[placeOf(q, x.n)] }))
	}
}

// checkDrawnRowsSearchRange searches rows in order for rows that lie after them, too: the columns of the call
// are drawn ones through the order.
func checkDrawnRowsSearchRange(x *drawnCall) {
	rows, compare := x.inOrder(sortedBy{}), x.compare(oracle.Order{})
	rank := append(slices.Clone(rows), x.n) // and a probe
	cols := mapped(x.cols, func(c drawnColumn) sorter.Column[int] {
		by := sorter.By(x.columns([]drawnColumn{c})...)
		return ranksBy(len(rank), func(a, b int) int { return by.Compare(rank[a], rank[b]) })
	})
	for range 10 {
		probe := x.IntN(x.n + 1)
		lo, _ := slices.BinarySearchFunc(rows, rank[probe], compare)
		hi := lo
		for hi < x.n && compare(rows[hi], rank[probe]) == 0 {
			hi++
		}
		if gotLo, gotHi := sorter.RowsBy(x.n, cols...).SearchRange(probe); gotLo != lo || gotHi != hi {
			x.fail("of probe %d: %d, %d, want %d, %d", probe, gotLo, gotHi, lo, hi)
		}
	}
}

// ranksBy returns a column of the ranks of n rows by a comparison.
func ranksBy(n int, compare func(a, b int) int) sorter.Column[int] {
	rows, ranks := ascending(n), make([]uint32, n)
	testkit.SortStable(rows, compare)
	for i := 1; i < n; i++ {
		ranks[rows[i]] = ranks[rows[i-1]]
		if compare(rows[i-1], rows[i]) != 0 {
			ranks[rows[i]]++
		}
	}
	return sorter.AscOf(ranks)
}
