package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
)

// TestRace sorts even 64-bit codes by both ways, whichever wins on this machine.
func TestRace(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	if r := raceOf64(); r.byBuckets <= 0 || r.bySplits <= 0 || r.round <= 0 || r.round >= r.bySplits {
		t.Errorf("the times are %v", r)
	}
	for _, c := range []struct {
		race race
		n    int
		wins bool
	}{{race{100, 99, 1}, raced, true}, {race{100, 100, 1}, raced, false}, {race{100, 90, 5}, 2 * raced, true}, {race{100, 90, 5}, 2*raced + 1, false}, {race{100, 90, 1}, leastRaced, true}} {
		if got := c.race.splits(c.n); got != c.wins {
			t.Errorf("%v, %d codes: splits win is %t", c.race, c.n, got)
		}
	}
	defer func(before func() race) { raceOf64 = before }(raceOf64)
	sortsOf64.Store(1)
	r, n := rand.New(rand.NewPCG(7, 8)), leastRaced+99
	codes := make([]uint64, n)
	for i := range codes {
		codes[i] = r.Uint64()
	}
	want := slices.Sorted(slices.Values(codes))
	for _, win := range []race{{100, 1, 1}, {1, 100, 1}} {
		raceOf64 = func() race { return win }
		for workers := 1; workers <= splitWorkers; workers++ {
			env, own := newEnv(workers), slices.Clone(codes)
			if got := splitting(env, in(own), n, surveyOf(own)); got != (win.bySplits == 1) {
				t.Errorf("%d workers: splitting is %t", workers, got)
			}
			must(t, keysOf(env, own).Sort(env))
			if !slices.Equal(own, want) {
				t.Errorf("%d workers: not in order", workers)
			}
		}
	}
}
