package gpu

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// gatherModules move elements through an order.
var gatherModules = []*module{{kernels.Gather, map[string]int{
	"gather_elements_u32": kernels.GatherShared, "gather_elements_u64": kernels.GatherShared, "gather_elements_u128": kernels.GatherShared,
}}}

// wordOf returns the bytes of the largest words that elements of that size consist of
// and that memory is aligned to; 0 where the device has none.
func wordOf(size int, memory ...cuda.Ptr) int {
	bits := uint64(size)
	for _, p := range memory {
		bits |= uint64(p)
	}
	for bytes := 16; bytes >= 4 && size > 0; bytes /= 2 {
		if bits%uint64(bytes) == 0 {
			return bytes
		}
	}
	return 0
}

// gather gives a stream the move of elements first to first+n of an order, of the
// given size, to sorted.
func (w *workspace) gather(stream cuda.Stream, elements, order cuda.Ptr, first, n, size int, sorted cuda.Ptr) error {
	bytes := wordOf(size, elements, sorted)
	grid := max(1, min(16*w.info.SMs, (n+kernels.GatherTile-1)/kernels.GatherTile))
	return w.Launch(w.function(fmt.Sprint("gather_elements_u", 8*bytes)), grid, kernels.GatherThreads, kernels.GatherShared, stream,
		uint64(elements), uint64(order), uint64(first), uint64(n), uint64(size/bytes), uint64(sorted))
}

// cargo is the elements of a job where these travel with their codes: up behind them,
// through the order on the device, and down in place of positions. That takes the host
// nothing but copies, one piece after the other, where a gather reads all over the
// list.
type cargo struct {
	*engine.Elements
	at     cuda.Ptr // as they came
	sorted cuda.Ptr // in order, a slot's worth for each slot
}

// carriedSize is up to how many bytes elements travel as long as nothing is measured.
const carriedSize = 64

// mostCargo is the largest element of which a slot holds a block with its codes.
const mostCargo = slotBytes/engine.Block - 8

// carries reports whether elements of that size travel: as measured, or, before that,
// up to carriedSize.
func (e *Engine) carries(size, n int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.payload == nil {
		return size <= carriedSize
	}
	return e.payload.carries(uintptr(size), n)
}

// cargoBytes is the device memory of a job's elements.
func cargoBytes(job *engine.Job) int { return job.N*job.Elements.Size + slotsFor(job)*slotBytes }

// takesAlong decides whether the elements of a job that is done in one pass travel:
// where the device moves words of theirs, has memory for all of them, and what was
// measured says that it takes less time.
func (w *workspace) takesAlong(e *Engine, job *engine.Job, c *chunking) (bool, error) {
	if job.Elements == nil || job.N == 0 {
		return false, nil
	}
	size := job.Elements.Size
	if wordOf(size) == 0 || size > mostCargo || !e.carries(size, job.N) {
		return false, nil
	}
	want := c.onePassBytes() + cargoBytes(job)
	space, err := w.space(want)
	return want <= space, err
}

// cargoOf takes memory for a job's elements, if they travel.
func (w *workspace) cargoOf(job *engine.Job) (*cargo, error) {
	if job.Elements == nil {
		return nil, nil
	}
	if err := w.load(gatherModules); err != nil {
		return nil, err
	}
	b, err := w.take(cargoBytes(job))
	sorted := b.at + cuda.Ptr(job.N*job.Elements.Size+255)&^255
	return &cargo{job.Elements, b.at, sorted}, err
}

// size is the bytes of an element, 0 if none travels.
func (c *cargo) size() int {
	if c == nil {
		return 0
	}
	return c.Size
}

// beside makes a source of codes that has the elements of each block copied to a slot
// which begins with element first, behind the codes that it has room for.
func beside[W word](c *cargo, s *slot, first, room int, pull func(dst []W, lo int)) func(dst []W, lo int) {
	if c == nil {
		return pull
	}
	return func(dst []W, lo int) {
		pull(dst, lo)
		c.Pull(at[byte](unsafe.Add(s.memory, room+(lo-first)*c.Size), len(dst)*c.Size), lo)
	}
}

// send sends elements [lo, hi) off from behind the codes of a slot.
func (c *cargo) send(w *workspace, s *slot, room, lo, hi int) error {
	if c == nil {
		return nil
	}
	return w.CopyToDevice(c.at+cuda.Ptr(lo*c.Size), unsafe.Add(s.memory, room), (hi-lo)*c.Size, w.stream)
}

// unload brings the elements back in order. Each piece is gathered for its slot,
// on a stream of its own, so that gathers run ahead of the copies.
func (w *workspace) unload(job *engine.Job, c *cargo, order cuda.Ptr) error {
	fetch := func(s *slot, lo, hi int) error {
		sorted := c.sorted + cuda.Ptr(s.number*slotBytes)
		return first(
			func() error { return w.gather(w.side, c.at, order, lo, hi-lo, c.Size, sorted) },
			func() error { return w.Record(w.split, w.side) },
			func() error { return w.WaitEvent(w.stream, w.split) },
			func() error { return w.CopyToHost(s.memory, sorted, (hi-lo)*c.Size, w.stream) },
		)
	}
	emit := func(s *slot, lo, hi int) { c.Push(lo, at[byte](s.memory, (hi-lo)*c.Size)) }
	return w.downloads(job.N, grain(job.N, job, c.Size), fetch, emit).run(job)
}

// tied reports whether the device marked a tie.
func tied(job *engine.Job) bool {
	for _, word := range job.Ties {
		if word != 0 {
			return true
		}
	}
	return false
}
