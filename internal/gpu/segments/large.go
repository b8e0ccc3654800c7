package segments

import (
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// large is the segments that no block sorts.
type large struct {
	call
	count, n int // of segments, and of their elements
}

// args are the arguments of a kernel that come between its codes and others.
func (l *large) args(first cuda.Ptr, others ...uint64) []uint64 {
	return slices.Concat([]uint64{uint64(first), uint64(l.call.large), uint64(l.count), uint64(l.n)}, others)
}

// run launches a kernel whose blocks move a tile each.
func (l *large) run(q *device.Queue, kernel string, args []uint64) {
	q.Run(kernel, tiles(l.n), kernels.LargeThreads, 0, args...)
}

func tiles(n int) int { return (n + kernels.LargeTile - 1) / kernels.LargeTile }

// sortLarge sorts the segments that no block sorts.
func (c *call) sortLarge(whole Whole) error {
	l := &large{call: *c, count: int(c.note.large >> 32), n: int(uint32(c.note.large))}
	if l.count == 0 {
		return nil
	}
	if c.in.Wide || l.count == 1 {
		return l.sortTwice(whole)
	}
	even, err := l.even()
	switch {
	case err != nil:
		return err
	case even:
		return l.sortMade(whole, "spread", engine.Auto)
	case c.in.Keys:
		return l.sortMade(whole, "numbered", engine.Radix)
	}
	return l.sortTwice(whole)
}

// memory is the device memory of the sort of large segments.
type memory struct {
	codes, segments     cuda.Ptr // gathered, and the segment of the first code of each tile
	result, numbers, by cuda.Ptr // sorted codes or their order, segments in this order, order of these
}

func (l *large) take(size, resultSize int, twice bool) (device.Block, memory, error) {
	layOut := func(a *device.Area) memory {
		m := memory{codes: a.Take(size * l.n), segments: a.Take(4 * tiles(l.n)), result: a.Take(resultSize * l.n)}
		if twice {
			m.numbers, m.by = a.Take(4*l.n), a.Take(4*l.n)
		}
		return m
	}
	var all device.Area
	layOut(&all)
	block, err := l.w.Take(int(all.At))
	return block, layOut(&device.Area{At: block.At}), err
}

// sortMade sorts 32-bit codes together, made 64-bit codes that are in the order of segment and
// code: "spread" evenly where codes are, or "numbered" by segment. The radix sort makes no pass
// over digits that all numbers share.
func (l *large) sortMade(whole Whole, made string, by engine.Algorithm) error {
	list := codes.Input{Wide: true, N: l.n, Keys: l.in.Keys}
	block, m, err := l.take(list.Size(), list.ResultSize(), false)
	if err != nil {
		return err
	}
	defer l.w.Put(block)
	list.Codes = m.codes
	q := l.w.Queue()
	l.run(&q, made+"_large_u32", l.args(l.in.Codes, uint64(m.codes), uint64(m.segments)))
	q.Then(func() error { return whole(l.w, by, list, m.result) })
	if l.in.Keys {
		l.run(&q, "finish_"+made+"_u32", l.args(m.result, uint64(l.to)))
	} else {
		l.run(&q, "finish_large_u32", l.args(l.in.Codes, uint64(m.segments), uint64(m.result), 0, 0, uint64(l.to)))
	}
	return q.Sync()
}

// sortTwice orders codes, and if there are several segments this order by segment, stably.
func (l *large) sortTwice(whole Whole) error {
	list := codes.Input{Wide: l.in.Wide, N: l.n}
	block, m, err := l.take(list.Size(), 4, l.count > 1)
	if err != nil {
		return err
	}
	defer l.w.Put(block)
	list.Codes = m.codes
	width := codes.Width(l.in.Wide)
	q := l.w.Queue()
	l.run(&q, "gather_large"+width, l.args(l.in.Codes, uint64(m.codes), uint64(m.segments)))
	q.Then(func() error { return whole(l.w, engine.Auto, list, m.result) })
	if l.count > 1 {
		l.run(&q, "number_large", l.args(m.result, uint64(m.segments), uint64(m.numbers)))
		q.Then(func() error { return whole(l.w, engine.Auto, codes.Input{Codes: m.numbers, N: l.n}, m.by) })
	}
	l.run(&q, "finish_large"+width, l.args(l.in.Codes, slices.Concat([]uint64{uint64(m.segments), uint64(m.result), uint64(m.by)}, l.results())...))
	return q.Sync()
}

// evenness is struct SpreadCounts of segments.cuh.
type evenness struct{ squares, equal uint64 }

const mostSampled = 1024 // segments

// even reports whether codes of large segments appear to be spread evenly over all 32 bits, so that a sort
// of spread codes has no crowded buckets.
func (l *large) even() (bool, error) {
	note, err := device.Pinned[evenness](l.w)
	if err != nil {
		return false, err
	}
	at, blocks := l.spread, min(mostSampled, tiles(l.n))
	q := l.w.Queue()
	q.Fill(at, 0, kernels.SpreadBytes/4)
	q.Run("sample_large_u32", blocks, kernels.SpreadSamples, kernels.SpreadShared, l.args(l.in.Codes, uint64(at))...)
	q.ToHost(unsafe.Pointer(note), at, kernels.SpreadBytes)
	err = q.Sync()
	return err == nil && note.even(blocks), err
}

// even judges counts of that many blocks.
func (e *evenness) even(blocks int) bool {
	const n, bins = kernels.SpreadSamples, kernels.SpreadBins
	const mean = n + n*(n-1)/bins // squares of a block, of even codes
	const deviation = 87          // sqrt(2 n (n-1) (bins-1)) / bins: their standard deviation
	excess := float64(e.squares)/float64(blocks) - mean
	return excess < 12+4*deviation/math.Sqrt(float64(blocks)) && e.equal <= uint64(blocks)/64+1
}
