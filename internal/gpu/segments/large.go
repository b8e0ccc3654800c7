package segments

import (
	"slices"

	"example.com/sorter/internal/cuda"
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
func (c *call) sortLarge(whole codes.Whole) error {
	l := &large{call: *c, count: int(c.note.large >> 32), n: int(uint32(c.note.large))}
	if l.count == 0 {
		return nil
	}
	if !c.in.Wide && l.count > 1 && device.Shared(radixModules) <= c.w.Info.SharedPerBlock {
		return l.sortEach()
	}
	return l.sortTwice(whole)
}

// memory is the device memory of the sort of large segments.
type memory struct {
	codes, segments     cuda.Ptr // gathered, and the segment of the first code of each tile
	result, numbers, by cuda.Ptr // their order, segments in this order, order of these
}

func (l *large) layOut(a *device.Area, size int) memory {
	m := memory{codes: a.Take(size * l.n), segments: a.Take(4 * tiles(l.n)), result: a.Take(4 * l.n)}
	if l.count > 1 {
		m.numbers, m.by = a.Take(4*l.n), a.Take(4*l.n)
	}
	return m
}

// sortTwice orders codes, and if there are several segments this order by segment, stably.
func (l *large) sortTwice(whole codes.Whole) error {
	list := codes.Input{Wide: l.in.Wide, N: l.n}
	var m memory
	block, err := l.w.Lay(func(a *device.Area) { m = l.layOut(a, list.Size()) })
	if err != nil {
		return err
	}
	defer l.w.Put(block)
	list.Codes = m.codes
	width := codes.Width(l.in.Wide)
	q := l.w.Queue()
	l.run(&q, "gather_large"+width, l.args(l.in.Codes, uint64(m.codes), uint64(m.segments)))
	q.Then(func() error { return whole(l.w, list, m.result) })
	if l.count > 1 {
		l.run(&q, "number_large", l.args(m.result, uint64(m.segments), uint64(m.numbers)))
		q.Then(func() error { return whole(l.w, codes.Input{Codes: m.numbers, N: l.n}, m.by) })
	}
	l.run(&q, "finish_large"+width, l.args(l.in.Codes, slices.Concat([]uint64{uint64(m.segments), uint64(m.result), uint64(m.by)}, l.results())...))
	return q.Sync()
}
