package comparison

import "math"

// shape is what a sample shows.
type shape uint8

const (
	mixed   shape = iota
	inOrder       // except for few elements
	inRuns        // long ones
)

// leastSampled is the number of elements from which a sample is taken.
const leastSampled = 64

// sampled takes a sample of elements. Of elements in no order two thirds are above both
// neighbours, or below both.
func (s *Sorter[E]) sampled(in []E) shape {
	if len(in) < leastSampled {
		return mixed
	}
	count := min(len(in)/16, 24)
	each := (len(in) - 2) / count
	turns, falls := 0, 0
	for i := range count {
		at := i*each + each/2 + 1
		fell := s.Compare(in[at], in[at-1]) < 0
		if fell != (s.Compare(in[at+1], in[at]) < 0) {
			turns++
		}
		if fell || i > 0 && s.Compare(in[at], in[at-each]) < 0 {
			falls++
		}
		if turns > count/8 {
			return mixed
		}
	}
	switch {
	case falls <= count/4:
		return inOrder
	case s.longRuns(in):
		return inRuns
	}
	return mixed
}

// longRuns reports whether most of a few places are followed by runs of sqrt(n) elements: merges of
// these take half the rounds of a sort.
func (s *Sorter[E]) longRuns(in []E) bool {
	const probes = 8
	long, missed := int(math.Sqrt(float64(len(in)))), 0
	for i := range probes {
		if n, _ := run(in[i*(len(in)/probes):][:min(long, len(in)/probes)], s.Compare); n < min(long, len(in)/probes) {
			if missed++; missed > 1 {
				return false
			}
		}
	}
	return true
}
