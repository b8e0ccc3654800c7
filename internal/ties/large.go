package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
)

// Large runs wait until all others are sorted. Then all workers sort each of them together, as
// they sort the input.

// Finish refines the large runs, each by all workers, unless err is not nil.
func (t *Breaker) Finish(err error) error {
	for err == nil && len(t.large) > 0 {
		run := t.large[len(t.large)-1]
		t.large = t.large[:len(t.large)-1]
		err = t.finishLarge(run)
	}
	tied := t.tied
	for i := range t.Work {
		tied += t.Work[i].count
	}
	if t.Env.Trace.Ties = tied; tied > 0 {
		t.Env.Found("") // that of the first codes says little
	}
	if err == nil {
		err = t.Env.Loop.Err()
	}
	return err
}

// finishLarge orders a large run, in place if the memory limit requires it.
func (t *Breaker) finishLarge(run Tie) error {
	run.Level = t.cut(run)
	return t.Env.Scoped(func(env *engine.Env) error {
		if env.Fits(t.Env.Arena.Used() + largeBytes(env.Loop.Workers, t.Input.Slice.Size(), t.Words, len(run.Order))) {
			return t.orderLarge(env, run)
		}
		return t.orderLargeInPlace(env, run)
	})
}

// cut returns the place by whose codes a run is sorted.
func (t *Breaker) cut(run Tie) extract.Level {
	if !run.Tail {
		return run.Level
	}
	return t.Words[run.Word].Full.WithPivot(run.Order, run.Level)
}

// orderLarge orders a large run by the codes at its place.
func (t *Breaker) orderLarge(env *engine.Env, run Tie) error {
	before := beforeTie(env, run)
	defer func() { t.Env.Trace.Rounds = max(t.Env.Trace.Rounds, env.Trace.Rounds) }()
	return cpu.Order(env, len(before), t.source(before, run.Level), true, func(worker, lo int, order []uint32, codes []uint64) {
		sorted := run.Order[lo : lo+len(order)]
		for i, at := range order {
			sorted[i] = before[at]
		}
		Refine(t, worker, sorted, codes, run.Level)
	})
}

// orderLargeInPlace is orderLarge with codes and a copy of the order as the only scratch.
func (t *Breaker) orderLargeInPlace(env *engine.Env, run Tie) error {
	before := beforeTie(env, run)
	codes, err := cpu.OrderInPlace(env, run.Order, t.source(before, run.Level))
	if err != nil {
		return err
	}
	return env.Stage("ties", len(before), cpu.GatherPiece(env, len(before)), func(worker, lo, hi int) {
		lo, hi = tieEnd(codes, lo), tieEnd(codes, hi)
		sorted := run.Order[lo:hi]
		for i, at := range sorted {
			sorted[i] = before[at]
		}
		Refine(t, worker, sorted, codes[lo:hi], run.Level)
	})
}

// beforeTie returns a copy of the order of a run.
func beforeTie(env *engine.Env, run Tie) []uint32 {
	before := scratch.In[uint32](&env.Arena, sizeBefore(nil, len(run.Order)))
	copy(before, run.Order)
	return before
}

// sizeBefore sizes a copy of the order of n elements.
func sizeBefore(a *scratch.Area, n int) scratch.Memory { return a.Memory(n, 4) }

// source returns the source of the codes of elements at p.
func (t *Breaker) source(order []uint32, p extract.Level) cpu.Source[uint64] {
	return func(dst []uint64, lo int) {
		w := t.spareWorker()
		t.Codes(w, dst, order[lo:lo+len(dst)], p)
		t.spare.Put(w)
	}
}
