package engine_test

import (
	"math"
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

// TestTieWords counts words of 32 ties, up to as many as an int can.
func TestTieWords(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 31: 1, 32: 1, 33: 2, 64: 2, math.MaxInt - 31: math.MaxInt / 32, math.MaxInt - 30: math.MaxInt/32 + 1, math.MaxInt: math.MaxInt/32 + 1} {
		if got := engine.TieWords(n); got != want {
			t.Errorf("TieWords(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestSetAll marks ranges as single places are marked.
func TestSetAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 1 + r.IntN(300)
		got, want := make(engine.Ties, engine.TieWords(n)), make(engine.Ties, engine.TieWords(n))
		for range 1 + r.IntN(3) {
			lo := r.IntN(n + 1)
			hi := lo + r.IntN(n+1-lo)
			got.SetAll(lo, hi)
			for i := lo; i < hi; i++ {
				want.Set(i)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d places: marks %x, want %x", n, got, want)
		}
	}
}
