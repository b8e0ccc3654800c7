package conformance_test

import (
	"fmt"
	"iter"
	"slices"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// onSlices are the verbs on slices of rows.
type onSlices interface {
	Sort(rows []int, opts ...sorter.Option) error
	SortWithin(rows, offsets []int, opts ...sorter.Option) error
	Order(rows []int, opts ...sorter.Option) (perm.Perm, error)
	TopK(rows []int, k int, opts ...sorter.Option) error
	TopOrder(rows []int, k int, opts ...sorter.Option) ([]uint32, error)
	Nth(rows, ks []int, opts ...sorter.Option) ([]uint32, error)
	Merge(dst []int, runs [][]int, opts ...sorter.Option) error
	Search(rows []int, target int) (int, bool)
	SearchRange(rows []int, target int) (lo, hi int)
	Groups(rows []int) iter.Seq[[]int]
}

// sliceVerbs are the verbs on slices, by one key or by an Ordering.
var sliceVerbs = []verbDrawn{
	{"Sort", checkDrawnSort}, {"Sort", checkDrawnSort},
	{"SortWithin", checkDrawnSortWithin},
	{"Order", checkDrawnOrder},
	{"TopK", checkDrawnTopK},
	{"TopOrder", checkDrawnTopOrder},
	{"Nth", checkDrawnNth},
	{"Merge", checkDrawnMerge},
	{"IsSorted", checkDrawnIsSorted},
	{"Search", checkDrawnSearch},
	{"Compare", checkDrawnCompare},
	{"Sort under ScratchBytes", checkDrawnScratch},
}

// drawSlices draws by what a call sorts: the key of a single column, or an Ordering of rows, at times one that sorted
// before, or of elements of some size.
func (x *drawnCall) drawSlices() onSlices {
	keyed := len(x.cols) == 1 && x.cols[0].isPlain()
	if verb, is := x.sought.of("verb"); keyed && is {
		keyed = verb == x.verb
	} else if keyed {
		keyed = x.IntN(3) > 0
	}
	if keyed {
		x.elementColumns("function")
		return x.cols[0].key()
	}
	x.verb = "Ordering." + x.verb
	way := x.IntN(6)
	if x.aim != nil && x.aim.how == "fields" {
		way = 2
	}
	if layout, is := x.sought.of("layout"); is {
		way = max(0, slices.Index([]string{"elements with pointers", "", "fields"}, layout))
		switch {
		case sizedElements(trait{"layout", layout}):
			way = 1
		case byRow(trait{"layout", layout}):
			way = 4
		}
	}
	switch way {
	case 0:
		x.elementColumns("elements with pointers")
		return orderingOf[carried]{sorter.By(mapped(x.cols, drawnColumn.carried)...), carry, rowOf}
	case 1, 3:
		if by := x.drawSized(); by != nil {
			return by
		}
	case 2:
		if by := x.byFields(); by != nil {
			return by
		}
	}
	by := sorter.By(x.columns(x.cols)...)
	for range x.IntN(3) { // it sorted before
		_ = by.Sort(x.drawRows())
	}
	return by
}

func checkDrawnSort(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	opts := x.draw(len(rows), len(x.cols))
	got, outside := guarded(rows, x.IntN(9))
	x.says(rows, "err := by.Sort(rows, opts...)\ngot := rows", x.stableOf(rows, x.order))
	err := calledFor(x, func() error { return by.Sort(got, opts...) })
	if err := outside(); err != nil {
		x.fail("%v", err)
	}
	if x.failed(err) {
		x.same("after an error", got, rows)
		return
	}
	x.same("", got, x.stableOf(rows, x.order))
}

// checkDrawnScratch sorts on the CPU in the memory that ScratchBytes returns.
func checkDrawnScratch(x *drawnCall) {
	x.onCPU = true
	by, rows := sorter.By(x.columns(x.cols)...), x.drawRows()
	opts := x.draw(len(rows), len(x.cols))
	bytes := max(1, by.ScratchBytes(len(rows), opts...))
	x.note("%d bytes", bytes)
	x.limited = false
	got := slices.Clone(rows)
	opts = append(slices.Clone(opts), sorter.MemoryLimit(bytes))
	if !x.failed(calledFor(x, func() error { return by.Sort(got, opts...) })) {
		x.same("", got, x.stableOf(rows, x.order))
	}
}

// drawOffsets draws segments of n elements: some empty, and at times some before and after them.
func (x *drawnCall) drawOffsets(n int) []int {
	from, to := 0, n
	if x.IntN(3) == 0 {
		from = x.IntN(n + 1)
		to = from + x.IntN(n-from+1)
	}
	offsets, each := []int{from}, 1+x.IntN(max(1, (to-from)*2))
	if x.IntN(2) == 0 {
		each = near([]int{1, 5, 16, 32, 64, 256, 1000, 4096, 8192, 65_535, 65_536}[x.IntN(11)], x.Rand)
	}
	for from < to && len(offsets) < 1_000_000 {
		k := min(to-from, each)
		if x.IntN(4) == 0 {
			k = x.IntN(min(to-from, 2*each) + 1)
		}
		from += k
		offsets = append(offsets, from)
	}
	x.note("%d segments from %d, about %d rows each, to %d", len(offsets)-1, offsets[0], each, from)
	return offsets
}

func checkDrawnSortWithin(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	offsets, opts := x.drawOffsets(len(rows)), x.draw(len(rows), len(x.cols))
	got, want := slices.Clone(rows), slices.Clone(rows)
	x.sortSegments(want, offsets)
	x.says(rows, fmt.Sprintf("err := by.SortWithin(rows, %#v, opts...)\ngot := rows", offsets), want)
	if x.failed(calledFor(x, func() error { return by.SortWithin(got, offsets, opts...) })) {
		x.same("after an error", got, rows)
		return
	}
	x.same("", got, want)
}

// sortSegments sorts each segment of rows stably.
func (x *drawnCall) sortSegments(rows, offsets []int) {
	compare := x.compare(x.order)
	for i := range len(offsets) - 1 {
		testkit.SortStable(rows[offsets[i]:offsets[i+1]], compare)
	}
}

func checkDrawnOrder(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	opts := x.draw(len(rows), len(x.cols))
	left := slices.Clone(rows)
	x.says(rows, "p, err := by.Order(rows, opts...)\ngot := rowsOf(p)", x.placesInOrder(rows))
	p, err := called(x, func() (perm.Perm, error) { return by.Order(left, opts...) })
	x.same("the input", left, rows)
	x.checkPerm(p, err, x.placesInOrder(rows), x.comparesOf(rows))
}

// comparesOf are the comparisons of places in rows.
func (x *drawnCall) comparesOf(rows []int) []func(a, b int) int {
	return mapped(compares(x.cols, x.order), func(compare func(a, b int) int) func(a, b int) int {
		return func(a, b int) int { return compare(rows[a], rows[b]) }
	})
}

// placesInOrder returns the places in rows in the stable order of these.
func (x *drawnCall) placesInOrder(rows []int) []int {
	if x.areAll(rows) {
		return x.inOrder(sortedBy{Order: x.order})
	}
	places := ascending(len(rows))
	testkit.SortStable(places, compareInTurn(x.comparesOf(rows)))
	return places
}

// drawCount draws how many of n rows are wanted, often few.
func (x *drawnCall) drawCount(n int) int {
	if x.sought.has("taken", "select-few") {
		n /= 8 // the first are few
	}
	k := []int{0, 1, 10, 100, 1000, n / 100, near(n/32, x.Rand), near(n/32, x.Rand), n / 8, n / 2, n, n + 5, x.IntN(n + 1)}[x.IntN(13)]
	x.note("k = %d", k)
	return k
}

func checkDrawnTopK(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	k, opts := x.drawCount(len(rows)), x.draw(len(rows), len(x.cols))
	got := slices.Clone(rows)
	x.says(rows, fmt.Sprintf("err := by.TopK(rows, %d, opts...)\ngot := rows[:min(%[1]d, len(rows))]", k), atMost(k, x.stableOf(rows, x.order)))
	if x.failed(calledFor(x, func() error { return by.TopK(got, k, opts...) })) {
		x.same("after an error", got, rows)
		return
	}
	k = min(k, len(rows))
	x.same("", got[:k], x.stableOf(rows, x.order)[:k])
	x.same("all rows", slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(rows)))
}

