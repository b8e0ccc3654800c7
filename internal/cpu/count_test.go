package cpu

import (
	"math/rand/v2"
	"testing"
)

// TestCount compares the counts of a block with those of a loop, at all lengths and
// alignments.
func TestCount(t *testing.T) {
	checkCount[uint32](t)
	checkCount[uint64](t)
}

func checkCount[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		for from := range 9 {
			h := heavy[C]{values: [4]C{C(r.Uint64()), 0, ^C(0), C(r.Uint64())}, used: 4}
			block := make([]C, from+n)
			var want [4]int
			others := 0
			for i := range block {
				if k := r.IntN(5); k < 4 {
					block[i] = h.values[k]
				} else {
					block[i] = h.values[r.IntN(4)] ^ 1<<(8*r.IntN(4))
				}
			}
			for _, b := range block[from:] {
				other := 1
				for i, v := range h.values {
					if b == v {
						want[i]++
						other = 0
					}
				}
				others += other
			}
			var got [4]int
			if found := h.countBlock(block[from:], &got); got != want || found != others {
				t.Fatalf("%d words: %v and %d others, want %v and %d", n, got, found, want, others)
			}
		}
	}
}
