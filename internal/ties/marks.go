package ties

import (
	"sync/atomic"

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

// markTied marks in p's word the ties that an engine found by codes made there, if elements that tie in these are equal in
// all of the word.
func (t *Breaker) markTied(found engine.Ties, p extract.Level) {
	if next, more := t.afterAll(p); t.marks != nil && (!more || next.Word > p.Word) {
		copy(t.marks[p.Word], found)
	}
}

// markRun marks a run in p's word. It may be called concurrently.
func (t *Breaker) markRun(run []uint32, p extract.Level) {
	if t.marks == nil || t.marks[p.Word] == nil {
		return
	}
	first := t.end - cap(run) + 1
	for i, end := first, first+len(run)-1; i < end; {
		n := min(32-i%32, end-i)
		atomic.OrUint32(&t.marks[p.Word][i/32], ^uint32(0)>>(32-n)<<(i%32))
		i += n
	}
}

// MarkSorted marks the ties of codes in order that decide alone.
func MarkSorted[C sortkey.Code](env *engine.Env, codes []C, tied engine.Ties) error {
	n := len(codes)
	return env.Stage("ties", n, cpu.GatherPiece(env, n), func(_, lo, hi int) {
		engine.MarkTies(tied, lo, lo > 0 && codes[lo-1] == codes[lo], codes[lo:hi])
	})
}
