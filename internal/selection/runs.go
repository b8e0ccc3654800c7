package selection

import (
	"math"
	"slices"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
)

// FewInRuns reports whether [LeftInRuns] leaves few of n rows: k for each run, and for each block of rows.
func FewInRuns(n, runs, k int) bool { return runs+n/engine.Block <= n/mostLeft/k }

// LeftInRuns returns numbers of rows, ascending, that include the first k, by keys of which word has codes, of each run
// of the input, between two offsets; nil if that leaves most. Whole keys are not compared: codes of the first word are enough to
// drop a row. Runs are read in blocks, each of which leaves k rows of a run and those that tie with them.
func LeftInRuns(env *engine.Env, rows extract.Input, word *extract.Word, offsets []int, k int) ([]uint32, error) {
	n := rows.Len
	word.Open(rows, env)
	src := extract.Source64(rows, word)
	work, blocks := make([]runWorker, max(1, env.Loop.Workers)), make([][]uint32, (n+engine.Block-1)/engine.Block)
	err := env.Stage("select", len(blocks), 1, func(worker, block, _ int) {
		w, lo := &work[worker], block*engine.Block
		hi := min(lo+engine.Block, n)
		if w.codes == nil {
			w.codes, w.found = make([]uint64, engine.Block), make([]candidate, engine.Block)
		}
		src(w.codes[:hi-lo], lo)
		if env.Loop.Err() == nil { // otherwise codes are left out
			blocks[block] = w.leave(lo, hi, offsets, k)
		}
	})
	left := slices.Concat(blocks...)
	if err = env.Stopped(err); err != nil || len(left) > n/2 {
		return nil, err
	}
	return left, nil
}

// runWorker drops rows of runs by their codes.
type runWorker struct {
	codes []uint64
	found []candidate
}

// leave returns the places from lo to hi-1, whose codes are in w, with rows that may be among the first k
// of their runs.
func (w *runWorker) leave(lo, hi int, offsets []int, k int) (left []uint32) {
	next, found := slices.BinarySearch(offsets, lo) // the end of the run
	if found {
		next++
	}
	for from := lo; from < hi; next++ {
		end := min(offsets[next], hi)
		codes, bound := w.codes[from-lo:end-lo], uint64(math.MaxUint64)
		if len(codes) > k {
			bound = w.kth(codes, k)
		}
		for i, c := range codes {
			if c <= bound {
				left = append(left, uint32(from+i))
			}
		}
		from = end
	}
	return left
}

// kth returns the k-th smallest of at most a block of codes, 1 <= k <= len(codes).
func (w *runWorker) kth(codes []uint64, k int) uint64 {
	if k == 1 {
		return slices.Min(codes)
	}
	some := w.found[:len(codes)]
	for i, c := range codes {
		some[i].code = c
	}
	return kthCode(some, k)
}
