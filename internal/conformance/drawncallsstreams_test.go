package conformance_test

import (
	"slices"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// streamVerbs are the first elements of a stream.
var streamVerbs = []verbDrawn{{"Top", checkDrawnTopStream}, {"TopPer", checkDrawnTopPer}}

func self(row int) int { return row }

func checkDrawnTopStream(x *drawnCall) {
	if x.IntN(3) == 0 {
		x.elementColumns("elements with pointers")
		checkTopStream(x, sorter.By(mapped(x.cols, drawnColumn.carried)...), carry, rowOf)
		return
	}
	checkTopStream(x, sorter.By(x.columns(x.cols)...), self, self)
}

// drawStream draws options of a stream, of which those of errors have no effect.
func (x *drawnCall) drawStream(n, cols int) []sorter.Option {
	opts := x.draw(n, cols)
	x.excluded, x.limited, x.poll, x.engine = false, false, nil, "chosen"
	if x.fault != nil && x.fault.cancel != nil {
		x.fault = nil
	}
	return opts
}

// checkTopStream pushes rows to one accumulator or several, which are merged.
func checkTopStream[E any](x *drawnCall, by sorter.Ordering[E], of func(row int) E, row func(E) int) {
	rows := x.drawRows()
	k, opts := x.drawCount(len(rows)), x.drawStream(len(rows), len(x.cols))
	want := atMost(k, x.stableOf(rows, x.order))
	parts := 1 + x.IntN(3)
	x.note("%d accumulators", parts)
	got, err := called(x, func() ([]int, error) {
		var all *sorter.Top[E]
		for i := range parts {
			top := sorter.NewTop(by, k, opts...)
			for _, batch := range x.batches(rows[i*len(rows)/parts : (i+1)*len(rows)/parts]) {
				s := mapped(batch, of)
				x.again(func() { top.Push(s...) })
				clear(s)
				if x.IntN(8) == 0 {
					x.again(func() { top.Bound() })
				}
			}
			if all == nil {
				all = top
			} else {
				x.again(func() { all.Merge(top) })
			}
		}
		var result []E
		x.again(func() { result = all.Result() })
		x.again(func() {
			if last, ok := all.Bound(); ok != (len(rows) >= k && k > 0) || ok && row(last) != want[k-1] {
				x.fail("the bound is row %d, %v", row(last), ok)
			}
		})
		return mapped(result, row), nil
	})
	if !x.failed(err) {
		x.same("", got, want)
	}
}

// batches cuts rows at random.
func (x *drawnCall) batches(rows []int) (all [][]int) {
	most := 1 + x.IntN(1<<x.IntN(14))
	for len(rows) > 0 {
		n := min(len(rows), 1+x.IntN(most))
		all, rows = append(all, rows[:n]), rows[n:]
	}
	return all
}

// again calls f, and once more if the key function panics: then nothing has changed.
func (x *drawnCall) again(f func()) {
	defer func() {
		if value := recover(); value != nil {
			if x.fault == nil || value != any(x.fault) {
				panic(value)
			}
			x.survived = true
			f()
		}
	}()
	f()
}

// checkDrawnTopPer pushes rows, and takes the first of each partition.
func checkDrawnTopPer(x *drawnCall) {
	by, partition := sorter.By(x.columns(x.cols)...), sorter.By(x.columns(x.partition)...)
	rows := x.drawRows()
	k := []int{0, 1, 1, 2, 3, 10, 100, len(rows)}[x.IntN(8)]
	opts := x.drawStream(len(rows), len(x.cols)+len(x.partition))
	x.note("k = %d", k)
	want, starts := x.firstPer(rows, k)
	offsets := []int{0}
	got, err := called(x, func() ([]int, error) {
		top := sorter.NewTopPer(partition, by, k, opts...)
		for _, batch := range x.batches(rows) {
			s := slices.Clone(batch)
			x.again(func() { top.Push(s...) })
			clear(s)
		}
		var result []int
		x.again(func() {
			first, parts := top.Result()
			result = first
			if parts.Rows() > 0 {
				offsets = parts.Offsets()
			}
		})
		return result, nil
	})
	if !x.failed(err) {
		x.same("", got, want)
		if k > 0 && len(rows) > 0 {
			x.same("partitions", offsets, starts)
		}
	}
}

// firstPer returns the first k of rows in each partition, and where partitions begin among them.
func (x *drawnCall) firstPer(rows []int, k int) (first, starts []int) {
	rows = slices.Clone(rows)
	testkit.SortStable(rows, compareInTurn(compares(slices.Concat(x.partition, x.cols), x.order)))
	partition := compareInTurn(compares(x.partition, x.order))
	starts, at := []int{0}, 0
	for i, row := range rows {
		if i > 0 && partition(rows[i-1], row) != 0 {
			at, starts = i, append(starts, len(first))
		}
		if i-at < k {
			first = append(first, row)
		}
	}
	return first, append(starts, len(first))
}
