package cpu

import (
	"errors"
	"sync/atomic"

	"example.com/sorter/internal/engine"
)

// ErrTied reports that all codes are equal and that nothing was moved or delivered.
var ErrTied = errors.New("cpu: all codes are equal")

// Steps counts pairs of neighbours by the comparison of their whole keys.
type Steps struct {
	Rises, Ties, Falls int // elements above, equal to, below their predecessor
}

// Plus returns the sum of s and t.
func (s Steps) Plus(t Steps) Steps {
	return Steps{s.Rises + t.Rises, s.Ties + t.Ties, s.Falls + t.Falls}
}

// Disorder returns the number of steps in the rarer direction.
func (s Steps) Disorder() int { return min(s.Rises, s.Falls) }

// Watch compares elements by their whole keys. Their codes are a prefix of these.
type Watch[C Code] interface {
	// Follow counts the steps between elements lo, lo+1, …, by their codes and, if these are
	// equal, by the rest of their keys. It extracts the last fresh codes first, like a
	// [Source]. If it counts both rises and falls, it may count a tie as both. It is called
	// from several goroutines, never for overlapping pairs.
	Follow(codes []C, lo, fresh int) Steps
	// Compare compares two elements whose codes are equal.
	Compare(i, j uint32) int
	// Skips reports whether the caller sorts by the rest of the keys if all codes are equal;
	// the sort then returns [ErrTied].
	Skips() bool
	// Concurrent reports whether Compare is safe for concurrent use.
	Concurrent() bool
}

// watchedFalls bounds the steps in the rarer direction, n/watchedFalls, after which whole keys
// are no longer compared. For random input that is after 2n/watchedFalls elements.
const watchedFalls = 64

// tally counts the steps of n elements, block by block, until there are too many for a layout.
type tally struct {
	n        int
	found    marks
	disorder atomic.Int64
}

// begin prepares to count n elements in pieces of the given length.
func (t *tally) begin(n, each int) {
	t.n, t.found.each, t.found.pieces = n, each, make([]pieceMarks, (n+each-1)/each)
}

// lost reports whether there are too many steps for a layout.
func (t *tally) lost() bool {
	return t.disorder.Load() > int64(t.n/watchedFalls+engine.Block/4)
}

// saw adds the steps of the block that begins at lo. It seldom writes memory that workers
// share.
func (t *tally) saw(lo int, seen Steps) {
	p := &t.found.pieces[lo/t.found.each]
	p.add(lo%t.found.each/engine.Block, seen.Falls, seen.Rises)
	p.tied = p.tied || seen.Ties > 0
	if d := seen.Disorder(); d > 0 {
		t.disorder.Add(int64(d))
	}
}

// marks returns the counts, nil if they are incomplete.
func (t *tally) marks() *marks {
	if t.lost() {
		return nil
	}
	t.found.sum()
	return &t.found
}

// watcher compares neighbours while codes are extracted.
type watcher[C Code] struct {
	tally
	watch Watch[C] // nil: nothing is compared
	codes []C
}

func newWatcher[C Code](env *engine.Env, watch Watch[C], codes []C) *watcher[C] {
	w := &watcher[C]{watch: watch, codes: codes}
	if watch != nil {
		w.begin(len(codes), chunkOf(env, len(codes))) // a piece is extracted in order by one worker
	}
	return w
}

// extract fills the codes of elements [lo, hi), a block of one piece, and compares them.
func (w *watcher[C]) extract(src Source[C], lo, hi int) {
	if w.watch == nil || w.lost() {
		src(w.codes[lo:hi], lo)
		return
	}
	first := lo
	if lo%w.found.each != 0 {
		first-- // same piece: its code is there
	}
	w.saw(lo, w.watch.Follow(w.codes[first:hi], first, hi-lo))
}

// end counts the steps between pieces after extraction and returns the counts, nil if they are
// incomplete.
func (w *watcher[C]) end() *marks {
	if w.watch == nil {
		return nil
	}
	for at := w.found.each; at < len(w.codes) && !w.lost(); at += w.found.each {
		w.saw(at, w.watch.Follow(w.codes[at-1:at+1], at-1, 0))
	}
	return w.marks()
}
