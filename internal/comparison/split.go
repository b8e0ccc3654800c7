package comparison

import (
	"math/bits"
	"slices"
	"unsafe"
)

// copyLen is the number of elements in copyBytes.
func copyLen[E any]() int { return copyBytes/max(1, int(unsafe.Sizeof(*new(E)))) + 1 }

// badSplits returns how many splits of n elements may be uneven, before the part is merged instead.
func badSplits(n int) int { return bits.Len(uint(n)) }

// split sorts the elements of array x at positions [lo, hi) to First. With rev they lie there
// from the last to the first.
func (s *Sorter[E]) split(lo, hi, x int, rev bool, bad int) {
	for hi-lo > leafLen {
		in := s.Arrays[x][lo:hi]
		if bad == 0 {
			if rev {
				slices.Reverse(in)
			}
			if z := s.halves(lo, hi, x, depth(hi-lo)); z != First {
				s.copy(s.Arrays[First][lo:hi], s.Arrays[z][lo:hi])
			}
			return
		}
		pivot, few := s.pivot(in)
		y := other(x)
		less, equal := 0, 1
		if few {
			less, equal = s.splitThree(lo, hi, x, y, rev, in[pivot])
		} else {
			less = s.splitTwo(s.Arrays[y][lo:hi], in, pivot, rev)
			s.Arrays[First][lo+less] = in[pivot]
		}
		if n := hi - lo; max(less, n-less-equal) > n-n/8 {
			bad--
		}
		if less > 0 {
			s.split(lo, lo+less, y, false, bad)
		}
		lo, x, rev = lo+less+equal, y, true
	}
	if lo < hi {
		s.leaf(lo, hi, x, rev)
	}
}

// other returns the array to which elements of array x are split.
func other(x int) int {
	if x == First {
		return Second
	}
	return First
}

// splitTwo moves the elements that come before in[pivot] to the front of out, and the others to its
// end, from the last to the first. It returns the number of the former, which is the place of the
// pivot: that is left out. Elements equal to the pivot stay before or after it.
func (s *Sorter[E]) splitTwo(out, in []E, pivot int, rev bool) (less int) {
	compare, p := s.Compare, in[pivot]
	last := len(in) - 1
	if rev {
		for i := last; i > pivot; i-- { // those before the pivot
			e := &in[i]
			after := compare(p, *e) >> (bits.UintSize - 1) // -1 if e comes after p
			out[less+i&after] = *e
			less += 1 + after
		}
		for i := pivot - 1; i >= 0; i-- {
			e := &in[i]
			before := compare(*e, p) >> (bits.UintSize - 1)
			out[less+(i+1)&^before] = *e
			less -= before
		}
		return less
	}
	for i := range pivot {
		e := &in[i]
		after := compare(p, *e) >> (bits.UintSize - 1)
		out[less+(last-i)&after] = *e
		less += 1 + after
	}
	for i := pivot + 1; i <= last; i++ {
		e := &in[i]
		before := compare(*e, p) >> (bits.UintSize - 1)
		out[less+(last-i+1)&^before] = *e
		less -= before
	}
	return less
}

// splitThree moves the elements of array x that come before p to the front of array y, those after
// it to the end, from the last to the first, and those equal to p to their final places in First. It
// returns the numbers of those before p and equal to it.
func (s *Sorter[E]) splitThree(lo, hi, x, y int, rev bool, p E) (less, equal int) {
	z := x // elements before the one that is read are not needed
	if x == Input {
		z = Second
	}
	in, out, same := s.Arrays[x][lo:hi], s.Arrays[y][lo:hi], s.Arrays[z][lo:hi]
	compare, n := s.Compare, hi-lo
	last := n - 1
	if rev {
		at := last
		for i := last; i >= 0; i-- {
			e := &in[i]
			c := compare(*e, p)
			out[less], out[last], same[at] = *e, *e, *e
			before, after := int(uint(c)>>(bits.UintSize-1)), int(uint(c|-c)>>(bits.UintSize-1))
			less += before
			last -= after - before
			at -= 1 - after
		}
		slices.Reverse(same[at+1:])
		equal = copy(same, same[at+1:])
	} else {
		for i := range in {
			e := &in[i]
			c := compare(*e, p)
			out[less], out[last], same[equal] = *e, *e, *e
			before, after := int(uint(c)>>(bits.UintSize-1)), int(uint(c|-c)>>(bits.UintSize-1))
			less += before
			last -= after - before
			equal += 1 - after
		}
	}
	copy(s.Arrays[First][lo+less:lo+less+equal], same)
	return less, equal
}

// pivot returns the position of a median of a sample, and whether elements of the sample are equal.
func (s *Sorter[E]) pivot(in []E) (at int, few bool) {
	n, rounds := len(in), 1
	for ; n >= 64<<(2*rounds) && rounds < 6; rounds++ {
	}
	at = s.median(in, 0, n, rounds, &few)
	return at, few
}

// median returns the position of the median of three of in[lo:lo+n], each of them such a median if rounds > 1.
func (s *Sorter[E]) median(in []E, lo, n, rounds int, few *bool) int {
	a, b, c := lo+n/6, lo+n/2, lo+n-1-n/6
	if rounds > 1 {
		third := n / 3
		a = s.median(in, lo, third, rounds-1, few)
		b = s.median(in, lo+third, third, rounds-1, few)
		c = s.median(in, lo+2*third, third, rounds-1, few)
	}
	ab, ac := s.Compare(in[a], in[b]), s.Compare(in[a], in[c])
	if ab == 0 || ac == 0 {
		*few = true
	}
	if ab < 0 != (ac < 0) {
		return a
	}
	bc := s.Compare(in[b], in[c])
	if bc == 0 {
		*few = true
	}
	if ab < 0 == (bc < 0) {
		return b
	}
	return c
}
