package device

import (
	"context"

	"example.com/sorter/internal/cuda"
)

// open creates the resources of every sort. After an error the workspace must be freed.
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

// Begin begins a sort. tiles is the number of tiles that it may enqueue before the next wait.
func (w *Workspace) Begin(ctx context.Context, tiles int) {
	w.ctx, w.quiet, w.tiles = ctx, false, tiles
}

// Err returns the error of the sort's context.
func (w *Workspace) Err() error { return w.ctx.Err() }

// Quiet records that no work is under way: the sort has waited for the device.
func (w *Workspace) Quiet() { w.quiet = true }

// settle waits until no work is under way.
func (w *Workspace) settle() error {
	if w.quiet {
		return nil
	}
	return FirstError(w.SyncStream(w.Stream), w.SyncStream(w.Side), w.SyncStream(w.Up))
}

// free frees everything of the workspace.
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
	for _, e := range w.sleepers {
		failed.add(w.DestroyEvent(e))
	}
	for _, p := range w.permanent {
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
