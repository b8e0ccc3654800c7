package device

import (
	"context"
)

// Workspace returns an unused workspace. It waits until there is one or ctx ends. The caller
// ends with [Workspace.Done].
func (d *Device) Workspace(ctx context.Context) (*Workspace, error) {
	select {
	case d.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w := d.popSpare()
	if w == nil {
		w = &Workspace{Device: d}
		if err := w.open(); err != nil {
			w.free()
			<-d.turns
			return nil, err
		}
	}
	w.Begin(ctx, Patience)
	return w, nil
}

// popSpare returns the unused workspace that was used last, nil if there is none.
func (d *Device) popSpare() *Workspace {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.spare)
	if n == 0 {
		return nil
	}
	w := d.spare[n-1]
	d.spare = d.spare[:n-1]
	return w
}

// Trim frees the memory of all unused workspaces.
func (d *Device) Trim() error {
	var failed errorList
	for w := d.popSpare(); w != nil; w = d.popSpare() {
		failed.add(w.free())
	}
	return failed.first()
}

func (d *Device) pushSpare(w *Workspace) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, w)
}

// Done gives the workspace back. Unless Quiet was called it waits for the streams: a sort that
// failed may have left copies and kernels under way, and the next user must find the memory
// unused.
func (w *Workspace) Done() {
	defer func() { <-w.turns }()
	if err := w.settle(); err != nil {
		// An error of the context is permanent: every later call fails with it.
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
