package scratch

import (
	"runtime"
	"unsafe"

	"example.com/sorter/internal/parallel"
)

const hugePage = 2 << 20

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

// Pages returns n zeros, owned by the caller, for reads and writes past the page cache. They start at
// a page, and as many as fill huge pages are on these, if there are any. A disk transfers faster to
// contiguous memory: a virtual one read 1 MiB at 3.2 instead of 1.6 GB/s (EPYC, 2026-11-25).
func Pages(n int) []byte {
	align := hugePage
	if n < hugePage {
		align = 4 << 10
	}
	s := make([]byte, n+align)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s))) % uintptr(align))
	if full := n / hugePage * hugePage; full > 0 {
		freshPages(s, skip, full)
	}
	return s[skip:][:n:n]
}

// Drop gives the pages of memory without pointers, such as that of [Pages], back to the system before the garbage
// collector finds it. Nobody may use it afterwards.
func Drop(p []byte) { forgetPages(unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p))) }
