package device

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// Patience is the number of tiles enqueued before the sort waits and checks the context: 0.4
// to 3 ms on an H200, by the work per tile, so that a device a tenth as fast still stops in
// time. The wait takes about 10 µs.
const Patience = 1 << 15

// RunTiles is [Workspace.Run] of a kernel whose blocks take a tile each.
func (w *Workspace) RunTiles(name string, grid, block, shared int, args ...uint64) error {
	if w.tiles -= grid; w.tiles < 0 {
		w.tiles = Patience - grid
		if err := FirstError(w.SyncStream(w.Stream), w.ctx.Err()); err != nil {
			return err
		}
	}
	return w.Run(name, grid, block, shared, args...)
}

// Run launches the kernel of that name.
func (w *Workspace) Run(name string, grid, block, shared int, args ...uint64) error {
	return w.RunOn(w.Stream, name, grid, block, shared, args...)
}

// RunOn launches the kernel of that name on a stream.
func (w *Workspace) RunOn(stream cuda.Stream, name string, grid, block, shared int, args ...uint64) error {
	return w.Launch(w.function(name), grid, block, shared, stream, args...)
}

// After makes later work of stream wait for all earlier work of the stream earlier.
func (w *Workspace) After(stream, earlier cuda.Stream) error {
	if err := w.Record(w.Split, earlier); err != nil {
		return err
	}
	return w.WaitEvent(stream, w.Split)
}

// Queue enqueues calls on the stream of a workspace up to the first error. Later calls do
// nothing; [Queue.Sync] and [Queue.Err] return the error.
type Queue struct {
	w   *Workspace
	err error
}

// Queue returns an empty queue.
func (w *Workspace) Queue() Queue { return Queue{w: w} }

// Then takes a step unless an earlier one failed, and records its error.
func (q *Queue) Then(step func() error) {
	if q.err == nil {
		q.err = step()
	}
}

// Load is [Device.Load].
func (q *Queue) Load(modules []*Module) {
	if q.err == nil {
		q.err = q.w.Load(modules)
	}
}

// Run is [Workspace.Run].
func (q *Queue) Run(name string, grid, block, shared int, args ...uint64) {
	if q.err == nil {
		q.err = q.w.Run(name, grid, block, shared, args...)
	}
}

// RunTiles is [Workspace.RunTiles].
func (q *Queue) RunTiles(name string, grid, block, shared int, args ...uint64) {
	if q.err == nil {
		q.err = q.w.RunTiles(name, grid, block, shared, args...)
	}
}

// RunOn is [Workspace.RunOn].
func (q *Queue) RunOn(stream cuda.Stream, name string, grid, block, shared int, args ...uint64) {
	if q.err == nil {
		q.err = q.w.RunOn(stream, name, grid, block, shared, args...)
	}
}

// After is [Workspace.After].
func (q *Queue) After(stream, earlier cuda.Stream) {
	if q.err == nil {
		q.err = q.w.After(stream, earlier)
	}
}

// Fill sets words of device memory.
func (q *Queue) Fill(at cuda.Ptr, value uint32, words int) {
	if q.err == nil {
		q.err = q.w.Memset32(at, value, words, q.w.Stream)
	}
}

// ToDevice copies from the host.
func (q *Queue) ToDevice(to cuda.Ptr, from unsafe.Pointer, bytes int) {
	if q.err == nil {
		q.err = q.w.CopyToDevice(to, from, bytes, q.w.Stream)
	}
}

// ToHost copies from the device.
func (q *Queue) ToHost(to unsafe.Pointer, from cuda.Ptr, bytes int) {
	if q.err == nil {
		q.err = q.w.CopyToHost(to, from, bytes, q.w.Stream)
	}
}

// Copy copies on the device.
func (q *Queue) Copy(to, from cuda.Ptr, bytes int) {
	if q.err == nil {
		q.err = q.w.CopyOnDevice(to, from, bytes, q.w.Stream)
	}
}

// Err returns the error of the first call that failed.
func (q *Queue) Err() error { return q.err }

// Sync waits for the stream, unless a call has failed, and returns the first error.
func (q *Queue) Sync() error {
	if q.err == nil {
		q.err = q.w.SyncStream(q.w.Stream)
	}
	return q.err
}
