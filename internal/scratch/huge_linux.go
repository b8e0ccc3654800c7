package scratch

import (
	"os"
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

// freshPages asks for p[skip:skip+full], whole huge pages of memory that is not used yet, to be on
// such pages, even if it was touched before. The rest of p takes no memory until it is touched.
func freshPages(p []byte, skip, full int) {
	page := os.Getpagesize()
	lead := int(-uintptr(unsafe.Pointer(unsafe.SliceData(p))) % uintptr(page))
	_ = syscall.Madvise(p[lead:lead+(len(p)-lead)/page*page], syscall.MADV_DONTNEED) // zeros, as before
	_ = syscall.Madvise(p[skip:skip+full], syscall.MADV_HUGEPAGE)
}

// forgetPages gives the whole pages of [p, p+size) back to the system. They are zero when they are
// next used, as new memory of Go's allocator or as a block, whose content is undefined.
func forgetPages(p unsafe.Pointer, size uintptr) {
	page := uintptr(os.Getpagesize())
	skip := -uintptr(p) % page
	if size < skip+page {
		return
	}
	// Sound: the pages lie in the memory, which nobody reads or writes any more.
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, skip)), (size-skip)/page*page), syscall.MADV_DONTNEED)
}
