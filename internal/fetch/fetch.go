// Package fetch prefetches elements that are read through an index.
//
// A core tracks a dozen missing lines of its first-level cache, which bounds the number of
// random reads in flight. Prefetches into the second-level cache have a higher limit. The
// reads that follow then hit that cache.
package fetch

import "unsafe"

// Group is the number of elements prefetched in one call, and Ahead how many elements later
// they are read (Xeon 2023, 16 cores, 2026-11: 1.21 times as fast for 24-byte elements; EPYC
// 2022, 2 cores: 2.3 times; bench/results/constants.md, also for the variants that lost).
const Group, Ahead = 16, 48

// from is the size of a list, in bytes, from which it does not stay in a second-level cache.
// most is the largest element to prefetch: the processor detects the consecutive lines of
// larger ones.
const from, most = 4 << 20, 256

// Pays reports whether to prefetch elements of src before random reads.
func Pays[E any](src []E) bool {
	size := unsafe.Sizeof(*new(E))
	return fetches && size > 0 && size <= most && uintptr(len(src)) >= from/size
}

// Gather sets dst[i] = src[index[i]], with prefetches if they pay. len(index) >= len(dst).
func Gather[E any](dst, src []E, index []uint32) {
	index = index[:len(dst)]
	if Pays(src) {
		for ; len(index) >= Ahead+Group; dst, index = dst[Group:], index[Group:] {
			Elements(src, index[Ahead:][:Group])
			gather(dst[:Group], src, index)
		}
	}
	gather(dst, src, index)
}

func gather[E any](dst, src []E, index []uint32) {
	for i, v := range index[:len(dst)] {
		dst[i] = src[v]
	}
}

// Elements prefetches the elements of src numbered by index; len(index) > 0. Numbers >=
// len(src) are harmless.
func Elements[E any](src []E, index []uint32) {
	if fetches {
		// Sound: nothing is read or written.
		lines(unsafe.Pointer(unsafe.SliceData(src)), &index[0], len(index), unsafe.Sizeof(*new(E)))
	}
}

// Element prefetches the lines of an element of the given size, more than 0, at p. Sound for any
// address: nothing is read or written.
func Element(p unsafe.Pointer, size uintptr) {
	if fetches {
		lines(p, &first, 1, size)
	}
}

var first uint32 // 0

// Memory prefetches the given number of bytes from p on. Sound for any address: nothing is
// read or written.
func Memory(p unsafe.Pointer, bytes uintptr) {
	const line = 64
	for fetches && bytes >= line {
		n := min(bytes/line, uintptr(len(ascending)))
		lines(p, &ascending[0], int(n), line)
		if bytes -= n * line; bytes >= line { // otherwise p would leave its allocation
			p = unsafe.Add(p, n*line)
		}
	}
}

// ascending are numbers of lines.
var ascending = [16]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
