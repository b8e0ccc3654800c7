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
	both := withBefore(w.both, at)
	w.both = both
	if len(w.codes) < len(both) {
		w.codes = scratch.Take[uint64](&t.env.Arena, engine.Block+1)
	}
	codes := w.codes[:len(both)]
	t.open(level, true)
	t.codes(w, codes, both, place{level: level})
	still, j := at[:0], 0 // both[j] is at[i]
	for _, x := range at {
		for both[j] != x {
			j++
		}
		step := stepOf(codes[j-1], codes[j])
		if step == cpu.Tie {
			still = append(still, x)
		} else {
			seen |= step
		}
	}
	if len(still) == 0 || seen.Mixed() {
		return seen
	}
	return seen | t.followTied(w, still, level)
}

// withBefore returns the elements numbered by at and the ones before each, all
// once, in the memory of list.
func withBefore(list, at []uint32) []uint32 {
	list = list[:0]
	for _, x := range at {
		if n := len(list); n == 0 || list[n-1] != x-1 {
			list = append(list, x-1)
		}
		list = append(list, x)
	}
	return list
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
