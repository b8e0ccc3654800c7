package ties

import (
	"sort"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// This file refines orders that exist. Ties are found by equal codes, or by the marks of an
// engine.

// RefineSorted refines the ties of an order; codes are those of words[0], in that order. It
// sorts runs in place, which takes the least memory, and returns codes to the arena. marks may
// be nil.
func RefineSorted[C sortkey.Code](env *engine.Env, rows extract.Input, words []extract.Word, index []uint32, codes []C, marks Marks) error {
	ties := New(env, rows, words)
	ties.Mark(marks, index)
	ties.inPlace = true
	err := env.Stage("ties", len(index), cpu.GatherPiece(env, len(index)), func(worker, lo, hi int) {
		lo, hi = tieEnd(codes, lo), tieEnd(codes, hi)
		Refine(ties, worker, index[lo:hi], codes[lo:hi], extract.Level{})
	})
	scratch.Give(&env.Arena, codes, env.Loop.Workers)
	return ties.Finish(err)
}

// tieEnd returns the first place >= i that begins a run of equal codes; len(codes) if there is
// none. i <= len(codes).
func tieEnd[C sortkey.Code](codes []C, i int) int {
	if i == 0 {
		return 0
	}
	return i + sort.Search(len(codes)-i, func(k int) bool { return codes[i+k] != codes[i-1] })
}

// RefineTied refines an order by the ties that an engine has marked in it. Elements without
// marks are not read. marks may be nil.
func RefineTied(env *engine.Env, rows extract.Input, words []extract.Word, index []uint32, marked engine.Ties, marks Marks) error {
	ties := New(env, rows, words)
	ties.Mark(marks, index)
	ties.markTied(marked)
	n := len(index)
	err := env.Stage("ties", n, cpu.GatherPiece(env, n), func(worker, lo, hi int) {
		w := &ties.Work[worker]
		next, more := ties.After(extract.Level{}, 0)
		if !more {
			return
		}
		first := lo // first place after a run that began in the piece before
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
	return ties.Finish(err)
}
