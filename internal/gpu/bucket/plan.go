package bucket

import (
	"math"
	"math/bits"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/kernels"
)

// plan is the plan of one bucket sort.
type plan struct {
	wide    bool // 64-bit codes
	keys    bool // elements are codes alone
	strided bool // tiles of the first split have codes from all over the list
	layout
	table *table // nil: elements are not mapped

	scale      uint64  // partition = leading 32 bits × scale / 2^32
	partitions int     // destinations of the first split
	capacity   int     // of a partition, in elements
	bounds     *bounds // replaces scale and capacity

	sections int  // of bounds
	octaves  bool // sections are octaves, and elements those of octaves.cuh

	twice       bool // a second split makes buckets of partitions; otherwise partitions are buckets
	least, most int  // buckets of a partition
	target      int  // elements of a bucket, in partitions with more than least buckets
	buckets     int  // bound of the total
}

// places returns the capacity of all partitions in elements.
func (p *plan) places() int {
	if p.bounds != nil {
		return int(p.bounds.partition[p.partitions].place)
	}
	return p.partitions * p.capacity
}

// tiles bounds the tiles that the partitions' elements fill.
func (p *plan) tiles() int { return p.codeTiles() + p.partitions }

// codeTiles returns the number of tiles of all codes.
func (p *plan) codeTiles() int { return (p.n + p.tile() - 1) / p.tile() }

// tile returns the number of elements that a block of a split moves.
func (p *plan) tile() int {
	if p.elementSize() < 8 {
		return kernels.KeyTile
	}
	return kernels.Tile
}

// nearAt returns the lowest bit of an element in which different codes must differ; 0 if
// elements have whole codes.
func (p *plan) nearAt() int {
	switch {
	case p.octaves:
		return p.octaveNearAt()
	case p.keys || p.table == nil && p.exact():
		return 0
	}
	return p.codeAt
}

// elementSize returns the bytes of an element.
func (p *plan) elementSize() int {
	if p.keys {
		return codes.Bytes(p.wide)
	}
	return 8
}

// elementUp returns the shift of code-low in an element.
func (p *plan) elementUp() int { return p.up - (64 - 8*p.elementSize()) }

func (p *plan) kind() string { return codes.Input{Wide: p.wide, Keys: p.keys}.Kind() }

// readingKind is kind for kernels that make results of elements.
func (p *plan) readingKind() string {
	switch {
	case p.octaves:
		return "_octaves" + codes.Width(p.wide)
	case p.numbers:
		return "_numbered"
	}
	return p.kind()
}

// splittingKind is kind for the first split.
func (p *plan) splittingKind() string {
	if p.numbers {
		return "_numbered"
	}
	return p.kind()
}

// reading returns the arguments by which kernels make results of elements.
func (p *plan) reading(in codes.Input) []uint64 {
	from := in.Codes
	if p.numbers {
		from = in.Lists
	}
	switch {
	case p.keys:
		return []uint64{p.low, uint64(p.elementUp())}
	case p.octaves:
		return []uint64{uint64(p.indexBits), p.positionScale(), uint64(from), uint64(p.nearAt())}
	}
	return []uint64{uint64(p.at), 1<<p.indexBits - 1, uint64(p.nearAt()), uint64(from)}
}

// localShared returns the shared memory of a block of local_sort.
func (p *plan) localShared() int {
	if p.elementSize() < 8 {
		return kernels.LocalKeysU32
	}
	return kernels.LocalShared
}

// evenMean returns the mean size of buckets over all of the layout's range for which those
// between lowest and highest, where the elements are, have the given mean. Without it
// buckets are 3 % fuller, and one in 130 is oversize.
func (l *layout) evenMean(mean int, lowest, highest uint64) int {
	return int(float64(mean) * (float64(highest-lowest) + 1) / (float64(l.span) + 1))
}

