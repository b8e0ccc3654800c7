package gpu

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

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
	return e.orderCodes(ctx, job)
}

// orderCodes runs a job whose elements stay with the library on the number of devices that is
// expected to be fastest, on all of them if its parts are too long for these, or else on the first.
func (e *Engine) orderCodes(ctx context.Context, job *engine.Job) error {
	for _, devices := range slices.Compact([]int{e.devicesFor(job), len(e.chosen())}) {
		if devices == 1 {
			break
		}
		err := e.observed(job, devices, func() error {
			return e.withSessions(ctx, job.Algorithm, devices, func(s []transfer.Session) error { return multi.Order(job, s) })
		})
		if !errors.Is(err, multi.ErrCrowded) {
			return err
		}
	}
	return e.observed(job, 1, func() error {
		return e.with(ctx, job.Algorithm, func(s *transfer.Session) error { return s.Order(job) })
	})
}

// devicesFor returns how many devices are to share a job.
func (e *Engine) devicesFor(job *engine.Job) int {
	devices := len(e.chosen())
	switch {
	case devices == 1 || !multi.Shareable(job):
		return 1
	case e.settings.ShareN == 0:
		e.mu.Lock()
		devices = e.sharing.Devices(workOf(job), job.Plain != nil, devices)
		e.mu.Unlock()
	case job.N < e.settings.ShareN:
		return 1
	}
	for devices > 1 && !multi.Divides(job.N, devices) {
		devices--
	}
	return devices
}

// observed runs a job by the given number of devices and records the time for later ones like it.
func (e *Engine) observed(job *engine.Job, devices int, order func() error) error {
	if len(e.chosen()) == 1 || job.N < costmodel.LeastN || !multi.Shareable(job) {
		return order()
	}
	work, pinned, start := workOf(job), job.Plain != nil, time.Now()
	err := order()
	if err == nil {
		took := time.Since(start)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.sharing.Add(work, pinned, devices, float64(took))
	}
	return err
}

// workOf describes the sort of a job's codes.
func workOf(job *engine.Job) engine.Work {
	return engine.Work{N: job.N, Bits: job.Bits, Keys: transfer.TakesCodes(job), Workers: job.Loop.Workers}
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
		sessions = append(sessions, transfer.Session{Workspace: w, Sorter: d, Verify: e.settings.Verify, DirectBytes: e.settings.DirectBytes, Staged: e.settings.Staged, LeastTied: e.settings.LeastTied})
	}
	return f(sessions)
}
