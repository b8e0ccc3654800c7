package scratch

import (
	"strings"
	"unsafe"
)

// Unset returns n numbers of undefined content that are the caller's for good,
// on huge pages where there are some. What make would do first, clearing them on
// one processor, can take longer than a device needs to find what to put there.
func Unset(n int) []uint32 {
	if n < exact {
		return make([]uint32, n)
	}
	wordsFor(n, 4, 0)
	var b strings.Builder // the only allocation that is not cleared, short of one that is overwritten at once
	b.Grow(4 * n)
	b.WriteByte(0)
	// Sound: the builder's memory has room for 4*n bytes, holds no pointers and
	// is that large that it begins a page, so it is aligned; nobody else keeps
	// it, as a string or otherwise.
	p := unsafe.Pointer(unsafe.StringData(b.String()))
	adviseHuge(p, uintptr(4*n))
	return unsafe.Slice((*uint32)(p), n)
}
