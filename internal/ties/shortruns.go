package ties

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
)

// Short runs that tie up to the same place are refined together: extracting a hundred codes in
// one call costs little more than extracting two.

// together is the largest number of elements in runs that are refined together.
const together = extract.Piece / 2

// shortRuns is a batch of runs that tie up to one place and wait for its codes.
type shortRuns struct {
	place extract.Level
	n     int                       // elements of all runs
	count int                       // runs
	runs  [2][together / 2][]uint32 // their orders, and those of the next place
	order [together]uint32          // the elements, run after run
	codes [together]uint64          // of the elements
}

// isShort reports whether a run that ties up to p is left to refineShort.
func (t *Breaker) isShort(w *Worker, order []uint32, p *extract.Level) bool {
	n := len(order)
	if n > together/2 || !t.alike(p) {
		return false
	}
	short := &w.short
	if short.n+n > together || short.place != *p {
		t.refineShort(w)
	}
	if short.n == 0 {
		short.place = *p
	}
	short.add(0, order)
	return true
}

// alike reports whether the codes of all runs that tie up to p are made the same way, so that
// these runs then tie up to one place.
func (t *Breaker) alike(p *extract.Level) bool { return !p.Tail || t.Words[p.Word].Full.ByDepth() }

// add adds a run to a list, which must have space for it.
func (s *shortRuns) add(list int, run []uint32) {
	s.runs[list][s.count] = run
	s.count++
	s.n += copy(s.order[s.n:], run)
}

// refineShort sorts the waiting short runs and the runs of ties found in them.
func (t *Breaker) refineShort(w *Worker) {
	short := &w.short
	for list := 0; short.n > 0 && t.Env.Loop.Err() == nil; list = 1 - list {
		t.Codes(w, short.codes[:short.n], short.order[:short.n], short.place)
		runs, from := short.runs[list][:short.count], 0
		place := short.place
		next, more := t.After(place, 0)
		marked := t.marks != nil && t.marks[place.Word] != nil && (!more || next.Word > place.Word)
		short.place, short.n, short.count = next, 0, 0
		for _, run := range runs {
			codes, order := short.codes[from:from+len(run)], short.order[from:from+len(run)]
			t.sortCoded(w, codes, order)
			copy(run, order)
			if marked { // by the same answer: another worker may find a longer key meanwhile
				engine.MarkTies(t.marks[place.Word], t.end-cap(run), false, codes)
			}
			if from += len(run); more {
				t.refineCoded(w, run, codes, 1-list)
			}
		}
	}
	short.n, short.count = 0, 0
}

// refineCoded sorts the runs of equal codes in a short run that is sorted by codes. It adds
// them to a list, or sorts each at once if their codes are not made alike.
func (t *Breaker) refineCoded(w *Worker, run []uint32, codes []uint64, list int) {
	short := &w.short
	for i, end := NextTie(codes, 0); i < end; i, end = NextTie(codes, end) {
		if t.alike(&short.place) {
			short.add(list, run[i:end]) // overwrites elements already read
		} else {
			t.refineParts(w, codes[i:end], Tie{run[i:end], short.place}, false)
		}
	}
}
