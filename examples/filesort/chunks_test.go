package main

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestPastBuffers takes buffers from memory that others have written to before: they have zeros, and
// follow each other from the start of a huge page on.
func TestPastBuffers(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {3, pageSize}, {4, hugePage/2 + pageSize}, {2, hugePage}, {2, 3*hugePage + 1}} {
		n, size := c[0], c[1]
		for range 3 {
			all := pastBuffersOf(n, size)
			first := uintptr(unsafe.Pointer(&all[0][0]))
			if len(all) != n || first%hugePage != 0 {
				t.Errorf("%d buffers of %d bytes: %d, at %#x", n, size, len(all), first)
			}
			for k, b := range all {
				if at := uintptr(unsafe.Pointer(&b[0])) - first; len(b) != size || cap(b) != size || at != uintptr(k*size) {
					t.Fatalf("buffer %d of %d bytes has %d and room for %d, at %d", k, size, len(b), cap(b), at)
				}
				for i := range b {
					if b[i] != 0 {
						t.Fatalf("buffer %d of %d bytes: byte %d is %d", k, size, i, b[i])
					}
					b[i] = 1
				}
			}
		}
		runtime.GC() // the next are from memory that was written
	}
}
