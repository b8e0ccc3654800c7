package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// A run of ties is sorted by the codes of its place. Runs of ties found in it are parts that are
// sorted in turn, in the same memory, until none is left.

// unrefined is elements [lo, hi) of a run that is being refined.
type unrefined struct {
	lo, hi int
	coded  bool // sorted by codes that end at place; otherwise they tie up to it
	extract.Level
}

// largeTie is the length above which a run is sorted by all workers together.
const largeTie = 1 << 16

// Refine sorts the runs of ties in an order sorted by codes made at p. Large runs are left to
// Finish.
func Refine[C sortkey.Code](t *Breaker, worker int, order []uint32, codes []C, p extract.Level) {
	if t.marks != nil {
		mark(t, order, codes, p)
	}
	i, end := NextTie(codes, 0)
	if i == end {
		return
	}
	w, alike := &t.Work[worker], t.alike(&p)
	next, more := t.After(p, uint64(codes[i]))
	for ; i < end && (more || !alike); i, end = NextTie(codes, end) {
		if !alike {
			next, more = t.After(p, uint64(codes[i]))
		}
		if more {
			t.note(w, order[i:end], &next, p.First())
		}
	}
	t.refineShort(w)
}

// NextTie returns the first run of two or more equal codes that begins at place >= i, an empty
// one if there is none.
func NextTie[C sortkey.Code](codes []C, i int) (from, end int) {
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
func (t *Breaker) note(w *Worker, order []uint32, p *extract.Level, first bool) {
	if first {
		w.count += len(order) // per worker: a shared counter would move between caches
	}
	switch run := (Tie{order, *p}); {
	case t.isShort(w, order, p):
	case len(order) <= largeTie:
		t.RefineTie(w, run)
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.large = append(t.large, run)
	}
}

// RefineTie sorts a run of at most largeTie elements and the runs of ties found in it, except
// short ones, which wait for refineShort.
func (t *Breaker) RefineTie(w *Worker, run Tie) {
	if n := len(run.Order); len(w.codes) < n {
		scratch.Give(&t.Env.Arena, w.codes, 1)
		w.codes = scratch.Take[uint64](&t.Env.Arena, scratch.Fit[uint64](n))
	}
	t.refineParts(w, w.codes, run, true)
}

// refineParts is RefineTie with memory for codes; len(codes) >= len(run.order). It leaves runs
// to refineShort only if shorts is set. A run's codes overwrite those it ties on, which are no
// longer needed. Of the rest of a run and a run found in it, the longer one waits, so at most
// 17 wait.
func (t *Breaker) refineParts(w *Worker, codes []uint64, run Tie, shorts bool) {
	waiting := len(w.parts)
	for p := (unrefined{hi: len(run.Order), Level: run.Level}); t.Env.Loop.Err() == nil; {
		part := codes[p.lo:p.hi]
		if !p.coded {
			p.Level, p.coded = t.sortPart(w, part, run.Order[p.lo:p.hi], p.Level), true
			if t.marks != nil {
				mark(t, run.Order[p.lo:p.hi], part, p.Level)
			}
		}
		i, end := NextTie(part, 0)
		if i == end {
			last := len(w.parts) - 1
			if last < waiting {
				return
			}
			p, w.parts = w.parts[last], w.parts[:last]
			continue
		}
		next, more := t.After(p.Level, part[i])
		tied := unrefined{lo: p.lo + i, hi: p.lo + end, Level: next}
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
func (t *Breaker) sortPart(w *Worker, codes []uint64, order []uint32, p extract.Level) extract.Level {
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
