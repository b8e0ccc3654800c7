//go:build !race

package conformance_test

import (
	"runtime"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Under the race detector sync.Pool drops objects at random, so that
// these bounds on allocations hold only without it.

// TestSmallAllocs holds small sorts to two allocations.
func TestSmallAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	for _, v := range smallVerbs {
		for _, n := range []int{10, 100, 1000} {
			in := fills(n)
			s := make([]fill, n)
			nothing := func() {}
			allocs := testing.AllocsPerRun(50, func() {
				copy(s, in)
				v.run(s, nothing)
			})
			if allocs > 2 {
				t.Errorf("%s, n=%d: %v allocations, want at most 2", v.name, n, allocs)
			}
		}
	}
}

// TestPairsAllocs sorts few pairs with nothing allocated.
func TestPairsAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	for _, n := range []int{10, 100, 1000, 4096} {
		in := fills(n)
		text := mapped(in, func(f fill) string { return decimal(uint64(f.Pos) * 2654435761 % 1000) })
		checkPairsAllocs(t, mapped(in, price), in)
		checkPairsAllocs(t, mapped(in, func(f fill) int64 { return f.ID }), text)
		checkPairsAllocs(t, text, in)
	}
}

func checkPairsAllocs[K sorter.Key, V any](t *testing.T, inKeys []K, inValues []V) {
	t.Helper()
	keys, values := slices.Clone(inKeys), slices.Clone(inValues)
	allocs := testing.AllocsPerRun(50, func() {
		copy(keys, inKeys)
		copy(values, inValues)
		_ = sorter.SortPairs(keys, values, sorter.Stable())
	})
	if allocs > 0 {
		t.Errorf("%d pairs of %T and %T: %v allocations", len(keys), keys[0], values[0], allocs)
	}
}

// TestMergeAllocs merges few elements: one allocation, of the column.
func TestMergeAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	id := func(f fill) int64 { return f.ID }
	for _, n := range []int{10, 100, 1000} {
		s, dst := fills(n), make([]fill, n)
		runs := [][]fill{s[:n/3], s[n/3 : n/2], s[n/2:]}
		for name, merge := range map[string]func(){
			"Merge":         func() { _ = sorter.Merge(dst, [][]fill{s[:n/2], s[n/2:]}, id, sorter.Descending()) },
			"Merge of many": func() { _ = sorter.Merge(dst, runs, id) },
		} {
			if allocs := testing.AllocsPerRun(50, merge); allocs > 1 {
				t.Errorf("%s, n=%d: %v allocations", name, n, allocs)
			}
		}
	}
}

// TestIntoAllocs orders into memory that is kept: small orders allocate nothing,
// large ones less than a tenth of the result.
func TestIntoAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	byPrice := sorter.By(sorter.Asc(price))
	for _, n := range []int{3, 10, 100, 1000} {
		in, s, p := fills(n), prices(n), make(perm.Perm, n)
		ids := mapped(in, func(f fill) int64 { return f.ID })
		cols := []sorter.Column[int]{
			sorter.AscOf(mapped(in, func(f fill) uint16 { return f.Venue / 50 })),
			sorter.DescOf(mapped(in, func(f fill) int64 { return f.ID % 3 })).NullsFirst(func(row int) bool { return row%5 == 0 }),
			sorter.Asc(func(row int) string { return "text"[row%4:] }),
			sorter.AscOf(s),
		}
		for name, order := range map[string]func(){
			"Order":          func() { _, _ = sorter.Order(in, price, sorter.Into(p)) },
			"OrderKeys":      func() { _, _ = sorter.OrderKeys(s, sorter.Into(p), sorter.Stable()) },
			"Ordering.Order": func() { _, _ = byPrice.Order(in, sorter.Descending(), sorter.Into(p)) },
			"Order by a new Ordering": func() {
				_, _ = sorter.By(sorter.Asc(price), sorter.Desc(func(f fill) int64 { return f.ID })).Order(in, sorter.Into(p))
			},
			"Sort by a new Ordering": func() {
				_ = sorter.By(sorter.Asc(price), sorter.Desc(func(f fill) int64 { return f.ID })).Sort(in)
			},
			"Rows.Order":         func() { _, _ = sorter.RowsBy(n, cols[:1]...).Order(sorter.Into(p)) },
			"Rows.Order by many": func() { _, _ = sorter.RowsBy(n, cols...).Order(sorter.Into(p)) },
			"Rows.Order by new columns": func() {
				_, _ = sorter.RowsBy(n, sorter.DescOf(ids), sorter.AscOf(s)).Order(sorter.Into(p))
			},
			"Rows.Sort": func() { _ = sorter.RowsBy(n, sorter.DescOf(s)).Sort(p) },
		} {
			if allocs := testing.AllocsPerRun(50, order); allocs > 0 {
				t.Errorf("%s, n=%d: %v allocations", name, n, allocs)
			}
		}
	}
	const n = 1 << 20
	s, p := prices(n), make(perm.Perm, n)
	for _, workers := range []int{2, 16} {
		least := leastAllocated(func() {
			if _, err := sorter.OrderKeys(s, sorter.Into(p), sorter.Workers(workers)); err != nil {
				t.Fatal(err)
			}
		})
		if least > 4*n/10 {
			t.Errorf("%d workers: an order after another one allocates %d bytes at least", workers, least)
		}
	}
}

// TestSelectionsAllocateLittle has the result of few rows, the columns of the call, and little else.
func TestSelectionsAllocateLittle(t *testing.T) {
	testkit.SkipInstrumented(t)
	keys, ks := []int64{5, 3, 9, 1, 7, 2, 8, 6, 4, 0}, []int{5, 9}
	by := sorter.By(sorter.Asc(func(x int64) int64 { return x }))
	for _, c := range []struct {
		name string
		most float64
		call func()
	}{
		{"Ordering.Nth", 1, func() { _, _ = by.Nth(keys, ks) }},
		{"Ordering.TopOrder", 2, func() { _, _ = by.TopOrder(keys, 3) }},
		{"Rows.Top", 3, func() { _, _ = sorter.RowsBy(10, sorter.AscOf(keys)).Top(3) }},
		{"Rows.Nth", 2, func() { _, _ = sorter.RowsBy(10, sorter.AscOf(keys)).Nth(ks) }},
		{"Rows.SearchRange", 5, func() { sorter.RowsBy(10, sorter.AscOf(keys)).SearchRange(3) }},
	} {
		if allocs := testing.AllocsPerRun(50, c.call); allocs > c.most {
			t.Errorf("%s: %v allocations, at most %v", c.name, allocs, c.most)
		}
	}
}

// TestScratchIsPooled sorts in a loop: the second sort needs next to nothing.
func TestScratchIsPooled(t *testing.T) {
	in := fills(100_000)
	s := slices.Clone(in)
	least := leastAllocated(func() {
		copy(s, in)
		if err := sorter.Sort(s, price); err != nil {
			t.Fatal(err)
		}
	})
	if least > 1<<20 {
		t.Errorf("a sort after another one allocates %d bytes at least", least)
	}
}

// leastAllocated returns the least number of bytes that f allocates: a collection
// between two sorts may empty the pools.
func leastAllocated(f func()) int64 {
	f()
	least := int64(1 << 62)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, int64(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}
