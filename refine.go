package sorter

import (
	"math/bits"
	"sort"

	"example.com/sorter/internal/scratch"
)

// What breaks the ties of an order that is there, whoever made it: they are found
// by its codes, or by the marks of an engine.

// refineSorted refines the ties of an order whose codes, those of lv[0], are in
// order too, and gives these back.
func refineSorted[E any, C code](r *run, rows rows[E], lv []level[E], index []uint32, codes []C) error {
	ties := newTies(&r.Env, rows, lv)
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
func refineTied[E any](r *run, rows rows[E], lv []level[E], index []uint32, marked tieMarks) error {
	ties := newTies(&r.Env, rows, lv)
	n := len(index)
	err := r.Stage("ties", n, r.piece(n), func(worker, lo, hi int) {
		first := lo // behind the run of the piece before that goes on in this one
		if lo > 0 && marked.tied(lo-1) {
			first = marked.next(false, lo, hi)
		}
		for i := marked.next(true, first, hi); i < hi; {
			end := marked.next(false, i, n)
			ties.note(worker, index[i-1:end], 0, place{})
			i = marked.next(true, end, hi)
		}
		ties.refineOpen(worker)
	})
	return ties.finish(r, err)
}

// tieMarks are the ties of an order as engines mark them: [engine.Job.Ties].
type tieMarks []uint32

// tied reports whether the code at place i equals the one before it.
func (m tieMarks) tied(i int) bool { return m[i/32]>>(i%32)&1 != 0 }

// next returns the first place from i on, below n, that is tied or is not; n if
// there is none.
func (m tieMarks) next(tied bool, i, n int) int {
	flip := uint32(0)
	if !tied {
		flip = ^flip
	}
	for i < n {
		if word := (m[i/32] ^ flip) >> (i % 32); word != 0 {
			return min(i+bits.TrailingZeros32(word), n)
		}
		i = (i/32 + 1) * 32
	}
	return n
}
