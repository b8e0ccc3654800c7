package pipeline

import (
	"math/bits"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// Rows whose first word is in order are ordered within its runs of ties, as segments are: no row
// leaves its run, and most runs fit the cache.

// orderRuns writes the order of rows to index, by words that decide within runs of ties; src makes
// the codes of the first of them.
func orderRuns(r *run, rows extract.Input, words []extract.Word, runs engine.Ties, index []uint32, src cpu.Source[uint64]) error {
	err := orderWithinBy(r, rows, words, cpu.RunsOf(runs, r.n), index, src)
	r.Trace.Found(engine.Segmented)
	r.Trace.Ties = tiedRows(runs)
	return err
}

// tiedRows returns the number of rows in runs of two or more.
func tiedRows(runs engine.Ties) (n int) {
	for i, word := range runs {
		after := uint32(0)
		if i+1 < len(runs) {
			after = runs[i+1] << 31
		}
		n += bits.OnesCount32(word | word>>1 | after)
	}
	return n
}

// sortRuns sorts s by words that decide within runs of ties.
func sortRuns(r *run, s cpu.Payload, words []extract.Word, runs engine.Ties, src cpu.Source[uint64]) error {
	index := scratch.Take[uint32](&r.Arena, r.n)
	if err := orderRuns(r, extract.InputOf(s), words, runs, index, src); err != nil {
		return err
	}
	return cpu.MoveWithin(&r.Env, cpu.RunsOf(runs, r.n), s, index)
}
