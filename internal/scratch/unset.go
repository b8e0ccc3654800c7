package scratch

import (
	"strings"
	"unsafe"
)

// Unset returns n numbers of undefined content, owned by the caller, on huge pages if there
// are any. make would clear them on one processor, which can take longer than a device takes
// to sort.
func Unset(n int) []uint32 {
	if n < exact {
		return make([]uint32, n)
	}
	wordsFor(n, 4, 0)
	var b strings.Builder // the only allocation that Go does not clear
	b.Grow(4 * n)
	b.WriteByte(0)
	// Sound: the builder's memory has 4*n bytes and no pointers, is so large that it begins at
	// a page, and so is aligned. No string of it is kept.
	p := unsafe.Pointer(unsafe.StringData(b.String()))
	adviseHuge(p, uintptr(4*n))
	return unsafe.Slice((*uint32)(p), n)
}
