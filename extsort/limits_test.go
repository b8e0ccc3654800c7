package extsort

import (
	"fmt"
	"math"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cgroup"
)

// Without a limit, a sort takes a quarter of what is free, give or take what others do meanwhile.
func TestDefaultMemory(t *testing.T) {
	free, ok := cgroup.FreeMemory()
	if !ok {
		t.Skip("the system does not say how much memory is free")
	}
	if got, want := optionsOf(nil).memory, cgroup.Share(); got < want/2 || got > 2*want || want > free {
		t.Errorf("%d bytes, want about %d, a quarter of %d", got, want, free)
	}
}

// Limits that no memory and no disk reaches are none: no sum of them wraps.
func TestHugeLimits(t *testing.T) {
	const n = 20_000
	for _, limit := range []int64{1 << 40, 1 << 56, 1 << 60, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
		for _, workers := range []int{1, 2, 1000} {
			var st Stats
			opts := []Option{MemoryLimit(limit), DiskLimit(limit), Limit(limit), Workers(workers), Report(&st), Unique(), TempDir(t.TempDir())}
			numbers, err := New(sorter.By(sorter.Asc(func(e int32) int32 { return e })), opts...)
			sortsAll(t, numbers, err, n, func(i int) int32 { return int32(i) })
			texts, err := NewCoded(sorter.By(sorter.Asc(func(e string) string { return e })), Strings(), opts...)
			sortsAll(t, texts, err, n, func(i int) string { return fmt.Sprintf("%06d", i) })
			if st.Memory < 0 || st.Memory > limit || st.Runs > 0 {
				t.Errorf("a limit of %d: %+v", limit, st)
			}
		}
	}
}

// sortsAll appends n elements, the last first, and wants all of them in order.
func sortsAll[E comparable](t *testing.T, s *Sorter[E], err error, n int, element func(i int) E) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range n {
		if err := s.Append(element(n - 1 - i)); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	for e, err := range s.All() {
		if err != nil || e != element(i) {
			t.Fatalf("element %d: %v, %v", i, e, err)
		}
		i++
	}
	if i != n {
		t.Errorf("%d elements of %d", i, n)
	}
}
