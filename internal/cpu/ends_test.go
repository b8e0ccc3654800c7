package cpu

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/testkit"
)

// TestEnds ends every sort, of codes that take each way, at some of the times at which it asks.
func TestEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	turn := 0
	for name, c := range map[string]struct {
		n    int
		code func(i, n int) uint64
	}{
		"few to be counted": {20_000, func(int, int) uint64 { return r.Uint64N(300) }},
		"by one worker":     {5000, func(int, int) uint64 { return r.Uint64() }},
		"partitioned":       {80_000, func(int, int) uint64 { return r.Uint64() }},
		"partitioned twice": {150_000, func(i, _ int) uint64 { return r.Uint64() >> (40 * (i % 2)) }},
		"a crowd in order": {150_000, func(i, _ int) uint64 {
			if i%2 == 0 {
				return r.Uint64()
			}
			return 1<<63 + uint64(i)
		}},
		"ties": {80_000, func(int, int) uint64 { return r.Uint64N(20_000) << 40 }},
		"few and others": {30_000, func(i, _ int) uint64 {
			if i%6 == 0 {
				return r.Uint64()
			}
			return uint64(i%3) << 60
		}},
		"in order":              {20_000, func(i, _ int) uint64 { return uint64(i) << 30 }},
		"moved, with ties":      {70_001, nearly["rotated, each twice"]},
		"some moved":            {70_001, nearly["one in 97 moved"]},
		"falling, some moved":   {20_000, nearly["falling, each twice, some moved"]},
		"falling":               {20_000, nearly["falling, each 3 times"]},
		"more moved, with ties": {20_000, func(i, n int) uint64 { return nearly["one in 97 moved"](i, n) >> 43 << 43 }},
	} {
		codes := make([]uint64, c.n)
		for i := range codes {
			codes[i] = c.code(i, c.n)
		}
		want := stableOrder(codes)
		for workers := splitWorkers; workers <= splitWorkers+1; workers++ { // then without splits
			for _, way := range waysOf(t, codes, moveBySize[5], workers) {
				if turn++; testkit.ThinnedByRace(turn) {
					continue
				}
				questions := endSort(t, way, want, workers, noEnd)
				for left := range questions {
					if left%(1+questions/testkit.Pick[int64](6, 30)) == 0 || left > questions-12 && left%2 == 0 {
						endSort(t, way, want, workers, left)
					}
				}
				if t.Failed() {
					t.Fatal(name)
				}
			}
		}
	}
}

// counting is a refiner that counts the elements whose ties it is given.
type counting struct {
	*untied[uint64]
	seen *atomic.Int64
}

func (c counting) Refine(_ int, order []uint32, _ []uint64) { c.seen.Add(int64(len(order))) }

// TestRefineAll passes all elements that are not in order to a refiner, whether one worker orders them, all do, or moves are found.
func TestRefineAll(t *testing.T) {
	for name, f := range map[string]func(i int) uint64{
		"mixed": func(i int) uint64 { return uint64(i*7919) * 0x9e3779b97f4a7c15 >> 50 << 50 }, "nearly in order": func(i int) uint64 {
			if i%997 == 3 {
				i /= 2
			}
			return uint64(i/2) << 30
		},
	} {
		for _, n := range []int{5000, 50_000} {
			codes, elements := make([]uint64, n), make([]uint64, n)
			for i := range codes {
				codes[i], elements[i] = f(i), f(i)
			}
			env, seen := newEnv(2), new(atomic.Int64)
			tied, err := MoveRefined[uint64](env, PayloadOf(elements), sourceOf(codes), &counting{newUntied(t, codes, 0), seen})
			if err != nil || tied || seen.Load() != int64(n) || !slices.IsSorted(elements) {
				t.Errorf("%s, %d elements: %d are refined, tied %t, %v", name, n, seen.Load(), tied, err)
			}
			env.Arena.Release(1)
		}
	}
}

// TestBucketsInOrder moves elements whose buckets are in order once they are partitioned.
func TestBucketsInOrder(t *testing.T) {
	const n = 80_000
	type element struct{ code, rest uint64 }
	codes, s := make([]uint64, n), make([]element, n)
	for i := range codes {
		codes[i] = uint64(i%16)<<60 + uint64(i)<<8
		s[i] = element{codes[i], uint64(i)}
	}
	env := newEnv(2)
	if err := Move(env, PayloadOf(s), sourceOf(codes)); err != nil {
		t.Error(err)
	}
	for i, x := range stableOrder(codes) {
		if s[i].rest != uint64(x) {
			t.Fatalf("element %d is at %d", s[i].rest, i)
		}
	}
	env.Arena.Release(1)
}
