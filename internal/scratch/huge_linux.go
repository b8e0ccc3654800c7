package scratch

import (
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

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
