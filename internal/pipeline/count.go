package pipeline

import (
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// countKeys sorts keys of few bits, which codes hold entirely: it counts each code, and writes
// as many keys.
func countKeys[K sortkey.Key](r *request, keys []K) error {
	view, codes := sortkey.View[uint32](keys, r.Order()), 1<<r.used.CodeBits
	workers := max(1, r.Loop.Workers)
	counts, blocks := make([][]int, workers), make([][]uint32, workers)
	for i := range counts {
		counts[i], blocks[i] = scratch.Take[int](&r.Arena, codes), scratch.Take[uint32](&r.Arena, engine.Block)
		clear(counts[i])
	}
	err := r.Stage("survey", r.n, engine.Block, func(worker, lo, hi int) {
		for _, c := range view(lo, hi, blocks[worker]) {
			counts[worker][c]++
		}
	})
	if err = r.Stopped(err); err != nil {
		return err
	}
	ends, at := counts[0], 0
	for code := range ends {
		for _, own := range counts {
			at += own[code]
		}
		ends[code] = at
	}
	r.Commit()
	return r.Stage("write", r.n, 16*engine.Block, func(worker, lo, hi int) {
		code := sort.Search(codes, func(c int) bool { return ends[c] > lo })
		for ; lo < hi; lo += engine.Block {
			block := blocks[worker][:min(engine.Block, hi-lo)]
			for i := range block {
				for ends[code] <= lo+i {
					code++
				}
				block[i] = uint32(code)
			}
			sortkey.DecodeExact(keys[lo:lo+len(block)], block, r.Order())
		}
	})
}
