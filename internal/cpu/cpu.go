// Package cpu orders unsigned codes on the CPU.
//
// The engine makes no random access outside the cache. It extracts the codes
// once and surveys them on the way (sorted, reversed, flat, nearly sorted and
// narrow inputs end or shrink there), cuts their range into buckets of nearly
// equal count by an exact histogram, partitions codes and payload into those
// buckets, and sorts each bucket where it fits the cache. All of it is stable. There is no
// quadratic case: a bucket that the histogram could not split spans one cell
// of it, so every round takes at least [evenCellBits] bits off the range.
//
// The scheme is the CPU cousin of the bucket sort of Chen et al., "An efficient
// sorting algorithm with CUDA" (2009), with counted instead of equally wide
// buckets, and radix passes where a GPU uses a bitonic network.
//
// The CPU algorithms of other papers, to compare with, and for callers that ask for one
// by name, are in package papers.
package cpu

import (
	"context"

	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
)

// Code is the unsigned form of a key.
type Code = engine.Code

// Source extracts the codes of elements [lo, lo+len(dst)) into dst, at most
// [engine.Block] at a time.
type Source[C Code] func(dst []C, lo int)

// Engine is the CPU as a backend that sees codes only. Its zero value is ready.
type Engine struct{}

// Host is the engine as a backend, for comparisons.
var Host engine.Backend = Engine{}

// Name returns "cpu".
func (Engine) Name() string { return "cpu" }

// Worth reports true: the CPU is what others are compared with.
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
	return Order(job.Env, job.N, src, nil, job.Ties != nil, func(_, lo int, order []uint32, codes []C) {
		job.Emit(lo, order)
		if job.Ties != nil {
			engine.MarkTies(job.Ties, lo, false, codes) // ranges begin between different codes
		}
	})
}
