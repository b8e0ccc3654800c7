package gpu

import (
	"errors"
	"fmt"
	"unsafe"

	"example.com/sorter/internal/costmodel"
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

// mostCargo is the largest element of which a slot holds a block with its codes.
const mostCargo = slotBytes/engine.Block - 8

// carries reports whether the elements of a job are to travel: they consist of words,
// and take less time so than through an order, as measured, or else by their size.
func (e *Engine) carries(job *engine.Job) bool {
	if job.Elements == nil || job.N == 0 || job.Algorithm == engine.Hybrid {
		return false
	}
	size, least := job.Elements.Size, e.cargo
	if least == 0 {
		least = costmodel.LeastCarried
	}
	if wordOf(size) == 0 || size > mostCargo {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.costs.Carries(size, job.N, least)
}

// errNoRoom reports elements for which one device lacks memory besides that for codes.
// It does not leave the package.
var errNoRoom = errors.New("sorter: gpu: no room for elements")

// orderCargo runs one job in one pass, elements travelling, or returns errNoRoom before
// it has pulled any code.
func (w *workspace) orderCargo(e *Engine, job *engine.Job) error {
	c, err := w.chunking(job)
	if err != nil {
		return err
	}
	want := c.onePassBytes() + w.cargoBytes(job)
	space, err := w.space(want)
	switch {
	case err != nil:
		return err
	case c.length < job.N || want > space:
		return errNoRoom
	}
	return w.order(e, job)
}

// cargoBytes is the device memory of a job's elements, with a slot's worth for each slot.
func (w *workspace) cargoBytes(job *engine.Job) int {
	return job.N*job.Elements.Size + 256 + max(slotsFor(job), len(w.slots))*slotBytes
}

// cargoOf takes memory for a job's elements, if they travel.
func (w *workspace) cargoOf(job *engine.Job) (*cargo, error) {
	if job.Elements == nil {
		return nil, nil
	}
	if err := w.load(gatherModules); err != nil {
		return nil, err
	}
	b, err := w.take(w.cargoBytes(job))
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

// span is places [lo, hi) of an order.
type span struct{ lo, hi int }

// unload brings the elements back in order, but for pieces in which codes tie: of
// those positions come, for the library to settle, or of all if they are many. Each
// piece of elements is gathered for its slot, on a stream of its own, so that gathers
// run ahead of the copies.
func (w *workspace) unload(job *engine.Job, c *cargo, order cuda.Ptr) error {
	grain := grain(job.N, job, c.Size)
	free, tied := spans(job, grain)
	if len(tied) > len(free) {
		return download(w, job, job.N, order, job.Emit)
	}
	err := first(
		func() error {
			return w.downloadPieces(job, tied, grain, func(s *slot, p span) error {
				return w.CopyToHost(s.memory, order+cuda.Ptr(4*p.lo), 4*(p.hi-p.lo), w.stream)
			}, func(s *slot, p span) { job.Emit(p.lo, at[uint32](s.memory, p.hi-p.lo)) })
		},
		c.Settle,
		job.Loop.Err,
	)
	if err != nil {
		return err
	}
	job.Commit() // elements are written: this is finished
	return w.downloadPieces(job, free, grain, func(s *slot, p span) error {
		sorted := c.sorted + cuda.Ptr(s.number*slotBytes)
		return first(
			func() error { return w.gather(w.side, c.at, order, p.lo, p.hi-p.lo, c.Size, sorted) },
			func() error { return w.Record(w.split, w.side) },
			func() error { return w.WaitEvent(w.stream, w.split) },
			func() error { return w.CopyToHost(s.memory, sorted, (p.hi-p.lo)*c.Size, w.stream) },
		)
	}, func(s *slot, p span) { c.Push(p.lo, at[byte](s.memory, (p.hi-p.lo)*c.Size)) })
}

// downloadPieces brings what fetch has the stream copy to a slot for each piece of so
// many places; the last may have fewer.
func (w *workspace) downloadPieces(job *engine.Job, pieces []span, grain int, fetch func(s *slot, p span) error, emit func(s *slot, p span)) error {
	n := 0
	for _, p := range pieces {
		n += p.hi - p.lo
	}
	return w.downloads(n, grain,
		func(s *slot, lo, _ int) error { return fetch(s, pieces[lo/grain]) },
		func(s *slot, lo, _ int) { emit(s, pieces[lo/grain]) },
	).run(job)
}

// spans cuts the order of a job into pieces of that many places, those with no tie
// and the others. The place before a tie is one of it.
func spans(job *engine.Job, grain int) (free, tied []span) {
	for lo := 0; lo < job.N; lo += grain {
		s := span{lo, min(lo+grain, job.N)}
		if end := min(s.hi+1, job.N); job.Ties != nil && engine.Ties(job.Ties).Next(true, s.lo, end) < end {
			tied = append(tied, s)
		} else {
			free = append(free, s)
		}
	}
	return free, tied
}
