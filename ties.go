package sorter

import (
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// place says which codes an order is sorted by: those of a level, or, after
// its prefix, those of its kept keys at a depth.
type place struct {
	level  int
	depth  int    // of the kept keys, up to which elements tie
	window int    // bytes of the pivot's string that are compared, from depth on
	pivot  uint32 // the element with which strings are compared
	tail   bool   // codes of the kept keys, not of the level
	stem   bool   // codes are of the bytes after the window
	whole  bool   // equal codes mean that keys are equal
}

// tie is a run of elements that tie up to a place.
type tie struct {
	order []uint32
	place
}

// tiePart is elements [lo, hi) of a run that is being refined.
type tiePart struct {
	lo, hi int
	coded  bool // they are in the order of their codes, which end at place; otherwise they tie up to it
	place
}

// largeTie is the length above which a run is sorted by all workers together.
const largeTie = 1 << 16

// ties refines an order wherever codes tie and keys may not.
type ties struct {
	env    *engine.Env
	rows   rows
	levels []level
	work   []tieWorker
	opened []sync.Once // by level: its kept keys have room
	watch  bool        // later levels are looked at while codes are extracted; limits do not reckon with the memory
	frugal bool        // small runs are sorted in place
	spare  spares[tieWorker]

	mu    sync.Mutex
	large []tie
}

// tieWorker is the workspace of one worker.
type tieWorker struct {
	count int           // elements whose first codes tied
	short shortRuns     // not yet refined
	parts []tiePart     // of a run, not yet refined
	codes []uint64      // of its elements
	block cpu.Payload   // room for a piece of elements, once it is needed
	used  int           // elements of block that were written since it was cleared
	late  [piece]uint32 // elements whose codes were not needed early
	fresh [piece]uint64 // their codes
	pairs cpu.Pairs
	tied  []uint32      // elements that tie with the one before
	some  [piece]uint32 // those and the ones before, where few follow each other
	early [piece]uint64 // their codes
}

func newTies(env *engine.Env, rows rows, levels []level) *ties {
	t := &ties{env: env, rows: rows, levels: levels, work: make([]tieWorker, max(1, env.Loop.Workers)), opened: make([]sync.Once, len(levels))}
	env.Arena.Hold(int64(len(t.work)) * int64(unsafe.Sizeof(t.work[0])))
	return t
}

// spareWorker returns a workspace for what does not know its worker, to be put back.
func (t *ties) spareWorker() *tieWorker {
	w := t.spare.get()
	if w == nil {
		w = new(tieWorker)
		t.env.Arena.Hold(int64(unsafe.Sizeof(*w)))
	}
	return w
}

// forget drops what the first worker has copied of the elements.
func (t *ties) forget() {
	w := &t.work[0]
	if w.used > 0 {
		w.block.Part(0, w.used).Clear()
	}
	w.used, t.rows.s = 0, cpu.Payload{}
}

// first reports whether codes made at p are the first ones.
func (p *place) first() bool { return p.level == 0 && !p.tail }

// after returns where elements that tie on code, made at p, are to be refined;
// false if they are equal. Where codes are made alike, it is one place for all codes.
func (t *ties) after(p place, code uint64) (place, bool) {
	l, depth, more := &t.levels[p.level], 0, false
	switch {
	case p.whole:
	case p.tail:
		depth, more = l.kept.after(code, p)
	case !l.exact() && !l.kept.complete(l.room):
		depth, more = l.kept.first(l.room), true
	}
	if more {
		return place{level: p.level, tail: true, depth: depth}, true
	}
	return place{level: p.level + 1}, p.level+1 < len(t.levels)
}

// cut returns the place by whose codes a run is sorted.
func (t *ties) cut(run tie) place {
	if !run.tail {
		return run.place
	}
	return t.levels[run.level].kept.cut(run.order, run.place)
}

// refine sorts the runs in an order sorted by codes made at p, except for
// large ones, which finish takes.
func refine[C code](t *ties, worker int, order []uint32, codes []C, p place) {
	i, end := nextRun(codes, 0)
	if i == end {
		return
	}
	w, alike := &t.work[worker], t.alike(&p)
	next, more := t.after(p, uint64(codes[i]))
	for ; i < end && (more || !alike); i, end = nextRun(codes, end) {
		if !alike {
			next, more = t.after(p, uint64(codes[i]))
		}
		if more {
			t.note(w, order[i:end], &next, p.first())
		}
	}
	t.refineShort(w)
}

// nextRun returns the first run of two or more equal codes that begins at place i or
// after it, an empty one if there is none.
func nextRun[C code](codes []C, i int) (from, end int) {
	for i++; i < len(codes); i++ {
		if codes[i] == codes[i-1] {
			from = i - 1
			for i < len(codes) && codes[i] == codes[from] {
				i++
			}
			return from, i
		}
	}
	return len(codes), len(codes)
}

// note sorts a run that ties up to p, unless it is large, or so short that refineShort
// sorts it. Those that tie on their first codes are counted.
func (t *ties) note(w *tieWorker, order []uint32, p *place, first bool) {
	if first {
		w.count += len(order) // a counter that workers share would go from cache to cache
	}
	switch run := (tie{order, *p}); {
	case t.isShort(w, order, p):
	case len(order) <= largeTie:
		t.refineRun(w, run)
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.large = append(t.large, run)
	}
}

// refineRun sorts a run of at most largeTie elements, and the runs found in it, except
// for those that are left to refineShort.
func (t *ties) refineRun(w *tieWorker, run tie) {
	if n := len(run.order); len(w.codes) < n {
		scratch.Give(&t.env.Arena, w.codes, 1)
		w.codes = scratch.Take[uint64](&t.env.Arena, scratch.Fit[uint64](n))
	}
	t.refineParts(w, w.codes, run, true)
}

// refineParts is refineRun with memory for codes, len(codes) >= len(run.order). It leaves
// runs to refineShort only if shorts says so. Runs write their codes over those that they
// tie on, which nobody needs any more. Of the rest of a run, and a run found in it, the
// longer waits: no more than 17 do.
func (t *ties) refineParts(w *tieWorker, codes []uint64, run tie, shorts bool) {
	waiting := len(w.parts)
	for p := (tiePart{hi: len(run.order), place: run.place}); t.env.Loop.Err() == nil; {
		part := codes[p.lo:p.hi]
		if !p.coded {
			p.place, p.coded = t.sortPart(w, part, run.order[p.lo:p.hi], p.place), true
		}
		i, end := nextRun(part, 0)
		if i == end {
			last := len(w.parts) - 1
			if last < waiting {
				return
			}
			p, w.parts = w.parts[last], w.parts[:last]
			continue
		}
		next, more := t.after(p.place, part[i])
		tied := tiePart{lo: p.lo + i, hi: p.lo + end, place: next}
		p.lo += end
		if !more || shorts && t.isShort(w, run.order[tied.lo:tied.hi], &next) {
			continue
		}
		if tied.hi-tied.lo > p.hi-p.lo {
			tied, p = p, tied
		}
		w.parts, p = append(w.parts, p), tied
	}
	w.parts = w.parts[:waiting] // cancelled
}

// sortPart sorts elements that tie up to p by their codes there, which it writes, and
// returns the place of those.
func (t *ties) sortPart(w *tieWorker, codes []uint64, order []uint32, p place) place {
	if p.tail {
		kept := t.levels[p.level].kept
		if same, ok := kept.sortFew(order, p); ok {
			p.whole = true
			numberRuns(codes, same)
			return p
		}
		p = kept.cut(order, p)
	}
	t.codes(w, codes, order, p)
	t.sortCoded(w, codes, order)
	return p
}

// sortCoded sorts the elements of a run by their codes.
func (t *ties) sortCoded(w *tieWorker, codes []uint64, order []uint32) {
	if t.frugal {
		cpu.SortInPlace(t.env, codes, order) // which ascends
	} else {
		w.pairs.Sort(t.env, codes, order)
	}
}

// numberRuns writes codes that are equal only where same has the bit of an element,
// which then ties with the one before.
func numberRuns(codes []uint64, same uint) {
	run := uint64(0)
	for i := range codes {
		run += uint64(^same >> i & 1)
		codes[i] = run
	}
}

// open makes room for what a level keeps, and, if it is opened early, for its
// codes.
func (t *ties) open(level int, early bool) {
	t.opened[level].Do(func() {
		l := &t.levels[level]
		l.open(t.rows, t.env)
		if early && l.early.codes == nil {
			l.early = newEarly(t.rows.n, &t.env.Arena)
		}
	})
}

// codes writes the codes of elements at p. A cancelled context leaves codes out.
func (t *ties) codes(w *tieWorker, dst []uint64, order []uint32, p place) {
	l := &t.levels[p.level]
	if p.tail {
		l.kept.codes(dst, order, p)
		return
	}
	t.open(p.level, false)
	t.roomFor(w)
	for i := 0; i < len(order) && t.env.Loop.Err() == nil; i += piece {
		part := order[i:min(i+piece, len(order))]
		if l.early.codes == nil {
			w.used = max(w.used, len(part))
			l.codes(dst[i:i+len(part)], t.rows.pick(l, w.block, part))
		} else {
			t.codesOnce(w, dst[i:i+len(part)], part, l)
		}
	}
}

// roomFor makes room for a piece of elements.
func (t *ties) roomFor(w *tieWorker) {
	if w.block.Data() == nil {
		w.block = t.rows.s.Take(&t.env.Arena, piece)
	}
}

// refiner makes ties refine what cpu.MoveRefined sorts.
type refiner[C code] struct {
	ties *ties
	run  *run
	src  cpu.Source[C]
}

func (f refiner[C]) Follow(codes []C, lo, fresh int) cpu.Steps {
	return follow(f.ties, f.src, codes, lo, fresh)
}

func (f refiner[C]) Compare(i, j uint32) int { return f.ties.compare(i, j) }

// Skips: codes that hold whole keys decide nothing where all are equal, and those of the
// next level are kept as far as they were extracted.
func (f refiner[C]) Skips() bool {
	t := f.ties
	return len(t.levels) > 1 && t.levels[0].exact() && t.levels[1].early.codes != nil
}

// Concurrent: only what is there already is compared.
func (f refiner[C]) Concurrent() bool { return len(f.ties.levels) == 1 }

// Along places kept keys and early codes like their elements.
func (f refiner[C]) Along(p *cpu.Placement[C]) (err error) {
	for i := range f.ties.levels {
		l := &f.ties.levels[i]
		if l.kept != nil && err == nil {
			err = l.kept.along(f.ties.env, p)
		}
		if err == nil {
			err = earlyAlong(f.ties.env, &l.early, p)
		}
	}
	return err
}

// Moved renumbers rows, and keys that are their elements or in them.
func (f refiner[C]) Moved(payload cpu.Payload) {
	f.ties.rows = sliceRows(payload)
	for i := range f.ties.levels {
		if kept := f.ties.levels[i].kept; kept != nil {
			kept.moved(payload)
		}
	}
}

func (f refiner[C]) Refine(worker int, order []uint32, codes []C) {
	refine(f.ties, worker, order, codes, place{})
}

func (f refiner[C]) Finish(err error) error { return f.ties.finish(f.run, err) }

// finish refines the large runs, each by all workers, unless err says that
// there is nothing to finish.
func (t *ties) finish(r *run, err error) error {
	for err == nil && len(t.large) > 0 {
		run := t.large[len(t.large)-1]
		t.large = t.large[:len(t.large)-1]
		err = t.finishLarge(r, run)
	}
	r.used.Ties = 0
	for i := range t.work {
		r.used.Ties += t.work[i].count
	}
	if r.used.Ties > 0 {
		t.env.Trace.Shape = "" // that of the first codes says little
	}
	if err == nil {
		err = t.env.Loop.Err()
	}
	return err
}

// finishLarge orders a large run, in place if the memory limit allows no more.
func (t *ties) finishLarge(r *run, run tie) error {
	run.place = t.cut(run)
	return t.env.Scoped(func(env *engine.Env) error {
		if r.fits(r.Arena.Used() + largeBytes(r, t.levels, len(run.order))) {
			return t.orderLarge(env, run)
		}
		return t.orderLargeInPlace(env, run)
	})
}

// orderLarge orders a large run by the codes at its place.
func (t *ties) orderLarge(env *engine.Env, run tie) error {
	before := beforeRun(env, run)
	defer func() { t.env.Trace.Rounds = max(t.env.Trace.Rounds, env.Trace.Rounds) }()
	return cpu.Order(env, len(before), t.source(before, run.place), nil, true, func(worker, lo int, order []uint32, codes []uint64) {
		sorted := run.order[lo : lo+len(order)]
		for i, at := range order {
			sorted[i] = before[at]
		}
		refine(t, worker, sorted, codes, run.place)
	})
}

// orderLargeInPlace is orderLarge with no more scratch than the codes and the order
// as it was.
func (t *ties) orderLargeInPlace(env *engine.Env, run tie) error {
	before := beforeRun(env, run)
	codes, err := cpu.OrderInPlace(env, run.order, t.source(before, run.place))
	if err != nil {
		return err
	}
	return env.Stage("ties", len(before), cpu.GatherPiece(env, len(before)), func(worker, lo, hi int) {
		lo, hi = runEnd(codes, lo), runEnd(codes, hi)
		if lo >= hi {
			return
		}
		sorted := run.order[lo:hi]
		for i, at := range sorted {
			sorted[i] = before[at]
		}
		refine(t, worker, sorted, codes[lo:hi], run.place)
	})
}

// rest returns the levels after the first, whose codes are all equal, and the source of
// the first of these.
func (t *ties) rest() ([]level, cpu.Source[uint64]) {
	rest := slices.Clone(t.levels[1:])
	rest[0].early, rest[0].begun = early{}, true
	return rest, func(dst []uint64, lo int) { copy(dst, t.codesEarly(1, lo, len(dst))) }
}

// beforeRun returns a copy of the order of a run.
func beforeRun(env *engine.Env, run tie) []uint32 {
	before := scratch.Take[uint32](&env.Arena, len(run.order))
	copy(before, run.order)
	return before
}

// source makes the codes of elements at p.
func (t *ties) source(order []uint32, p place) cpu.Source[uint64] {
	return func(dst []uint64, lo int) {
		w := t.spareWorker()
		t.codes(w, dst, order[lo:lo+len(dst)], p)
		t.spare.put(w)
	}
}
