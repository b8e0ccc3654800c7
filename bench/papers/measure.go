package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"example.com/sorter"
)

// rules say how often to measure.
type rules struct {
	reps  int           // after a warm-up
	spend time.Duration // on one contender of one row, after which it is not repeated
}

// input is a list that contenders sort, one after the other.
type input struct {
	n       int
	restore func() // gives the list its unsorted content again
	ways    []way
}

// way is a contender: one way to sort an input.
type way struct {
	name  string
	sort  func(st *sorter.Stats) error // fills st if the library sorts
	check func() error                 // returns the defect of the first result
}

// result has the measurements of a contender at one place of the x axis.
type result struct {
	x, n                int
	contender           string
	reps                int
	median, least, most float64 // ms
	parts               []part
	ran                 string // engine and algorithm, if the library sorted
	note                string // why there is no measurement
}

// part is a stage of a sort, and its median time in ms.
type part struct {
	name string
	time float64
}

// trial is a contender on its way through one input.
type trial struct {
	way
	times []time.Duration
	stats []sorter.Stats // of each repetition
	done  bool
	err   error
}

// measure times the contenders of an input. They take turns, one repetition
// each, so that a machine that slows down or speeds up does so for all of them.
// Everyone's first result is checked; a wrong one ends the program.
func (b *bench) measure(in input) ([]result, error) {
	trials := make([]*trial, len(in.ways))
	for i, w := range in.ways {
		trials[i] = &trial{way: w}
		if err := b.warmUp(in, trials[i]); err != nil {
			return nil, fmt.Errorf("%s, n = %d: %w", w.name, in.n, err)
		}
	}
	for round := 0; slices.ContainsFunc(trials, (*trial).pending); round++ {
		runtime.GC() // garbage of other contenders is not measured
		for i := range trials {
			if t := trials[(i+round)%len(trials)]; t.pending() {
				in.repeat(t)
				t.done = len(t.times) == b.rules.reps || t.spent() >= b.rules.spend
			}
		}
	}
	results := make([]result, len(trials))
	for i, t := range trials {
		results[i] = t.result()
		results[i].n = in.n
	}
	return results, nil
}

// warmUp sorts once and checks the result. It counts only where it takes so long
// that no warming up matters, and no second time is worth the wait.
func (b *bench) warmUp(in input, t *trial) error {
	in.repeat(t)
	if t.err != nil {
		return nil
	}
	if t.done = t.spent() >= b.rules.spend; !t.done {
		t.times, t.stats = nil, nil
	}
	return t.check()
}

func (t *trial) pending() bool { return t.err == nil && !t.done }

// spent is the time of all repetitions.
func (t *trial) spent() (all time.Duration) {
	for _, took := range t.times {
		all += took
	}
	return all
}

// repeat sorts once; restoring the input is not part of the time.
func (in input) repeat(t *trial) {
	in.restore()
	var st sorter.Stats
	start := time.Now()
	t.err = t.sort(&st)
	t.times, t.stats = append(t.times, time.Since(start)), append(t.stats, st)
}

func (t *trial) result() result {
	r := result{contender: t.name, reps: len(t.times)}
	if t.err != nil {
		r.note = "failed: " + t.err.Error()
		return r
	}
	r.median, r.least, r.most = median(t.times), ms(slices.Min(t.times)), ms(slices.Max(t.times))
	last := t.stats[len(t.stats)-1]
	if r.ran = last.Algorithm; last.Engine != "" {
		r.ran = last.Engine + " " + r.ran
	}
	for _, stage := range last.Stages {
		var times []time.Duration
		for _, st := range t.stats {
			times = append(times, timeOf(st.Stages, stage.Name))
		}
		r.parts = append(r.parts, part{stage.Name, median(times)})
	}
	return r
}

// timeOf is the time of a stage, 0 where it was not needed.
func timeOf(stages []sorter.Stage, name string) time.Duration {
	if i := slices.IndexFunc(stages, func(s sorter.Stage) bool { return s.Name == name }); i >= 0 {
		return stages[i].Time
	}
	return 0
}

// median is in ms.
func median(times []time.Duration) float64 {
	t := slices.Sorted(slices.Values(times))
	return (ms(t[(len(t)-1)/2]) + ms(t[len(t)/2])) / 2
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