// evenPlan returns the plan for codes spread evenly over the layout's range, with a mean
// number of elements per bucket.
func evenPlan(wide bool, l layout, mean int) *plan {
	n := l.n
	p := &plan{wide: wide, layout: l}
	buckets := float64(n) / float64(mean)
	if l.exact() && float64(l.span) < 4*buckets {
		// The words of a code cover all positions with the bits of n.
		buckets *= math.Ldexp(1, l.indexBits) / float64(n)
	}
	p.split(buckets, float64(n), 1.03, l.top()+1)
	return p
}

// mappedPlan returns the plan for codes mapped by a table. count is the number of the sampled
// elements in each segment, mean the mean size of buckets.
func mappedPlan(l layout, t *table, count []uint32, sampled, mean int) *plan {
	return planFor(t.wide, l, t, t.share(count)*float64(l.n)/float64(sampled), mean)
}

// planFor returns the plan for codes mapped by a table whose segments hold at most most
// elements together. Its size does not depend on the table.
func planFor(wide bool, l layout, t *table, most float64, mean int) *plan {
	p := &plan{wide: wide, layout: l, table: t}
	// With a table an element keeps only the order of code and position.
	p.at, p.codeAt = 0, l.indexBits
	// Density may still change inside a segment: by a factor of two where the exponent of
	// floating-point numbers changes.
	p.split(most/float64(mean), most, 1.5, 1<<32) // a table fills all words
	return p
}

// fitting returns p, or ErrUneven if the partitions, or the buckets of a partition, are too many
// for one split.
func (p *plan) fitting() (*plan, error) {
	if p.partitions > maxDigits || p.least > maxDigits {
		return nil, ErrUneven
	}
	return p, nil
}

// split chooses equal partitions for at least the given number of slices of words whose leading
// 32 bits are below top. The capacity of a partition is excess times its share of the elements,
// plus a margin for chance.
func (p *plan) split(slices, elements, excess float64, top uint64) {
	p.partitions, p.least, p.target = max(1, int(math.Ceil(slices))), 1, unlimited
	p.capacity = kernels.LocalSize
	if p.twice = p.partitions > maxDigits; p.twice {
		low := bits.Len(uint(p.partitions-1)) / 2
		p.partitions, p.least = (p.partitions+1<<low-1)>>low, 1<<low
		mean := elements / float64(p.partitions)
		p.capacity = int(excess*mean+8*math.Sqrt(mean)) + kernels.LocalSize
	}
	p.most, p.buckets = p.least, p.partitions*p.least // places and cursors stay below 1<<32: see TestPlaces
	p.scale = uint64(p.partitions) << 32 / top
}

// largestPlans returns the plan of each kind that takes most memory: few codes, the most
// sections, and a sample spread over all segments. Keys alone have neither the first nor the
// last. Plans for codes with ties may take more: see attempt.
func largestPlans(by *Options, in codes.Input) []*plan {
	few := layoutFor(in.N, in.Wide, 0, 0, evenMargin)
	even := by.mean(in.N, evenSlice) * evenMargin / (evenMargin + 2) // at least: see evenMean
	n, m := float64(in.N), float64(samples(in))
	cut := &plan{layout: few, twice: true, partitions: maxDigits, buckets: in.N/by.mean(in.N, sectionSlice) + maxDigits}
	places := n*(1.01+5*math.Sqrt(maxDigits/m)+8*maxDigits/m) + (kernels.LocalSize+1)*maxDigits // see divide
	cut.capacity = int(places/maxDigits) + 1
	if in.Keys {
		linear := evenPlan(in.Wide, layoutOver(in.N, 0, codes.Top(in.Wide)), even)
		for _, p := range []*plan{linear, cut} {
			p.wide, p.keys = in.Wide, true
		}
		return []*plan{linear, cut}
	}
	spread := m / kernels.Segments
	return []*plan{evenPlan(in.Wide, few, even), cut, planFor(in.Wide, few, nil, n*weight(spread)/spread, by.mean(in.N, fullSlice))}
}

// bounds is struct Bounds of partitions.cuh.
type bounds struct {
	section   [kernels.MaxSections]uint32
	partition [kernels.MaxPartitions + 1]struct{ place, low uint32 }
}
