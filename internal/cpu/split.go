package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Keys of 32 bits, and keys whose codes crowd, are split in halves that workers share: see [bucket.Part].

// Of 64-bit codes up to mostCached are split from the first round on, up to mostSplit if they crowd, and up to mostNarrow, as of 32-bit ones,
// if many tie, which takes few rounds, or where a race was for splits. More workers than splitWorkers gain more from a partition in
// parallel. Each worker gets splitParts or more.
const (
	mostCached   = 1 << 17
	mostSplit    = 1 << 20
	mostNarrow   = 1 << 24
	splitWorkers = 2
	splitParts   = 3
)

// splitsKeys reports whether some lists of n codes of keys are split from the first round on.
func splitsKeys(env *engine.Env, n int) bool {
	return bucket.Splits() && env.Loop.Workers <= splitWorkers && n <= mostNarrow
}

// splitting reports whether n codes, surveyed as v, are split from the first round on. A round of splits reads and writes all codes, which
// takes long beyond the caches; a matrix takes a partition before, which takes long where many lines are written to at a time (10^5, 10^6
// and 10^7 uniform uint64, Xeon, 2026-11-30: 5.8, 6.8 and 10.3 instead of 7.1, 8.1 and 14.5 ns; EPYC, 2026-11, by splits beside: 5.3 instead of
// 5.6 and 8.6 instead of 6.2).
func splitting[C Code](env *engine.Env, codes view[C], n int, v presorted.Survey[C]) bool {
	switch {
	case !splitsKeys(env, n):
		return false
	case unsafe.Sizeof(v.Min) == 4 || n <= mostCached:
		return true
	}
	uneven, tied := crowded(codes, n, v.Span())
	return tied || uneven && n <= mostSplit || prefersSplits(n)
}

// crowded is [bucket.Crowded] of a sample of n codes.
func crowded[C Code](codes view[C], n int, span C) (uneven, tied bool) {
	sample := make([]C, bucket.MostSample)
	for i := range sample {
		at := n / len(sample) * i
		copy(sample[i:], codes(at, at+1, sample[i:i+1]))
	}
	return bucket.Crowded(sample, span)
}

// bySplits is sort by splits alone. Codes are split where the keys are, or on the given side.
func (c *codeSort[C]) bySplits(env *engine.Env, codes view[C], lo, n, side, first int) error {
	own := c.place(lo, n, side)
	err := env.Stage("partition", n, env.ChunkOf(n), func(_, from, to int) { codes.copy(own[from:to], from) })
	if err != nil {
		return err
	}
	return splitBetween(env, c.work[first:], own, func(_, at int, codes []C) { c.write(lo+at, codes) })
}

// splitBetween sorts codes by splits that workers share, and writes them in order, some at a time, with the place of the first.
func splitBetween[C Code](env *engine.Env, work []bucket.Worker[C], codes []C, write func(worker, at int, codes []C)) (err error) {
	parts := []bucket.Part[C]{bucket.PartOf(codes)}
	for err == nil && env.Loop.Workers > 1 && len(parts) < splitParts*env.Loop.Workers {
		halves := make([]bucket.Part[C], 2*len(parts))
		err = env.Stage("partition", len(parts), 1, func(_, i, _ int) { halves[2*i], halves[2*i+1] = parts[i].Split() })
		parts = halves
	}
	if err != nil {
		return err
	}
	env.Trace.SortedByVectors()
	return env.Stage("buckets", len(parts), 1, func(worker, i, _ int) {
		work[worker].SortPart(parts[i], func(at int, codes []C) { write(worker, at, codes) })
	})
}

// orderRound is n elements to be ordered by 32-bit codes, of a span, at places from lo on.
type orderRound struct {
	env     *engine.Env
	codes   []uint32 // nil: there are others
	span    uint32
	lo      int
	placed  bool // numbers are places, and no codes are delivered
	deliver func(worker int, p section)
}

// splitting reports whether elements are ordered by splits of words: of codes that a matrix would not
// spread well, each with its place.
func (r *orderRound) splitting() bool {
	if !bucket.Splits() || r.env.Loop.Workers > splitWorkers || r.codes == nil || !r.placed || len(r.codes) > mostSplit {
		return false
	}
	uneven, tied := crowded(in(r.codes), len(r.codes), r.span)
	return uneven || tied
}

// splitRowsBytes bounds the memory of [orderRound.split].
func splitRowsBytes(s sizes) int64 {
	if s.code != 4 || s.n > mostSplit || s.workers > splitWorkers {
		return 0
	}
	beside := min(s.n, bucket.MostBeside[uint64]())
	var a scratch.Area
	a.Memory(s.n, 8)
	a.MemoryEach(max(1, s.workers), beside, 8)
	a.MemoryEach(max(1, s.workers), engine.Block, 4)
	return a.Bytes()
}

// split orders the elements, whose numbers are their places, by splits of words.
func (r *orderRound) split() (done bool, err error) {
	err = r.env.Scoped(func(env *engine.Env) error {
		codes, work := r.codes, bucket.Workers[uint64](env)
		words := scratch.Take[uint64](&env.Arena, len(codes))
		err := env.Stage("partition", len(codes), env.ChunkOf(len(codes)), func(_, from, to int) {
			own := words[from:to]
			for i, c := range codes[from:to] {
				own[i] = uint64(c)<<32 | uint64(uint32(from+i))
			}
		})
		if err != nil {
			return err
		}
		return env.Stopped(splitBetween(env, work, words, func(worker, at int, words []uint64) {
			for len(words) > 0 {
				some := words[:min(len(words), engine.Block)]
				order := work[worker].Places(len(some))
				for i, w := range some {
					order[i] = uint32(w)
				}
				r.deliver(worker, section{r.lo, r.lo + at, r.lo + at + len(some), order})
				words, at = words[len(some):], at+len(some)
			}
		}))
	})
	return true, err
}
