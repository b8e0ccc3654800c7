package scratch

import (
	"runtime"
	"unsafe"

	"example.com/sorter/internal/parallel"
)

// Huge returns n zeros, owned by the caller, on huge pages if there are any. All processors touch
// the pages, which takes one of them ten times as long. T has no pointers.
func Huge[T any](n int) []T {
	s := make([]T, n)
	bytes := n * int(unsafe.Sizeof(*new(T)))
	if bytes == 0 {
		return s
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	adviseHuge(p, uintptr(bytes))
	// Sound: these are the bytes of s, which holds no pointers.
	memory := unsafe.Slice((*byte)(p), bytes)
	const page = 4 << 10
	loop := parallel.Loop{Workers: runtime.GOMAXPROCS(0)}
	_ = loop.Run("touch", bytes, 8<<20, func(_, lo, hi int) { // no context ends it
		for i := lo; i < hi; i += page {
			memory[i] = 0
		}
	})
	return s
}
