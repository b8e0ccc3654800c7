package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"example.com/sorter/internal/dist"
)

// rules say how long and how often to measure.
type rules struct {
	Reps  int           // timed repetitions of a contender
	Slow  time.Duration // a contender that takes longer gets slowReps, warm-up included
	Limit time.Duration // a peer predicted to take longer per element is left out
	Batch time.Duration // shortest time worth reading the clock for
	All   bool          // measure contenders that lost by lostBy at the size before
}

const (
	slowReps = 3

	// runElements is about how many elements the runs of a small workload have
	// together: far more than a branch predictor remembers, and few enough to
	// stay in the second-level cache.
	runElements = 1 << 15

	// probeFrom is the size from which a contender is tried on small parts of
	// the input first.
	probeFrom = 1 << 19

	// superlinear is more than a sort of n log n, a colder cache and a busy
	// machine add to the time per element when n quadruples; a quadratic one
	// takes four times as long.
	superlinear = 2

	// A contender lostBy times slower than the fastest other at the size
	// before is not measured above raceTo on the distributions after the
	// first: it takes minutes to lose again.
	lostBy = 1.5
	raceTo = 1e6
)

// result has the measurements of one contender in one cell of the table.
type result struct {
	Case, Dist, Contender string
	Kind                  kind
	N                     int
	Reps                  int
	Median, Min, Max      float64 // ns per element
	Scratch               float64 // bytes per element
	Allocs                float64 // fewest allocations of one sort, buffers being warm
	Note                  string  // why there is no measurement
}

// trial is a contender on its way through one cell.
type trial struct {
	contender
	result result
	passes int             // times that all runs are sorted per repetition
	times  []time.Duration // of one pass
	want   int             // repetitions
}

// values draws the runs of one cell.
func values(d dist.Dist, n int) []uint64 {
	r := dist.Rand(uint64(n))
	var v []uint64
	for range max(1, runElements/n) {
		v = append(v, d.Draw(n, r)...)
	}
	return v
}

// entrants are the contenders of one cell.
type entrants struct {
	bench  benchCase
	dist   string
	values []uint64
	n      int
	leave  func(contender) string // why not to measure a contender, or ""
}

// measure times the contenders of a cell. They take turns, one repetition
// each, so that a machine that slows down or speeds up does so for all of them.
// Who sorts wrongly is not timed.
func (e entrants) measure(r rules) (results []result, failed []error) {
	runtime.GC() // twice: the first leaves what pools hold, and the cell before was large
	runtime.GC()
	expected := e.predictor(r.Limit)
	w := e.bench.Build(e.values, e.n)
	trials := make([]*trial, len(w.Contenders))
	for i, c := range w.Contenders {
		t := &trial{contender: c, result: result{
			Case: e.bench.Name, Dist: e.dist, Contender: c.Name, Kind: c.Kind,
			N: e.n, Allocs: math.Inf(1), Note: e.leave(c),
		}}
		trials[i] = t
		if t.result.Note != "" {
			continue
		}
		if took := expected(i); took > r.Limit {
			t.result.Note = fmt.Sprintf("left out: at least %.1f µs per element", took.Seconds()*1e6)
			continue
		}
		if err := w.warmUp(t, r); err != nil {
			failed = append(failed, fmt.Errorf("%s, %s, n = %d: %s: %w", e.bench.Name, e.dist, e.n, t.Name, err))
			t.result.Note = "wrong: " + err.Error()
		}
	}
	w.takeTurns(trials)
	for _, t := range trials {
		results = append(results, t.summary(len(e.values)))
	}
	return results, failed
}

