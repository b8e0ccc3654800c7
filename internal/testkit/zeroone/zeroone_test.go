package zeroone

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// bitonic returns a network of n values, a power of two.
func bitonic(n int) (pairs [][2]int) {
	for p := 2; p <= n; p *= 2 {
		for i := range n {
			if j := i ^ (p - 1); i < j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
		for k := p / 4; k > 0; k /= 2 {
			for i := range n {
				if i&k == 0 {
					pairs = append(pairs, [2]int{i, i | k})
				}
			}
		}
	}
	return pairs
}

// TestBitonic proves networks in both ways, and refutes them with a comparator dropped or exchanged.
func TestBitonic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 4, 8, 16, 32, 64, 128} {
		pairs := bitonic(n)
		prove := func(pairs [][2]int) (byLemmas, exhaustive bool) {
			c := Of(n, pairs)
			byLemmas = c.ByLemmas(upTo(n)) == nil
			return byLemmas, n > 16 && byLemmas || n <= 16 && c.Exhaustive() == nil
		}
		if a, b := prove(pairs); !a || !b {
			t.Fatalf("%d values: not proved", n)
		}
		for range min(len(pairs), 60) {
			i := r.IntN(len(pairs))
			exchanged := slices.Clone(pairs)
			exchanged[i] = [2]int{pairs[i][1], pairs[i][0]}
			for _, wrong := range [][][2]int{exchanged, slices.Delete(slices.Clone(pairs), i, i+1)} {
				if a, b := prove(wrong); a || b {
					t.Errorf("%d values, comparator %d: proved (%t, %t)", n, i, a, b)
				}
			}
		}
	}
}

// TestFewerInputs proves networks in which some places hold zeros.
func TestFewerInputs(t *testing.T) {
	for n := 17; n <= 64; n++ {
		size := 1 << bits.Len(uint(n-1))
		c := &Circuit{Inputs: n, Outputs: upTo(n)}
		place := make([]int, n)
		at := make([]int, size)
		for i := range at {
			at[i] = i - (size - n) // negative: a zero
		}
		for i := range place {
			place[i] = size - n + i
		}
		for _, p := range bitonic(size) {
			switch a, b := &at[p[0]], &at[p[1]]; {
			case *b < 0:
				*a, *b = *b, *a
			case *a >= 0:
				c.Gates = append(c.Gates, Gate{false, *a, *b}, Gate{true, *a, *b})
				*a, *b = n+len(c.Gates)-2, n+len(c.Gates)-1
			}
		}
		c.Outputs = at[size-n:]
		if err := c.ByLemmas(place); err != nil {
			t.Errorf("%d inputs: %v", n, err)
		}
		c.Outputs[n/2] = c.Outputs[n/2-1]
		if c.ByLemmas(place) == nil {
			t.Errorf("%d inputs: an output twice", n)
		}
	}
}