func checkDrawnTopOrder(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	k, opts := x.drawCount(len(rows)), x.draw(len(rows), len(x.cols))
	x.says(rows, fmt.Sprintf("p, err := by.TopOrder(rows, %d, opts...)\ngot := rowsOf(p)", k), atMost(k, x.placesInOrder(rows)))
	got, err := called(x, func() ([]uint32, error) { return by.TopOrder(rows, k, opts...) })
	if !x.failed(err) {
		x.sameNumbers(got, x.placesInOrder(rows)[:min(k, len(rows))])
	}
}

func (x *drawnCall) sameNumbers(got []uint32, want []int) {
	x.same("", mapped(got, func(i uint32) int { return int(i) }), want)
}

func checkDrawnNth(x *drawnCall) {
	by, rows := x.drawSlices(), x.drawRows()
	if len(rows) == 0 {
		x.skip()
		return
	}
	ks := []int{[]int{0, len(rows) / 2, len(rows) - 1, x.IntN(len(rows))}[x.IntN(4)]}
	x.note("k = %d", ks[0])
	if x.IntN(3) == 0 {
		ks = x.drawPlaces(len(rows))
	}
	left := slices.Clone(ks)
	opts := x.draw(len(rows), len(x.cols))
	x.says(rows, fmt.Sprintf("p, err := by.Nth(rows, %#v, opts...)\ngot := rowsOf(p)", ks), at(x.placesInOrder(rows), ks))
	got, err := called(x, func() ([]uint32, error) { return by.Nth(rows, left, opts...) })
	x.same("the places", left, ks)
	if !x.failed(err) {
		x.sameNumbers(got, at(x.placesInOrder(rows), ks))
	}
}
