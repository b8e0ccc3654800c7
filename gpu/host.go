package gpu

import (
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// order runs one job: codes up, sort, order down. The elements of a job that still has
// them travel, too, and come down in its place.
func (w *workspace) order(e *Engine, job *engine.Job) error {
	if err := w.grow(slotsFor(job)); err != nil {
		return err
	}
	in := input{wide: job.Bits > 32, n: job.N, keys: takesCodes(job)}
	space, err := w.take((in.size() + in.resultSize()) * (job.N + 64))
	if err != nil {
		return err
	}
	to := space.at
	in.codes = to + cuda.Ptr(in.resultSize()*job.N+255)&^255
	c, err := w.cargoOf(job)
	if err != nil {
		return err
	}
	if in.wide {
		err = upload(w, job, in.codes, job.Codes64, c)
	} else {
		err = upload(w, job, in.codes, job.Codes32, c)
	}
	if err != nil {
		return err
	}
	r, err := w.sortStage(e, job, in, to)
	if err != nil {
		return err
	}
	if err := w.handBack(job, r, to, c); err != nil {
		return err
	}
	job.Trace.Device, job.Trace.Algorithm = w.info.Name, r.algorithm.String()
	job.Trace.Found(r.shape)
	job.Trace.Rounds = r.levels
	return nil
}

// result is what the device found, and where it marked the ties of the order if the
// job takes them.
type result struct {
	finding
	ties cuda.Ptr
}

// sortStage sorts on the device, to an order or to sorted codes, and checks these if
// the engine is to.
func (w *workspace) sortStage(e *Engine, job *engine.Job, in input, to cuda.Ptr) (r result, failed error) {
	err := job.Stage("sort", 1, 1, func(_, _, _ int) {
		r.finding, failed = w.sort(job.Algorithm, in, to)
		if failed == nil && e.verify {
			failed = w.check(in, to)
		}
		if failed == nil && job.Ties != nil {
			r.ties, failed = w.tiesOf(in, to)
		}
	})
	return r, firstError(failed, err)
}

// handBack brings back what the job takes: ties, and positions or elements that
// travelled; or the codes themselves, unless those were in order. Of elements in order
// positions come, too: they say that nothing has to move, and are half as many bytes or
// fewer.
func (w *workspace) handBack(job *engine.Job, r result, from cuda.Ptr, c *cargo) error {
	if !takesCodes(job) {
		if job.Ties != nil {
			if err := download(w, job, len(job.Ties), r.ties, func(lo int, ties []uint32) { copy(job.Ties[lo:], ties) }); err != nil {
				return err
			}
		}
		if c == nil || r.inOrder() {
			return download(w, job, job.N, from, job.Emit)
		}
		return w.unload(job, c, from)
	}
	if err := job.Loop.Err(); err != nil || r.inOrder() {
		return err
	}
	job.Commit() // keys are written: this is finished
	if job.EmitCodes64 != nil {
		return download(w, job, job.N, from, job.EmitCodes64)
	}
	return download(w, job, job.N, from, job.EmitCodes32)
}

// takesCodes reports whether the job is one of keys that are their codes.
func takesCodes(job *engine.Job) bool { return job.EmitCodes32 != nil || job.EmitCodes64 != nil }

// maxSlots bounds the pinned memory of a workspace, to 64 MiB.
const maxSlots = 32

// slotsFor is how many slots a job is given: two for each worker, which fills
// or empties one while the copy of the other is under way.
func slotsFor(job *engine.Job) int {
	each := 8
	if job.Elements != nil {
		each += job.Elements.Size
	}
	most := (job.N*each + slotBytes - 1) / slotBytes
	return max(1, min(2*max(1, job.Loop.Workers), maxSlots, max(2, most)))
}

// grain is how many of n words of the given size go through a slot at a time: as
// many as fit, but few enough for every worker to have several turns. Copies of fewer
// bytes than least cost more than they move: of 64 KiB; and where elements travel, with
// three more calls of the driver, of 512.
func grain(n int, job *engine.Job, size int) int {
	least := 64 << 10
	if job.Elements != nil {
		least = 512 << 10
	}
	return blocks(job.Loop.Turn(n, least/size, slotBytes/size/engine.Block*engine.Block))
}

// fault is the first error of several workers.
type fault struct{ err atomic.Pointer[error] }

func (f *fault) set(err error) {
	if err != nil {
		f.err.CompareAndSwap(nil, &err)
	}
}

func (f *fault) get() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// upload extracts the codes straight into pinned slots, and elements that travel behind
// them, and sends each slot off while others are filled.
func upload[W word](w *workspace, job *engine.Job, codes cuda.Ptr, pull func(dst []W, lo int), c *cargo) error {
	size := int(unsafe.Sizeof(*new(W)))
	piece := grain(job.N, job, size+c.size())
	ring := make(chan *slot, len(w.slots)) // the slot that was sent longest ago comes first
	for _, s := range w.slots {
		ring <- s
	}
	var failed fault
	err := job.Stage("extract", job.N, piece, func(_, lo, hi int) {
		s := <-ring
		defer func() { ring <- s }() // somebody may wait for it, also when a key function panics
		if failed.get() != nil {
			return
		}
		failed.set(send(w, s, w.stream, job, codes+cuda.Ptr(lo*size), lo, hi, beside(c, s, lo, size*piece, pull), func() error { return c.send(w, s, size*piece, lo, hi) }))
	})
	return firstError(failed.get(), err)
}

// send extracts codes [lo, hi) into a slot and sends it off, with what else it holds.
func send[W word](w *workspace, s *slot, stream cuda.Stream, job *engine.Job, to cuda.Ptr, lo, hi int, pull func(dst []W, lo int), more ...func() error) error {
	return first(
		func() error { return w.wait(s) },
		func() error { return pullAll(job, at[W](s.memory, hi-lo), lo, pull) },
		func() error { return w.CopyToDevice(to, s.memory, (hi-lo)*int(unsafe.Sizeof(*new(W))), stream) },
		func() error { return first(more...) },
		func() error { return w.mark(s, stream) },
	)
}

// pullAll pulls the codes from element lo on.
func pullAll[W word](job *engine.Job, dst []W, lo int, pull func(dst []W, lo int)) error {
	for len(dst) > 0 {
		if err := job.Loop.Err(); err != nil {
			return err
		}
		n := min(engine.Block, len(dst))
		pull(dst[:n], lo)
		dst, lo = dst[n:], lo+n
	}
	return job.Loop.Err() // a block pulled while the context ended may be incomplete
}

// download brings n words back piece by piece.
func download[W word](w *workspace, job *engine.Job, n int, from cuda.Ptr, emit func(lo int, words []W)) error {
	return downloadsOf(w, n, grain(n, job, int(unsafe.Sizeof(*new(W)))), from, emit).run(job)
}

// downloadsOf are those of n words.
func downloadsOf[W word](w *workspace, n, grain int, from cuda.Ptr, emit func(lo int, words []W)) *downloads {
	size := int(unsafe.Sizeof(*new(W)))
	return w.downloads(n, grain,
		func(s *slot, lo, hi int) error {
			return w.CopyToHost(s.memory, from+cuda.Ptr(size*lo), size*(hi-lo), w.stream)
		},
		func(s *slot, lo, hi int) { emit(lo, at[W](s.memory, hi-lo)) })
}

func (w *workspace) downloads(n, grain int, fetch func(s *slot, lo, hi int) error, emit func(s *slot, lo, hi int)) *downloads {
	return &downloads{workspace: w, n: n, grain: grain, fetch: fetch, emit: emit, sent: make(chan arrival, len(w.slots))}
}

// downloads are the copies of n things that are under way: as many pieces at a time as
// there are slots, each handed on when it has arrived.
type downloads struct {
	*workspace
	n      int
	grain  int
	fetch  func(s *slot, lo, hi int) error // has the stream copy things [lo, hi) to a slot
	emit   func(s *slot, lo, hi int)
	next   atomic.Int64 // first thing not yet asked for
	sent   chan arrival // about in the order in which they arrive
	failed fault
}

// arrival is a piece that is, or soon will be, in a slot.
type arrival struct {
	*slot
	lo, hi int
}

// run brings all of them.
func (d *downloads) run(job *engine.Job) error {
	if err := d.start(); err != nil {
		return err
	}
	err := job.Stage("download", d.n, d.grain, func(_, _, _ int) { d.receive() })
	return firstError(d.failed.get(), err)
}

// start asks for the first pieces.
func (d *downloads) start() error {
	for _, s := range d.slots {
		if err := d.send(s); err != nil {
			return err
		}
	}
	return nil
}

// send asks for the next piece, if there is one, in s.
func (d *downloads) send(s *slot) error {
	lo := int(d.next.Add(int64(d.grain))) - d.grain
	if lo >= d.n {
		return nil
	}
	hi := min(lo+d.grain, d.n)
	err := first(
		func() error { return d.fetch(s, lo, hi) },
		func() error { return d.mark(s, d.stream) },
	)
	if err == nil {
		d.sent <- arrival{s, lo, hi}
	}
	return err
}

// receive hands one piece on and asks for another in its slot. It is called
// once for each piece, and each piece is sent by an earlier call or before
// all of them; so there is one to wait for, unless a call failed, which leaves
// its own to the others.
func (d *downloads) receive() {
	a := <-d.sent
	passedOn := false
	defer func() {
		if !passedOn {
			d.sent <- a
		}
	}()
	if d.failed.get() != nil {
		return
	}
	err := d.wait(a.slot)
	if err == nil {
		d.emit(a.slot, a.lo, a.hi)
		err = d.send(a.slot)
	}
	d.failed.set(err)
	passedOn = err == nil
}
