// Package ties sorts elements whose codes tie by the codes of the next word of their keys, and
// so on.
package ties

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/scratch"
)

// Tie is a run of elements that tie up to a place.
type Tie struct {
	Order []uint32
	extract.Level
}

// Breaker orders the elements whose codes tie but whose keys may differ.
type Breaker struct {
	extract.Keys
	Work    []Worker
	inPlace bool // small runs are sorted in place
	spare   scratch.Spares[Worker]
	marks   Marks // of ties, see Mark
	end     int
	tied    int // elements whose first codes tied, if an engine has counted them

	mu    sync.Mutex
	large []Tie
}

// Worker is the workspace of one worker.
type Worker struct {
	extract.Reader
	count int         // elements whose first codes tied
	short shortRuns   // not yet refined
	parts []unrefined // parts of a run, not yet refined
	codes []uint64    // of the run's elements
	Pairs bucket.Pairs
}

// workerBytes is the size of a workspace.
const workerBytes = int64(unsafe.Sizeof(Worker{}))

// New returns a breaker for the ties of an input, by the words of its keys.
func New(env *engine.Env, rows extract.Input, words []extract.Word) *Breaker {
	t := &Breaker{Keys: extract.NewKeys(env, rows, words), Work: make([]Worker, max(1, env.Loop.Workers))}
	env.Arena.Hold(WorkBytes(env.Loop.Workers))
	return t
}

// spareWorker returns a workspace for a caller that has no worker number. The caller puts it
// back.
func (t *Breaker) spareWorker() *Worker {
	w := t.spare.Get()
	if w == nil {
		w = new(Worker)
		t.Env.Arena.Hold(workerBytes)
	}
	return w
}

// After returns the place at which elements that tie on code, made at p, are refined; false if
// they are equal. The place does not depend on code if codes are made alike.
func (t *Breaker) After(p extract.Level, code uint64) (extract.Level, bool) {
	l, depth, more := &t.Words[p.Word], 0, false
	switch {
	case p.Whole:
	case p.Tail:
		depth, more = l.Full.NextDepth(code, p)
	case !l.Whole():
		depth, more = l.Full.TieDepth(l.PrefixBits), true
	}
	if more {
		return extract.Level{Word: p.Word, Tail: true, Depth: depth}, true
	}
	return extract.Level{Word: p.Word + 1}, p.Word+1 < len(t.Words)
}

// afterAll is [Breaker.After] of all elements that tie on codes at p, whatever these are. Of texts that have not ended with
// them it is a place up to which all others tie, too.
func (t *Breaker) afterAll(p extract.Level) (extract.Level, bool) {
	if p.Even && t.Words[p.Word].Full.Ended(p) {
		return extract.Level{Word: p.Word + 1}, p.Word+1 < len(t.Words)
	} else if p.Even {
		return extract.Level{Word: p.Word, Tail: true, Depth: p.Depth + texts.EvenBytes}, true
	}
	return t.After(p, 0)
}

// Codes writes the codes of elements at p. If the context is cancelled, codes may be missing.
func (t *Breaker) Codes(w *Worker, dst []uint64, order []uint32, p extract.Level) {
	if p.Tail {
		t.Words[p.Word].Full.Codes(dst, order, p)
		return
	}
	t.Open(p.Word, false)
	for i := 0; i < len(order) && t.Env.Loop.Err() == nil; i += extract.Piece {
		part := order[i:min(i+extract.Piece, len(order))]
		t.Read(&w.Reader, dst[i:i+len(part)], part, p.Word)
	}
}
