package cpu

import (
	"errors"
	"sync/atomic"

	"example.com/sorter/internal/engine"
)

// ErrTied says that all codes are equal, and nothing was moved or delivered.
var ErrTied = errors.New("cpu: all codes are equal")

// Steps count how elements follow on their predecessors, by their whole keys.
type Steps struct {
	Rises, Ties, Falls int // above, equal to, below the predecessor
}

// Plus returns the sum of s and t.
func (s Steps) Plus(t Steps) Steps {
	return Steps{s.Rises + t.Rises, s.Ties + t.Ties, s.Falls + t.Falls}
}

// Disorder is the number of steps in the direction that fewer of them take.
func (s Steps) Disorder() int { return min(s.Rises, s.Falls) }

// Watch compares elements by their whole keys, of which codes are the first part.
type Watch[C Code] interface {
	// Follow counts the steps between elements lo, lo+1, …, by their codes and, where
	// these are equal, by the rest of their keys. The last fresh of the codes are not
	// there yet: it extracts them, like a [Source]. Where it counts rises as well as
	// falls, it may count ties as both. It is called from several goroutines, never for
	// overlapping pairs.
	Follow(codes []C, lo, fresh int) Steps
	// Compare compares two elements whose codes are equal.
	Compare(i, j uint32) int
	// Skips reports whether the caller sorts by the rest of the keys where all codes are
	// equal: [ErrTied] says so.
	Skips() bool
	// Concurrent reports whether Compare may be called from several goroutines.
	Concurrent() bool
}

// watchedFalls is the part of the elements, 1/watchedFalls, that may follow their
// predecessors in the rarer direction while they are watched: a list in no order is
// watched as long as twice that part of it is read.
const watchedFalls = 64

// tally counts the steps of n elements, block by block, until there is too much disorder
// for a layout.
type tally struct {
	n        int
	found    marks
	disorder atomic.Int64
}

// begin begins to count steps of pieces of that many elements.
func (t *tally) begin(n, each int) {
	t.n, t.found.each, t.found.pieces = n, each, make([]pieceMarks, (n+each-1)/each)
}

// lost reports whether it is no use to count on.
func (t *tally) lost() bool {
	return t.disorder.Load() > int64(t.n/watchedFalls+engine.Block/4)
}

// saw notes the steps of the block that begins at lo. Workers share what they write to,
// so they seldom do.
func (t *tally) saw(lo int, seen Steps) {
	p := &t.found.pieces[lo/t.found.each]
	p.add(lo%t.found.each/engine.Block, seen.Falls, seen.Rises)
	p.tied = p.tied || seen.Ties > 0
	if d := seen.Disorder(); d > 0 {
		t.disorder.Add(int64(d))
	}
}

// marks returns how whole keys fall and rise, nil if they were not counted to the end.
func (t *tally) marks() *marks {
	if t.lost() {
		return nil
	}
	t.found.sum()
	return &t.found
}

// watcher watches while codes are extracted.
type watcher[C Code] struct {
	tally
	watch Watch[C] // nil: nothing is watched
	codes []C
}

func newWatcher[C Code](env *engine.Env, watch Watch[C], codes []C) *watcher[C] {
	w := &watcher[C]{watch: watch, codes: codes}
	if watch != nil {
		w.begin(len(codes), chunkOf(env, len(codes))) // of those extracted one after the other
	}
	return w
}

// extract fills the codes of elements [lo, hi), a block of one piece, and watches them.
func (w *watcher[C]) extract(src Source[C], lo, hi int) {
	if w.watch == nil || w.lost() {
		src(w.codes[lo:hi], lo)
		return
	}
	first := lo
	if lo%w.found.each != 0 {
		first-- // of the same piece, and so extracted
	}
	w.saw(lo, w.watch.Follow(w.codes[first:hi], first, hi-lo))
}

// end watches the steps between pieces, when all of them are extracted, and returns how
// whole keys fall and rise, nil if they were not watched to the end.
func (w *watcher[C]) end() *marks {
	if w.watch == nil {
		return nil
	}
	for at := w.found.each; at < len(w.codes) && !w.lost(); at += w.found.each {
		w.saw(at, w.watch.Follow(w.codes[at-1:at+1], at-1, 0))
	}
	return w.marks()
}
