package gpu

import (
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// order runs one job: codes up, sort, order down.
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
	if in.wide {
		err = upload(w, job, in.codes, job.Codes64)
	} else {
		err = upload(w, job, in.codes, job.Codes32)
	}
	if err != nil {
		return err
	}
	r, err := w.sortStage(e, job, in, to)
	if err != nil {
		return err
	}
	if err := w.handBack(job, r, to); err != nil {
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

// handBack brings back what the job takes: positions and their ties, or the codes
// themselves, unless those were in order.
func (w *workspace) handBack(job *engine.Job, r result, from cuda.Ptr) error {
	if !takesCodes(job) {
		if job.Ties != nil {
			if err := download(w, job, len(job.Ties), r.ties, func(lo int, ties []uint32) { copy(job.Ties[lo:], ties) }); err != nil {
				return err
			}
		}
		return download(w, job, job.N, from, job.Emit)
	}
	if err := job.Loop.Err(); err != nil || r.inOrder() {
		return err
	}
	job.Loop.Ctx = nil // keys are written: this is finished
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
	most := (job.N*8 + slotBytes - 1) / slotBytes
	return max(1, min(2*max(1, job.Loop.Workers), maxSlots, max(2, most)))
}

// grain is how many of n words of the given size go through a slot at a time: as
// many as fit, but few enough for every worker to have several turns.
func grain(n int, job *engine.Job, size int) int {
	const least = 1 << 16 // bytes; smaller copies cost more than they move
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

// upload extracts the codes straight into pinned slots and sends each slot off
// while others are filled.
func upload[W word](w *workspace, job *engine.Job, codes cuda.Ptr, pull func(dst []W, lo int)) error {
	size := int(unsafe.Sizeof(*new(W)))
	ring := make(chan *slot, len(w.slots)) // the slot that was sent longest ago comes first
	for _, s := range w.slots {
		ring <- s
	}
	var failed fault
	err := job.Stage("extract", job.N, grain(job.N, job, size), func(_, lo, hi int) {
		s := <-ring
		defer func() { ring <- s }() // somebody may wait for it, also when a key function panics
		if failed.get() != nil {
			return
		}
		failed.set(send(w, s, w.stream, job, codes+cuda.Ptr(lo*size), lo, hi, pull))
	})
	return firstError(failed.get(), err)
}

// send extracts codes [lo, hi) into a slot and sends it off.
func send[W word](w *workspace, s *slot, stream cuda.Stream, job *engine.Job, to cuda.Ptr, lo, hi int, pull func(dst []W, lo int)) error {
	return first(
		func() error { return w.wait(s) },
		func() error { return pullAll(job, at[W](s.memory, hi-lo), lo, pull) },
		func() error { return w.CopyToDevice(to, s.memory, (hi-lo)*int(unsafe.Sizeof(*new(W))), stream) },
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

// download brings n words back piece by piece, as many on their way at a time as
// there are slots, and hands each on when it has arrived.
func download[W word](w *workspace, job *engine.Job, n int, from cuda.Ptr, emit func(lo int, words []W)) error {
	size := int(unsafe.Sizeof(*new(W)))
	d := &downloads[W]{workspace: w, n: n, from: from, emit: emit, size: size, grain: grain(n, job, size), sent: make(chan arrival, len(w.slots))}
	for _, s := range w.slots {
		if err := d.send(s); err != nil {
			return err
		}
	}
	err := job.Stage("download", n, d.grain, func(_, _, _ int) { d.receive() })
	return firstError(d.failed.get(), err)
}

// downloads are the copies of n words that are under way.
type downloads[W word] struct {
	*workspace
	n      int
	from   cuda.Ptr
	emit   func(lo int, words []W)
	size   int // of a word
	grain  int
	next   atomic.Int64 // first position not yet asked for
	sent   chan arrival // about in the order in which they arrive
	failed fault
}

// arrival is a piece of the words that is, or soon will be, in a slot.
type arrival struct {
	*slot
	lo, hi int
}

// send asks for the next piece, if there is one, in s.
func (d *downloads[W]) send(s *slot) error {
	lo := int(d.next.Add(int64(d.grain))) - d.grain
	if lo >= d.n {
		return nil
	}
	hi := min(lo+d.grain, d.n)
	err := first(
		func() error { return d.CopyToHost(s.memory, d.from+cuda.Ptr(d.size*lo), d.size*(hi-lo), d.stream) },
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
func (d *downloads[W]) receive() {
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
		d.emit(a.lo, at[W](a.memory, a.hi-a.lo))
		err = d.send(a.slot)
	}
	d.failed.set(err)
	passedOn = err == nil
}