// predictor returns a function that predicts the time of the i-th contender
// per element, if that is worth asking: it tries a 256th, a 64th and a 16th of
// the first run and extrapolates by the power law through the last two. It
// catches a peer that is quadratic on this distribution before it takes hours.
func (e entrants) predictor(limit time.Duration) func(i int) time.Duration {
	if e.n < probeFrom {
		return func(int) time.Duration { return 0 }
	}
	var parts []*workload
	for _, n := range []int{e.n / 256, e.n / 64, e.n / 16} {
		parts = append(parts, e.bench.Build(e.values[:n], n))
	}
	return func(i int) time.Duration {
		if parts[0].Contenders[i].Kind != peer {
			return 0
		}
		var last, before time.Duration // per 1024 elements, a nanosecond being too coarse
		for _, part := range parts {
			last, before = part.probe(i)*1024/time.Duration(part.N), last
			if last/1024 > limit {
				return last / 1024
			}
		}
		growth := float64(last) / float64(max(before, 1))
		if growth < superlinear {
			return 0
		}
		return time.Duration(float64(last) * growth * growth / 1024)
	}
}

// probe is the time of one sort, the best of three if it is a short one: the
// first pays for buffers.
func (w *workload) probe(i int) time.Duration {
	t := &trial{contender: w.Contenders[i]}
	best := w.time(t)
	for try := 0; try < 2 && best < 100*time.Millisecond; try++ {
		best = min(best, w.time(t))
	}
	return best
}

// warmUp sorts all runs once, checks them, notes the scratch memory of the
// first sort and decides how often to repeat.
func (w *workload) warmUp(t *trial, r rules) error {
	w.Restore()
	borrowed := *w.Borrowed
	before := memory()
	start := time.Now()
	t.Sort(0)
	took := time.Since(start)
	allocated := memory().TotalAlloc - before.TotalAlloc
	t.result.Scratch = (float64(allocated) + float64(*w.Borrowed-borrowed)) / float64(w.N)
	start = time.Now()
	for run := 1; run < w.Count; run++ {
		t.Sort(run)
	}
	took += time.Since(start)
	if err := w.Check(); err != nil {
		return err
	}
	if t.Scratch != nil {
		w.Restore()
		t.result.Scratch = float64(t.Scratch()) / float64(w.N)
	}
	t.passes, t.want = 1, r.Reps
	if took > r.Slow {
		t.want = min(slowReps, r.Reps)
		t.times = append(t.times, took)
	} else if took < r.Batch { // the first time was a cold one
		took = max(w.time(t), 1)
		t.passes = int(r.Batch/took) + 1
	}
	return nil
}

// takeTurns repeats every trial until it has the times it wants. Each round
// starts with another one and with a collected heap: once a round, because
// collecting before each turn would also empty the pools that the library
// keeps buffers in, while peers hold on to theirs.
func (w *workload) takeTurns(trials []*trial) {
	for round := 0; slices.ContainsFunc(trials, (*trial).pending); round++ {
		runtime.GC()
		for i := range trials {
			if t := trials[(i+round)%len(trials)]; t.pending() {
				t.times = append(t.times, w.repeat(t))
			}
		}
	}
}

func (t *trial) pending() bool { return len(t.times) < t.want }

// repeat is one repetition: the mean time of a pass.
func (w *workload) repeat(t *trial) time.Duration {
	total := time.Duration(0)
	before := memory()
	for range t.passes {
		total += w.time(t)
	}
	allocs := float64(memory().Mallocs-before.Mallocs) / float64(t.passes*w.Count)
	t.result.Allocs = min(t.result.Allocs, allocs)
	return total / time.Duration(t.passes)
}

// time sorts all runs once; restoring them is not part of it.
func (w *workload) time(t *trial) time.Duration {
	w.Restore()
	start := time.Now()
	for run := range w.Count {
		t.Sort(run)
	}
	return time.Since(start)
}

func (t *trial) summary(elements int) result {
	r := t.result
	if r.Note != "" {
		return r
	}
	times := slices.Sorted(slices.Values(t.times))
	each := func(t time.Duration) float64 { return float64(t) / float64(elements) }
	r.Reps = len(times)
	r.Min, r.Max = each(times[0]), each(times[len(times)-1])
	r.Median = (each(times[(len(times)-1)/2]) + each(times[len(times)/2])) / 2
	return r
}

func memory() runtime.MemStats {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m
}
