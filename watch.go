package sorter

import (
	"bytes"
	"cmp"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Inputs in order, or falling, except for a few elements are found by whole keys while
// the first codes are extracted: where those tie, kept keys and later columns of
// neighbours are compared, until too many rise and too many fall. A separate pass after
// the extraction would read every element again.

// follow is Follow of a [cpu.Watch] of the first level, whose codes come from src.
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
		return t.followAfter(w, tied, 0, seen)
	}
	src(codes[known:], lo+known)
	if t.env.Loop.Err() != nil {
		return seen // and codes are left out
	}
	if tied, seen = tiesOf(tied, codes, uint32(lo+1)); seen.Disorder() > len(codes)/8 {
		return either(tied, seen)
	}
	return t.followTied(w, tied, 0, seen)
}

// either counts elements that tie, as far as is known, as rising and as falling.
func either(tied []uint32, seen cpu.Steps) cpu.Steps {
	return seen.Plus(cpu.Steps{Rises: len(tied), Ties: len(tied), Falls: len(tied)})
}

// tiesOf counts how elements first, first+1, … follow on the ones before them by codes,
// which begin with that of the element before the first. It writes those that tie to
// room, which it returns as far as it is used; len(room) >= len(codes)-1.
func tiesOf[C code](room []uint32, codes []C, first uint32) (tied []uint32, seen cpu.Steps) {
	n, falls, last := 0, 0, codes[0]
	for i, c := range codes[1:] {
		room[n] = first + uint32(i)
		switch {
		case c == last:
			n++
		case c < last:
			falls++
		}
		last = c
	}
	return room[:n], cpu.Steps{Rises: len(codes) - 1 - n - falls, Falls: falls}
}

// followTied adds to seen how elements that tie with the ones before them on the codes
// of a level, and on all before it, follow on those. It overwrites at.
func (t *ties) followTied(w *tieWorker, at []uint32, level int, seen cpu.Steps) cpu.Steps {
	if l := &t.levels[level]; len(at) > 0 && !l.exact() && !l.kept.complete(l.room) {
		still, steps := l.kept.follow(at, l.room)
		at, seen = still, seen.Plus(steps)
	}
	return t.followAfter(w, at, level, seen)
}

// followAfter is followTied for elements that tie on the keys of a level, too.
func (t *ties) followAfter(w *tieWorker, at []uint32, level int, seen cpu.Steps) cpu.Steps {
	switch level++; {
	case len(at) == 0:
		return seen
	case level == len(t.levels):
		return seen.Plus(cpu.Steps{Ties: len(at)})
	case !t.watch:
		return either(at, seen)
	}
	return t.followLevel(w, at, level, seen)
}

// followLevel is followTied for elements that tie on everything before level, by its
// codes.
func (t *ties) followLevel(w *tieWorker, at []uint32, level int, seen cpu.Steps) cpu.Steps {
	t.open(level, true)
	still := at[:0]
	for len(at) > 0 {
		k, n := rowOf(at)
		var tied []uint32
		var steps cpu.Steps
		if n > few {
			tied, steps = followRow(at[:k], t.codesEarly(level, int(at[0])-1, n))
		} else {
			k = min(len(at), piece/2)
			tied, steps = t.followFew(w, at[:k], level)
		}
		still, seen = append(still, tied...), seen.Plus(steps)
		at = at[k:]
	}
	return t.followTied(w, still, level, seen)
}

// followRow counts how the elements at follow on the ones before them by codes, which
// are of all elements from the one before the first on, and returns those that tie, in
// the place of at.
func followRow(at []uint32, codes []uint64) (tied []uint32, seen cpu.Steps) {
	n, falls, first := 0, 0, at[0]
	for _, x := range at {
		i := int(x - first)
		a, b := codes[i], codes[i+1]
		at[n] = x
		switch {
		case a == b:
			n++
		case b < a:
			falls++
		}
	}
	return at[:n], cpu.Steps{Rises: len(at) - n - falls, Falls: falls}
}

// followFew counts how at most piece/2 elements follow on the ones before them by
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
		switch {
		case codes[k-1] == codes[k]:
			tied = append(tied, x)
		case codes[k-1] < codes[k]:
			seen.Rises++
		default:
			seen.Falls++
		}
	}
	return tied, seen
}

// compare compares two elements whose first codes are equal. It extracts keys of later
// columns that are not there yet.
func (t *ties) compare(i, j uint32) int {
	for level := range t.levels {
		l := &t.levels[level]
		if level > 0 {
			if a, b := t.earlyPair(level, i, j); a != b {
				return cmp.Compare(a, b)
			}
		}
		if !l.exact() && !l.kept.complete(l.room) {
			if c := l.kept.compare(i, j); c != 0 {
				return c
			}
		}
	}
	return 0
}

// earlyPair returns the codes of two elements at a level.
func (t *ties) earlyPair(level int, i, j uint32) (a, b uint64) {
	l := &t.levels[level]
	if l.early.codes == nil {
		t.open(level, true)
	}
	if l.early.done[i]&l.early.done[j] == 0 {
		var codes [2]uint64
		t.codesOnce(&t.work[0], codes[:], []uint32{i, j}, l)
	}
	return l.early.codes[i], l.early.codes[j]
}

// rowOf returns how many of the elements at, which rise, tie with each other or have only
// one between them, and the number of elements from the one before the first to the last
// of these: fewer than a block has. All of them tie with a neighbour.
func rowOf(at []uint32) (k, n int) {
	for k = 1; k < len(at) && at[k]-at[k-1] <= 2 && at[k]-at[0] < engine.Block-2; k++ {
	}
	return k, int(at[k-1]-at[0]) + 2
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
			if known = bytes.IndexByte(some, 0); known < 0 {
				known = len(some)
			}
			lo += known
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
