package cpu

import (
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// past reports whether memory of so many bytes is stored past the caches: it would
// not stay there.
func past(bytes int) bool { return bytes >= combineFrom }

// CopyPast copies src to dst from lo on. Where dst is more than caches hold, it stores
// whole lines past them, which spares the read for ownership. len(dst) >= lo + len(src).
func CopyPast[T any](dst []T, lo int, src []T) {
	if past(len(dst) * int(unsafe.Sizeof(*new(T)))) {
		copyPast(dst[lo:], src)
	} else {
		copy(dst[lo:], src)
	}
}

func copyPast[T any](dst, src []T) {
	if scratch.HasPointers[T]() {
		copy(dst, src)
	} else {
		copyLines(bytesOf(dst[:len(src)]), bytesOf(src))
	}
}

// bytesOf views values without pointers as bytes.
func bytesOf[T any](s []T) []byte {
	// Sound: the memory of s is that long, any byte of it may be read and written.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// copyLines copies whole lines past the caches. len(dst) == len(src).
func copyLines(dst, src []byte) {
	if !streams || len(src) < 256 {
		copy(dst, src)
		return
	}
	head := int(-uintptr(unsafe.Pointer(&dst[0])) % 64)
	copy(dst[:head], src)
	lines := (len(src) - head) / 64
	// Sound: both slices have as many lines after head.
	streamLines(unsafe.Pointer(&dst[head]), unsafe.Pointer(&src[head]), lines)
	copy(dst[head+64*lines:], src[head+64*lines:])
	streamFence()
}
