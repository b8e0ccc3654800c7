package sorter

import (
	"bytes"
	"cmp"
	"sort"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Sorted, reversed and equal inputs are found by whole keys while the first
// codes are extracted: where those tie, kept keys and later columns of
// neighbours are compared, until something is out of order. A pass of its own
// for that, behind the extraction, would read the elements once more.

// follow is the [cpu.Watch] of the first level, whose codes come from src.
func follow[C code](t *ties, src cpu.Source[C], codes []C, lo, fresh int) (seen cpu.Steps) {
	w := t.spareWorker()
	defer t.spare.put(w)
	if w.tied == nil {
		w.tied = scratch.Take[uint32](&t.env.Arena, engine.Block)
	}
	known, tied := len(codes)-fresh, w.tied
	if l := &t.levels[0]; fresh > 0 && l.tells() {
		t.rows.block(l, lo+known, lo+len(codes), func(b batch) {
			tied, seen = l.kept.(tellingKeys).prefixTied(as[uint64](codes[known:]), b, known == 0, tied)
		})
		if t.env.Loop.Err() != nil {
			return seen // and codes are left out
		}
		return t.followBehind(w, tied, 0, seen)
	}
	src(codes[known:], lo+known)
	if t.env.Loop.Err() != nil {
		return seen // and codes are left out
	}
	if tied, seen = tiesOf(tied, codes, uint32(lo+1)); seen.Mixed() {
		return seen
	}
	return seen | t.followTied(w, tied, 0)
}

// tiesOf tells how elements first, first+1, … follow on the ones before them by
// codes, which begin with that of the element before the first. It writes those
// that tie to room, which it returns as far as it is used; len(room) >= len(codes)-1.
func tiesOf[C code](room []uint32, codes []C, first uint32) (tied []uint32, seen cpu.Steps) {
	n, last := 0, codes[0]
	for i, c := range codes[1:] {
		room[n] = first + uint32(i)
		switch {
		case c == last:
			n++
		case c > last:
			seen |= cpu.Rise
		default:
			seen |= cpu.Fall
		}
		last = c
	}
	return room[:n], seen
}

// followTied tells how elements that tie with the ones before them on the codes
// of a level, and on all before it, follow on those. It overwrites at.
func (t *ties) followTied(w *tieWorker, at []uint32, level int) (seen cpu.Steps) {
	if l := &t.levels[level]; !l.exact() && !l.kept.complete(l.room) {
		at, seen = l.kept.follow(at, l.room)
	}
	return t.followBehind(w, at, level, seen)
}

// followBehind is followTied for elements that tie on the keys of a level, too,
// where seen is what those showed of others.
func (t *ties) followBehind(w *tieWorker, at []uint32, level int, seen cpu.Steps) cpu.Steps {
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
func (t *ties) followLevel(w *tieWorker, at []uint32, level int) (seen cpu.Steps) {
	t.open(level, true)
	still := at[:0]
	for len(at) > 0 && !seen.Mixed() {
		n, tied, steps := rowOf(at), []uint32(nil), cpu.Steps(0)
		if n > few {
			tied, steps = tiesOf(at, t.codesEarly(level, int(at[0])-1, n+1), at[0])
		} else {
			n = min(len(at), piece/2)
			tied, steps = t.followFew(w, at[:n], level)
		}
		still, seen = append(still, tied...), seen|steps
		at = at[n:]
	}
	if len(still) == 0 || seen.Mixed() {
		return seen
	}
	return seen | t.followTied(w, still, level)
}

// followFew tells how at most piece/2 elements follow on the ones before them by
// their codes at a level, and returns those that tie, in the place of at. Few of them
// follow each other: their keys are extracted together.
func (t *ties) followFew(w *tieWorker, at []uint32, level int) (tied []uint32, seen cpu.Steps) {
	pairs := w.some[:0]
	for _, x := range at {
		if len(pairs) == 0 || pairs[len(pairs)-1] != x-1 {
			pairs = append(pairs, x-1)
		}
		pairs = append(pairs, x)
	}
	codes := w.early[:len(pairs)]
	t.codesOnce(w, codes, pairs, &t.levels[level])
	tied, k := at[:0], 0
	for _, x := range at {
		for pairs[k] != x {
			k++
		}
		if step := stepOf(codes[k-1], codes[k]); step == cpu.Tie {
			tied = append(tied, x)
		} else {
			seen |= step
		}
	}
	return tied, seen
}

// rowOf returns how many of the first numbers, which rise, follow each other, fewer
// than a block has elements.
func rowOf(at []uint32) int {
	return sort.Search(min(len(at), engine.Block-1), func(i int) bool { return at[i] != at[0]+uint32(i) })
}

// early holds the codes of a level that were needed before its turn: for each
// element at most once, by whoever comes first, and kept for the level's turn.
type early struct {
	codes []uint64
	done  []byte // by element: 1 if its code is there
}

// allDone marks a piece.
var allDone = bytes.Repeat([]byte{1}, piece)

func newEarly(n int, arena *scratch.Arena) early {
	e := early{scratch.Take[uint64](arena, n), scratch.Take[byte](arena, n)}
	clear(e.done)
	return e
}

// codesEarly returns the codes of n elements from first on at a level, extracting
// those that are not there yet. A cancelled context leaves codes out.
func (t *ties) codesEarly(level, first, n int) []uint64 {
	l := &t.levels[level]
	codes, done := l.early.codes[first:first+n], l.early.done[first:first+n]
	for lo := 0; lo < n && t.env.Loop.Err() == nil; {
		some := done[lo:min(lo+piece, n)]
		switch known := bytes.IndexByte(some, 1); {
		case known == 0:
			lo++
			continue
		case known > 0:
			some = some[:known]
		}
		hi := lo + copy(some, allDone)
		t.rows.block(l, first+lo, first+hi, func(b batch) { l.codes(codes[lo:hi], b) })
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
func (t *ties) codesOnce(w *tieWorker, dst []uint64, part []uint32, l *level) {
	e := &l.early
	late := w.late[:0]
	for _, at := range part {
		if e.done[at] == 0 {
			e.done[at] = 1
			late = append(late, at)
		}
	}
	t.roomFor(w)
	switch n := len(late); {
	case n > 0 && inRow(late):
		l.codes(e.codes[late[0]:][:n], t.rows.pick(l, w.block, late))
	case n > 0:
		fresh := w.fresh[:n]
		l.codes(fresh, t.rows.pick(l, w.block, late))
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
