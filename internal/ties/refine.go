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

// refineTied refines an order by codes at p, by the ties that an engine has marked in it. Elements without
// marks are not read.
func (t *Breaker) refineTied(index []uint32, marked engine.Ties, p extract.Level) error {
	t.markTied(marked, p)
	n := len(index)
	next, more := t.afterAll(p)
	alike := t.alike(&p) || next.Word > p.Word
	if alike && !more {
		return t.Finish(nil)
	}
	err := t.Env.Stage("ties", n, cpu.GatherPiece(t.Env, n), func(worker, lo, hi int) {
		w, next, more := &t.Work[worker], next, more
		first := lo // first place after a run that began in the piece before
		if lo > 0 && marked.Tied(lo-1) {
			first = marked.Next(false, lo, hi)
		}
		for i := marked.Next(true, first, hi); i < hi; {
			end := marked.Next(false, i, n)
			run := index[i-1 : end]
			if !alike {
				next, more = t.afterOne(w, run, p)
			}
			if more {
				t.note(w, run, &next, t.tied == 0)
			}
			i = marked.Next(true, end, hi)
		}
		t.refineShort(w)
	})
	return t.Finish(err)
}

// afterOne is [Breaker.After] of a run by the code of its first element. It marks the run if that ends the word.
func (t *Breaker) afterOne(w *Worker, run []uint32, p extract.Level) (extract.Level, bool) {
	var code [1]uint64
	t.Codes(w, code[:], run[:1], p)
	next, more := t.After(p, code[0])
	if !more || next.Word > p.Word {
		t.markRun(run, p)
	}
	return next, more
}
