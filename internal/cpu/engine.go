package cpu

import (
	"context"

	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
)

// Engine is the CPU as an [engine.Backend]. Its zero value is ready.
type Engine struct{}

// Host is the CPU engine, for comparisons with other backends.
var Host engine.Backend = Engine{}

// Name returns "cpu".
func (Engine) Name() string { return "cpu" }

// Worth reports true: other engines are compared with this one.
func (Engine) Worth(engine.Work) bool { return true }

// Runs implements [engine.Backend].
func (Engine) Runs(a engine.Algorithm) bool {
	return !engine.OrdersCodes(a) || papers.Runs(a)
}

// Order implements [engine.Backend].
func (Engine) Order(ctx context.Context, job *engine.Job) error {
	job.Loop.Ctx = ctx
	if engine.OrdersCodes(job.Algorithm) {
		return papers.Order(job)
	}
	if job.Bits <= 32 {
		return orderJob(job, Source[uint32](job.Codes32))
	}
	return orderJob(job, Source[uint64](job.Codes64))
}

func orderJob[C Code](job *engine.Job, src Source[C]) error {
	return Order(job.Env, job.N, src, job.Ties != nil, func(_, lo int, order []uint32, codes []C) {
		job.Emit(lo, order)
		if job.Ties != nil {
			engine.MarkTies(job.Ties, lo, false, codes) // every range begins where the code changes
		}
	})
}
