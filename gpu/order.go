package gpu

import (
	"cmp"
	"context"
	"errors"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/multi"
	"example.com/sorter/internal/gpu/transfer"
)

// Order implements the library's side of sorter.Backend, for [sorter.On].
func (e *Engine) Order(ctx context.Context, job *engine.Job) error {
	return public(e.order(ctx, job))
}

func (e *Engine) order(ctx context.Context, job *engine.Job) error {
	defer use(job)()
	if e.movesElements(job) {
		err := e.with(ctx, job.Algorithm, func(s *transfer.Session) error { return s.OrderWithElements(job) })
		if !errors.Is(err, transfer.ErrNoMemory) {
			return err
		}
	}
	job.Elements = nil // from here on the elements stay with the library
	if devices := len(e.chosen()); e.shares(job) {
		err := e.withSessions(ctx, job.Algorithm, devices, func(s []transfer.Session) error { return multi.Order(job, s) })
		if !errors.Is(err, multi.ErrCrowded) {
			return err
		}
	}
	return e.with(ctx, job.Algorithm, func(s *transfer.Session) error { return s.Order(job) })
}

// shares reports whether the devices share a job. They do not if the first moves the elements
// with their codes, which is faster than any order.
func (e *Engine) shares(job *engine.Job) bool {
	return multi.Shares(job, len(e.chosen()), cmp.Or(e.settings.ShareN, multi.LeastN))
}

// movesElements reports whether the device moves the elements of a job with their codes: if it can,
// and if that takes less time than a gather.
func (e *Engine) movesElements(job *engine.Job) bool {
	if job.Elements == nil || job.N == 0 || job.Algorithm == engine.Hybrid || !transfer.Fits(job.Elements.Size) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.costs.MovesElements(job.Elements.Size, job.N, cmp.Or(e.settings.MoveBytes, costmodel.MinMovedBytes))
}

// with runs f, which sorts by a, in a session on the first device.
func (e *Engine) with(ctx context.Context, a engine.Algorithm, f func(s *transfer.Session) error) error {
	return e.withSessions(ctx, a, 1, func(sessions []transfer.Session) error { return f(&sessions[0]) })
}

// withSessions runs f, which sorts by a, in a session on each of the first devices. All sorts
// take workspaces in the order of the devices, so that they cannot deadlock.
func (e *Engine) withSessions(ctx context.Context, a engine.Algorithm, devices int, f func(sessions []transfer.Session) error) error {
	if err := e.acquire(ctx, a); err != nil {
		return err
	}
	defer e.users.Done()
	var sessions []transfer.Session
	for _, d := range e.devs[:devices] {
		w, err := d.Workspace(ctx)
		if err != nil {
			return err
		}
		defer w.Done()
		sessions = append(sessions, transfer.Session{Workspace: w, Sorter: d, Verify: e.settings.Verify, DirectBytes: e.settings.DirectBytes, Staged: e.settings.Staged})
	}
	return f(sessions)
}
