package transfer

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
)

// OrderInOnePass runs a job in one pass: codes up, sort, order down. If the job has elements,
// they are sent with the codes and returned instead of the order.
func (s *Session) OrderInOnePass(job *engine.Job) error {
	if err := s.Grow(slots(job)); err != nil {
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
	if err := s.extract(job, in, p); err != nil {
		return err
	}
	r, err := s.sortStage(job, in, to)
	if err != nil {
		return err
	}
	if job.Further != nil {
		if err := s.breakTies(job, &r, to); err != nil {
			return err
		}
	}
	if err := s.downloadResults(job, r, to, p); err != nil {
		return err
	}
	job.Trace.Device, job.Trace.Algorithm = s.Info.Name, r.Algorithm.String()
	job.Found(r.Shape)
	job.Trace.Rounds = r.Levels
	return nil
}

// extract extracts the codes of a job and uploads them.
func (s *Session) extract(job *engine.Job, in codes.Input, p *payload) error {
	switch {
	case job.Plain != nil && p == nil:
		return s.uploadPlain(job, in)
	case in.Wide:
		return upload(s, job, in.Codes, job.Codes64, p)
	}
	return upload(s, job, in.Codes, job.Codes32, p)
}

// result is the outcome of the device and the marks of ties, if the job takes them.
type result struct {
	codes.Outcome
	ties cuda.Ptr
}

// sortStage sorts on the device, to an order or to sorted codes.
func (s *Session) sortStage(job *engine.Job, in codes.Input, to cuda.Ptr) (r result, err error) {
	err = onStage(job, "sort", func() (err error) {
		r.Outcome, err = s.Sort(job.Algorithm, in, to)
		if err == nil && job.Ties != nil {
			r.ties, err = codes.Ties(s.Workspace, in, to)
		}
		return err
	})
	return r, err
}

// onStage runs f as a stage of a job, on one goroutine.
func onStage(job *engine.Job, name string, f func() error) (failed error) {
	err := job.Stage(name, 1, 1, func(_, _, _ int) { failed = f() })
	return device.FirstError(failed, err)
}

// downloadTies downloads the marks of ties.
func (s *Session) downloadTies(job *engine.Job, ties cuda.Ptr) error {
	return download(s, job, len(job.Ties), ties, func(lo int, some []uint32) { copy(job.Ties[lo:], some) })
}

// downloadResults downloads the results that the job takes: ties, and positions or elements; or
// codes, unless these were in order. If elements were in order, positions are downloaded
// instead: they show that nothing moves, and are at most half as many bytes.
func (s *Session) downloadResults(job *engine.Job, r result, from cuda.Ptr, p *payload) error {
	if !TakesCodes(job) {
		if job.Ties != nil {
			if err := s.downloadTies(job, r.ties); err != nil {
				return err
			}
		}
		switch to := Result(job); {
		case to != nil:
			return s.downloadAll(job, to, from, 4*job.N)
		case p == nil || r.InOrder():
			return download(s, job, job.N, from, job.Emit)
		}
		return s.unload(job, p, from)
	}
	if err := job.Loop.Err(); err != nil || r.InOrder() {
		return err
	}
	job.Commit() // keys are written from here on
	if job.Plain != nil {
		return s.downloadKeys(job, from)
	}
	if job.EmitCodes64 != nil {
		return download(s, job, job.N, from, job.EmitCodes64)
	}
	return download(s, job, job.N, from, job.EmitCodes32)
}

// upload extracts codes into pinned slots, followed by elements if these are sent, and sends
// each slot while others are filled.
func upload[W codes.Word](w *Session, job *engine.Job, at cuda.Ptr, pull func(dst []W, lo int), p *payload) error {
	size := int(unsafe.Sizeof(*new(W)))
	piece := Grain(job.N, job, size+p.size())
	ring := NewRing(w.Slots())
	var failed Fault
	err := job.Stage("extract", job.N, piece, func(_, lo, hi int) {
		ring.With(&failed, func(s *device.Slot) error {
			return send(w.Workspace, s, w.Stream, job, at+cuda.Ptr(lo*size), lo, hi, beside(p, s, lo, size*piece, pull),
				func() error { return p.send(w.Workspace, s, size*piece, lo, hi) })
		})
	})
	return device.FirstError(failed.Err(), err)
}
