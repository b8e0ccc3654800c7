package cpu

import (
	"sync/atomic"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

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

// StepsOf counts the steps between neighbours among codes; len(codes) > 0.
func StepsOf[C Code](codes []C) Steps {
	v := summaryOf(codes)
	return Steps{Rises: v.rises, Ties: len(codes) - 1 - v.rises - v.falls, Falls: v.falls}
}

// KeyComparer compares elements by their whole keys. Their codes are a prefix of these.
type KeyComparer[C Code] interface {
	// Follow counts the steps between elements lo, lo+1, …, by their codes and, if these are
	// equal, by the rest of their keys. It extracts the last fresh codes first, like a
	// [Source]. If it counts both rises and falls, it may count a tie as both. It is called
	// from several goroutines, never for overlapping pairs. Where none rises, it sets the bits in
	// ties of the elements that tie with their predecessors.
	Follow(codes []C, lo, fresh int, ties engine.Ties) Steps
	// Compare compares two elements whose codes are equal.
	Compare(i, j uint32) int
	// GoesOn reports whether the caller sorts each run of ties by the rest of the keys, for codes
	// that are in order, and all equal if flat is set; the sort then ends, with nothing done.
	GoesOn(codes []C, flat bool) bool
	// Concurrent reports whether Compare is safe for concurrent use.
	Concurrent() bool
	// Finer returns a source of codes in the same order of which fewer tie; nil if there is none. The
	// codes known are from least to most.
	Finer(codes []C, least, most C) Source[C]
}

// mostKeySteps bounds the steps in the rarer direction, n/mostKeySteps, after which whole keys
// are no longer compared. For random input that is after 2n/mostKeySteps elements.
const mostKeySteps = 64

// stepCounter counts the steps of n elements, block by block, until there are too many for moves.
type stepCounter struct {
	n         int
	found     marks
	disorder  atomic.Int64 // steps in the rarer direction, by block
	scattered atomic.Int64 // blocks with such steps
	most      int64        // bound on scattered
}

// begin prepares to count n elements in chunks of the given length.
func (t *stepCounter) begin(env *engine.Env, n, each int) {
	t.n, t.found.each, t.found.chunks = n, each, make([]chunkMarks, (n+each-1)/each)
	t.found.ties = scratch.In[uint32](&env.Arena, sizeTies(nil, n))
	clear(t.found.ties)
	t.most = int64(n)
}

// sizeTies sizes a bit for each of n elements.
func sizeTies(a *scratch.Area, n int) scratch.Memory { return a.Memory(engine.TieWords(n), 4) }

// tooMany reports whether there are too many steps for moves.
func (t *stepCounter) tooMany() bool {
	return t.disorder.Load() > int64(t.n/mostKeySteps+engine.Block/4) || t.scattered.Load() > t.most
}

// count adds the steps of the block that begins at lo. It seldom writes memory that workers
// share.
func (t *stepCounter) count(lo int, seen Steps) {
	p := &t.found.chunks[lo/t.found.each]
	p.add(lo%t.found.each/engine.Block, seen.Falls, seen.Rises)
	p.tied = p.tied || seen.Ties > 0
	if d := seen.Disorder(); d > 0 {
		t.disorder.Add(int64(d))
		t.scattered.Add(1)
	}
}

// marks returns the counts, nil if they are incomplete.
func (t *stepCounter) marks() *marks {
	if t.tooMany() {
		return nil
	}
	t.found.sum()
	return &t.found
}

// presortedCheck compares neighbours while codes are extracted.
type presortedCheck[C Code] struct {
	stepCounter
	keys  KeyComparer[C] // nil: nothing is compared
	codes []C
}

func newPresortedCheck[C Code](env *engine.Env, keys KeyComparer[C], codes []C) *presortedCheck[C] {
	w := &presortedCheck[C]{keys: keys, codes: codes}
	if keys != nil {
		w.begin(env, len(codes), chunkOf(env, len(codes))) // a chunk is extracted in order by one worker
		if keys.Concurrent() {
			w.most = int64(w.found.mostScattered())
		}
	}
	return w
}

// extract fills the codes of elements [lo, hi), a block of one chunk, and compares them.
func (w *presortedCheck[C]) extract(src Source[C], lo, hi int) {
	if w.keys == nil || w.tooMany() {
		src(w.codes[lo:hi], lo)
		return
	}
	first := lo
	if lo%w.found.each != 0 {
		first-- // same chunk: its code is there
	}
	w.count(lo, w.keys.Follow(w.codes[first:hi], first, hi-lo, w.found.ties))
}

// end counts the steps between chunks after extraction and returns the counts, nil if they are
// incomplete.
func (w *presortedCheck[C]) end() *marks {
	if w.keys == nil {
		return nil
	}
	for at := w.found.each; at < len(w.codes) && !w.tooMany(); at += w.found.each {
		w.count(at, w.keys.Follow(w.codes[at-1:at+1], at-1, 0, w.found.ties))
	}
	return w.marks()
}
