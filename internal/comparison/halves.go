package comparison

// halvedLen is the largest number of elements of the leaves of a sort by halves.
const halvedLen = 16

// depth returns how often n elements are halved until no part has more than halvedLen.
func depth(n int) (d int) {
	for ; n > halvedLen; n = (n + 1) / 2 {
		d++
	}
	return d
}

// halves sorts the elements of array x at positions [lo, hi) by merges of sorted halves. It returns
// the array in which they lie then: parts in order stay where they are.
func (s *Sorter[E]) halves(lo, hi, x, depth int) int {
	if depth == 0 {
		return s.run(lo, hi, x)
	}
	mid := lo + (hi-lo)/2
	a := s.halves(lo, mid, x, depth-1)
	b := s.halves(mid, hi, x, depth-1)
	return s.join(lo, mid, hi, a, b)
}

// run sorts few elements, which are mostly in order.
func (s *Sorter[E]) run(lo, hi, x int) int {
	in, compare := s.Arrays[x][lo:hi], s.Compare
	n := 1
	for n < len(in) && compare(in[n], in[n-1]) >= 0 {
		n++
	}
	if n == len(in) {
		return x
	}
	out := s.Arrays[First][lo:hi]
	if n > 1 {
		copy(out[:n], in)
	} else {
		for n = 2; n < len(in) && compare(in[n], in[n-1]) < 0; n++ {
		}
		for i, j := 0, n-1; i <= j; i, j = i+1, j-1 {
			out[i], out[j] = in[j], in[i]
		}
	}
	insert(out, in, n, compare)
	return First
}

// insert sorts in to out, the first n elements of which are in order already.
func insert[E any](out, in []E, n int, compare func(a, b E) int) {
	for ; n < len(in); n++ {
		e := in[n]
		if compare(e, out[n-1]) >= 0 {
			out[n] = e
			continue
		}
		i := upper(out[:n-1], e, compare)
		copy(out[i+1:n+1], out[i:n])
		out[i] = e
	}
}

// join joins the sorted parts [lo, mid) in array a and [mid, hi) in array b.
func (s *Sorter[E]) join(lo, mid, hi, a, b int) int {
	x, y := s.Arrays[a][lo:mid], s.Arrays[b][mid:hi]
	if s.Compare(y[0], x[len(x)-1]) >= 0 {
		switch {
		case a == b:
		case b == Input:
			s.copy(s.Arrays[a][mid:hi], y)
		default:
			s.copy(s.Arrays[b][lo:mid], x)
			return b
		}
		return a
	}
	z := target(a, b)
	s.merge(s.Arrays[z][lo:hi], x, y)
	return z
}

// target returns the array to which a part in array a is merged with the one after it in array b: none
// whose elements would be overwritten before they are read.
func target(a, b int) int {
	if b != Input && a != b {
		return b
	}
	return other(a)
}
