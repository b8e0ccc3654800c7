package conformance_test

import (
	"fmt"
	"slices"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// The verbs on sorted slices: see sliceVerbs.

func checkDrawnMerge(x *drawnCall) {
	by := x.drawSlices()
	opts := x.draw(x.n, len(x.cols))
	runs := x.drawRuns()
	want := slices.Concat(runs...)
	testkit.SortStable(want, x.compare(x.order))
	got := make([]int, len(want))
	x.says(nil, fmt.Sprintf("got := make([]int, %d)\nerr := by.Merge(got, %#v, opts...)", len(want), runs), want)
	if x.failed(calledFor(x, func() error { return by.Merge(got, runs, opts...) })) {
		want = make([]int, len(want))
	}
	x.same("", got, want)
}

// drawRuns deals the rows in order to runs, one after the other or at random.
func (x *drawnCall) drawRuns() [][]int {
	all := x.inOrder(sortedBy{Order: x.order})
	runs := make([][]int, []int{1, 2, 2, 2, 3, 7, 40, 300, 4095, 4096, 4097}[x.IntN(11)])
	way := x.IntN(4)
	x.note("%d runs, way %d", len(runs), way)
	to := 0
	for i, row := range all {
		switch way {
		case 0: // by runs that follow each other
			to = i * len(runs) / len(all)
		case 1: // in stretches
			if x.IntN(50) == 0 {
				to = x.IntN(len(runs))
			}
		case 2: // most to one
			if to = 0; x.IntN(20) == 0 {
				to = x.IntN(len(runs))
			}
		default:
			to = x.IntN(len(runs))
		}
		runs[to] = append(runs[to], row)
	}
	x.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return runs
}

func checkDrawnIsSorted(x *drawnCall) {
	by := x.drawSlices()
	opts := x.draw(x.n, len(x.cols))
	is := func(rows []int) bool { return by.(interface{ IsSorted([]int) bool }).IsSorted(rows) }
	if keyed, ok := by.(drawnKey); ok {
		is = func(rows []int) bool { return keyed.IsSorted(rows, opts...) }
	} else {
		x.order = oracle.Order{}
	}
	rows := slices.Clone(x.inOrder(sortedBy{Order: x.order}))
	for range 3 {
		if got, want := is(rows), slices.IsSortedFunc(rows, x.compare(x.order)); got != want {
			x.fail("%v, want %v", got, want)
		}
		if x.n > 0 {
			i, j := x.IntN(x.n), x.IntN(x.n)
			rows[i], rows[j] = rows[j], rows[i]
		}
	}
}

// checkDrawnSearch searches a part of the rows in order for any row, and lists its groups.
func checkDrawnSearch(x *drawnCall) {
	by, compare := x.drawSlices(), x.compare(oracle.Order{})
	rows := x.inOrder(sortedBy{})
	rows = rows[x.IntN(x.n+1):]
	rows = rows[:x.IntN(len(rows)+1)]
	for range 20 {
		target := x.IntN(x.n + 1)
		at, found := slices.BinarySearchFunc(rows, target, compare)
		if got, ok := by.Search(rows, target); got != at || ok != found {
			x.fail("Search of row %d: %d, %v, want %d, %v", target, got, ok, at, found)
		}
		end := at
		for end < len(rows) && compare(rows[end], target) == 0 {
			end++
		}
		if lo, hi := by.SearchRange(rows, target); lo != at || hi != end {
			x.fail("SearchRange of row %d: %d, %d, want %d, %d", target, lo, hi, at, end)
		}
	}
	x.checkGroups(by, rows, compare)
}

func (x *drawnCall) checkGroups(by onSlices, rows []int, compare func(a, b int) int) {
	offsets := offsetsOf(len(rows), func(i int) bool { return compare(rows[i-1], rows[i]) != 0 })
	at := 0
	for g := range by.Groups(rows) {
		if at+1 >= len(offsets) || len(g) != offsets[at+1]-offsets[at] || cap(g) != len(g) || g[0] != rows[offsets[at]] {
			x.fail("group %d is %v", at, g[:min(5, len(g))])
			return
		}
		at++
	}
	if at != len(offsets)-1 {
		x.fail("%d groups, want %d", at, len(offsets)-1)
	}
}

func checkDrawnCompare(x *drawnCall) {
	rows, elements := sorter.By(x.columns(x.cols)...), sorter.By(mapped(x.cols, drawnColumn.carried)...)
	compare := x.compare(oracle.Order{})
	for range 50 {
		a, b := x.IntN(x.n+1), x.IntN(x.n+1)
		want := sign(compare(a, b))
		if got := sign(rows.Compare(a, b)); got != want {
			x.fail("Compare(%d, %d) = %d, want %d", a, b, got, want)
		}
		if got := sign(elements.Compare(carry(a), carry(b))); got != want {
			x.fail("Compare(%d, %d) = %d of carried elements, want %d", a, b, got, want)
		}
	}
}

func sign(c int) int { return max(-1, min(c, 1)) }
