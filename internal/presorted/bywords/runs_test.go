package bywords

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/engine"
)

// TestMarkRuns marks rows in pieces that begin and end anywhere.
func TestMarkRuns(t *testing.T) {
	t.Run("32 bits", testMarkRuns[uint32])
	t.Run("64 bits", testMarkRuns[uint64])
}

func testMarkRuns[C uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 31, 32, 33, 63, 64, 65, 66, 1000, engine.Block, engine.Block + 1, 3*engine.Block + 77} {
		for _, share := range []int{1, 2, 100, 1 << 30} { // one of the number given begins a run
			codes, want, all := make([]C, n), make([]bool, n), 0
			for i := range codes[1:] {
				if codes[i+1] = codes[i]; r.IntN(share) == 0 {
					codes[i+1] += C(1 + r.IntN(3))
				} else {
					want[i+1] = true
					all++
				}
			}
			runs, tied := make(engine.Ties, engine.TieWords(n)), 0
			for lo := 0; lo < n; {
				hi := min(n, lo+1+r.IntN(n), lo&^31+runBlock)
				count, falls := markBlock(runs, codesOf(codes, lo&^31, hi), lo)
				if falls {
					t.Fatalf("rows [%d, %d) of %d: a fall in order", lo, hi, n)
				}
				lo, tied = hi, tied+count
			}
			name := fmt.Sprintf("%d rows, one of %d begins a run", n, share)
			if tied != all {
				t.Fatalf("%s: %d tied, want %d", name, tied, all)
			}
			for i, w := range want {
				if runs.Tied(i) != w {
					t.Fatalf("%s: row %d tied %t", name, i, !w)
				}
			}
		}
	}
}
