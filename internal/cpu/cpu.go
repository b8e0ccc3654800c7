// Package cpu orders unsigned codes on the CPU. Every sort is stable.
//
// The engine makes no random access outside the cache. It extracts each code once and surveys
// the codes on the way. Sorted, reversed, equal and nearly sorted inputs end after that
// survey. For others it cuts the range of codes into buckets of nearly equal count by an exact
// histogram, partitions codes and payload into the buckets, and sorts each bucket in the
// cache.
//
// There is no quadratic case. A bucket that the histogram could not split spans one cell of
// it, so every round takes at least [evenCellBits] bits off the range.
//
// The scheme follows the bucket sort of Chen et al., "An efficient sorting algorithm with
// CUDA" (2009). Buckets have equal counts instead of equal widths. Networks over columns of
// short lists, see package vecsort, or radix passes replace the bitonic network.
//
// Package papers has the CPU algorithms of other papers.
package cpu

import (
	"context"

	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
)

// Code is the unsigned form of a key.
type Code = engine.Code

// Source extracts the codes of elements [lo, lo+len(dst)) into dst; len(dst) <=
// [engine.Block].
type Source[C Code] func(dst []C, lo int)

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
	return !a.OrdersCodes() || papers.Runs(a)
}

// Order implements [engine.Backend].
func (Engine) Order(ctx context.Context, job *engine.Job) error {
	job.Loop.Ctx = ctx
	if job.Algorithm.OrdersCodes() {
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
