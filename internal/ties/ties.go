// Package ties sorts elements whose codes tie by the codes of the next word of their keys, and
// so on. It also compares neighbours by whole keys while codes are extracted, so that inputs
// in order, or nearly in order, are found.
package ties

import (
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
	coded  bool // sorted by codes that end at place; otherwise they tie up to it
	extract.Place
}

// largeTie is the length above which a run is sorted by all workers together.
const largeTie = 1 << 16

// Breaker orders the elements whose codes tie but whose keys may differ.
type Breaker struct {
	Env     *engine.Env
	Input   extract.Input
	Words   []extract.Word
	Work    []Worker
	opened  []sync.Once // by word: memory for its full keys is taken
	Early   bool        // compare later words during extraction; memory limits do not count this
	inPlace bool        // small runs are sorted in place
	spare   scratch.Spares[Worker]
	marks   Marks // of ties, see Mark
	end     int
	runs    engine.Ties // of the first word, see Runs

	mu    sync.Mutex
	large []Run
}

// Worker is the workspace of one worker.
type Worker struct {
	count int                   // elements whose first codes tied
	short shortRuns             // not yet refined
	parts []tiePart             // parts of a run, not yet refined
	codes []uint64              // of the run's elements
	block cpu.Payload           // a piece of elements, taken at first use
	used  int                   // number of elements of block written since it was cleared
	late  [extract.Piece]uint32 // elements whose codes were not needed early
	fresh [extract.Piece]uint64 // their codes
	Pairs cpu.Pairs
	tied  []uint32              // elements that tie with the one before
	some  [extract.Piece]uint32 // those and the ones before, where few follow each other
	early [extract.Piece]uint64 // their codes
}

// workerBytes is the size of a workspace.
const workerBytes = int64(unsafe.Sizeof(Worker{}))

// New returns a breaker for the ties of an input, by the words of its keys.
func New(env *engine.Env, rows extract.Input, words []extract.Word) *Breaker {
	t := &Breaker{Env: env, Input: rows, Words: words, Work: make([]Worker, max(1, env.Loop.Workers)), opened: make([]sync.Once, len(words))}
	env.Arena.Hold(int64(len(t.Work)) * workerBytes)
	return t
}

// spareWorker returns a workspace for a caller that has no worker number. The caller puts it
// back.
func (t *Breaker) spareWorker() *Worker {
	w := t.spare.Get()
	if w == nil {
		w = new(Worker)
		t.Env.Arena.Hold(workerBytes)
	}
	return w
}

// Forget clears the copies of elements that the first worker holds.
func (t *Breaker) Forget() {
	w := &t.Work[0]
	if w.used > 0 {
		w.block.Part(0, w.used).Clear()
	}
	w.used, t.Input.Slice = 0, cpu.Payload{}
}

// After returns the place at which elements that tie on code, made at p, are refined; false if
// they are equal. The place does not depend on code if codes are made alike.
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

// Refine sorts the runs of ties in an order sorted by codes made at p. Large runs are left to
// Finish.
func Refine[C sortkey.Code](t *Breaker, worker int, order []uint32, codes []C, p extract.Place) {
	if t.marks != nil {
		mark(t, order, codes, p)
	}
	i, end := NextRun(codes, 0)
	if i == end {
		return
	}
	w, alike := &t.Work[worker], t.alike(&p)
	next, more := t.After(p, uint64(codes[i]))
	for ; i < end && (more || !alike); i, end = NextRun(codes, end) {
		if !alike {
			next, more = t.After(p, uint64(codes[i]))
		}
		if more {
			t.note(w, order[i:end], &next, p.First())
		}
	}
	t.refineShort(w)
}

