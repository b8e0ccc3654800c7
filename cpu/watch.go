package cpu

import (
	"sync/atomic"

	"example.com/sorter/internal/engine"
)

// Steps are the ways in which elements were seen to follow on their
// predecessors, by their whole keys.
type Steps uint32

const (
	Rise Steps = 1 << iota // above its predecessor
	Tie                    // equal to it
	Fall                   // below it
)

// Mixed reports whether elements are neither in order nor strictly falling.
func (s Steps) Mixed() bool { return s&Fall != 0 && s != Fall }

// Watch tells the steps between elements lo, lo+1, …, whose codes are given, by
// what lies behind equal codes. Once steps are mixed it need not look further.
// It is called from several goroutines, never for overlapping pairs, and for
// elements whose codes have been extracted.
type Watch[C Code] func(lo int, codes []C) Steps

// watcher watches while codes are extracted, until steps are mixed: disorder
// ends it soon, and order makes everything after it needless.
type watcher[C Code] struct {
	env   *engine.Env
	watch Watch[C] // nil: codes are all there is to see
	codes []C
	seen  atomic.Uint32
}

// chunk is how many elements are extracted one after the other.
func (w *watcher[C]) chunk() int { return chunkOf(len(w.codes), w.env.Loop.Workers) }

func (w *watcher[C]) steps() Steps { return Steps(w.seen.Load()) }

// block watches elements [lo, hi) and the one before lo, if that is of the same
// chunk and so has been extracted.
func (w *watcher[C]) block(lo, hi int) {
	if w.watch == nil || w.steps().Mixed() || w.env.Loop.Err() != nil {
		return
	}
	if lo%w.chunk() != 0 {
		lo--
	}
	w.seen.Or(uint32(w.watch(lo, w.codes[lo:hi])))
}

// seams watches the steps between chunks, when all of them are extracted.
func (w *watcher[C]) seams() {
	chunk := w.chunk()
	for at := chunk; w.watch != nil && at < len(w.codes) && !w.steps().Mixed(); at += chunk {
		w.seen.Or(uint32(w.watch(at-1, w.codes[at-1:at+1])))
	}
}
