package fetch

import "unsafe"

const fetches = true

// lines prefetches the lines of n > 0 elements of the given size, numbered by
// index, into the second-level cache.
//
//go:noescape
func lines(src unsafe.Pointer, index *uint32, n int, size uintptr)
