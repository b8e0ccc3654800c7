package comparison

import "slices"

// leafLen is the largest number of elements that are inserted one by one.
const leafLen = 20

// leaf sorts few elements of array x to First. With rev they lie there from the last to the first.
func (s *Sorter[E]) leaf(lo, hi, x int, rev bool) {
	in, out := s.Arrays[x][lo:hi], s.Arrays[First][lo:hi]
	at, step := 0, 1
	switch {
	case rev && x == First:
		slices.Reverse(in)
	case rev:
		at, step = len(in)-1, -1
	}
	compare := s.Compare
	out[0] = in[at]
	for n := 1; n < len(out); n++ {
		at += step
		e := in[at]
		i := n
		for ; i > 0 && compare(e, out[i-1]) < 0; i-- {
			out[i] = out[i-1]
		}
		out[i] = e
	}
}
