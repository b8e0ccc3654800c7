//go:build linux && (amd64 || arm64)

package selection

import (
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gather"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// poison is in results before a selection.
const poison = 0xdbdbdbdb

// counted sorts lists, and counts its calls.
type counted struct{ all, some int }

func (c *counted) whole(n int) codes.Whole {
	return func(w *device.Workspace, in codes.Input, to cuda.Ptr) error {
		if in.N == n {
			c.all++
		} else {
			c.some++
		}
		_, err := runs.Sort(w, in, to)
		return err
	}
}

// onDevice selects from a list into memory that is full of poison, a place longer at each end than the
// result, and checks these places.
func onDevice[W codes.Word](t *testing.T, w *device.Workspace, list []W, first, count int, salt *uint64) (order []uint32, sorted []W, calls counted) {
	t.Helper()
	const pad = 4
	order = slices.Repeat([]uint32{poison}, count+2*pad)
	sorted = slices.Repeat([]W{poison}, count+2*pad)
	toOrder, toSorted := gputest.Up(t, w, order), gputest.Up(t, w, sorted)
	in := Input{Input: codes.Input{Codes: gputest.Up(t, w, list), Wide: gputest.IsWide[W](), N: len(list)}, First: first, Count: count, Salt: salt}
	to := Result{toOrder + 4*pad, toSorted + cuda.Ptr(unsafe.Sizeof(*new(W)))*pad}
	if err := Select(w, in, calls.whole(len(list)), to); err != nil {
		t.Fatalf("ranks %d to %d of %d codes: %v", first, first+count-1, len(list), err)
	}
	order, sorted = gputest.Down[uint32](t, w, toOrder, len(order)), gputest.Down[W](t, w, toSorted, len(sorted))
	for i := range pad {
		for _, at := range []int{i, len(order) - 1 - i} {
			if order[at] != poison || sorted[at] != poison {
				t.Fatalf("ranks %d to %d of %d codes: place %d was written", first, first+count-1, len(list), at-pad)
			}
		}
	}
	return order[pad : pad+count], sorted[pad : pad+count], calls
}

// check compares a selection with a stable order.
func check[W codes.Word](t *testing.T, w *device.Workspace, list []W, stable []uint32, first, count int, salt *uint64) counted {
	t.Helper()
	order, sorted, calls := onDevice(t, w, list, first, count, salt)
	for i, at := range stable[first : first+count] {
		if order[i] != at || sorted[i] != list[at] {
			t.Fatalf("ranks %d to %d of %d codes, wide %v, %+v: place %d has position %d and code %#x, want %d and %#x",
				first, first+count-1, len(list), gputest.IsWide[W](), calls, i, order[i], sorted[i], at, list[at])
		}
	}
	return calls
}

func workspace(t *testing.T) *device.Workspace {
	return gputest.Workspace(t, slices.Concat(Modules, gather.Modules, runs.Modules)...)
}

// TestSelections draws codes of each kind, and ranks of each size and place.
func TestSelections(t *testing.T) {
	w, r := workspace(t), gputest.Drawing(t)
	sizes := append([]int{1, 2, 33, 2048, kernels.RankedMost, kernels.RankedMost + 1, 40_000}, gputest.Large...)
	if !testkit.Long() {
		sizes = []int{1, 33, kernels.RankedMost + 1}
	}
	for _, name := range gputest.SomeCodes() {
		for _, n := range sizes {
			if testkit.ThreadSanitizer() && n > 1000 && (n != kernels.RankedMost+1 || name != "uniform") {
				continue
			}
			wide := gputest.CodesOf[name](r, n)
			narrow := gputest.Fill32(wide)
			stable, stableNarrow := gputest.Stable(wide), gputest.Stable(narrow)
			for range testkit.Pick(1, 2) {
				count := 1 + r.IntN(1+r.IntN(1+r.IntN(n)))
				first := r.IntN(n-count+1) * r.IntN(2)
				if r.IntN(8) == 0 {
					first = n - count
				}
				check(t, w, wide, stable, first, count, nil)
				check(t, w, narrow, stableNarrow, first, count, nil)
			}
		}
	}
}

// TestWays has a selection of each way: one level and a comparison with all, more than one, a sort of what
// is left, and a sort of all.
func TestWays(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w, r := workspace(t), gputest.Drawing(t)
	defer func(least int) { sortedLeast = least }(sortedLeast)
	sortedLeast = 0
	for name, c := range map[string]struct {
		n, first, count int
		want            counted
	}{
		"none wanted":   {30_000, 0, 0, counted{}},
		"no level":      {5000, 17, 300, counted{}},
		"one level":     {60_000, 0, 50, counted{}},
		"two levels":    {110_000, 50_000, 40, counted{}},
		"some sorted":   {140_000, 1000, 24_000, counted{some: 2}},
		"all sorted":    {30_000, 0, 20_000, counted{all: 1}},
		"nearly all":    {9000, 0, 9000, counted{all: 1}},
		"the last rank": {60_000, 59_999, 1, counted{}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.n > 120_000 && !testkit.Long() {
				t.Skip("takes seconds")
			}
			list := gputest.CodesOf["16 values"](r, c.n)
			if got := check(t, w, list, gputest.Stable(list), c.first, c.count, nil); got != c.want {
				t.Errorf("%+v sorts, want %+v: %+v", got, c.want, planFor(c.n, c.first, c.count))
			}
			if levels := len(planFor(c.n, c.first, c.count).capacity); name == "two levels" && levels != 2 {
				t.Errorf("%d levels", levels)
			}
		})
	}
}

