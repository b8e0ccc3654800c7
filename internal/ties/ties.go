// Package ties sorts elements whose codes tie by the next codes of their keys, and these
// ties by the next ones. It also compares neighbours by whole keys while codes are
// extracted, so that inputs in order, or nearly, are found.
package ties

import (
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Run is a run of elements that tie up to a place.
type Run struct {
	Order []uint32
	extract.Place
}

// tiePart is elements [lo, hi) of a run that is being refined.
type tiePart struct {
	lo, hi int
	coded  bool // they are in the order of their codes, which end at place; otherwise they tie up to it
	extract.Place
}

// largeTie is the length above which a run is sorted by all workers together.
const largeTie = 1 << 16

// Breaker refines an order wherever codes tie and keys may not.
type Breaker struct {
	Env     *engine.Env
	Input   extract.Input
	Words   []extract.Word
	Work    []Worker
	opened  []sync.Once // by word: its full keys have room
	Early   bool        // later words are looked at while codes are extracted; limits do not reckon with the memory
	inPlace bool        // small runs are sorted in place
	spare   scratch.Spares[Worker]

	mu    sync.Mutex
	large []Run
}

// Worker is the workspace of one worker.
type Worker struct {
	count int                   // elements whose first codes tied
	short shortRuns             // not yet refined
	parts []tiePart             // of a run, not yet refined
	codes []uint64              // of its elements
	block cpu.Payload           // room for a piece of elements, once it is needed
	used  int                   // elements of block that were written since it was cleared
	late  [extract.Piece]uint32 // elements whose codes were not needed early
	fresh [extract.Piece]uint64 // their codes
	Pairs cpu.Pairs
	tied  []uint32              // elements that tie with the one before
	some  [extract.Piece]uint32 // those and the ones before, where few follow each other
	early [extract.Piece]uint64 // their codes
}

// New returns what breaks the ties of an input by the words of its keys.
func New(env *engine.Env, rows extract.Input, words []extract.Word) *Breaker {
	t := &Breaker{Env: env, Input: rows, Words: words, Work: make([]Worker, max(1, env.Loop.Workers)), opened: make([]sync.Once, len(words))}
	env.Arena.Hold(int64(len(t.Work)) * int64(unsafe.Sizeof(t.Work[0])))
	return t
}

// spareWorker returns a workspace for what does not know its worker, to be put back.
func (t *Breaker) spareWorker() *Worker {
	w := t.spare.Get()
	if w == nil {
		w = new(Worker)
		t.Env.Arena.Hold(int64(unsafe.Sizeof(*w)))
	}
	return w
}

// Forget drops what the first worker has copied of the elements.
func (t *Breaker) Forget() {
	w := &t.Work[0]
	if w.used > 0 {
		w.block.Part(0, w.used).Clear()
	}
	w.used, t.Input.Slice = 0, cpu.Payload{}
}

// After returns where elements that tie on code, made at p, are to be refined;
// false if they are equal. Where codes are made alike, it is one place for all codes.
func (t *Breaker) After(p extract.Place, code uint64) (extract.Place, bool) {
	l, depth, more := &t.Words[p.Word], 0, false
	switch {
	case p.Whole:
	case p.Tail:
		depth, more = l.Full.NextDepth(code, p)
	case !l.Exact() && !l.Full.PrefixIsWhole(l.PrefixBits):
		depth, more = l.Full.TieDepth(l.PrefixBits), true
	}
	if more {
		return extract.Place{Word: p.Word, Tail: true, Depth: depth}, true
	}
	return extract.Place{Word: p.Word + 1}, p.Word+1 < len(t.Words)
}

// cut returns the place by whose codes a run is sorted.
func (t *Breaker) cut(run Run) extract.Place {
	if !run.Tail {
		return run.Place
	}
	return t.Words[run.Word].Full.WithPivot(run.Order, run.Place)
}

// Refine sorts the runs in an order sorted by codes made at p, except for
// large ones, which finish takes.
func Refine[C sortkey.Code](t *Breaker, worker int, order []uint32, codes []C, p extract.Place) {
	i, end := nextRun(codes, 0)
	if i == end {
		return
	}
	w, alike := &t.Work[worker], t.alike(&p)
	next, more := t.After(p, uint64(codes[i]))
	for ; i < end && (more || !alike); i, end = nextRun(codes, end) {
		if !alike {
			next, more = t.After(p, uint64(codes[i]))
		}
		if more {
			t.note(w, order[i:end], &next, p.First())
		}
	}
	t.refineShort(w)
}

// nextRun returns the first run of two or more equal codes that begins at place i or
// after it, an empty one if there is none.
func nextRun[C sortkey.Code](codes []C, i int) (from, end int) {
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
func (t *Breaker) note(w *Worker, order []uint32, p *extract.Place, first bool) {
	if first {
		w.count += len(order) // a counter that workers share would go from cache to cache
	}
	switch run := (Run{order, *p}); {
	case t.isShort(w, order, p):
	case len(order) <= largeTie:
		t.RefineRun(w, run)
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.large = append(t.large, run)
	}
}

// RefineRun sorts a run of at most largeTie elements, and the runs found in it, except
// for those that are left to refineShort.
func (t *Breaker) RefineRun(w *Worker, run Run) {
	if n := len(run.Order); len(w.codes) < n {
		scratch.Give(&t.Env.Arena, w.codes, 1)
		w.codes = scratch.Take[uint64](&t.Env.Arena, scratch.Fit[uint64](n))
	}
	t.refineParts(w, w.codes, run, true)
}

// refineParts is RefineRun with memory for codes, len(codes) >= len(run.order). It leaves
// runs to refineShort only if shorts says so. Runs write their codes over those that they
// tie on, which nobody needs any more. Of the rest of a run, and a run found in it, the
// longer waits: no more than 17 do.
func (t *Breaker) refineParts(w *Worker, codes []uint64, run Run, shorts bool) {
	waiting := len(w.parts)
	for p := (tiePart{hi: len(run.Order), Place: run.Place}); t.Env.Loop.Err() == nil; {
		part := codes[p.lo:p.hi]
		if !p.coded {
			p.Place, p.coded = t.sortPart(w, part, run.Order[p.lo:p.hi], p.Place), true
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
		next, more := t.After(p.Place, part[i])
		tied := tiePart{lo: p.lo + i, hi: p.lo + end, Place: next}
		p.lo += end
		if !more || shorts && t.isShort(w, run.Order[tied.lo:tied.hi], &next) {
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
func (t *Breaker) sortPart(w *Worker, codes []uint64, order []uint32, p extract.Place) extract.Place {
	if p.Tail {
		kept := t.Words[p.Word].Full
		if same, ok := kept.SortFew(order, p); ok {
			p.Whole = true
			numberRuns(codes, same)
			return p
		}
		p = kept.WithPivot(order, p)
	}
	t.Codes(w, codes, order, p)
	t.sortCoded(w, codes, order)
	return p
}

// sortCoded sorts the elements of a run by their codes.
func (t *Breaker) sortCoded(w *Worker, codes []uint64, order []uint32) {
	if t.inPlace {
		cpu.SortInPlace(t.Env, codes, order) // which ascends
	} else {
		w.Pairs.Sort(t.Env, codes, order)
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

// Open makes room for what a word keeps, and, if it is opened early, for its
// codes.
func (t *Breaker) Open(word int, early bool) {
	t.opened[word].Do(func() {
		l := &t.Words[word]
		l.Open(t.Input, t.Env)
		if early && l.Early.Codes == nil {
			l.Early = extract.NewEarly(t.Input.Len, &t.Env.Arena)
		}
	})
}

// Codes writes the codes of elements at p. A cancelled context leaves codes out.
func (t *Breaker) Codes(w *Worker, dst []uint64, order []uint32, p extract.Place) {
	l := &t.Words[p.Word]
	if p.Tail {
		l.Full.Codes(dst, order, p)
		return
	}
	t.Open(p.Word, false)
	t.roomFor(w)
	for i := 0; i < len(order) && t.Env.Loop.Err() == nil; i += extract.Piece {
		part := order[i:min(i+extract.Piece, len(order))]
		if l.Early.Codes == nil {
			w.used = max(w.used, len(part))
			l.Codes(dst[i:i+len(part)], t.Input.Pick(l, w.block, part))
		} else {
			t.codesOnce(w, dst[i:i+len(part)], part, l)
		}
	}
}

// roomFor makes room for a piece of elements.
func (t *Breaker) roomFor(w *Worker) {
	if w.block.Data() == nil {
		w.block = t.Input.Slice.Take(&t.Env.Arena, extract.Piece)
	}
}

// Refiner makes ties refine what cpu.MoveRefined sorts.
type Refiner[C sortkey.Code] struct {
	Breaker *Breaker
	Src     cpu.Source[C]
}

func (f Refiner[C]) Follow(codes []C, lo, fresh int) cpu.Steps {
	return follow(f.Breaker, f.Src, codes, lo, fresh)
}

func (f Refiner[C]) Compare(i, j uint32) int { return f.Breaker.compare(i, j) }

// Skips: codes that hold whole keys decide nothing where all are equal, and those of the
// next word are kept as far as they were extracted.
func (f Refiner[C]) Skips() bool {
	t := f.Breaker
	return len(t.Words) > 1 && t.Words[0].Exact() && t.Words[1].Early.Codes != nil
}

// Concurrent: only what is there already is compared.
func (f Refiner[C]) Concurrent() bool { return len(f.Breaker.Words) == 1 }

// Along places full keys and early codes like their elements.
func (f Refiner[C]) Along(p *cpu.Placement[C]) (err error) {
	for i := range f.Breaker.Words {
		l := &f.Breaker.Words[i]
		if l.Full != nil && err == nil {
			err = l.Full.Along(f.Breaker.Env, p)
		}
		if err == nil {
			err = earlyAlong(f.Breaker.Env, &l.Early, p)
		}
	}
	return err
}

// Moved renumbers rows, and keys that are their elements or in them.
func (f Refiner[C]) Moved(payload cpu.Payload) {
	f.Breaker.Input = extract.InputOf(payload)
	for i := range f.Breaker.Words {
		if kept := f.Breaker.Words[i].Full; kept != nil {
			kept.Moved(payload)
		}
	}
}

func (f Refiner[C]) Refine(worker int, order []uint32, codes []C) {
	Refine(f.Breaker, worker, order, codes, extract.Place{})
}

func (f Refiner[C]) Finish(err error) error { return f.Breaker.Finish(err) }

// Finish refines the large runs, each by all workers, unless err says that
// there is nothing to finish.
func (t *Breaker) Finish(err error) error {
	for err == nil && len(t.large) > 0 {
		run := t.large[len(t.large)-1]
		t.large = t.large[:len(t.large)-1]
		err = t.finishLarge(run)
	}
	tied := 0
	for i := range t.Work {
		tied += t.Work[i].count
	}
	if t.Env.Trace.Ties = tied; tied > 0 {
		t.Env.Trace.Shape = "" // that of the first codes says little
	}
	if err == nil {
		err = t.Env.Loop.Err()
	}
	return err
}

// finishLarge orders a large run, in place if the memory limit allows no more.
func (t *Breaker) finishLarge(run Run) error {
	run.Place = t.cut(run)
	return t.Env.Scoped(func(env *engine.Env) error {
		if env.Fits(t.Env.Arena.Used() + largeBytes(env.Loop.Workers, t.Input.Slice.Size(), t.Words, len(run.Order))) {
			return t.orderLarge(env, run)
		}
		return t.orderLargeInPlace(env, run)
	})
}

// orderLarge orders a large run by the codes at its place.
func (t *Breaker) orderLarge(env *engine.Env, run Run) error {
	before := beforeRun(env, run)
	defer func() { t.Env.Trace.Rounds = max(t.Env.Trace.Rounds, env.Trace.Rounds) }()
	return cpu.Order(env, len(before), t.source(before, run.Place), nil, true, func(worker, lo int, order []uint32, codes []uint64) {
		sorted := run.Order[lo : lo+len(order)]
		for i, at := range order {
			sorted[i] = before[at]
		}
		Refine(t, worker, sorted, codes, run.Place)
	})
}

// orderLargeInPlace is orderLarge with no more scratch than the codes and the order
// as it was.
func (t *Breaker) orderLargeInPlace(env *engine.Env, run Run) error {
	before := beforeRun(env, run)
	codes, err := cpu.OrderInPlace(env, run.Order, t.source(before, run.Place))
	if err != nil {
		return err
	}
	return env.Stage("ties", len(before), cpu.GatherPiece(env, len(before)), func(worker, lo, hi int) {
		lo, hi = runEnd(codes, lo), runEnd(codes, hi)
		if lo >= hi {
			return
		}
		sorted := run.Order[lo:hi]
		for i, at := range sorted {
			sorted[i] = before[at]
		}
		Refine(t, worker, sorted, codes[lo:hi], run.Place)
	})
}

// Rest returns the words after the first, whose codes are all equal, and the source of
// the first of these.
func (t *Breaker) Rest() ([]extract.Word, cpu.Source[uint64]) {
	rest := slices.Clone(t.Words[1:])
	rest[0].Early, rest[0].Begun = extract.Early{}, true
	return rest, func(dst []uint64, lo int) { copy(dst, t.codesEarly(1, lo, len(dst))) }
}

// beforeRun returns a copy of the order of a run.
func beforeRun(env *engine.Env, run Run) []uint32 {
	before := scratch.Take[uint32](&env.Arena, len(run.Order))
	copy(before, run.Order)
	return before
}

// source makes the codes of elements at p.
func (t *Breaker) source(order []uint32, p extract.Place) cpu.Source[uint64] {
	return func(dst []uint64, lo int) {
		w := t.spareWorker()
		t.Codes(w, dst, order[lo:lo+len(dst)], p)
		t.spare.Put(w)
	}
}
