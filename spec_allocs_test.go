//go:build !race

package sorter_test

import (
	"runtime"
	"slices"
	"testing"

	"example.com/sorter"
)

// Under the race detector sync.Pool drops what it is given at random, so that
// these bounds on allocations hold only without it.

// TestSmallAllocs holds small sorts to two allocations.
func TestSmallAllocs(t *testing.T) {
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

// TestScratchIsPooled sorts in a loop: the second sort needs next to nothing.
func TestScratchIsPooled(t *testing.T) {
	in := fills(100_000)
	s := slices.Clone(in)
	if err := sorter.Sort(s, price); err != nil {
		t.Fatal(err)
	}
	least := int64(1 << 62)
	for range 5 { // a collection between two sorts may empty the pools
		var before, after runtime.MemStats
		copy(s, in)
		runtime.ReadMemStats(&before)
		if err := sorter.Sort(s, price); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, int64(after.TotalAlloc-before.TotalAlloc))
	}
	if least > 1<<20 {
		t.Errorf("a sort after another one allocates %d bytes at least", least)
	}
}
