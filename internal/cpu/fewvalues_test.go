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

// TestHeavySample draws samples of which just as many as are needed, or one less, have one of four values. Every sampled key
// is one of those at even distances, at a place that is drawn.
func TestHeavySample(t *testing.T) {
	for _, c := range []struct {
		n, heavy int // sampled keys of the values
		values   int
		used     int
	}{
		{128 * heavySample, heavyLeast, 4, 4}, {128 * heavySample, heavyLeast - 1, 4, 0}, {128 * heavySample, heavySample, 4, 4}, {2 * heavySample, heavySample, 4, 4},
		{2*heavySample - 1, heavySample, 4, 0}, {128 * heavySample, heavyLeast, 2, 2}, {128 * heavySample, heavyLeast - 2, 2, 0},
	} {
		step := c.n / heavySample
		keys := make([]uint64, c.n)
		for i := range keys {
			if keys[i] = uint64(i/step%c.values+1) << 40; i/step >= c.heavy {
				keys[i] = uint64(i)<<20 + 1
			}
		}
		h, ordered := sampleHeavy(keys, func(bits uint64) uint64 { return bits })
		if h.used != c.used || ordered {
			t.Errorf("%d keys, %d of %d sampled have one of %d values: %d are found, ordered %t", c.n, c.heavy, heavySample, c.values, h.used, ordered)
		}
		for i, value := range h.values {
			if h.used > 0 && (value == 0 || value>>40 > 4 || value<<24 != 0 || slices.Contains(h.values[:i], value) != (i >= h.used)) {
				t.Errorf("values %x, of which %d count", h.values, h.used)
			}
		}
	}
}

// TestHeavySampleOrder samples keys of two values that rise, that fall, or do both.
func TestHeavySampleOrder(t *testing.T) {
	for name, c := range map[string]struct {
		key     func(i int) uint64
		ordered bool
	}{
		"rising": {func(i int) uint64 { return uint64(i / 5000) }, true}, "falling": {func(i int) uint64 { return uint64(1 - i/5000) }, true},
		"both": {func(i int) uint64 { return uint64(i / 4000 % 2) }, false}, "equal": {func(int) uint64 { return 3 }, true},
	} {
		keys := make([]uint64, 10_000)
		for i := range keys {
			keys[i] = c.key(i)
		}
		if h, ordered := sampleHeavy(keys, func(bits uint64) uint64 { return bits }); ordered != c.ordered || h.used < 1 {
			t.Errorf("%s: ordered %t, %d values", name, ordered, h.used)
		}
	}
}

// TestNoStraysTakeNoMemory counts keys of two values alone: no memory is taken for others.
func TestNoStraysTakeNoMemory(t *testing.T) {
	keys := make([]uint64, 100_000)
	for i := range keys {
		keys[i] = uint64(i) * 0x9e3779b97f4a7c15 >> 63
	}
	for _, workers := range []int{1, 3} {
		own := slices.Clone(keys)
		env := newEnv(workers)
		if err := drawnKeys(own).Sort(env); err != nil || !slices.IsSorted(own) || env.Trace.Shape != engine.FewValues || env.Arena.Peak() > 0 {
			t.Errorf("%d workers: %d bytes, shape %q, %v", workers, env.Arena.Peak(), env.Trace.Shape, err)
		}
	}
}
