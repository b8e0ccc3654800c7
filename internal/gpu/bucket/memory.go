package bucket

import (
	"math/bits"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// note is the pinned memory of a workspace's bucket sorts.
type note struct {
	sample   sample.Note
	count    [kernels.Segments]uint32
	pairs    uint64
	counters counters
	status   [kernels.StatusWords]uint32
	bounds   bounds
	u32      segmentMap[uint32]
	u64      segmentMap[uint64]
}

// memory is the device memory of one sort besides codes and result.
type memory struct {
	sample, count, pairs, table, status  cuda.Ptr
	ties                                 cuda.Ptr
	sections, partitions, cursors, tiles cuda.Ptr
	elements                             cuda.Ptr // in partitions; null where the first split fills buckets
	sizes, slices, oversize, bucket      cuda.Ptr
	spill, below, above                  cuda.Ptr
}

// head lays out the memory that is needed before there is a plan, within headBytes.
func head(a *device.Area, in codes.Input) memory {
	return memory{
		sample: a.Take(kernels.SampleBytes),
		count:  a.Take(4 * kernels.Segments),
		pairs:  a.Take(8),
		table:  a.Take(max(kernels.MapBytesU32, kernels.MapBytesU64)),
		status: a.Take(4 * kernels.StatusWords),
		ties:   a.Take(4 << tieBits(in)),
	}
}

// headBytes bounds the memory of head.
func headBytes(in codes.Input) int { return codes.HeadBytes + 4<<tieBits(in) }

// counters is the device memory in which samples are counted. It is clear between sorts.
type counters struct {
	at    cuda.Ptr // kernels.SampleCountsBytes, then cells; 0 before the first sort
	words int
	clear bool // so it is: the last sort has cleared the words that it used
}

// take returns clear memory for the samples of codes.
func (c *counters) take(w *device.Workspace, in codes.Input) (counts, cells cuda.Ptr, err error) {
	if words := counterWords(in); words > c.words {
		words = 1 << bits.Len(uint(words-1))
		at, err := w.Keep(4 * words)
		if err != nil {
			return 0, 0, err
		}
		*c = counters{at: at, words: words}
	}
	if !c.clear {
		err = w.Memset32(c.at, 0, c.words, w.Stream)
	}
	c.clear = false
	return c.at, c.at + kernels.SampleCountsBytes, err
}

// empty clears the words of the samples of codes.
func (c *counters) empty(q *device.Queue, in codes.Input) {
	q.Fill(c.at, 0, counterWords(in))
	c.clear = q.Err() == nil
}

// counterWords bounds the words that the samples of codes use.
func counterWords(in codes.Input) int {
	return kernels.SampleCountsBytes/4 + max(maxCells(in), 1<<cellBits(in))
}

// body adds the memory of a plan.
func (m *memory) body(a *device.Area, p *plan) {
	m.sections = a.Take(kernels.SectionsBytes)
	m.partitions = a.Take(kernels.PartitionBytes * (p.partitions + 1))
	m.cursors = a.Take(4 * kernels.CursorPitch * p.partitions)
	m.slices = a.Take(kernels.SliceBytes * p.buckets)
	m.oversize = a.Take(4 * p.buckets)
	element, listed := p.elementSize(), 4
	if p.keys {
		listed = element
	}
	m.spill = a.Take(element * kernels.SpillSize)
	m.below, m.above = a.Take(listed*kernels.OutsideSize), a.Take(listed*kernels.OutsideSize)
	m.bucket = a.Take(element * kernels.LocalSize * p.buckets)
	if p.twice {
		m.sizes = a.Take(4 * p.buckets)
		m.tiles = a.Take(8 * p.tiles())
		m.elements = a.Take(element * p.places())
	}
}

// bodyBytes returns the device memory of a plan.
func bodyBytes(p *plan) int {
	var size device.Area
	new(memory).body(&size, p)
	return int(size.At)
}

// Bytes bounds the device memory of a sort besides codes and result: that of its largest plan
// of each kind, and resort, that of the sort for codes that are too skewed.
func (s *Sorter) Bytes(in codes.Input, resort int) int {
	bytes := resort
	n := max(in.N, 2)
	for _, n := range []int{n, 1<<(bits.Len(uint(n))-1) - 1} { // fewer elements may need more: their sample is smaller
		in.N = max(n, 2)
		for _, p := range largestPlans(&s.Options, in) {
			bytes = max(bytes, bodyBytes(p))
		}
	}
	return headBytes(codes.Input{N: n}) + bytes
}

// call is one bucket sort.
type call struct {
	*Sorter
	memory
	w    *device.Workspace
	note *note
	in   codes.Input
	to   cuda.Ptr

	salt    uint64       // of samples
	octaves *octaveCount // of the sample; nil: not counted yet
}
