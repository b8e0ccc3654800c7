package conformance_test

import (
	"slices"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// funcVerbs are the verbs by a comparison.
var funcVerbs = []verbDrawn{{"SortFunc", checkDrawnSortFunc}, {"OrderFunc", checkDrawnOrderFunc}}

// byFunc draws rows, options and a comparison, which the options may reverse. compare is that of the result.
func (x *drawnCall) byFunc() (rows []int, given, compare func(a, b int) int, opts []sorter.Option) {
	x.elementColumns("comparison")
	rows = x.drawRows()
	opts = x.draw(len(rows), 1)
	own, calls := x.compare(oracle.Order{}), x.keyCalls
	given = func(a, b int) int { keyCalled(calls); return own(a, b) }
	if compare = own; x.order.Desc {
		compare = func(a, b int) int { return own(b, a) }
	}
	return rows, given, compare, opts
}

func checkDrawnSortFunc(x *drawnCall) {
	rows, given, compare, opts := x.byFunc()
	want := slices.Clone(rows)
	testkit.SortStable(want, compare)
	got := slices.Clone(rows)
	sort := func() error { return sorter.SortFunc(got, given, opts...) }
	if x.IntN(3) == 0 {
		x.note("carried elements")
		sort = func() error {
			return orderingOf[carried]{of: carry, row: rowOf}.writing(got, func(s []carried) error {
				return sorter.SortFunc(s, func(a, b carried) int { return given(rowOf(a), rowOf(b)) }, opts...)
			})
		}
	}
	if x.failed(calledFor(x, sort)) {
		want = rows
	}
	x.same("", got, want)
}

func checkDrawnOrderFunc(x *drawnCall) {
	rows, given, compare, opts := x.byFunc()
	want := ascending(len(rows))
	places := func(a, b int) int { return compare(rows[a], rows[b]) }
	testkit.SortStable(want, places)
	p, err := called(x, func() (perm.Perm, error) { return sorter.OrderFunc(rows, given, opts...) })
	x.checkPerm(p, err, want, []func(a, b int) int{places})
}
