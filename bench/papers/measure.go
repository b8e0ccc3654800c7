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
	check func() error                 // reports what is wrong with the first result
}

// result is what was measured of a contender at one place of the x axis.
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

// lane is a contender on its way through one input.
type lane struct {
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
	lanes := make([]*lane, len(in.ways))
	for i, w := range in.ways {
		lanes[i] = &lane{way: w}
		if err := b.warmUp(in, lanes[i]); err != nil {
			return nil, fmt.Errorf("%s, n = %d: %w", w.name, in.n, err)
		}
	}
	for round := 0; slices.ContainsFunc(lanes, (*lane).pending); round++ {
		runtime.GC() // nobody pays for what others left
		for i := range lanes {
			if l := lanes[(i+round)%len(lanes)]; l.pending() {
				in.repeat(l)
				l.done = len(l.times) == b.rules.reps || l.spent() >= b.rules.spend
			}
		}
	}
	results := make([]result, len(lanes))
	for i, l := range lanes {
		results[i] = l.result()
		results[i].n = in.n
	}
	return results, nil
}

// warmUp sorts once and checks the result. It counts only where it takes so long
// that no warming up matters, and no second time is worth the wait.
func (b *bench) warmUp(in input, l *lane) error {
	in.repeat(l)
	if l.err != nil {
		return nil
	}
	if l.done = l.spent() >= b.rules.spend; !l.done {
		l.times, l.stats = nil, nil
	}
	return l.check()
}

func (l *lane) pending() bool { return l.err == nil && !l.done }

// spent is the time of all repetitions.
func (l *lane) spent() (all time.Duration) {
	for _, t := range l.times {
		all += t
	}
	return all
}

// repeat sorts once; restoring the input is not part of the time.
func (in input) repeat(l *lane) {
	in.restore()
	var st sorter.Stats
	start := time.Now()
	l.err = l.sort(&st)
	l.times, l.stats = append(l.times, time.Since(start)), append(l.stats, st)
}

func (l *lane) result() result {
	r := result{contender: l.name, reps: len(l.times)}
	if l.err != nil {
		r.note = "failed: " + l.err.Error()
		return r
	}
	r.median, r.least, r.most = median(l.times), ms(slices.Min(l.times)), ms(slices.Max(l.times))
	last := l.stats[len(l.stats)-1]
	if r.ran = last.Algorithm; last.Engine != "" {
		r.ran = last.Engine + " " + r.ran
	}
	for _, stage := range last.Stages {
		var times []time.Duration
		for _, st := range l.stats {
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
