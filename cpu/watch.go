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

// Watch tells the steps between elements lo, lo+1, …, by their codes and by what
// lies behind equal ones. The last fresh of the codes are not there yet: it extracts
// them, like a [Source]. Once steps are mixed it need not look further. It is called
// from several goroutines, never for overlapping pairs.
type Watch[C Code] func(codes []C, lo, fresh int) Steps

// watcher watches while codes are extracted, until steps are mixed: disorder
// ends it soon, and order makes everything after it needless.
type watcher[C Code] struct {
	env   *engine.Env
	watch Watch[C] // nil: codes are all there is to see
	codes []C
	seen  atomic.Uint32
}

// chunk is how many elements are extracted one after the other.
func (w *watcher[C]) chunk() int { return chunkOf(w.env, len(w.codes)) }

func (w *watcher[C]) steps() Steps { return Steps(w.seen.Load()) }

// extract fills the codes of elements [lo, hi), of one chunk, and watches them; src
// does if nothing is to be seen.
func (w *watcher[C]) extract(src Source[C], lo, hi int) {
	if w.watch == nil || w.steps().Mixed() {
		src(w.codes[lo:hi], lo)
		return
	}
	first := lo
	if lo%w.chunk() != 0 {
		first-- // of the same chunk, and so extracted
	}
	w.saw(w.watch(w.codes[first:hi], first, hi-lo))
}

// saw notes steps. Workers share what they write to, so they seldom do.
func (w *watcher[C]) saw(seen Steps) {
	if seen&^w.steps() != 0 {
		w.seen.Or(uint32(seen))
	}
}

// seams watches the steps between chunks, when all of them are extracted.
func (w *watcher[C]) seams() {
	chunk := w.chunk()
	for at := chunk; w.watch != nil && at < len(w.codes) && !w.steps().Mixed(); at += chunk {
		w.saw(w.watch(w.codes[at-1:at+1], at-1, 0))
	}
}
