package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/ways"
)

// TestFewValues counts keys of up to four values, and moves few others aside; of more values, or of more others, they are sorted in
// another way.
func TestFewValues(t *testing.T) {
	testFewValues[uint32](t)
	testFewValues[uint64](t)
}

func testFewValues[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	const n = 20_000
	for _, workers := range []int{1, splitWorkers + 1} {
		for _, values := range []int{2, 4, 5} {
			for _, others := range []int{0, 1, n / 50, n / 2} {
				all, codes := make([]C, values), make([]C, n)
				for i := range all {
					all[i] = C(r.Uint64())
				}
				for i := range codes {
					codes[i] = all[r.IntN(values)]
				}
				for range others {
					codes[r.IntN(n)] = C(r.Uint64())
				}
				want := slices.Sorted(slices.Values(codes))
				env := newEnv(workers)
				taken := ways.Watch(func() {
					if err := drawnKeys(codes).Sort(env); err != nil {
						t.Error(err)
					}
				})
				if !slices.Equal(codes, want) {
					t.Fatalf("%d values, %d others, %d workers: wrong order", values, others, workers)
				}
				splits := maySplit(env, n)
				counted := values <= heavyValues && (others <= 1 || others < n/2 && !splits)
				if unsure := values > heavyValues && !splits; !unsure && taken.Has(ways.FewValues) != counted || counted && env.Trace.Shape != engine.FewValues {
					t.Errorf("%d values, %d others, %d workers: ways %v, shape %q", values, others, workers, taken, env.Trace.Shape)
				}
				env.Arena.Release(1)
			}
		}
	}
}
