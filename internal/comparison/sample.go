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

// leastLong is the least length of runs that are merged rather than split.
const leastLong = 24

// longRuns reports whether most of a few places are followed by long runs, so that merges of runs
// take fewer rounds than splits.
func (s *Sorter[E]) longRuns(in []E) bool {
	const probes = 8
	each := len(in) / probes
	long, missed := max(leastLong, int(math.Sqrt(float64(len(in))))/4), 0
	if long > each {
		return false
	}
	for i := range probes {
		if n, _ := run(in[i*each:][:long], s.Compare); n < long {
			missed++
		}
		if missed > probes/4 {
			return false
		}
	}
	return true
}
