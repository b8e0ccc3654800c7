package fetch

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"
)

// TestElements asks for elements of all sizes, the last ones of their memory and
// beyond included, and finds everything as it was.
func TestElements(t *testing.T) {
	testElements(t, [1]byte{7})
	testElements(t, [3]byte{7})
	testElements(t, [16]byte{7})
	testElements(t, [24]byte{7})
	testElements(t, [64]byte{7})
	testElements(t, [200]byte{7})
	testElements(t, struct{}{})
}

func testElements[E comparable](t *testing.T, e E) {
	t.Helper()
	src := slices.Repeat([]E{e}, 1000)
	for n := 1; n <= Group; n++ {
		index := slices.Repeat([]uint32{0, 999, 1000, 1<<32 - 1, 500}, 4)[:n]
		before := slices.Clone(index)
		Elements(src, index)
		Elements(src[:0], index)
		if !slices.Equal(index, before) || slices.ContainsFunc(src, func(have E) bool { return have != e }) {
			t.Fatalf("%T: something has changed", e)
		}
	}
}

// TestElement asks for elements that end anywhere, also past the memory.
func TestElement(t *testing.T) {
	memory := bytes.Repeat([]byte{7}, 4096)
	for at := range memory {
		for _, size := range []uintptr{1, 63, 64, 65, 5000} {
			Element(unsafe.Pointer(&memory[at]), size)
		}
	}
	if n := bytes.Count(memory, []byte{7}); n != len(memory) {
		t.Errorf("%d bytes have changed", len(memory)-n)
	}
}

// TestMemory asks for memory to its end, among other memory. The race detector ends the process if a
// pointer leaves its own.
func TestMemory(t *testing.T) {
	for _, size := range []uintptr{64, 1000, 1024, 2048, 4096, 5000} {
		var all [][]byte
		for range 100 {
			all = append(all, bytes.Repeat([]byte{7}, int(size)))
		}
		for _, memory := range all {
			Memory(unsafe.Pointer(&memory[0]), size)
			if n := bytes.Count(memory, []byte{7}); n != len(memory) {
				t.Fatalf("%d of %d bytes have changed", len(memory)-n, size)
			}
		}
	}
}

func TestPays(t *testing.T) {
	for _, c := range []struct {
		pays, want bool
	}{
		{Pays(make([]byte, from-1)), false},
		{Pays(make([]byte, from)), fetches},
		{Pays(make([][24]byte, from/24)), fetches},
		{Pays(make([][most + 1]byte, from)), false},
		{Pays(make([]struct{}, from)), false},
	} {
		if c.pays != c.want {
			t.Errorf("pays %v, want %v", c.pays, c.want)
		}
	}
}
