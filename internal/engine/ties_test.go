package engine_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.com/sorter/internal/engine"
)

// TestMarkTies marks the ties of one order in parts that begin anywhere, all at
// the same time.
func TestMarkTies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 31, 32, 33, 64, 65, 1000, 5000} {
		for _, values := range []uint32{1, 2, 50, 1 << 30} {
			codes := make([]uint32, n)
			for i := range codes {
				codes[i] = r.Uint32N(values)
			}
			slices.Sort(codes)
			want := make([]uint32, engine.TieWords(n))
			for i := 1; i < n; i++ {
				if codes[i] == codes[i-1] {
					want[i/32] |= 1 << (i % 32)
				}
			}
			got := make([]uint32, engine.TieWords(n))
			var wait sync.WaitGroup
			for rest := codes; len(rest) > 0; {
				lo := n - len(rest)
				part := rest[:min(r.IntN(100), len(rest))]
				rest = rest[len(part):]
				wait.Go(func() { engine.MarkTies(got, lo, lo > 0 && codes[lo] == codes[lo-1], part) })
			}
			wait.Wait()
			if !slices.Equal(got, want) {
				t.Errorf("%d codes of %d values: wrong marks", n, values)
			}
		}
	}
}
