package scratch

import (
	"syscall"
	"unsafe"
)

// adviseHuge asks for huge pages under [p, p+size). It is a hint: an error
// (a kernel without them) changes nothing but speed.
func adviseHuge(p unsafe.Pointer, size uintptr) {
	skip := -uintptr(p) % hugePage
	if size < skip+hugePage {
		return
	}
	inner := unsafe.Slice((*byte)(unsafe.Add(p, skip)), (size-skip)/hugePage*hugePage)
	_ = syscall.Madvise(inner, syscall.MADV_HUGEPAGE)
}

// freshPages asks for the memory of p, which is not used yet and begins and ends with a huge page, to be
// on such pages, also where it has been touched before.
func freshPages(p []byte) {
	_ = syscall.Madvise(p, syscall.MADV_DONTNEED) // then it has zeros, as before
	_ = syscall.Madvise(p, syscall.MADV_HUGEPAGE)
}
