package main

import (
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

// adviseHuge asks for huge pages for memory that has not been touched yet: lines are read from
// it in the order of the output, which is a random one. It is only advice.
func adviseHuge(b []byte) {
	b = b[:cap(b)]
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % hugePage)
	if len(b) < skip+hugePage {
		return
	}
	b = b[skip:]
	_ = syscall.Madvise(b[:len(b)/hugePage*hugePage], syscall.MADV_HUGEPAGE)
}
