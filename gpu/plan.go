package gpu

import (
	"math"
	"math/bits"

	"example.com/sorter/kernels"
)

// sample is what the sample kernels found, in their layout: struct Sample of
// sample.cuh.
type sample struct {
	low, high         uint64
	ascents, descents uint64 // among kernels.RangeSamples pairs of neighbours
	segments          [kernels.Segments]uint32
}

// plan is how one argsort on the device proceeds.
type plan struct {
	n    int
	wide bool // codes of 64 bits

	// Normalisation, see slices.cuh.
	low, span, up uint64
	segments      *[kernels.Segments]segment // nil: codes are spread evenly
	indexBits     int                        // low bits of an element: its input position

	slices  int // buckets of the last level
	lowBits int // of a slice's number, that the second level splits by; 0: one level
	rooms   int // parts of the first level
	room    int // elements a part has room for

	drop                  int    // low bits of an element's distance inside its slice that local words leave out
	near, nearIfDisplaced uint64 // local words this close may have to be compared as elements
}

// segment maps one part of the range, in the layout of struct Segment.
type segment struct{ base, rise uint64 }

const (
	maxRooms = 1024 // digits of at most 10 bits
	maxN     = maxRooms * kernels.StartsThreads * evenSlice

	// evenSlice is the mean size of buckets when codes are spread evenly: 3.4
	// standard deviations below the capacity, so that one bucket in three
	// thousand is oversize.
	evenSlice = 920
)

// planFor plans the argsort of n codes, 2 <= n <= maxN, from a sample of
// sampled codes by segment.
func planFor(n int, wide bool, s *sample, sampled int) *plan {
	p := &plan{n: n, wide: wide, indexBits: bits.Len(uint(n - 1))}
	p.low, p.span, p.up = widened(s.low, s.high, wide)
	slice := float64(evenSlice)
	slack := 0.03
	if !even(&s.segments, sampled) {
		p.segments = equalise(&s.segments)
		// The share of a segment is known to within its counting noise only.
		noise := 3.3 / math.Sqrt(float64(sampled)/kernels.Segments)
		slice = 890 / (1 + noise)
		slack = noise
	}
	p.split(max(1, int(math.Ceil(float64(n)/slice))), slack)
	p.compare()
	return p
}

// widened is the range of the sample with a margin, as widened_range of
// sample.cuh has it: a sample rarely holds the extremes.
func widened(low, high uint64, wide bool) (from, span, up uint64) {
	top, width := uint64(math.MaxUint32), 32
	if wide {
		top, width = math.MaxUint64, 64
	}
	margin := (high - low) / 512
	from = low - min(low, margin)
	span = high + min(top-high, margin) - from
	return from, span, uint64(width - bits.Len64(span|1))
}

// even reports whether a sample of m codes could come from codes spread evenly
// over the range, but for its margins.
func even(count *[kernels.Segments]uint32, m int) bool {
	const group = 16 // segments: enough to see a slope of a few percent
	inner := count[:]
	for len(inner) > 0 && inner[0] == 0 {
		inner = inner[1:]
	}
	for len(inner) > 0 && inner[len(inner)-1] == 0 {
		inner = inner[:len(inner)-1]
	}
	mean := float64(m) / kernels.Segments // shares are of the whole space
	if tooDense(1, mean, inner) {
		return false
	}
	return !tooDense(group, group*mean, inner)
}

// tooDense reports whether some group of segments holds more than its share by
// 2 % and five standard deviations.
func tooDense(group int, share float64, count []uint32) bool {
	limit := 1.02*share + 5*math.Sqrt(share)
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

// equalise gives each segment its share of the 64-bit space.
func equalise(count *[kernels.Segments]uint32) *[kernels.Segments]segment {
	total := uint64(kernels.Segments) // every segment counts one more: none is without room
	for _, c := range count {
		total += uint64(c)
	}
	step := math.MaxUint64 / total
	var s [kernels.Segments]segment
	before := uint64(0)
	for i, c := range count {
		share := uint64(c) + 1
		s[i] = segment{base: before * step, rise: share * step >> 32}
		before += share
	}
	return &s
}

// split chooses the levels for at least the given number of slices. slack is
// by how much a part may exceed its mean, on top of chance.
func (p *plan) split(slices int, slack float64) {
	p.slices, p.rooms, p.room = slices, slices, kernels.LocalSize
	if slices <= maxRooms {
		return
	}
	p.lowBits = bits.Len(uint(slices-1)) / 2
	p.rooms = (slices + 1<<p.lowBits - 1) >> p.lowBits
	p.slices = p.rooms << p.lowBits
	mean := float64(p.n) / float64(p.rooms)
	p.room = int(mean*(1+slack)+8*math.Sqrt(mean)) + kernels.LocalSize
}

// compare derives how local words are made and told apart.
func (p *plan) compare() {
	width := 32 + bits.Len64(1<<32/uint64(p.slices)+4) // bits of a distance inside a slice
	p.drop = max(0, width-kernels.LocalKeyBits)
	// Bits of a local word that come from the input position say nothing about
	// codes that normalising made equal.
	lossy := uint64(kernels.LocalSize) << max(0, p.indexBits-p.drop)
	p.near, p.nearIfDisplaced = lossy, lossy
	if p.exact() {
		p.near = kernels.LocalSize
	}
}

// exact reports whether different codes inside the range have different elements.
func (p *plan) exact() bool {
	return p.segments == nil && (!p.wide || int(p.up) >= p.indexBits)
}

// tiles returns the number of tiles of n elements.
func tiles(n int) int { return (n + kernels.Tile - 1) / kernels.Tile }
