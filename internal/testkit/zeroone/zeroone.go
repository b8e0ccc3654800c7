// Package zeroone proves sorting networks by the 0-1 principle: minimum and maximum commute with each
// monotone map, so what sorts all zeros and ones sorts everything (Knuth, The Art of Computer
// Programming 3, section 5.3.4, theorem Z).
package zeroone

// A Circuit is minimums and maximums by which inputs become outputs. Operand i < Inputs is an input;
// operand Inputs+k is the result of gate k, which has operands before it.
type Circuit struct {
	Inputs  int
	Gates   []Gate
	Outputs []int
}

// Gate is the minimum of two operands, or their maximum.
type Gate struct {
	Most bool
	A, B int
}

// Of returns the circuit of comparators, each of which leaves the smaller of two values at its first place.
func Of(n int, comparators [][2]int) *Circuit {
	c := &Circuit{Inputs: n, Outputs: make([]int, n)}
	for i := range c.Outputs {
		c.Outputs[i] = i
	}
	for _, p := range comparators {
		a, b := &c.Outputs[p[0]], &c.Outputs[p[1]]
		c.Gates = append(c.Gates, Gate{false, *a, *b}, Gate{true, *a, *b})
		*a, *b = n+len(c.Gates)-2, n+len(c.Gates)-1
	}
	return c
}

// words is the words of a slice, of which each bit belongs to another input: 512 inputs.
const words = 8

type slice [words]uint64

// patterns are the values of the lowest 6 bits of 64 consecutive numbers.
var patterns = [6]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// fill sets values[of[i]] to bit i of the numbers from from on.
func fill(values []slice, of []int, from uint64) {
	for i, at := range of {
		for k := range words {
			if i < len(patterns) {
				values[at][k] = patterns[i]
			} else {
				values[at][k] = -((from + uint64(64*k)) >> i & 1)
			}
		}
	}
}

// evaluate computes gates of a circuit.
func (c *Circuit) evaluate(values []slice, gates []int) {
	for _, i := range gates {
		g := c.Gates[i]
		a, b, to := &values[g.A], &values[g.B], &values[c.Inputs+i]
		if g.Most {
			for k := range to {
				to[k] = a[k] | b[k]
			}
		} else {
			for k := range to {
				to[k] = a[k] & b[k]
			}
		}
	}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// counter counts the ones of the numbers of a slice.
type counter struct {
	low  []slice // [w]: more than w ones in the bits that differ within a slice
	high int     // ones in the others
	none slice
	all  slice
}

func newCounter(bits int) *counter {
	n := min(bits, 9)
	values := make([]slice, n)
	fill(values, upTo(n), 0)
	c := &counter{low: make([]slice, n)}
	for k := range words {
		c.all[k] = ^uint64(0)
		for i := range values {
			for w := i; w > 0; w-- {
				c.low[w][k] |= c.low[w-1][k] & values[i][k]
			}
			c.low[0][k] |= values[i][k]
		}
	}
	return c
}

func (c *counter) begin(from uint64) {
	c.high = 0
	for x := from >> 9; x != 0; x &= x - 1 {
		c.high++
	}
}

// moreThan returns which numbers have more than w ones.
func (c *counter) moreThan(w int) *slice {
	switch w -= c.high; {
	case w < 0:
		return &c.all
	case w < len(c.low):
		return &c.low[w]
	}
	return &c.none
}
