package main

import (
	"syscall"
	"unsafe"
)

// freshPages asks for the memory of b, which has zeros and is whole huge pages, to be on such pages, also
// where it has been touched before.
func freshPages(b []byte) {
	_ = syscall.Madvise(b, syscall.MADV_DONTNEED) // it has zeros again
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
}

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
