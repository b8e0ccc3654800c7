package stream

import (
	"slices"
	"testing"
)

// TestCopyPast copies between all alignments, and writes nothing else.
func TestCopyPast(t *testing.T) {
	for _, n := range []int{0, 1, 20, 84, 85, 128, 1000} {
		for from := range 7 {
			for to := range 9 {
				checkCopy(t, n, from, to, func(i int) [3]uint8 { return [3]uint8{uint8(i), 1, uint8(i >> 8)} })
				checkCopy(t, n, from, to, func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 })
				checkCopy(t, n, from, to, func(i int) *int { return new(int) })
			}
		}
	}
	copyPast(make([]struct{}, 300), make([]struct{}, 300))
	for _, n := range []int{700, CombineFrom / 8} { // in the caches, and past them
		dst, src := make([]uint64, n), slices.Repeat([]uint64{7}, 500)
		want := slices.Clone(dst)
		copy(want[101:], src)
		if CopyPast(dst, 101, src); !slices.Equal(dst, want) {
			t.Errorf("500 elements to 101 of %d: wrong", n)
		}
	}
}

func checkCopy[T comparable](t *testing.T, n, from, to int, of func(i int) T) {
	t.Helper()
	src, dst := make([]T, n+from), make([]T, n+to+3)
	for i := range src {
		src[i] = of(i + 1)
	}
	want := slices.Clone(dst)
	copy(want[to:], src[from:])
	if copyPast(dst[to:], src[from:]); !slices.Equal(dst, want) {
		t.Fatalf("%d elements of %T from %d to %d: %v, want %v", n, src, from, to, dst, want)
	}
}
