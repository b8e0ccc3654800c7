package zeroone

import (
	"fmt"
	"math/bits"
	"slices"
)

// Exhaustive runs all zeros and ones. The inputs are cut in two halves. The gates of one half alone run all zeros and ones of
// it; of these, those that leave the same values to other gates and outputs, and have as many ones, are one state. All
// pairs of states run the other gates. It takes nothing for granted: the halves of a network that sorts have few states,
// and where they have many, all pairs of these are run.
func (c *Circuit) Exhaustive() error {
	cut, half := c.cut()
	crosses := c.crossing(half)
	first := c.statesOf(half, 0, upTo(cut), crosses)
	second := c.statesOf(half, 1, upTo(c.Inputs)[cut:], crosses)
	var gates []int
	for i := range c.Gates {
		if half[c.Inputs+i] == both {
			gates = append(gates, i)
		}
	}
	values := make([]slice, c.Inputs+len(c.Gates))
	for from := 0; from < len(second.ones); from += 64 * words {
		// Bit i of a slice belongs to a state of the second half. more[w] says which have more than w ones.
		n := min(64*words, len(second.ones)-from)
		var valid slice
		more := make([]slice, c.Inputs-cut)
		for i := range n {
			valid[i/64] |= 1 << (i % 64)
			for w := range second.ones[from+i] {
				more[w][i/64] |= 1 << (i % 64)
			}
			for k, at := range second.operands {
				if i == 0 {
					values[at] = slice{}
				}
				values[at][i/64] |= uint64(second.values[from+i][k]) << (i % 64)
			}
		}
		for s, ones := range first.ones {
			for k, at := range first.operands {
				for w := range values[at] {
					values[at][w] = -uint64(first.values[s][k])
				}
			}
			c.evaluate(values, gates)
			for j, out := range c.Outputs {
				var want slice
				switch least := c.Inputs - 1 - j - ones; { // more ones than that
				case least < 0:
					want = valid
				case least < len(more):
					want = more[least]
				}
				for w := range want {
					if values[out][w]&valid[w] != want[w] {
						return fmt.Errorf("output %d is wrong for %d ones of %d and some of %d", j, ones, cut, c.Inputs-cut)
					}
				}
			}
		}
	}
	return nil
}

// both marks operands that depend on inputs of both halves.
const both = 2

// cut returns how many inputs the first half has: about a half, such that most gates depend on one half alone. half says on
// which an operand depends.
func (c *Circuit) cut() (cut int, half []int) {
	fewest := len(c.Gates) + 1
	for at := c.Inputs / 3; at <= c.Inputs-c.Inputs/3; at++ {
		of, n := make([]int, c.Inputs, c.Inputs+len(c.Gates)), 0
		for i := at; i < c.Inputs; i++ {
			of[i] = 1
		}
		for _, g := range c.Gates {
			x := of[g.A]
			if x != of[g.B] {
				x = both
			}
			if of = append(of, x); x == both {
				n++
			}
		}
		if n < fewest {
			fewest, cut, half = n, at, of
		}
	}
	return cut, half
}

// crossing reports which operands of one half are outputs, or operands of gates of both.
func (c *Circuit) crossing(half []int) []bool {
	crosses := make([]bool, len(half))
	for i, g := range c.Gates {
		if half[c.Inputs+i] == both {
			crosses[g.A], crosses[g.B] = true, true
		}
	}
	for _, out := range c.Outputs {
		crosses[out] = true
	}
	return crosses
}

// states are what zeros and ones of one half leave: the number of ones, and the values of operands.
type states struct {
	operands []int
	ones     []int
	values   [][]byte // by state and operand
}

// statesOf returns the states of a half that all zeros and ones of its inputs have.
func (c *Circuit) statesOf(half []int, which int, inputs []int, crosses []bool) *states {
	s := &states{}
	var gates []int
	for i, x := range half {
		if x != which {
			continue
		}
		if i >= c.Inputs {
			gates = append(gates, i-c.Inputs)
		}
		if crosses[i] {
			s.operands = append(s.operands, i)
		}
	}
	known := map[string]bool{}
	state := make([]byte, len(s.operands)+1) // the number of ones comes last
	values := make([]slice, c.Inputs+len(c.Gates))
	for from := 0; from < 1<<len(inputs); from += 64 * words {
		fill(values, inputs, uint64(from))
		c.evaluate(values, gates)
		for i := range min(64*words, 1<<len(inputs)-from) {
			for k, at := range s.operands {
				state[k] = byte(values[at][i/64] >> (i % 64) & 1)
			}
			ones := bits.OnesCount(uint(from + i))
			state[len(s.operands)] = byte(ones)
			if !known[string(state)] {
				known[string(state)] = true
				s.ones, s.values = append(s.ones, ones), append(s.values, slices.Clone(state[:len(s.operands)]))
			}
		}
	}
	return s
}
