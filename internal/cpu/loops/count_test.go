package loops

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
	for i := range 210 {
		n := i + max(0, i-200)*117 // also many turns of vectors
		for from := range 9 {
			values := [4]C{C(r.Uint64()), 0, ^C(0), C(r.Uint64())}
			block := make([]C, from+n)
			var want [4]int
			for i := range block {
				if k := r.IntN(5); k < 4 {
					block[i] = values[k]
				} else {
					block[i] = values[r.IntN(4)] ^ 1<<(8*r.IntN(4))
				}
			}
			for _, b := range block[from:] {
				for i, v := range values {
					if b == v {
						want[i]++
					}
				}
			}
			var got [4]int
			if Count(block[from:], &values, &got); got != want {
				t.Fatalf("%d words: %v, want %v", n, got, want)
			}
		}
	}
}
