package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/dist"
)

// TestCrowdedKeys sorts keys that crowd, and uniform ones, with one worker, with two and with three.
func TestCrowdedKeys(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const n = 3 * bucket.MaxLen
	for _, name := range []string{"16 values", "zipf", "log", "uniform", "gauss"} {
		codes := dist.Named(name).Draw(n, r)
		want := slices.Clone(codes)
		slices.Sort(want)
		for workers := 1; workers <= splitWorkers+1; workers++ {
			env := newEnv(workers)
			if got, crowd := splitting(env, in(codes), n, surveyOf(codes)), name != "uniform"; got != (crowd && workers <= splitWorkers) {
				t.Errorf("%s, %d workers: Crowded is %t", name, workers, got)
			}
			for _, progress := range []func(string, int, int){nil, func(string, int, int) {}} { // in the memory of the keys, and beside
				sorted := slices.Clone(codes)
				env.Loop.Progress = progress
				must(t, keysOf(env, sorted).Sort(env))
				if !slices.Equal(sorted, want) {
					t.Errorf("%s, %d workers: not in order", name, workers)
				}
			}
		}
	}
}
