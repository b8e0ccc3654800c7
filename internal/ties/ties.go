// Package ties sorts elements whose codes tie by the codes of the next word of their keys, and
// so on. It also compares neighbours by whole keys while codes are extracted, so that inputs
// in order, or nearly in order, are found.
package ties

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// Tie is a run of elements that tie up to a place.
type Tie struct {
	Order []uint32
	extract.Level
}

// Breaker orders the elements whose codes tie but whose keys may differ.
type Breaker struct {
	Env     *engine.Env
	Input   extract.Input
	Words   []extract.Word
	Work    []Worker
	opened  []sync.Once // by word: memory for its full keys is taken
	Early   bool        // compare later words during extraction, with codes of these that are kept
	inPlace bool        // small runs are sorted in place
	spare   scratch.Spares[Worker]
	marks   Marks // of ties, see Mark
	end     int
	runs    engine.Ties // of the first word, see Runs

	mu    sync.Mutex
	large []Tie
}

// Worker is the workspace of one worker.
type Worker struct {
	count int                   // elements whose first codes tied
	short shortRuns             // not yet refined
	parts []unrefined           // parts of a run, not yet refined
	codes []uint64              // of the run's elements
	block cpu.Payload           // a piece of elements, taken at first use
	used  int                   // number of elements of block written since it was cleared
	late  [extract.Piece]uint32 // elements whose codes were not needed early
	fresh [extract.Piece]uint64 // their codes
	Pairs cpu.Pairs
	tied  []uint32              // elements that tie with the one before
	ties  engine.Ties           // where they are marked
	some  [extract.Piece]uint32 // those and the ones before, where few follow each other
	early [extract.Piece]uint64 // their codes
}

// workerBytes is the size of a workspace.
const workerBytes = int64(unsafe.Sizeof(Worker{}))

// New returns a breaker for the ties of an input, by the words of its keys.
func New(env *engine.Env, rows extract.Input, words []extract.Word) *Breaker {
	t := &Breaker{Env: env, Input: rows, Words: words, Work: make([]Worker, max(1, env.Loop.Workers)), opened: make([]sync.Once, len(words))}
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

// Forget clears the copies of elements that the first worker holds.
func (t *Breaker) Forget() {
	w := &t.Work[0]
	if w.used > 0 {
		w.block.Part(0, w.used).Clear()
	}
	w.used, t.Input.Slice = 0, cpu.Payload{}
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

// Open takes memory for the full keys of a word and, with early, for its codes.
func (t *Breaker) Open(word int, early bool) {
	t.opened[word].Do(func() {
		l := &t.Words[word]
		l.Open(t.Input, t.Env)
		if early && l.Early.Codes == nil {
			l.Early = extract.NewEarly(t.Input.Len, &t.Env.Arena)
		}
	})
}

// Codes writes the codes of elements at p. If the context is cancelled, codes may be missing.
func (t *Breaker) Codes(w *Worker, dst []uint64, order []uint32, p extract.Level) {
	l := &t.Words[p.Word]
	if p.Tail {
		l.Full.Codes(dst, order, p)
		return
	}
	t.Open(p.Word, false)
	t.takeBlock(w)
	for i := 0; i < len(order) && t.Env.Loop.Err() == nil; i += extract.Piece {
		part := order[i:min(i+extract.Piece, len(order))]
		if l.Early.Codes == nil {
			w.used = max(w.used, len(part))
			l.Codes(dst[i:i+len(part)], t.Input.Some(l, w.block, part))
		} else {
			t.codesOnce(w, dst[i:i+len(part)], part, l)
		}
	}
}

// takeBlock takes memory for a piece of elements.
func (t *Breaker) takeBlock(w *Worker) {
	if w.block.Data() == nil {
		elements := t.Input.Slice
		w.block = elements.Take(&t.Env.Arena, sizeBlock(nil, elements.Size()).Len(elements.Size()))
	}
}

// sizeBlock sizes [extract.Piece] elements of the given size.
func sizeBlock(a *scratch.Area, element uintptr) scratch.Memory {
	return a.Memory(extract.Piece, element)
}
