package stream

import (
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/fetch"
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

// TestGatherLines gathers elements of all sizes to all alignments, up to a number beyond the source.
func TestGatherLines(t *testing.T) {
	gatherLines(t, func(i int) [3]uint32 { return [3]uint32{uint32(i), 1, ^uint32(i)} })
	gatherLines(t, func(i int) [4]uint32 { return [4]uint32{uint32(i), 1, 2, ^uint32(i)} })
	gatherLines(t, func(i int) [2]uint64 { return [2]uint64{uint64(i), ^uint64(i)} })
	gatherLines(t, func(i int) [3]uint64 { return [3]uint64{uint64(i), 1, ^uint64(i)} })
	gatherLines(t, func(i int) [4]uint64 { return [4]uint64{uint64(i), 1, 2, ^uint64(i)} })
	gatherLines(t, func(i int) [5]uint64 { return [5]uint64{uint64(i), 1, 2, 3, ^uint64(i)} })
	gatherLines(t, func(i int) [6]uint64 { return [6]uint64{uint64(i), 1, 2, 3, 4, ^uint64(i)} })
	gatherLines(t, func(i int) [8]uint64 { return [8]uint64{uint64(i), 1, 2, 3, 4, 5, 6, ^uint64(i)} })
}

func gatherLines[E comparable](t *testing.T, of func(i int) E) {
	t.Helper()
	const most = 1000
	src, index := make([]E, most), make([]uint32, most)
	for i := range src {
		src[i], index[i] = of(i+1), uint32(i*617%most)
	}
	size := unsafe.Sizeof(src[0])
	memory := make([]byte, most*int(size)+64+4)
	for _, n := range []int{63, 64, 65, gatherAhead + 2, 200, 333} {
		for skip := uintptr(0); skip <= 64; skip += 4 {
			clear(memory)
			at := -uintptr(unsafe.Pointer(&memory[0]))%64 + skip
			dst := unsafe.Slice((*E)(unsafe.Pointer(&memory[at%64])), n+1)[:n:n] // E is of words, aligned or not
			done := GatherLines(dst, src, index, n%2 == 0)
			if GathersWords(size) && skip%16 == 0 && n >= 64 && done < n-gatherAhead-1 {
				t.Errorf("%T: %d of %d gathered", src[0], done, n)
			}
			var zero E
			for i := range n + 1 {
				want, have := zero, unsafe.Slice(unsafe.SliceData(dst), n+1)[i]
				if i < done {
					want = src[index[i]]
				}
				if have != want {
					t.Fatalf("%T, %d from %d on, %d done: element %d is %v, want %v", have, n, skip, done, i, have, want)
				}
			}
		}
	}
	beyond := make([]E, 200)
	for _, bad := range []int{0, 1, 77, 150} {
		clear(beyond)
		index := slices.Clone(index)
		index[bad] = most
		if !panics(func() { fetchRest(beyond, src, index, GatherLines(beyond, src, index, true)) }) {
			t.Errorf("%T: number %d is beyond the source", src[0], bad)
		}
	}
}

// fetchRest gathers what GatherLines has left.
func fetchRest[E any](dst, src []E, index []uint32, done int) {
	fetch.Gather(dst[done:], src, index[done:])
}

func panics(f func()) (does bool) {
	defer func() { does = recover() != nil }()
	f()
	return false
}
