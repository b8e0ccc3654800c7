package transfer

import (
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// TakesCodes reports whether the job takes sorted codes.
func TakesCodes(job *engine.Job) bool { return job.EmitCodes32 != nil || job.EmitCodes64 != nil }

// Blocks rounds n up to a multiple of engine.Block.
func Blocks(n int) int { return (n + engine.Block - 1) / engine.Block * engine.Block }

// maxSlots bounds the pinned memory of a workspace, to 64 MiB.
const maxSlots = 32

// SlotsFor returns the number of slots for a job: two per worker, one being filled or emptied
// while the other is copied.
func SlotsFor(job *engine.Job) int {
	each := 8
	if job.Elements != nil {
		each += job.Elements.Size
	}
	most := (job.N*each + device.SlotBytes - 1) / device.SlotBytes
	return max(1, min(2*max(1, job.Loop.Workers), maxSlots, max(2, most)))
}

// Grain returns how many of n words of the given size go through a slot at a time: as many as
// fit, but few enough that each worker has several turns. Copies below least bytes cost more
// than they move: 64 KiB, or 512 KiB if elements are sent, with three more driver calls.
func Grain(n int, job *engine.Job, size int) int {
	least := 64 << 10
	if job.Elements != nil {
		least = 512 << 10
	}
	return Blocks(job.Loop.Turn(n, least/size, device.SlotBytes/size/engine.Block*engine.Block))
}

// Fault is the first error of several workers.
type Fault struct{ err atomic.Pointer[error] }

// Set records err if it is not nil and the first.
func (f *Fault) Set(err error) {
	if err != nil {
		f.err.CompareAndSwap(nil, &err)
	}
}

// Err returns the first error, nil if there is none.
func (f *Fault) Err() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Ring is a queue of slots in the order in which they were sent.
type Ring chan *device.Slot

// NewRing returns a ring of the slots.
func NewRing(slots []*device.Slot) Ring {
	ring := make(Ring, len(slots))
	for _, s := range slots {
		ring <- s
	}
	return ring
}

// With runs do with the slot that was sent longest ago, unless f has an error.
func (r Ring) With(f *Fault, do func(*device.Slot) error) {
	s := <-r
	defer func() { r <- s }() // another worker may wait for the slot, also if a key function panics
	if f.Err() == nil {
		f.Set(do(s))
	}
}

// words returns n words of pinned memory.
func words[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }

// Send extracts codes [lo, hi) into a slot and sends it on a stream.
func Send[W codes.Word](w *device.Workspace, s *device.Slot, stream cuda.Stream, job *engine.Job, to cuda.Ptr, lo, hi int, pull func(dst []W, lo int)) error {
	return send(w, s, stream, job, to, lo, hi, pull, func() error { return nil })
}

// send is Send with further calls that copy from the slot.
func send[W codes.Word](w *device.Workspace, s *device.Slot, stream cuda.Stream, job *engine.Job, to cuda.Ptr, lo, hi int, pull func(dst []W, lo int), more func() error) error {
	if err := w.Wait(s); err != nil {
		return err
	}
	if err := pullAll(job, words[W](s.Memory, hi-lo), lo, pull); err != nil {
		return err
	}
	if err := w.CopyToDevice(to, s.Memory, (hi-lo)*int(unsafe.Sizeof(*new(W))), stream); err != nil {
		return err
	}
	if err := more(); err != nil {
		return err
	}
	return w.Mark(s, stream)
}

// pullAll pulls the codes from element lo on.
func pullAll[W codes.Word](job *engine.Job, dst []W, lo int, pull func(dst []W, lo int)) error {
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
