package bucket

import (
	"slices"

	"example.com/sorter/kernels"
)

// ends are the lowest and the highest leading word that elements can have. Parts of the range
// beyond an end are empty, however dense the next part is.
type ends struct{ low, high uint64 }

// noEnds are the ends where any leading word may come.
var noEnds = ends{0, 1<<32 - 1}

const (
	partWords = 1 << 32 / kernels.Segments // leading words in a part of the range

	// narrowest is the least number of leading words of a partition: its scale has 32 bits.
	narrowest = 2 * kernels.PartitionThreads
)

// ends returns the ends for codes known to lie from least to most. A sample has some of them.
func (l *layout) ends(least, most uint64) ends {
	e := ends{0, l.top()}
	if least > l.low {
		e.low = (least - l.low) << l.up >> 32
	}
	if most < l.low+l.span {
		e.high = ((most-l.low)<<l.up | (1<<l.up - 1)) >> 32
	}
	return e
}

// whole returns the parts of the range between the ends: [first, last).
func (e ends) whole() (first, last int) {
	return int((e.low + partWords - 1) / partWords), int((e.high + 1) / partWords)
}

// smooth reports whether neighbouring parts between the ends hold similar numbers of elements, so
// that each can be taken as uniform. A part that an end cuts is compared with as much of the next
// one.
func (e ends) smooth(count []uint32) bool {
	first, last := e.whole()
	like := func(part, next int) bool {
		if part < 0 || part >= len(count) {
			return true
		}
		low, high := e.within(part)
		return similar(count[part], uint32(float64(count[next])*(high-low)))
	}
	return smooth(count[first:last]) && like(first-1, first) && like(last, last-1)
}

// within returns where in a part, from 0 to 1, the ends are.
func (e ends) within(part int) (low, high float64) {
	place := func(word uint64) float64 { return min(max(float64(word)/partWords-float64(part), 0), 1) }
	return place(e.low), place(e.high + 1)
}

// share returns the share of a part's elements that come before place x of it, if they are
// uniform.
func (e ends) share(part int, x float64) float64 {
	low, high := e.within(part)
	if low == high {
		return x
	}
	return (min(max(x, low), high) - low) / (high - low)
}

// dense returns counts in which the sections that the ends cut are filled up with the number of
// their outermost whole part. A section has the given number of parts.
func (e ends) dense(count []uint32, parts int) []uint32 {
	first, last := e.whole()
	count = slices.Clone(count)
	for i := int(e.low/partWords) / parts * parts; i < first; i++ {
		count[i] = count[first]
	}
	for i := last; i < (int(e.high/partWords)/parts+1)*parts; i++ {
		count[i] = count[last-1]
	}
	return count
}

// end makes the partitions that the ends cut begin and end there, so that their slices divide
// only the words that elements have.
func (b *bounds) end(partitions int, e ends) {
	all := b.partition[:partitions+1]
	for k := range partitions {
		next := uint64(1) << 32
		if k+1 < partitions {
			next = uint64(all[k+1].low)
		}
		if low := uint64(all[k].low); low < e.low && e.low < next {
			all[k].low = uint32(min(e.low, next-narrowest))
		}
		if low := uint64(all[k].low); low <= e.high && e.high+1 < next {
			all[k+1].low = uint32(max(e.high+1, low+narrowest))
			return
		}
	}
}
