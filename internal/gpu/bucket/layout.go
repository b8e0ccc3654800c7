package bucket

import (
	"errors"
	"math"
	"math/bits"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

const (
	maxDigits   = 1 << 10 // that elements are split by at a time
	leastDigits = 1 << 8  // fewer take no less time

	// evenSlice is the mean size of buckets when codes are spread evenly: 3.4
	// standard deviations below the capacity, so that one bucket in three
	// thousand is oversize. fullSlice is the same where the mean is a bound.
	evenSlice = 920
	fullSlice = 890

	// sectionSlice is the same where density changes a little from one end of a room
	// to the other.
	sectionSlice = 895

	unlimited = 1<<31 - 1 // target of rooms that are cut into a fixed number of buckets
)

// ErrUneven reports codes that the bucket sort has no plan for: some part of
// their range holds far more elements than its neighbourhood in a sample. Package
// dispatch has another algorithm sort them.
var ErrUneven = errors.New("sorter: gpu: codes too uneven for the bucket sort")

// layout is how an element is made of a code and its position: struct Layout
// of slices.cuh.
type layout struct {
	n, indexBits   int
	low, span      uint64
	up, at, codeAt int    // bits that code-low moves up; lowest bit of the position, of the code
	keep           uint64 // bits of the moved code that stay
}

// Parts of a sample's range that a layout goes beyond it on either side, since a
// sample rarely holds the extremes. Even codes end soon after it; of others a
// few may lie far out (sample_layout of sample.cuh has the same margin).
const evenMargin, unevenMargin = 64, 2

// layoutFor is the layout that a sample of codes from lowest to highest suggests.
func layoutFor(n int, wide bool, lowest, highest, part uint64) layout {
	top := codes.Top(wide)
	margin := (highest - lowest) / part
	lowest -= min(lowest, margin)
	return layoutOver(n, lowest, highest+min(top-highest, margin)-lowest)
}

// layoutOver is the layout for codes from low to low+span.
func layoutOver(n int, low, span uint64) layout {
	l := layout{n: n, indexBits: bits.Len(uint(n - 1)), low: low, span: span, keep: math.MaxUint64}
	l.up = bits.LeadingZeros64(l.span | 1)
	l.at, l.codeAt = l.wordAt(), max(l.up, l.indexBits)
	if !l.exact() {
		l.keep <<= l.indexBits
	}
	return l
}

// top returns the leading 32 bits of the largest element.
func (l *layout) top() uint64 { return ((l.span|1)<<l.up | (1<<l.up - 1)) >> 32 }

// wordAt is where a position begins in the words that a table maps, and in
// elements that none has mapped.
func (l *layout) wordAt() int { return max(0, l.up-l.indexBits) }

// stretch is what positions are multiplied by to fill 32 bits.
func (l *layout) stretch() uint32 { return uint32(1 << 32 / uint64(l.n)) }

// exact reports whether different codes inside the range have different elements.
func (l *layout) exact() bool { return l.up >= l.indexBits }

// partStart is the lowest key in part c of kernels.Segments equal parts of the
// layout's words. It is not ok where the range ends before that part.
func (l *layout) partStart(c int) (k key, ok bool) {
	return l.keyAt(uint64(c) << (64 - bits.Len(kernels.Segments-1)))
}

// cellStart is the lowest key of the range in cell c or a later one, as cell_of of
// slices.cuh numbers them. It is not ok where the range ends before that cell.
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

// keyAt is the lowest key of the range whose word is at least the given one. It is
// not ok where no key has such a word. A range may end at the highest code, which no
// code follows: so the distance from low decides, which cannot wrap.
func (l *layout) keyAt(word uint64) (k key, ok bool) {
	distance, rest := word>>l.up, word&(1<<l.up-1)
	if rest > 0 {
		position := (rest-1)>>l.at + 1
		if l.exact() && position < uint64(l.n) {
			k.Position = uint32(position) * l.stretch()
		} else {
			distance++ // at most 1 << 63: rest > 0 takes up > 0
		}
	}
	k.Code = l.low + distance // where ok at most low + span, which is a code
	return k, distance <= l.span
}

// MaxN is how many elements the sort takes.
const MaxN = maxDigits * kernels.RoomThreads * fullSlice

type key = codes.Key
