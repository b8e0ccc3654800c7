package cpu

import (
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// Keys of 32 bits, and keys whose codes crowd, are split in halves that workers share: see [bucket.Part].

// mostSplit bounds the 64-bit codes that are split from the first round on, and mostNarrow the 32-bit ones. More workers than splitWorkers gain more from a partition in parallel. Each worker gets
// splitParts or more.
const (
	mostSplit    = 1 << 20
	mostNarrow   = 1 << 24
	splitWorkers = 2
	splitParts   = 3
)

// splitting reports whether n codes, surveyed as v, are split from the first round on: 32-bit ones, and 64-bit ones that a
// matrix would not spread well. A split of the latter takes two and a half times as long as of the former, a matrix hardly
// longer (EPYC, 2026-11: 10^5 uniform uint32 2.6 instead of 3.9 ns, uint64 5.3 instead of 5.6, 10^6 8.6 instead of 6.2).
func splitting[C Code](env *engine.Env, codes view[C], n int, v presorted.Survey[C]) bool {
	switch {
	case env.Loop.Workers > splitWorkers:
		return false
	case unsafe.Sizeof(v.Min) == 4:
		return n <= mostNarrow
	case n > mostSplit:
		return false
	}
	sample := make([]C, bucket.MostSample)
	for i := range sample {
		at := n / len(sample) * i
		copy(sample[i:], codes(at, at+1, sample[i:i+1]))
	}
	uneven, tied := bucket.Crowded(sample, v.Span())
	return uneven || tied
}

// bySplits is sort by splits alone. Codes are split where the keys are, or on the given side.
func (c *codeSort[C]) bySplits(env *engine.Env, codes view[C], lo, n, side, first int) error {
	own := c.place(lo, n, side)
	parts := []bucket.Part[C]{bucket.PartOf(own)}
	err := env.Stage("partition", n, env.ChunkOf(n), func(_, from, to int) { codes.copy(own[from:to], from) })
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
		c.work[first+worker].SortPart(parts[i], func(at int, codes []C) { c.write(lo+at, codes) })
	})
}
