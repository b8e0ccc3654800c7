package vecsort

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// atPageEnd returns n words that end at the end of a page, or begin at the begin of one, with pages
// that cannot be accessed on both sides.
func atPageEnd(t *testing.T, n int, end bool) []uint32 {
	t.Helper()
	page := syscall.Getpagesize()
	bytes := (4*n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, bytes+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(all) })
	for _, edge := range [][]byte{all[:page], all[page+bytes:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	at := page
	if end {
		at += bytes - 4*n
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&all[at])), n) // sound: as many bytes are mapped there
}

// TestPageEnds sorts codes at the edges of pages, in memory at the edges of pages. An access beyond
// an edge is a fault.
func TestPageEnds(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{1, 3, 16, 17, 300, 1024, 5000} {
			for way := range 4 {
				end, bent := way&1 > 0, way&2 > 0
				codes, memory, out := atPageEnd(t, n, end), atPageEnd(t, (Memory(n)+1)&^1, end), atPageEnd(t, n+Slack, end)
				for i := range codes {
					codes[i] = r.Uint32()
				}
				m := New(memory, n, ^uint32(0))
				if bent {
					Bend(&m, codes, 0, 0)
				}
				if !m.DealCodes(codes, 0) {
					t.Fatalf("%d codes are not dealt", n)
				}
				if got := m.Join(out, ^uint32(0)); !slices.Equal(got, slices.Sorted(slices.Values(codes))) {
					t.Fatalf("%d codes are not sorted", n)
				}
			}
		}
	})
}
