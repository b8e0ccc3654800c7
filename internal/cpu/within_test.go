package cpu

import (
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
)

// TestSegments expects the lengths of segments, and numbers of places in slices.
func TestSegments(t *testing.T) {
	for _, c := range []struct {
		offsets              []int
		longest, together, n int
	}{
		{[]int{0}, 0, engine.Block, 0}, {[]int{3, 10, 12}, 7, engine.Block, 12}, {[]int{0, 5000, 5001}, 5000, 5000, 5001}, {[]int{9, 9 + bucket.MaxLen}, bucket.MaxLen, bucket.MaxLen, 9 + bucket.MaxLen},
		{[]int{1, 2 + bucket.MaxLen}, bucket.MaxLen + 1, bucket.MaxLen, 2 + bucket.MaxLen},
	} {
		s := NewSegments(c.offsets)
		long := 0
		if c.longest > bucket.MaxLen {
			long = c.longest
		}
		if s.longest != c.longest || s.together() != c.together || s.n != c.n || s.First() != c.offsets[0] || s.long() != long {
			t.Errorf("%v: longest %d, together %d, up to %d, long %d", c.offsets, s.longest, s.together(), s.n, s.long())
		}
	}
	for _, slice := range []int{0, 1, 300, 1<<16 - 1} {
		for _, place := range []int{0, 1, 1<<16 - 1} {
			if a, b := SliceOf(InSlice(slice, place)); a != slice || b != place {
				t.Errorf("place %d of slice %d is place %d of slice %d", place, slice, b, a)
			}
		}
	}
}
