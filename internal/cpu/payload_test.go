package cpu

import (
	"slices"
	"testing"
)

// TestGatherPast gathers elements of all kinds of sizes to all alignments, from
// memory that fits the cache and from more, and writes nothing else.
func TestGatherPast(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 200, 1000} {
		checkGather(t, n, 1000, func(i int) uint8 { return uint8(i) })
		checkGather(t, n, 1000, func(i int) uint16 { return uint16(i) })
		checkGather(t, n, 1000, func(i int) [3]uint16 { return [3]uint16{uint16(i)} })
		checkGather(t, n, 1000, func(i int) [3]uint32 { return [3]uint32{uint32(i), 5} })
		checkGather(t, n, 1000, func(i int) [2]uint64 { return [2]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) [5]uint64 { return [5]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) [25]uint64 { return [25]uint64{uint64(i), 5} })
		checkGather(t, n, 1000, func(i int) *int { return new(int) })
		checkGather(t, n, 1000, func(i int) struct{} { return struct{}{} })
	}
	const far = 8 << 20 // bytes
	checkGather(t, 1000, far/8, func(i int) uint64 { return uint64(i) })
	checkGather(t, 1000, far/24, func(i int) [3]uint64 { return [3]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/64, func(i int) [8]uint64 { return [8]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/200, func(i int) [25]uint64 { return [25]uint64{uint64(i), 5} })
	checkGather(t, 1000, far/16, func(i int) any { return i })
}

// checkGather gathers n of m elements.
func checkGather[T comparable](t *testing.T, n, m int, of func(i int) T) {
	t.Helper()
	src, index := make([]T, m), make([]uint32, n)
	for i := range src {
		src[i] = of(i + 1)
	}
	for i := range index {
		index[i] = uint32(i * 7919 % m)
	}
	for offset := range 9 {
		dst := make([]T, n+offset+3)
		want := slices.Clone(dst)
		for i, x := range index {
			want[offset+i] = src[x]
		}
		clear(dst)
		to, from := PayloadOf(dst[offset:offset+n]), PayloadOf(src)
		if to.GatherPast(from, index); !slices.Equal(dst, want) {
			t.Fatalf("%d of %d elements of %T to %d: wrong", n, m, src[0], offset)
		}
		clear(dst)
		if to.by.Gather(to.data, from.data, from.n, index, true); !slices.Equal(dst, want) {
			t.Fatalf("%d of %d elements of %T to %d: wrong", n, m, src[0], offset)
		}
	}
}
