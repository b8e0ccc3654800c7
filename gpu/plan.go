package gpu

import (
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// plan is how one argsort on the device proceeds.
type plan struct {
	wide    bool // codes of 64 bits
	keys    bool // elements are codes alone
	strided bool // tiles of the first partition have codes from all over the list
	layout
	table *table // nil: codes are elements as they are

	scale  uint64  // elements' leading 32 bits times scale, divided by 1 << 32, are rooms
	rooms  int     // parts of the first partition
	room   int     // elements a room has place for
	bounds *bounds // in place of scale and room

	twice       bool // rooms are cut into buckets; else they are the buckets
	least, most int  // buckets of a room
	target      int  // elements of a bucket, where there are more than least
	buckets     int  // in all, at most
}

// places is how many elements the rooms hold in all.
func (p *plan) places() int {
	if p.bounds != nil {
		return int(p.bounds.room[p.rooms].place)
	}
	return p.rooms * p.room
}

// tiles bounds the tiles that the rooms' elements fill.
func (p *plan) tiles() int { return p.codeTiles() + p.rooms }

// codeTiles is the number of tiles of all codes.
func (p *plan) codeTiles() int { return (p.n + p.tile() - 1) / p.tile() }

// tile is the elements that a block of a partition moves.
func (p *plan) tile() int {
	if p.elementSize() < 8 {
		return kernels.KeyTile
	}
	return kernels.Tile
}

// nearAt is the lowest bit of an element in which different codes surely differ.
func (p *plan) nearAt() int {
	if p.keys || p.table == nil && p.exact() {
		return 0
	}
	return p.codeAt
}

// elementSize is the bytes of an element.
func (p *plan) elementSize() int {
	if p.keys {
		return codeBytes(p.wide)
	}
	return 8
}

// elementUp is the bits that code-low moves up in an element.
func (p *plan) elementUp() int { return p.up - (64 - 8*p.elementSize()) }

func (p *plan) kind() string { return input{wide: p.wide, keys: p.keys}.kind() }

// reading is what kernels need to make results of elements.
func (p *plan) reading(codes cuda.Ptr) []uint64 {
	if p.keys {
		return []uint64{p.low, uint64(p.elementUp())}
	}
	return []uint64{uint64(p.at), 1<<p.indexBits - 1, uint64(p.codeAt), uint64(codes)}
}

// localShared is the shared memory of a block of local_sort.
func (p *plan) localShared() int {
	if p.elementSize() < 8 {
		return kernels.LocalKeysU32
	}
	return kernels.LocalShared
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
	maxDigits   = 1 << 10 // that elements are split by at a time
	leastDigits = 1 << 8  // fewer take no less time
	maxN        = maxDigits * kernels.RoomThreads * fullSlice

	// evenSlice is the mean size of buckets when codes are spread evenly: 3.4
	// standard deviations below the capacity, so that one bucket in three
	// thousand is oversize. fullSlice is the same where the mean is a bound.
	evenSlice = 920
	fullSlice = 890

	// sectionSlice is the same where density changes a little from one end of a room
	// to the other.
	sectionSlice = 895

	unlimited = 1<<31 - 1 // target of rooms that are cut into a fixed number of buckets

	// mostOfACode is how many elements of one code there may be where elements are codes
	// alone, so that slices, which end between two codes, differ by 2 %.
	mostOfACode = 14
)

// crowded reports whether codes have more elements each than keys alone allow,
// where the range of the sample is densest.
func (in input) crowded(s *sample) bool {
	l := layoutFor(in.n, in.wide, s.low, s.high, unevenMargin)
	codes := math.Ldexp(1, 64-l.up-bits.TrailingZeros64(s.differ)) / kernels.Segments // of a part of the range
	return float64(slices.Max(s.parts[:]))/float64(in.samples())*float64(in.n) > mostOfACode*codes
}

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

// evenPlan is the plan for codes that are spread evenly over the layout's range,
// with so many elements a bucket in the mean.
func evenPlan(wide bool, l layout, mean int) *plan {
	n := l.n
	p := &plan{wide: wide, layout: l}
	buckets := float64(n) / float64(mean)
	if l.exact() && float64(l.span) < 4*buckets {
		// Each code has room for all positions that have as many bits as n.
		buckets *= math.Ldexp(1, l.indexBits) / float64(n)
	}
	p.split(buckets, float64(n), 1.03, l.top()+1)
	return p
}

// mappedPlan is the plan for codes that go through a table, given how many of
// the sampled elements lie in each of its segments, and the mean size of buckets.
func mappedPlan(l layout, t *table, count []uint32, sampled, mean int) *plan {
	return planFor(t.wide, l, t, t.share(count)*float64(l.n)/float64(sampled), mean)
}

// planFor is the plan for codes that go through a table whose segments have room
// for most elements together. How large it is does not depend on the table.
func planFor(wide bool, l layout, t *table, most float64, mean int) *plan {
	p := &plan{wide: wide, layout: l, table: t}
	// With a table an element keeps its code's and position's order only.
	p.at, p.codeAt = 0, l.indexBits
	// Inside a segment, density may still change: by a factor of two where the
	// exponents of floating-point numbers do.
	p.split(most/float64(mean), most, 1.5, 1<<32) // a table fills all words
	return p
}

// fitting returns p, or errUneven if it has more rooms, or buckets of a room, than
// elements are split by at a time.
func (p *plan) fitting() (*plan, error) {
	if p.rooms > maxDigits || p.least > maxDigits {
		return nil, errUneven
	}
	return p, nil
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
	p.most, p.buckets = p.least, p.rooms*p.least // places and cursors stay below 1<<32: see TestPlaces
	p.scale = uint64(p.rooms) << 32 / top
}

// bounds is struct Bounds of rooms.cuh.
type bounds struct {
	section [kernels.Sections]uint32
	room    [kernels.MaxRooms + 1]struct{ place, low uint32 }
}

// sectionsPlan is the plan for codes that are spread smoothly over the layout's
// range, given how many of the sampled elements lie in each of kernels.Segments
// equal parts of it, and the mean size of buckets. Sections are divided into rooms
// by the sample, which b keeps, and the device cuts these into slices by what came.
func sectionsPlan(wide bool, l layout, count []uint32, sampled, mean int, b *bounds) (*plan, error) {
	p := &plan{wide: wide, layout: l, bounds: b, least: 1, target: mean, twice: true}
	each := float64(l.n) / float64(sampled)
	half := bits.Len(uint(l.n/mean)) / 2
	for p.most = max(1<<half, leastDigits); p.most <= kernels.RoomThreads; p.most *= 2 {
		if p.divide(count, each) {
			p.refine(count, each)
			p.place(count, each)
			p.buckets = l.n/mean + p.rooms
			return p, nil
		}
	}
	return nil, errUneven
}

// sectionParts is how many of the parts that a sample is counted by a section has.
const sectionParts = kernels.Segments / kernels.Sections

// divide cuts the sections into rooms of at most p.most slices, if there need not
// be too many, where each element counted stands for so many.
func (p *plan) divide(count []uint32, each float64) bool {
	largest := 0.95 * float64(p.most) * float64(p.target) // elements of a room
	p.rooms = 0
	for s := range kernels.Sections {
		densest := slices.Max(count[s*sectionParts : (s+1)*sectionParts])
		rooms := int(math.Ceil(sectionParts*each*float64(densest)/largest)) + 1
		if p.rooms+rooms > maxDigits {
			return false
		}
		p.bounds.section[s] = uint32(p.rooms<<16 | rooms)
		p.rooms += rooms
	}
	return true
}

// refine cuts sections where density changes into more rooms, as far as that takes few
// more digits: a room is cut into equal slices, and those at its dense end
// are oversize. Of 2^28 codes with a normal distribution, 208 are without this.
func (p *plan) refine(count []uint32, each float64) {
	const most, fewest = 0.04, 2 // of a room: change of density, mean buckets
	limit := min(maxDigits, max(leastDigits, 1<<bits.Len(uint(p.rooms+p.rooms/8-1))))
	var steep, full [kernels.Sections]float64 // change in a section; rooms that its elements are enough for
	for s := range kernels.Sections {
		const quarter = sectionParts / 4
		here := count[s*sectionParts : (s+1)*sectionParts]
		first, last := sum32(here[:quarter]), sum32(here[sectionParts-quarter:])
		steep[s] = 4.0 / 3 * math.Abs(math.Log(float64(first+1)/float64(last+1)))
		full[s] = each * float64(sum32(here)) / float64(fewest*p.target)
	}
	for change := most; change < 1; change *= 1.25 {
		section, rooms := p.bounds.section, 0
		for s := range section {
			here := max(int(section[s]&0xffff), int(min(steep[s]/change, full[s])))
			section[s] = uint32(rooms<<16 | here)
			rooms += here
		}
		if rooms <= limit {
			p.bounds.section, p.rooms = section, rooms
			return
		}
	}
}

func sum32(list []uint32) (sum uint32) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// place says where rooms begin, on the scale of words and in memory.
func (p *plan) place(count []uint32, each float64) {
	const steps = 1 << 16 // of a section
	place, k := 0, 0
	for s, section := range p.bounds.section {
		here, rooms := count[s*sectionParts:(s+1)*sectionParts], int(section&0xffff)
		from, before := 0, 0.0 // the step at which a room begins, and what is counted before it
		part, sum := 0, 0.0    // the part that a room ends in, and what is counted before that
		for r := range rooms {
			low := uint32(s<<16|from) << (16 - bits.Len(kernels.Sections-1))
			p.bounds.room[k] = struct{ place, low uint32 }{uint32(place), low}
			to := ((r+1)*steps + rooms - 1) / rooms
			for ; part < to*sectionParts/steps; part++ {
				sum += float64(here[part])
			}
			behind := sum
			if rest := to * sectionParts % steps; rest > 0 {
				behind += float64(here[part]) * float64(rest) / steps
			}
			place += capacity(behind-before, each)
			from, before = to, behind
			k++
		}
	}
	p.bounds.room[k] = struct{ place, low uint32 }{uint32(place), 0} // 1 << 32
}

// capacity is the elements that a room has place for whose share of a sample is
// expected to be so much, where each element counted stands for so many.
func capacity(share, each float64) int {
	return int(each*(1.01*share+5*math.Sqrt(share)+8)) + kernels.LocalSize
}

// largestPlans are the plans of each kind that take most memory: of few codes, of
// as many sections as there may be, and of a sample spread over all segments. Keys
// alone have neither the first nor the last.
func largestPlans(by *parts, in input) []*plan {
	few := layoutFor(in.n, in.wide, 0, 0, evenMargin)
	n, m := float64(in.n), float64(in.samples())
	cut := &plan{layout: few, twice: true, rooms: maxDigits, buckets: in.n/by.mean(in.n, sectionSlice) + maxDigits}
	places := n*(1.01+5*math.Sqrt(maxDigits/m)+8*maxDigits/m) + (kernels.LocalSize+1)*maxDigits // see divide
	cut.room = int(places/maxDigits) + 1
	if in.keys {
		even := evenPlan(in.wide, layoutOver(in.n, 0, top(in.wide)), by.mean(in.n, evenSlice))
		for _, p := range []*plan{even, cut} {
			p.wide, p.keys = in.wide, true
		}
		return []*plan{even, cut}
	}
	spread := m / kernels.Segments
	return []*plan{evenPlan(in.wide, few, by.mean(in.n, evenSlice)), cut, planFor(in.wide, few, nil, n*weight(spread)/spread, by.mean(in.n, fullSlice))}
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
	limit := int(1.02*share + 5*math.Sqrt(share) + 3)
	sum := 0
	for _, c := range count[:group] {
		sum += int(c)
	}
	for i, c := range count[group:] {
		if sum > limit {
			return true
		}
		sum += int(c) - int(count[i])
	}
	return sum > limit
}

// smooth reports whether neighbouring parts of the range hold similar numbers
// of elements, so that a part can be taken for even in itself: numbers that differ
// by at most 12 %, and six and six standard deviations.
func smooth(count []uint32) bool {
	for i := 1; i < len(count); i++ {
		a, b := int(count[i-1]), int(count[i])
		step, most := max(a, b)-min(a, b), max(a, b)
		if 25*step <= 3*most+150 {
			continue
		}
		if most := float64(most); float64(step) > 0.12*most+6+6*math.Sqrt(most) {
			return false
		}
	}
	return true
}