// TestRanks finds several ranks: few, consecutive ones, and more than are found one after the other.
func TestRanks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w, r := workspace(t), gputest.Drawing(t)
	const n = 9000
	list := gputest.CodesOf["16 values"](r, n)
	stable := gputest.Stable(list)
	for _, ranks := range [][]int{{}, {n - 1}, {5, 6, 7, 100, 0, 0}, {1, 3, 5, 7, 9, 11, 13, 15, n - 2, n - 1, 0}} {
		m := len(ranks)
		order, sorted := slices.Repeat([]uint32{poison}, m+1), slices.Repeat([]uint64{poison}, m+1)
		to := Result{gputest.Up(t, w, order), gputest.Up(t, w, sorted)}
		in := Input{Input: codes.Input{Codes: gputest.Up(t, w, list), Wide: true, N: n}}
		var calls counted
		if err := Ranks(w, in, ranks, calls.whole(n), to); err != nil {
			t.Fatal(err)
		}
		order, sorted = gputest.Down[uint32](t, w, to.Order, m+1), gputest.Down[uint64](t, w, to.Sorted, m+1)
		for i, rank := range ranks {
			if at := stable[rank]; order[i] != at || sorted[i] != list[at] {
				t.Errorf("ranks %v: the %d-th has position %d and code %#x, want %d and %#x", ranks, i, order[i], sorted[i], at, list[at])
			}
		}
		if order[m] != poison || sorted[m] != poison {
			t.Errorf("ranks %v: a place after the results was written", ranks)
		}
	}
}

// TestLostLevel has codes made for the positions of a sample: all of the sample is low, or high.
func TestLostLevel(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := workspace(t)
	const n, count = 3 * kernels.RankedMost, 100
	for name, seen := range map[string]uint64{"low": 0, "high": 1 << 63} {
		t.Run(name, func(t *testing.T) {
			list := gputest.Fill(n, func(i int) uint64 { return 1<<62 + uint64(n-i)<<40 })
			for k := range uint64(kernels.SelectSamples) {
				list[dist.Drawn(k, bits.TrailingZeros(kernels.SelectSamples), n)] = seen
			}
			first := map[string]int{"low": n / 2, "high": 0}[name]
			calls := check(t, w, list, gputest.Stable(list), first, count, new(uint64))
			if calls.all != 1 {
				t.Errorf("%+v sorts: the level was not lost", calls)
			}
		})
	}
}

// TestPlans has plans of all sizes hold what their levels may keep.
func TestPlans(t *testing.T) {
	r := gputest.Drawing(t)
	for range 10_000 {
		n := 1 + r.IntN(1<<(1+r.IntN(32)))
		count := 1 + r.IntN(1+r.IntN(n))
		first := r.IntN(n - count + 1)
		p := planFor(n, first, count)
		before := n
		for _, capacity := range p.capacity {
			// A level keeps all of few elements, however many are expected.
			if capacity > before || capacity < min(before, max(count, kernels.RankedMost)) {
				t.Fatalf("ranks %d to %d of %d: levels of %v", first, first+count-1, n, p.capacity)
			}
			before = capacity
		}
		if count <= 4096 && n > 1<<20 && !p.ranked {
			t.Fatalf("ranks %d to %d of %d: no level", first, first+count-1, n)
		}
	}
}
