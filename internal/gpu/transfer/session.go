// Package transfer runs jobs on one device: codes up, from the job's source to pinned memory
// to the device, and results down. Lists that do not fit one pass are sorted in chunks that
// are merged. Elements may be sent along with their codes.
package transfer

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
)

// Session is a workspace with the algorithms of its device, for one job.
type Session struct {
	*device.Workspace
	Sorter *dispatch.Sorter
	Verify bool // every result is checked
}

// Sort sorts on the device, and checks the result if it is to.
func (s *Session) Sort(a engine.Algorithm, in codes.Input, to cuda.Ptr) (codes.Finding, error) {
	f, err := s.Sorter.Sort(s.Workspace, a, in, to)
	if err == nil && s.Verify {
		err = codes.Check(s.Workspace, in, to)
	}
	return f, err
}

// Order runs a job in one pass, or in chunks where it is a hybrid sort or too long. Its
// elements stay with the library.
func (s *Session) Order(job *engine.Job) error {
	c, err := s.chunking(job)
	switch {
	case err != nil:
		return err
	case c.length < job.N || job.Algorithm == engine.Hybrid:
		return s.orderInChunks(job, c)
	}
	return s.OrderInOnePass(job)
}

// OrderInOnePass runs a job: codes up, sort, order down. The elements of a job that has
// them are sent along, and come down in place of the order.
func (s *Session) OrderInOnePass(job *engine.Job) error {
	if err := s.Grow(SlotsFor(job)); err != nil {
		return err
	}
	in := codes.Input{Wide: job.Bits > 32, N: job.N, Keys: TakesCodes(job)}
	space, err := s.Take((in.Size() + in.ResultSize()) * (job.N + 64))
	if err != nil {
		return err
	}
	to := space.At
	in.Codes = to + cuda.Ptr(in.ResultSize()*job.N+255)&^255
	p, err := s.payloadOf(job)
	if err != nil {
		return err
	}
	if in.Wide {
		err = upload(s, job, in.Codes, job.Codes64, p)
	} else {
		err = upload(s, job, in.Codes, job.Codes32, p)
	}
	if err != nil {
		return err
	}
	r, err := s.sortStage(job, in, to)
	if err != nil {
		return err
	}
	if err := s.handBack(job, r, to, p); err != nil {
		return err
	}
	job.Trace.Device, job.Trace.Algorithm = s.Info.Name, r.Algorithm.String()
	job.Trace.Found(r.Shape)
	job.Trace.Rounds = r.Levels
	return nil
}

// result is the findings of the device, and where it marked the ties of the order if the
// job takes them.
type result struct {
	codes.Finding
	ties cuda.Ptr
}

// sortStage sorts on the device, to an order or to sorted codes.
func (s *Session) sortStage(job *engine.Job, in codes.Input, to cuda.Ptr) (r result, failed error) {
	err := job.Stage("sort", 1, 1, func(_, _, _ int) {
		r.Finding, failed = s.Sort(job.Algorithm, in, to)
		if failed == nil && job.Ties != nil {
			r.ties, failed = codes.Ties(s.Workspace, in, to)
		}
	})
	return r, device.FirstError(failed, err)
}

// handBack brings back the results that the job takes: ties, and positions or elements that
// were sent along; or the codes themselves, unless those were in order. Of elements in order
// positions come, too: they say that nothing has to move, and are half as many bytes or
// fewer.
func (s *Session) handBack(job *engine.Job, r result, from cuda.Ptr, p *payload) error {
	if !TakesCodes(job) {
		if job.Ties != nil {
			if err := download(s, job, len(job.Ties), r.ties, func(lo int, ties []uint32) { copy(job.Ties[lo:], ties) }); err != nil {
				return err
			}
		}
		if p == nil || r.InOrder() {
			return download(s, job, job.N, from, job.Emit)
		}
		return s.unload(job, p, from)
	}
	if err := job.Loop.Err(); err != nil || r.InOrder() {
		return err
	}
	job.Commit() // keys are written: this is finished
	if job.EmitCodes64 != nil {
		return download(s, job, job.N, from, job.EmitCodes64)
	}
	return download(s, job, job.N, from, job.EmitCodes32)
}
