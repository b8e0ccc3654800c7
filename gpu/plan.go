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
	table *table // nil: codes are elements as they are

	scale  uint64   // elements' leading 32 bits times scale, divided by 1 << 32, are rooms
	rooms  int      // parts of the first partition
	room   int      // elements a room has place for, unless begins says so
	begins []uint32 // where rooms begin, and the last one ends

	twice       bool // rooms are cut into buckets; else they are the buckets
	least, most int  // buckets of a room
	target      int  // elements of a bucket, where there are more than least
	buckets     int  // in all, at most
}

// places is how many elements the rooms hold in all.
func (p *plan) places() int {
	if p.begins != nil {
		return int(p.begins[p.rooms])
	}
	return p.rooms * p.room
}

// tiles bounds the tiles that the rooms' elements fill.
func (p *plan) tiles() int { return tiles(p.n) + p.rooms }

// nearAt is the lowest bit of an element in which different codes surely differ.
func (p *plan) nearAt() int {
	if p.table == nil && p.exact() {
		return 0
	}
	return p.codeAt
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
	maxDigits = 1 << 10 // that elements are split by at a time
	maxN      = maxDigits * kernels.RoomThreads * fullSlice

	// evenSlice is the mean size of buckets when codes are spread evenly: 3.4
	// standard deviations below the capacity, so that one bucket in three
	// thousand is oversize. fullSlice is the same where the mean is a bound.
	evenSlice = 920
	fullSlice = 890

	// partSlice is the same where density changes a little from one end of a room
	// to the other.
	partSlice = 870

	unlimited = 1 << 31 // target of rooms that are cut into a fixed number of buckets
)

// Parts of a sample's range that a layout goes beyond it on either side, since a
// sample rarely holds the extremes. Even codes end soon behind it; of others a
// few may lie far out (sample_layout of sample.cuh has the same margin).
const evenMargin, unevenMargin = 64, 2

// layoutFor is the layout that a sample of codes from lowest to highest suggests.
func layoutFor(n int, wide bool, lowest, highest, part uint64) layout {
	top := top(wide)
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

// evenPlan is the plan for codes that are spread evenly over the layout's range.
func evenPlan(wide bool, l layout) *plan {
	n := l.n
	p := &plan{wide: wide, layout: l}
	slices := float64(n) / evenSlice
	if l.exact() && float64(l.span) < 4*slices {
		// Each code has room for all positions that have as many bits as n.
		slices *= math.Ldexp(1, l.indexBits) / float64(n)
	}
	p.split(slices, float64(n), 1.03, l.top()+1)
	return p
}

// mappedPlan is the plan for codes that go through a table, given how many of
// the sampled elements lie in each of its segments.
func mappedPlan(l layout, t *table, count []uint32, sampled int) *plan {
	p := &plan{wide: t.wide, layout: l, table: t}
	// With a table an element keeps its code's and position's order only.
	p.at, p.codeAt = 0, l.indexBits
	most := t.share(count) * float64(l.n) / float64(sampled)
	// Inside a segment, density may still change: by a factor of two where the
	// exponents of floating-point numbers do.
	p.split(most/fullSlice, most, 1.5, 1<<32) // a table fills all words
	return p
}

// split chooses equal rooms for at least the given number of slices of words
// whose leading 32 bits are below top. Rooms have place for excess times their
// share of the elements, and for chance.
func (p *plan) split(slices, elements, excess float64, top uint64) {
	p.rooms, p.least, p.target = max(1, int(math.Ceil(slices))), 1, unlimited
	p.room = kernels.LocalSize
	if p.twice = p.rooms > maxDigits; p.twice {
		low := bits.Len(uint(p.rooms-1)) / 2
		p.rooms, p.least = (p.rooms+1<<low-1)>>low, 1<<low
		mean := elements / float64(p.rooms)
		p.room = int(excess*mean+8*math.Sqrt(mean)) + kernels.LocalSize
	}
	p.most, p.buckets = p.least, p.rooms*p.least
	p.scale = uint64(p.rooms) << 32 / top
}

// partsPlan is the plan for codes that are spread smoothly over a part of the
// layout's range, given how many of the sampled elements lie in each of
// kernels.Segments equal parts of it. Rooms get place by the sample, and the
// device cuts them into slices by what came.
func partsPlan(wide bool, l layout, count []uint32, sampled int) (*plan, error) {
	first, last := 0, len(count)-1
	for count[first] == 0 && first < last {
		first++
	}
	for count[last] == 0 && last > first {
		last--
	}
	beyond := (last-first)/16 + 1 // of a few, the sample holds none
	first, last = max(0, first-beyond), min(len(count)-1, last+beyond)
	part := uint(64 - bits.Len(kernels.Segments-1)) // bits of the words of a part
	low := uint64(first) << part >> l.up
	high := min(l.span, (uint64(last+1)<<part-1)>>l.up)
	p := &plan{wide: wide, layout: layoutOver(l.n, l.low+low, high-low), least: 1, target: partSlice, twice: true}

	sums := make([]float64, len(count)+1) // sampled elements below each part
	for i, c := range count {
		sums[i+1] = sums[i] + float64(c)
	}
	below := func(word float64) float64 { // sampled elements below a leading word of p's layout
		x := (float64(low) + math.Ldexp(word, 32-p.up)) * math.Ldexp(1, l.up-int(part))
		i := min(int(x), len(count)-1)
		return sums[i] + min(1, x-float64(i))*float64(count[i])
	}
	each := float64(l.n) / float64(sampled)
	for p.rooms = maxDigits; p.rooms <= kernels.MaxRooms; p.rooms *= 2 {
		p.scale = uint64(p.rooms) << 32 / (p.top() + 1)
		p.begins = make([]uint32, p.rooms+1)
		largest, from := 0, below(0)
		for r := range p.rooms {
			to := below(math.Ldexp(float64(r+1), 32) / float64(p.scale))
			room := int(each*(1.01*(to-from)+5*math.Sqrt(to-from)+8)) + kernels.LocalSize
			p.begins[r+1] = p.begins[r] + uint32(room)
			largest, from = max(largest, room), to
		}
		p.most = largest/partSlice + 1
		if p.most <= maxDigits {
			p.buckets = l.n/partSlice + p.rooms
			return p, nil
		}
	}
	return nil, errUneven
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
		if math.Abs(a-b) > 0.12*max(a, b)+6*math.Sqrt(max(a, b))+6 {
			return false
		}
	}
	return true
}

// tiles returns the number of tiles of n elements.
func tiles(n int) int { return (n + kernels.Tile - 1) / kernels.Tile }
