package sorter

import (
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// What breaks the ties of an order that is there, whoever made it: they are found
// by its codes, or by the marks of an engine.

// refineSorted refines the ties of an order whose codes, those of lv[0], are in
// order too, with as little memory as possible, and gives these back.
func refineSorted[C code](r *run, rows rows, lv []level, index []uint32, codes []C) error {
	ties := newTies(&r.Env, rows, lv)
	ties.frugal = true
	err := r.Stage("ties", len(index), r.piece(len(index)), func(worker, lo, hi int) {
		if lo, hi = runEnd(codes, lo), runEnd(codes, hi); lo < hi {
			refine(ties, worker, index[lo:hi], codes[lo:hi], place{})
		}
	})
	scratch.Give(&r.Arena, codes, r.Loop.Workers)
	return ties.finish(r, err)
}

// runEnd returns the first place from i on that begins a run of equal codes, or
// their number.
func runEnd[C code](codes []C, i int) int {
	if i == 0 || i >= len(codes) {
		return i
	}
	return i + sort.Search(len(codes)-i, func(k int) bool { return codes[i+k] != codes[i-1] })
}

// refineTied refines an order by the ties that an engine has marked in it.
// Where it has marked none, nothing is read.
func refineTied(r *run, rows rows, lv []level, index []uint32, marked engine.Ties) error {
	ties := newTies(&r.Env, rows, lv)
	n := len(index)
	err := r.Stage("ties", n, r.piece(n), func(worker, lo, hi int) {
		w := &ties.work[worker]
		next, more := ties.after(place{}, 0)
		if !more {
			return
		}
		first := lo // behind the run of the piece before that goes on in this one
		if lo > 0 && marked.Tied(lo-1) {
			first = marked.Next(false, lo, hi)
		}
		for i := marked.Next(true, first, hi); i < hi; {
			end := marked.Next(false, i, n)
			ties.note(w, index[i-1:end], &next, true)
			i = marked.Next(true, end, hi)
		}
		ties.refineShort(w)
	})
	return ties.finish(r, err)
}