// NextRun returns the first run of two or more equal codes that begins at place >= i, an empty
// one if there is none.
func NextRun[C sortkey.Code](codes []C, i int) (from, end int) {
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

// note sorts a run that ties up to p. It postpones large runs, and short runs for refineShort.
// first means that the run ties on first codes, which are counted.
func (t *Breaker) note(w *Worker, order []uint32, p *extract.Place, first bool) {
	if first {
		w.count += len(order) // per worker: a shared counter would move between caches
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

// RefineRun sorts a run of at most largeTie elements and the runs of ties found in it, except
// short ones, which wait for refineShort.
func (t *Breaker) RefineRun(w *Worker, run Run) {
	if n := len(run.Order); len(w.codes) < n {
		scratch.Give(&t.Env.Arena, w.codes, 1)
		w.codes = scratch.Take[uint64](&t.Env.Arena, scratch.Fit[uint64](n))
	}
	t.refineParts(w, w.codes, run, true)
}

// refineParts is RefineRun with memory for codes; len(codes) >= len(run.order). It leaves runs
// to refineShort only if shorts is set. A run's codes overwrite those it ties on, which are no
// longer needed. Of the rest of a run and a run found in it, the longer one waits, so at most
// 17 wait.
func (t *Breaker) refineParts(w *Worker, codes []uint64, run Run, shorts bool) {
	waiting := len(w.parts)
	for p := (tiePart{hi: len(run.Order), Place: run.Place}); t.Env.Loop.Err() == nil; {
		part := codes[p.lo:p.hi]
		if !p.coded {
			p.Place, p.coded = t.sortPart(w, part, run.Order[p.lo:p.hi], p.Place), true
			if t.marks != nil {
				mark(t, run.Order[p.lo:p.hi], part, p.Place)
			}
		}
		i, end := NextRun(part, 0)
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

// sortPart sorts elements that tie up to p by their codes there, which it writes to codes. It
// returns the place of these codes.
func (t *Breaker) sortPart(w *Worker, codes []uint64, order []uint32, p extract.Place) extract.Place {
	if p.Tail {
		full := t.Words[p.Word].Full
		if same, ok := full.SortFew(order, p); ok {
			p.Whole = true
			numberRuns(codes, same)
			return p
		}
		p = full.WithPivot(order, p)
	}
	t.Codes(w, codes, order, p)
	t.sortCoded(w, codes, order)
	return p
}

// sortCoded sorts codes, and order with them.
func (t *Breaker) sortCoded(w *Worker, codes []uint64, order []uint32) {
	if t.inPlace {
		cpu.SortInPlace(t.Env, codes, order) // order ascends, as SortInPlace requires
	} else {
		w.Pairs.Sort(t.Env, codes, order)
	}
}

// numberRuns replaces codes by numbers of runs: element i ties with its predecessor if bit i
// of same is set.
func numberRuns(codes []uint64, same uint) {
	run := uint64(0)
	for i := range codes {
		run += uint64(^same >> i & 1)
		codes[i] = run
	}
}

// Open takes memory for the full keys of a word and, with early, for its codes.
func (t *Breaker) Open(word int, early bool) {
	t.opened[word].Do(func() {
		l := &t.Words[word]
		l.Open(t.Input, t.Env)
		if early && l.Early.Codes == nil {
			l.Early = extract.NewEarly(t.Input.Len, &t.Env.Arena)
		}
	})
}

// Codes writes the codes of elements at p. If the context is cancelled, codes may be missing.
func (t *Breaker) Codes(w *Worker, dst []uint64, order []uint32, p extract.Place) {
	l := &t.Words[p.Word]
	if p.Tail {
		l.Full.Codes(dst, order, p)
		return
	}
	t.Open(p.Word, false)
	t.takeBlock(w)
	for i := 0; i < len(order) && t.Env.Loop.Err() == nil; i += extract.Piece {
		part := order[i:min(i+extract.Piece, len(order))]
		if l.Early.Codes == nil {
			w.used = max(w.used, len(part))
			l.Codes(dst[i:i+len(part)], t.Input.Some(l, w.block, part))
		} else {
			t.codesOnce(w, dst[i:i+len(part)], part, l)
		}
	}
}

// takeBlock takes memory for a piece of elements.
func (t *Breaker) takeBlock(w *Worker) {
	if w.block.Data() == nil {
		elements := t.Input.Slice
		w.block = elements.Take(&t.Env.Arena, layOutBlock(nil, elements.Size()).Len(elements.Size()))
	}
}

// layOutBlock lays out [extract.Piece] elements of the given size.
func layOutBlock(a *scratch.Area, element uintptr) scratch.Memory {
	return a.Memory(extract.Piece, element)
}

// Refiner is t as the refiner of cpu.MoveRefined.
type Refiner[C sortkey.Code] struct {
	Breaker *Breaker
	Src     cpu.Source[C]
}

func (f Refiner[C]) Follow(codes []C, lo, fresh int) cpu.Steps {
	return follow(f.Breaker, f.Src, codes, lo, fresh)
}

func (f Refiner[C]) Compare(i, j uint32) int { return f.Breaker.compare(i, j) }

// Concurrent reports whether there is one word: then Compare extracts nothing.
func (f Refiner[C]) Concurrent() bool { return len(f.Breaker.Words) == 1 }

// Along moves full keys and early codes by the same partition as the elements.
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

// Moved renumbers the rows, and full keys that are the elements or lie in them.
func (f Refiner[C]) Moved(payload cpu.Payload) {
	f.Breaker.Input = extract.InputOf(payload)
	for i := range f.Breaker.Words {
		if full := f.Breaker.Words[i].Full; full != nil {
			full.Moved(payload)
		}
	}
}

func (f Refiner[C]) Refine(worker int, order []uint32, codes []C) {
	Refine(f.Breaker, worker, order, codes, extract.Place{})
}

func (f Refiner[C]) Finish(err error) error { return f.Breaker.Finish(err) }

// Finish refines the large runs, each by all workers, unless err is not nil.
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

// finishLarge orders a large run, in place if the memory limit requires it.
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

// orderLargeInPlace is orderLarge with codes and a copy of the order as the only scratch.
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

// beforeRun returns a copy of the order of a run.
func beforeRun(env *engine.Env, run Run) []uint32 {
	before := scratch.In[uint32](&env.Arena, layOutBefore(nil, len(run.Order)))
	copy(before, run.Order)
	return before
}

// layOutBefore lays out a copy of the order of n elements.
func layOutBefore(a *scratch.Area, n int) scratch.Memory { return a.Memory(n, 4) }

// source returns the source of the codes of elements at p.
func (t *Breaker) source(order []uint32, p extract.Place) cpu.Source[uint64] {
	return func(dst []uint64, lo int) {
		w := t.spareWorker()
		t.Codes(w, dst, order[lo:lo+len(dst)], p)
		t.spare.Put(w)
	}
}
