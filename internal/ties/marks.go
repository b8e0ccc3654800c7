package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
)

// Marks are the ties of an order by word: bit i of Marks[w] is set if the row at place i equals
// its predecessor in words 0 … w. It is nil for words whose ties nobody asks for. Orders mark
// ties where they find them: codes in order are there then, and in the cache.
type Marks []engine.Ties

// Mark makes t mark the ties of an order in marks. Runs that t refines are slices of index, up
// to its capacity: so the capacity of a run says at which place it begins.
func (t *Breaker) Mark(marks Marks, index []uint32) { t.marks, t.end = marks, cap(index) }

// mark marks the ties among elements that tie up to p and are in the order of codes made there.
// t has marks.
func mark[C sortkey.Code](t *Breaker, order []uint32, codes []C, p extract.Level) {
	if t.marks[p.Word] == nil {
		return
	}
	tied, place := t.marks[p.Word], t.end-cap(order)
	if t.alike(&p) {
		if t.leaves(&p, 0) {
			engine.MarkTies(tied, place, false, codes)
		}
		return
	}
	for i, end := NextTie(codes, 0); i < end; i, end = NextTie(codes, end) {
		if t.leaves(&p, uint64(codes[i])) {
			engine.MarkTies(tied, place+i, false, codes[i:end])
		}
	}
}

// leaves reports whether elements that tie on code, made at p, are equal in all of p's word.
func (t *Breaker) leaves(p *extract.Level, code uint64) bool {
	next, more := t.After(*p, code)
	return !more || next.Word > p.Word
}

// markTied marks in the first word the ties that an engine found, which may be there already.
func (t *Breaker) markTied(found engine.Ties) {
	if t.marks == nil || !t.leaves(&extract.Level{}, 0) {
		return
	}
	copy(t.marks[0], found)
}

// MarkSorted marks the ties of codes in order that decide alone.
func MarkSorted[C sortkey.Code](env *engine.Env, codes []C, tied engine.Ties) error {
	n := len(codes)
	return env.Stage("ties", n, cpu.GatherPiece(env, n), func(_, lo, hi int) {
		engine.MarkTies(tied, lo, lo > 0 && codes[lo-1] == codes[lo], codes[lo:hi])
	})
}
