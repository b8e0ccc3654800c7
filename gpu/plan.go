package gpu

import (
	"math"
	"math/bits"

	"example.com/sorter/kernels"
)

// plan is how one argsort on the device proceeds.
type plan struct {
	wide bool // codes of 64 bits
	layout
	table *table // nil: codes are spread evenly over the range

	scale   uint64 // elements' leading 32 bits times scale, divided by 1 << 32, are slices
	slices  int    // buckets of the last level
	lowBits int    // of a slice's number, that the second level splits by; 0: one level
	rooms   int    // parts of the first level
	room    int    // elements a part has room for

	drop int    // low bits of an element's distance inside its slice that local words leave out
	near uint64 // local words this close may have to be compared as elements
}

// layout is how an element is made of a code and its position: struct Layout
// of slices.cuh.
type layout struct {
	n, indexBits   int
	low, span      uint64
	up, at, codeAt int    // bits that code-low moves up; lowest bit of the position, of the code
	keep           uint64 // bits of the moved code that stay
}

const (
	maxRooms = 1024 // digits of at most 10 bits
	maxN     = maxRooms * kernels.StartsThreads * fullSlice

	// evenSlice is the mean size of buckets when codes are spread evenly: 3.4
	// standard deviations below the capacity, so that one bucket in three
	// thousand is oversize. fullSlice is the same where the mean is a bound.
	evenSlice = 920
	fullSlice = 890
)

// Parts of a sample's range that a layout goes beyond it on either side, since a
// sample rarely holds the extremes. Even codes end soon behind it; of others a
// few may lie far out (sample_layout of sample.cuh has the same margin).
const evenMargin, unevenMargin = 64, 2

// layoutFor is the layout that a sample of codes from lowest to highest suggests.
func layoutFor(n int, wide bool, lowest, highest, part uint64) layout {
	top := top(wide)
	margin := (highest - lowest) / part
	l := layout{n: n, indexBits: bits.Len(uint(n - 1)), keep: math.MaxUint64}
	l.low = lowest - min(lowest, margin)
	l.span = highest + min(top-highest, margin) - l.low
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

// evenPlan is the plan for codes that are spread evenly over the layout's range.
func evenPlan(wide bool, l layout) *plan {
	n := l.n
	p := &plan{wide: wide, layout: l}
	slices := float64(n) / evenSlice
	if l.exact() && float64(l.span) < 4*slices {
		// Each code has room for all positions that have as many bits as n.
		slices *= math.Ldexp(1, l.indexBits) / float64(n)
	}
	mean := p.split(slices, float64(n))
	p.room = int(1.03*mean+8*math.Sqrt(mean)) + kernels.LocalSize
	p.scale = uint64(p.slices) << 32 / (l.top() + 1)
	p.compare()
	return p
}

// mappedPlan is the plan for codes that go through a table, given how many of
// the sampled elements lie in each of its segments.
func mappedPlan(l layout, t *table, count []uint32, sampled int) *plan {
	p := &plan{wide: t.wide, layout: l, table: t}
	// With a table an element keeps its code's and position's order only.
	p.at, p.codeAt = 0, l.indexBits
	most := t.share(count) * float64(l.n) / float64(sampled)
	mean := p.split(most/fullSlice, most)
	// Inside a segment, density may still change: by a factor of two where the
	// exponents of floating-point numbers do.
	p.room = int(1.5*mean+8*math.Sqrt(mean)) + kernels.LocalSize
	p.scale = uint64(p.slices) // a table fills all words
	p.compare()
	return p
}

// split chooses the levels for at least the given number of slices, and returns
// the mean number of elements in a part of the first level.
func (p *plan) split(slices, elements float64) (mean float64) {
	p.slices = max(1, int(math.Ceil(slices)))
	if p.slices <= maxRooms {
		p.rooms = p.slices
	} else {
		p.lowBits = bits.Len(uint(p.slices-1)) / 2
		p.rooms = (p.slices + 1<<p.lowBits - 1) >> p.lowBits
		p.slices = p.rooms << p.lowBits
	}
	return elements / float64(p.rooms)
}

// compare derives how local words are made and told apart.
func (p *plan) compare() {
	if p.lowBits == 0 {
		p.room = kernels.LocalSize
	}
	width := 32 + bits.Len64(1<<32/p.scale+4) // bits of a distance inside a slice
	p.drop = max(0, width-kernels.LocalKeyBits)
	p.near = kernels.LocalSize
	if p.table != nil || !p.exact() {
		p.near = nearness(p.codeAt - p.drop)
	}
}

// nearness is the distance below which local words may have one code, if that
// many of their bits below the code come from the position.
func nearness(bits int) uint64 {
	if bits > 32-kernels.LocalPositionBits-1 {
		return math.MaxUint32
	}
	return kernels.LocalSize << max(0, bits)
}

// even reports whether counts of m sampled elements in equal parts of the
// layout's words could come from codes spread evenly from lowest to highest.
func (l *layout) even(count []uint32, m int, lowest, highest uint64) bool {
	const group = 16 // parts: enough to see a slope of a few percent
	parts := math.Ldexp(float64(highest-lowest)+1, l.up) / math.Ldexp(1, 64) * kernels.Segments
	mean := float64(m) / parts
	return parts >= 2*group && !tooDense(1, mean, count) && !tooDense(group, group*mean, count)
}

// tooDense reports whether some group of parts holds more than its share by 2 %
// and five standard deviations.
func tooDense(group int, share float64, count []uint32) bool {
	limit := 1.02*share + 5*math.Sqrt(share) + 3
	sum := 0.0
	for i, c := range count {
		sum += float64(c)
		if i >= group {
			sum -= float64(count[i-group])
		}
		if sum > limit {
			return true
		}
	}
	return false
}

// smooth reports whether neighbouring parts of the range hold similar numbers
// of elements, so that a part can be taken for even in itself.
func smooth(count []uint32) bool {
	for i := 1; i < len(count); i++ {
		a, b := float64(count[i-1]), float64(count[i])
		if math.Abs(a-b) > 0.3*max(a, b)+6*math.Sqrt(max(a, b))+6 {
			return false
		}
	}
	return true
}

// tiles returns the number of tiles of n elements.
func tiles(n int) int { return (n + kernels.Tile - 1) / kernels.Tile }
