package device

import (
	"context"
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// Workspace is the memory and the streams of one sort at a time. Nobody else uses them, so
// that memory put back may be taken again at once: the stream keeps the order.
type Workspace struct {
	*Device
	Stream cuda.Stream
	Side   cuda.Stream // for work beside that of Stream, which goes first
	Up     cuda.Stream // for uploads beside both
	Split  cuda.Event  // where streams part and meet

	ctx   context.Context // of the sort
	quiet bool            // nothing is under way
	tiles int             // that the device may be given before it is waited for

	idle  []Block
	held  []Block // taken and not put back
	kept  []cuda.Ptr
	tight bool // little memory may be wasted

	slots  []*Slot
	pinned []unsafe.Pointer       // of slots
	notes  map[any]unsafe.Pointer // see Pinned
}

// open creates what every sort needs. After an error the workspace is to be freed.
func (w *Workspace) open() (err error) {
	if w.Stream, err = w.NewStream(); err != nil {
		return err
	}
	if w.Side, err = w.NewUrgentStream(); err != nil {
		return err
	}
	if w.Up, err = w.NewStream(); err != nil {
		return err
	}
	w.Split, err = w.NewEvent(false)
	return err
}

// Begin begins a sort, and gives the device a number of tiles before it is waited for.
func (w *Workspace) Begin(ctx context.Context, tiles int) {
	w.ctx, w.quiet, w.tiles = ctx, false, tiles
}

// Err is the error of the context of the sort.
func (w *Workspace) Err() error { return w.ctx.Err() }

// Quiet notes that nothing is under way: the sort has waited for the device.
func (w *Workspace) Quiet() { w.quiet = true }

// Done gives the workspace back. It waits for the streams, unless they are known to be
// quiet: a sort that failed midway may have left copies and kernels under way, and
// the next user of the workspace's memory has to find it quiet.
func (w *Workspace) Done() {
	defer func() { <-w.turns }()
	if err := w.settle(); err != nil {
		// What the context met stays: every later call fails with it.
		w.broken.CompareAndSwap(nil, &err)
		w.free()
		return
	}
	for _, s := range w.slots {
		s.busy = false
	}
	w.idle = append(w.idle, w.held...)
	w.held, w.tight = w.held[:0], false
	w.pushSpare(w)
}

// settle waits until nothing is under way.
func (w *Workspace) settle() error {
	if w.quiet {
		return nil
	}
	return FirstError(w.SyncStream(w.Stream), w.SyncStream(w.Side), w.SyncStream(w.Up))
}

// free gives everything of the workspace back.
func (w *Workspace) free() error {
	var failed errorList
	for _, s := range []cuda.Stream{w.Stream, w.Side, w.Up} {
		if s != 0 {
			failed.add(w.DestroyStream(s))
		}
	}
	if w.Split != 0 {
		failed.add(w.DestroyEvent(w.Split))
	}
	w.idle = append(w.idle, w.held...)
	failed.add(w.Drop())
	for _, s := range w.slots {
		failed.add(w.DestroyEvent(s.passed))
	}
	for _, p := range w.kept {
		failed.add(w.Free(p))
	}
	for _, p := range w.pinned {
		failed.add(w.HostFree(p))
	}
	for _, p := range w.notes {
		failed.add(w.HostFree(p))
	}
	*w = Workspace{Device: w.Device}
	return failed.first()
}
