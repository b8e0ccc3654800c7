package sorter

// Short runs that tie up to one level are refined together: a call for the codes of a
// hundred elements takes little more than one for two.

// together is the number of elements of runs that are refined together, at most.
const together = piece / 2

// shortRuns are runs that tie up to a level and wait for its codes.
type shortRuns struct {
	level int
	n     int                       // elements of all runs
	count int                       // runs
	runs  [2][together / 2][]uint32 // their orders, and those of the next level
	order [together]uint32          // the elements, run after run
	codes [together]uint64          // of the elements
}

// isShort reports whether a run is left to refineShort.
func (t *ties) isShort(w *tieWorker, run tie) bool {
	n := len(run.order)
	if run.tail || n > together/2 {
		return false
	}
	short := &w.short
	if short.n+n > together || short.n > 0 && short.level != run.level {
		t.refineShort(w)
	}
	short.level = run.level
	short.add(0, run.order)
	return true
}

// add adds a run, for which there is room.
func (s *shortRuns) add(list int, run []uint32) {
	s.runs[list][s.count] = run
	s.count++
	s.n += copy(s.order[s.n:], run)
}

// refineShort sorts the short runs that wait, and the runs found in them.
func (t *ties) refineShort(w *tieWorker) {
	short := &w.short
	for list := 0; short.n > 0 && t.env.Loop.Err() == nil; list, short.level = 1-list, short.level+1 {
		t.codes(w, short.codes[:short.n], short.order[:short.n], place{level: short.level})
		runs, from := short.runs[list][:short.count], 0
		short.n, short.count = 0, 0
		for _, run := range runs {
			to := from + len(run)
			t.refineCoded(w, run, from, to, 1-list)
			from = to
		}
	}
	short.n, short.count = 0, 0
}

// refineCoded sorts a short run whose codes are [from, to) of all. It adds the runs that
// tie up to the next level to a list, and sorts those that tie on keys.
func (t *ties) refineCoded(w *tieWorker, run []uint32, from, to, list int) {
	short := &w.short
	codes, order := short.codes[from:to], short.order[from:to]
	t.sortCoded(w, codes, order)
	copy(run, order)
	p := place{level: short.level}
	for i, end := nextRun(codes, 0); i < end; i, end = nextRun(codes, end) {
		switch next, more := t.after(p, codes[i]); {
		case !more:
		case next.tail:
			t.refineRun(w, codes[i:end], tie{run[i:end], next}, false)
		default:
			short.add(list, run[i:end]) // over elements that were read
		}
	}
}
