package bucket

import (
	"errors"
	"math"
	"math/bits"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

const (
	maxDigits   = 1 << 10 // digit values of a split, at most
	leastDigits = 1 << 8  // fewer are not faster

	// evenSlice is the mean size of buckets for evenly spread codes: 3.4 standard deviations
	// below the capacity, so that one bucket in three thousand is oversize. fullSlice is the
	// mean size where the mean is also a bound.
	evenSlice = 920
	fullSlice = 890

	// mappedSlice is the mean size where a table maps codes: density may change within its segments. At 890, 650 to 950
	// of the buckets of 2^26 normal 64-bit floats are oversize, about as many as a sort may have; at 700 200 to 330.
	mappedSlice = 700

	// sectionSlice is the mean size of buckets where density changes slightly within a partition.
	sectionSlice = 910

	unlimited = 1<<31 - 1 // target for partitions cut into a fixed number of buckets
)

// ErrUneven reports codes for which the bucket sort has no plan: part of their range holds far
// more elements than its neighbourhood in a sample. Package dispatch then uses another
// algorithm.
var ErrUneven = errors.New("sorter: gpu: codes too uneven for the bucket sort")

// layout is how an element is made of a code and its position: struct Layout of slices.cuh.
type layout struct {
	n, indexBits   int
	low, span      uint64
	up, at, codeAt int    // shift of code-low; lowest bit of the position, of the code
	keep           uint64 // mask of the shifted code
	numbers        bool   // codes have numbers, see codes.Input, instead of positions
}

// Margins of a layout beyond a sample's range, on either side, as parts of that range: a
// sample rarely has the extremes. Uniform codes end soon after it; of others a few may lie far
// out. sample_layout of sample.cuh has the same margins.
const evenMargin, unevenMargin = 64, 2

// layoutFor returns the layout for codes with a sample from lowest to highest.
func layoutFor(n int, wide bool, lowest, highest, part uint64) layout {
	top := codes.Top(wide)
	margin := (highest - lowest) / part
	lowest -= min(lowest, margin)
	return layoutOver(n, lowest, highest+min(top-highest, margin)-lowest)
}

// layoutOver returns the layout for codes from low to low+span.
func layoutOver(n int, low, span uint64) layout {
	return layoutWith(bits.Len(uint(n-1)), n, low, span)
}

// numbered returns the layout for codes with numbers below total. It is l where elements have space
// for whole codes: plans for few codes count on positions.
func (l layout) numbered(total int) layout {
	n := layoutWith(bits.Len(uint(total-1)), l.n, l.low, l.span)
	if n.numbers = true; n.exact() {
		return l
	}
	return n
}

func layoutWith(indexBits, n int, low, span uint64) layout {
	l := layout{n: n, indexBits: indexBits, low: low, span: span, keep: math.MaxUint64}
	l.up = bits.LeadingZeros64(l.span | 1)
	l.at, l.codeAt = l.wordAt(), max(l.up, l.indexBits)
	if !l.exact() {
		l.keep <<= l.indexBits
	}
	return l
}

// top returns the leading 32 bits of the largest element.
func (l *layout) top() uint64 { return ((l.span|1)<<l.up | (1<<l.up - 1)) >> 32 }

// wordAt returns the lowest bit of the position in the words that a table maps, and in
// unmapped elements.
func (l *layout) wordAt() int { return max(0, l.up-l.indexBits) }

// stretch returns the factor that scales positions to 32 bits.
func (l *layout) stretch() uint32 { return uint32(1 << 32 / uint64(l.n)) }

// exact reports whether different codes inside the range have different elements.
func (l *layout) exact() bool { return l.up >= l.indexBits }

// partStart returns the lowest key in part c of kernels.Segments equal parts of the layout's
// words; ok is false if the range ends before that part.
func (l *layout) partStart(c int) (k key, ok bool) {
	return l.keyAt(uint64(c) << (64 - bits.Len(kernels.Segments-1)))
}

// cellStart returns the lowest key of the range in cell c or a later one, numbered as by
// cell_of of slices.cuh; ok is false if the range ends before that cell.
func (l *layout) cellStart(c int) (k key, ok bool) {
	exponent, lead := c/16, uint64(16+c%16)
	switch {
	case c == 0: // words 0 and 1
		return l.keyAt(0)
	case exponent < 4:
		return l.keyAt((lead-1)>>(4-exponent) + 1)
	}
	return l.keyAt(lead << (exponent - 4))
}

// keyAt returns the lowest key of the range whose word is at least the given one; ok is false
// if there is none. It compares distances from low, which cannot wrap; a range may end at the
// highest code, which has no successor.
func (l *layout) keyAt(word uint64) (k key, ok bool) {
	distance, rest := word>>l.up, word&(1<<l.up-1)
	if rest > 0 {
		position := (rest-1)>>l.at + 1
		if l.exact() && position < uint64(l.n) {
			k.Position = uint32(position) * l.stretch()
		} else {
			distance++ // at most 1 << 63: rest > 0 implies up > 0
		}
	}
	k.Code = l.low + distance // if ok, at most low + span, which is a code
	return k, distance <= l.span
}

// MaxN is the largest number of elements that the sort takes.
const MaxN = maxDigits * kernels.PartitionThreads * fullSlice

type key = codes.Key
