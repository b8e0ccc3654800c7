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
		copyLines(dst[lo:], src)
	} else {
		copy(dst[lo:], src)
	}
}

// copyLines copies whole lines past the caches.
func copyLines[T any](dst, src []T) {
	bytes := len(src) * int(unsafe.Sizeof(*new(T)))
	if !streams || bytes < 256 || scratch.HasPointers[T]() {
		copy(dst, src)
		return
	}
	// Sound: T holds no pointers, so its memory may be copied as bytes, and both
	// slices have that many.
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), bytes)
	from := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), bytes)
	head := int(-uintptr(unsafe.Pointer(&to[0])) % 64)
	copy(to[:head], from)
	lines := (bytes - head) / 64
	streamLines(unsafe.Pointer(&to[head]), unsafe.Pointer(&from[head]), lines)
	copy(to[head+64*lines:], from[head+64*lines:])
	streamFence()
}
