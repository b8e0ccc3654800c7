package sorter

import (
	"cmp"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Sorted, reversed and equal inputs are found by whole keys while the first
// codes are extracted: where those tie, kept keys and later columns of
// neighbours are compared, until something is out of order. A pass of its own
// for that, behind the extraction, would read the elements once more.

// follow tells how elements lo, lo+1, … follow on each other, given their first
// codes.
func follow[E any, C code](t *ties[E], lo int, codes []C) (seen cpu.Steps) {
	w := t.spare.Get().(*tieWorker[E])
	defer t.spare.Put(w)
	tied := w.tied[:0]
	for i := 1; i < len(codes); i++ {
		switch a, b := codes[i-1], codes[i]; {
		case a == b:
			tied = append(tied, uint32(lo+i))
		case a < b:
			seen |= cpu.Rise
		default:
			seen |= cpu.Fall
		}
	}
	w.tied = tied
	if seen.Mixed() {
		return seen
	}
	return seen | t.followTied(w, tied, 0)
}

// followTied tells how elements that tie with the ones before them on the codes
// of a level, and on all before it, follow on those. It overwrites at.
func (t *ties[E]) followTied(w *tieWorker[E], at []uint32, level int) (seen cpu.Steps) {
	if l := &t.levels[level]; !l.exact() && !l.kept.complete(l.room) {
		at, seen = l.kept.follow(at, l.room)
	}
	switch level++; {
	case len(at) == 0 || seen.Mixed():
		return seen
	case level == len(t.levels):
		return seen | cpu.Tie
	case !t.watch:
		return cpu.Rise | cpu.Fall
	}
	return seen | t.followLevel(w, at, level)
}

// followLevel is followTied for elements that tie on everything before level.
func (t *ties[E]) followLevel(w *tieWorker[E], at []uint32, level int) (seen cpu.Steps) {
	t.open(level, true)
	still := at[:0]
	for len(at) > 0 && !seen.Mixed() {
		n := rowOf(at)
		codes := t.codesEarly(level, int(at[0])-1, n+1)
		for i, x := range at[:n] {
			step := stepOf(codes[i], codes[i+1])
			if step == cpu.Tie {
				still = append(still, x)
			} else {
				seen |= step
			}
		}
		at = at[n:]
	}
	if len(still) == 0 || seen.Mixed() {
		return seen
	}
	return seen | t.followTied(w, still, level)
}

// rowOf returns how many of the first numbers follow each other, fewer than a
// block has elements.
func rowOf(at []uint32) int {
	n := 1
	for n < len(at) && n < engine.Block-1 && at[n] == at[0]+uint32(n) {
		n++
	}
	return n
}

// early holds the codes of a level that were needed before its turn: for each
// element at most once, by whoever comes first, and kept for the level's turn.
type early struct {
	codes []uint64
	done  []bool // by element: its code is there
}

func newEarly(n int, arena *scratch.Arena) early {
	e := early{scratch.Take[uint64](arena, n), scratch.Take[bool](arena, n)}
	clear(e.done)
	return e
}

// codesEarly returns the codes of n elements from first on at a level, extracting
// those that are not there yet. A cancelled context leaves codes out.
func (t *ties[E]) codesEarly(level, first, n int) []uint64 {
	l := &t.levels[level]
	codes, done := l.early.codes[first:first+n], l.early.done[first:first+n]
	for lo := 0; lo < n && t.env.Loop.Err() == nil; {
		hi := lo
		for hi < n && hi-lo < piece && !done[hi] {
			done[hi] = true
			hi++
		}
		if lo == hi {
			lo++ // is there already
			continue
		}
		t.rows.block(l, first+lo, first+hi, func(b batch[E]) { l.codes(codes[lo:hi], b) })
		lo = hi
	}
	return codes
}

// earlyAlong places early codes like their elements.
func earlyAlong[C code](env *engine.Env, e *early, p *cpu.Placement[C]) (err error) {
	if e.codes == nil {
		return nil
	}
	if e.codes, err = cpu.Along(env, p, e.codes); err == nil {
		e.done, err = cpu.Along(env, p, e.done)
	}
	return err
}

// codesOnce writes the codes of at most piece elements at level l, extracting
// those that are not there yet.
func (t *ties[E]) codesOnce(w *tieWorker[E], dst []uint64, part []uint32, l *level[E]) {
	e := &l.early
	late := w.late[:0]
	for _, at := range part {
		if !e.done[at] {
			e.done[at] = true
			late = append(late, at)
		}
	}
	switch n := len(late); {
	case n > 0 && inRow(late):
		l.codes(e.codes[late[0]:][:n], t.rows.pick(l, w.block[:], late))
	case n > 0:
		fresh := w.fresh[:n]
		l.codes(fresh, t.rows.pick(l, w.block[:], late))
		for i, at := range late {
			e.codes[at] = fresh[i]
		}
	}
	for i, at := range part {
		dst[i] = e.codes[at]
	}
}

func stepOf[T cmp.Ordered](a, b T) cpu.Steps {
	switch {
	case a == b:
		return cpu.Tie
	case a < b:
		return cpu.Rise
	}
	return cpu.Fall
}
