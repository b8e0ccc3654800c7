package stream

import (
	"unsafe"

	"example.com/sorter/internal/fetch"
	"example.com/sorter/internal/scratch"
)

// Past reports whether stores to memory of the given size go past the caches, in which it
// would not stay.
func Past(bytes int) bool { return bytes >= CombineFrom }

// CopyPast copies src to dst from lo on. If dst exceeds the caches, it stores whole lines past
// them, which saves the read for ownership. len(dst) >= lo + len(src).
func CopyPast[T any](dst []T, lo int, src []T) {
	if Past(len(dst) * int(unsafe.Sizeof(*new(T)))) {
		copyPast(dst[lo:], src)
	} else {
		copy(dst[lo:], src)
	}
}

func copyPast[T any](dst, src []T) {
	if scratch.HasPointers[T]() {
		copy(dst, src)
	} else {
		CopyLines(bytesOf(dst[:len(src)]), bytesOf(src))
	}
}

// bytesOf returns the memory of values without pointers.
func bytesOf[T any](s []T) []byte {
	// Sound: the memory of s is that long, any byte of it may be read and written.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// CopyLines copies src to dst, whole lines past the caches. len(dst) == len(src).
func CopyLines(dst, src []byte) {
	if !streams || len(src) < 256 {
		copy(dst, src)
		return
	}
	head := int(-uintptr(unsafe.Pointer(&dst[0])) % 64)
	copy(dst[:head], src)
	lines := (len(src) - head) / 64
	// Sound: both slices have as many lines after head.
	Lines(unsafe.Pointer(&dst[head]), unsafe.Pointer(&src[head]), lines)
	copy(dst[head+64*lines:], src[head+64*lines:])
	Fence()
}

// GathersWords reports whether elements of the given size are gathered past the caches in words, from
// any src, and not through a buffer of lines.
func GathersWords(size uintptr) bool { return gatherLoopOf(size) != nil }

// gatherWords is [GatherLines] in assembly. It may leave some elements.
func gatherWords[E any](dst, src []E, index []uint32) (done int) {
	size := unsafe.Sizeof(*new(E))
	loop, skip := gatherLoopOf(size), uintptr(unsafe.Pointer(&dst[0]))%16
	if loop == nil || skip%8 != 0 || skip != 0 && size%16 == 0 {
		return 0
	}
	head := int(skip / 8) // elements before an aligned one
	n := (len(dst) - head - gatherAhead) &^ 1
	if n <= 0 {
		return 0
	}
	for i, x := range index[:head] {
		dst[i] = src[x]
	}
	// Sound: dst has n elements after head, aligned to 16 bytes, and index gatherAhead numbers more. E
	// holds no pointers.
	done = head + loop(unsafe.Pointer(&dst[head]), unsafe.Pointer(unsafe.SliceData(src)), &index[head], n, len(src))
	Fence()
	return done
}

// GatherLines gathers whole cache lines past the caches and returns the number of elements
// written, which may be 0. Elements before dst's first whole line are written by plain stores.
// far says that src is not in the cache. len(index) >= len(dst).
func GatherLines[E any](dst, src []E, index []uint32, far bool) int {
	const group = fetch.Group // elements gathered before they are stored
	size := unsafe.Sizeof(*new(E))
	log, ok := CombineLog(size)
	if !ok || size%4 != 0 || len(dst) < 4*group || scratch.HasPointers[E]() {
		return 0
	}
	if done := gatherWords(dst, src, index); done > 0 {
		return done
	}
	head := 0
	for uintptr(unsafe.Pointer(&dst[head]))%64 != 0 {
		if head++; head == 1<<log {
			return 0 // no element of dst begins at a line
		}
	}
	for i, x := range index[:head] {
		dst[i] = src[x]
	}
	few := make([]E, group)
	done := head
	for ; done+group <= len(dst); done += group {
		if ahead := done + fetch.Ahead; far && ahead+group <= len(dst) {
			fetch.Elements(src, index[ahead:ahead+group])
		}
		for i, x := range index[done : done+group] {
			few[i%group] = src[x]
		}
		// Sound: E holds no pointers, and 16 elements of a multiple of 4 bytes are
		// whole lines, of which the first begins at one of dst.
		Lines(unsafe.Pointer(&dst[done]), unsafe.Pointer(&few[0]), int(group*size/64))
	}
	Fence()
	return done
}
