package extsort

import (
	"os"
	"testing"
)

// TestLoadersDropTheirPages expects that the memory of a loader is given back to the system when it is closed: pages
// are zeros then.
func TestLoadersDropTheirPages(t *testing.T) {
	const bytes = 1 << 20
	m := &merge[int]{s: &Sorter[int]{}, p: plan{reader: bytes, ahead: bytes / 2}}
	from := m.loaders(1)[0]
	for _, memory := range [][]byte{from.memory, from.ahead} {
		if len(memory) != bytes {
			t.Fatalf("%d bytes", len(memory))
		}
		for i := range memory {
			memory[i] = 1
		}
	}
	from.close()
	for _, memory := range [][]byte{from.memory, from.ahead} {
		for i := 0; i < bytes; i += os.Getpagesize() {
			if memory[i] != 0 {
				t.Fatalf("page at %d is not dropped", i)
			}
		}
	}
}
