package transfer

import (
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// download downloads n words piece by piece.
func download[W codes.Word](w *Session, job *engine.Job, n int, from cuda.Ptr, emit func(lo int, words []W)) error {
	return NewDownload(w.Workspace, n, Grain(n, job, int(unsafe.Sizeof(*new(W)))), from, emit).run(job)
}

// NewDownload returns a Download of n words, which emit takes in pieces of grain words.
func NewDownload[W codes.Word](w *device.Workspace, n, grain int, from cuda.Ptr, emit func(lo int, words []W)) *Download {
	size := int(unsafe.Sizeof(*new(W)))
	return newDownload(w, n, grain,
		func(s *device.Slot, lo, hi int) error {
			return w.CopyToHost(s.Memory, from+cuda.Ptr(size*lo), size*(hi-lo), w.Stream)
		},
		func(s *device.Slot, lo, hi int) { emit(lo, words[W](s.Memory, hi-lo)) })
}

func newDownload(w *device.Workspace, n, grain int, fetch func(s *device.Slot, lo, hi int) error, emit func(s *device.Slot, lo, hi int)) *Download {
	return &Download{w: w, n: n, grain: grain, fetch: fetch, emit: emit, sent: make(chan arrival, len(w.Slots()))}
}

// Download is the download of n items: as many pieces at a time as there are slots, each
// emitted when it has arrived.
type Download struct {
	w      *device.Workspace
	n      int
	grain  int
	fetch  func(s *device.Slot, lo, hi int) error // starts the copy of items [lo, hi) to a slot
	emit   func(s *device.Slot, lo, hi int)
	next   atomic.Int64 // first item not requested
	sent   chan arrival // roughly in order of arrival
	failed Fault
}

// arrival is a piece whose copy to a slot was started.
type arrival struct {
	*device.Slot
	lo, hi int
}

// run downloads all items.
func (d *Download) run(job *engine.Job) error {
	if err := d.Start(); err != nil {
		return err
	}
	err := job.Stage("download", d.n, d.grain, func(_, _, _ int) { d.Receive() })
	return device.FirstError(d.failed.Err(), err)
}

// Start requests the first pieces.
func (d *Download) Start() error {
	for _, s := range d.w.Slots() {
		if err := d.request(s); err != nil {
			return err
		}
	}
	return nil
}

// request starts the copy of the next piece, if there is one, to s.
func (d *Download) request(s *device.Slot) error {
	lo := int(d.next.Add(int64(d.grain))) - d.grain
	if lo >= d.n {
		return nil
	}
	hi := min(lo+d.grain, d.n)
	if err := d.fetch(s, lo, hi); err != nil {
		return err
	}
	if err := d.w.Mark(s, d.w.Stream); err != nil {
		return err
	}
	d.sent <- arrival{s, lo, hi}
	return nil
}

// Receive emits one piece and requests another into its slot. It is called once per piece.
// Each piece is requested by Start or an earlier call, so there is one to wait for, unless a
// call failed; that call leaves its own piece to the others.
func (d *Download) Receive() {
	a := <-d.sent
	passedOn := false
	defer func() {
		if !passedOn {
			d.sent <- a
		}
	}()
	if d.failed.Err() != nil {
		return
	}
	err := d.w.Wait(a.Slot)
	if err == nil {
		d.emit(a.Slot, a.lo, a.hi)
		err = d.request(a.Slot)
	}
	d.failed.Set(err)
	passedOn = err == nil
}

// Err returns the first error of a piece.
func (d *Download) Err() error { return d.failed.Err() }
