package bucket

import (
	"math"
	"math/bits"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

// plan is how one bucket sort proceeds.
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
		return codes.Bytes(p.wide)
	}
	return 8
}

// elementUp is the bits that code-low moves up in an element.
func (p *plan) elementUp() int { return p.up - (64 - 8*p.elementSize()) }

func (p *plan) kind() string { return codes.Input{Wide: p.wide, Keys: p.keys}.Kind() }

// reading is the arguments by which kernels make results of elements.
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

// evenPlan is the plan for codes that are spread evenly over the layout's range,
// with a mean number of elements per bucket.
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

// fitting returns p, or ErrUneven if it has more rooms, or buckets of a room, than
// elements are split by at a time.
func (p *plan) fitting() (*plan, error) {
	if p.rooms > maxDigits || p.least > maxDigits {
		return nil, ErrUneven
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

// largestPlans are the plans of each kind that take most memory: of few codes, of
// as many sections as there may be, and of a sample spread over all segments. Keys
// alone have neither the first nor the last.
func largestPlans(by *Options, in codes.Input) []*plan {
	few := layoutFor(in.N, in.Wide, 0, 0, evenMargin)
	n, m := float64(in.N), float64(samples(in))
	cut := &plan{layout: few, twice: true, rooms: maxDigits, buckets: in.N/by.mean(in.N, sectionSlice) + maxDigits}
	places := n*(1.01+5*math.Sqrt(maxDigits/m)+8*maxDigits/m) + (kernels.LocalSize+1)*maxDigits // see divide
	cut.room = int(places/maxDigits) + 1
	if in.Keys {
		even := evenPlan(in.Wide, layoutOver(in.N, 0, codes.Top(in.Wide)), by.mean(in.N, evenSlice))
		for _, p := range []*plan{even, cut} {
			p.wide, p.keys = in.Wide, true
		}
		return []*plan{even, cut}
	}
	spread := m / kernels.Segments
	return []*plan{evenPlan(in.Wide, few, by.mean(in.N, evenSlice)), cut, planFor(in.Wide, few, nil, n*weight(spread)/spread, by.mean(in.N, fullSlice))}
}

// bounds is struct Bounds of rooms.cuh.
type bounds struct {
	section [kernels.Sections]uint32
	room    [kernels.MaxRooms + 1]struct{ place, low uint32 }
}
