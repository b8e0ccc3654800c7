package main

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// turns is how often each contender sorts after the first call.
const turns = 5

// contender is a sort to be timed.
type contender struct {
	name string
	sort func([]Trade)
}

// stopwatch times one sort, which does not pay for garbage made before.
func stopwatch(c contender, trades []Trade) time.Duration {
	runtime.GC()
	start := time.Now()
	c.sort(trades)
	return time.Since(start)
}

// alternate times turns of a and b on copies of the same trades, one after the other, so that a
// disturbance of the machine meets both. It fails unless their results agree.
func alternate(a, b contender, trades []Trade) (ofA, ofB []time.Duration) {
	inA, inB := slices.Clone(trades), slices.Clone(trades)
	for range turns {
		copy(inA, trades)
		ofA = append(ofA, stopwatch(a, inA))
		copy(inB, trades)
		ofB = append(ofB, stopwatch(b, inB))
		if err := agree(inA, inB); err != nil {
			log.Fatal(err)
		}
	}
	return ofA, ofB
}

// spread is the median of some times, with the least and the most.
type spread struct{ median, least, most time.Duration }

func spreadOf(times []time.Duration) spread {
	sorted := slices.Sorted(slices.Values(times))
	return spread{sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%8.1f ms (%.1f–%.1f)", ms(s.median), ms(s.least), ms(s.most))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// report prints the first call of sorter.Sort, the later ones, and how both compare with the others'.
func report(first time.Duration, later, others []time.Duration) {
	std, warm := spreadOf(others), spreadOf(later)
	ratio := func(d time.Duration) float64 { return std.median.Seconds() / d.Seconds() }
	fmt.Printf(`slices.SortFunc           %v
sorter.Sort, first call   %8.1f ms, %.1f times as fast
sorter.Sort, later calls  %v, %.1f times as fast

Medians of %d alternating runs on the same data, with the least and the most; both
orders agree. The first call of sorter.Sort is timed once: it gets its scratch
memory from the system, and later calls (the table is of the last) reuse that.
Making and copying the trades is not timed.
`, std, ms(first), ratio(first), warm, ratio(warm.median), turns)
}

// loadAverage returns how many threads wanted to run in the last minute, or "" where the system does
// not say.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	load, _, _ := strings.Cut(string(text), " ")
	return ", load average " + load + " before the start"
}
