package main

import (
	"runtime"
	"strings"
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

// TestLongLineMemory expects that the chunk of a long line takes no more memory than the longest line that is
// allowed, and that all of it is counted in memory.
func TestLongLineMemory(t *testing.T) {
	const memory = 1 << 20
	for _, length := range []int{memory / 5, memory / 3, memory/2 - 100, memory - 100} {
		in := &chunks{
			files: &files{names: []string{"-"}, stdin: strings.NewReader(strings.Repeat("x", length) + "\ny\n")},
			shape: shape{eol: '\n'}, size: memory / 64, most: memory, m: new(meter),
		}
		text, err := in.next(nil)
		if err != nil || len(text) <= length || cap(text) > memory+2*pageSize {
			t.Errorf("line of %d bytes: %d in a chunk of %d, %v", length, len(text), cap(text), err)
		}
		in.unread = text
		cmd := &command{memory: memory, workers: 1, shape: in.shape}
		st := &store{shape: in.shape}
		_, fits, err := cmd.load(st, in)
		if err != nil || fits != (len(text) <= memory/2) || fits && st.size != int64(cap(text)) {
			t.Errorf("line of %d bytes in a chunk of %d: fits %v in %d, %v", length, cap(text), fits, st.size, err)
		}
	}
}
