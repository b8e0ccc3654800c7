package scratch

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestPages takes memory that others have written to before: it is zeros, and starts at a page, a
// huge one from its size on.
func TestPages(t *testing.T) {
	for _, n := range []int{1, 4096, 5000, hugePage - 1, hugePage, hugePage + 1, 3 * hugePage} {
		align := 4 << 10
		if n >= hugePage {
			align = hugePage
		}
		for range 3 {
			p := Pages(n)
			if len(p) != n || cap(p) != n {
				t.Fatalf("%d bytes: length %d, capacity %d", n, len(p), cap(p))
			}
			if at := uintptr(unsafe.Pointer(&p[0])) % uintptr(align); at != 0 {
				t.Errorf("%d bytes start %d bytes after the start of a page of %d", n, at, align)
			}
			for i, b := range p {
				if b != 0 {
					t.Fatalf("%d bytes: byte %d is %d", n, i, b)
				}
			}
			for i := range p {
				p[i] = 1
			}
			runtime.KeepAlive(p)
		}
		runtime.GC() // the next are from memory that was written
	}
}
