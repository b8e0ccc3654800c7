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

// plainly runs all zeros and ones, one after the other: the definition of what Exhaustive does.
func (c *Circuit) plainly() bool {
	values := make([]bool, c.Inputs+len(c.Gates))
	for x := range uint64(1) << c.Inputs {
		for i := range c.Inputs {
			values[i] = x>>i&1 != 0
		}
		for i, g := range c.Gates {
			a, b := values[g.A], values[g.B]
			values[c.Inputs+i] = g.Most && (a || b) || a && b
		}
		for j, out := range c.Outputs {
			if values[out] != (bits.OnesCount64(x) > c.Inputs-1-j) {
				return false
			}
		}
	}
	return true
}

// TestExhaustive compares networks with some comparators, of which few sort, with the definition.
func TestExhaustive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sorts := map[bool]int{}
	for i := range 2000 {
		n := 1 + r.IntN(11)
		var pairs [][2]int
		for range r.IntN(3 * n) {
			if a, b := r.IntN(n), r.IntN(n); a != b {
				pairs = append(pairs, [2]int{min(a, b), max(a, b)})
			}
		}
		if i%2 == 0 { // and those that sort, in any order of the rounds of neighbours, or lack one
			for round := range n {
				for a := round % 2; a+1 < n; a += 2 {
					pairs = append(pairs, [2]int{a, a + 1})
				}
			}
			if i%4 == 0 && len(pairs) > 0 {
				at := r.IntN(len(pairs))
				pairs = slices.Delete(pairs, at, at+1)
			}
		}
		c := Of(n, pairs)
		got, want := c.Exhaustive() == nil, c.plainly()
		if got != want {
			t.Fatalf("%d values, comparators %v: sorts is %t, want %t", n, pairs, got, want)
		}
		sorts[got]++
	}
	if sorts[true] < 500 || sorts[false] < 500 {
		t.Errorf("%d circuits sort and %d do not", sorts[true], sorts[false])
	}
}

// TestBitonic proves networks in both ways, and refutes them with a comparator dropped or exchanged.
func TestBitonic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 4, 8, 16, 32, 64, 128} {
		pairs := bitonic(n)
		calls := 0
		prove := func(pairs [][2]int) (byLemmas, exhaustive bool) {
			c := Of(n, pairs)
			byLemmas = c.ByLemmas(upTo(n)) == nil
			if calls++; n > 32 || n == 32 && calls > 11 {
				return byLemmas, byLemmas
			}
			return byLemmas, c.Exhaustive() == nil
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
