package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/stream"
)

// gather writes part p of the order: elements of src, which is partitioned, to their places in
// whole.
func gather(env *engine.Env, whole, src Payload, p section) {
	dst := whole.Part(p.lo, p.hi)
	if p.order == nil {
		dst.Copy(src.Part(p.lo, p.hi))
		return
	}
	src = src.From(p.base)
	size := whole.Size()
	least := uintptr(streamedBytes)
	if env.Loop.Workers >= manyWorkers {
		least = sharedStreamedBytes
	}
	streamed := (size >= least || stream.GathersWords(size)) && stream.Past(whole.n*int(size))
	dst.by.Gather(dst.data, src.data, src.n, p.order[:dst.n], streamed)
}

// streamedBytes is the element size from which a gather from a bucket stores past the caches through
// a buffer of lines (2 cores, 2026-11: 4 of 55 ns per 64-byte element). In words it gains for all
// sizes (EPYC, 2 workers, 2026-11-25: 2.5 instead of 2.9 ns per 24-byte element;
// bench/results/constants.md).
const streamedBytes = 64

// sharedStreamedBytes is streamedBytes of [manyWorkers] (Xeon 2023, 16 workers, 2026-11: 1.07
// instead of 1.27 ns per 24-byte element; bench/results/constants.md).
const sharedStreamedBytes = 16

// GatherPiece returns how many of n elements a worker gathers at a time from a whole list.
func GatherPiece(env *engine.Env, n int) int { return env.Loop.Turn(n, engine.LeastTurn, 1<<15) }

// gatherAll runs the last stage of a sort, bucket by bucket. It cannot be cancelled.
func (b *buckets[C]) gatherAll(env *engine.Env, bucket func(lo, hi int)) error {
	env.Commit()
	return env.Stage("gather", b.len(), 1, func(_, i, _ int) { bucket(b.bounds(i)) })
}

// gatherBack moves element index[i] of s to place i, through 1 element of scratch per element.
func gatherBack(env *engine.Env, s Payload, index []uint32) error {
	payload, chunk := s.take(env, presorted.SizeFollow(nil, s.n, s.Size())), env.ChunkOf(s.n)
	err := env.Stage("gather", s.n, chunk, func(_, lo, hi int) {
		gather(env, payload, s, section{0, lo, hi, index[lo:hi]})
	})
	if err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", s.n, chunk, func(_, lo, hi int) { s.Part(lo, hi).Copy(payload.Part(lo, hi)) })
}
