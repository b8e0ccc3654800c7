package cpu

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/ways"
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
			env.Trace.Vectors = new(atomic.Bool)
			crowd := name != "uniform"
			if got := splitting(env, in(codes), n, surveyOf(codes)); got != (crowd && workers <= splitWorkers) {
				t.Errorf("%s, %d workers: Crowded is %t", name, workers, got)
			}
			if some := codes[:mostCached]; splitting(env, in(some), mostCached, surveyOf(some)) != (workers <= splitWorkers) {
				t.Errorf("%s, %d workers: %d are split, or are not", name, workers, mostCached)
			}
			for _, progress := range []func(string, int, int){nil, func(string, int, int) {}} { // in the memory of the keys, and beside
				sorted := slices.Clone(codes)
				env.Loop.Progress = progress
				must(t, keysOf(env, sorted).Sort(env))
				if !slices.Equal(sorted, want) || workers <= splitWorkers && !env.Trace.Vectors.Load() {
					t.Errorf("%s, %d workers: not in order, or not by vectors", name, workers)
				}
				if crowd && workers <= splitWorkers && env.Trace.Rounds > 0 {
					t.Errorf("%s, %d workers: %d rounds beside splits", name, workers, env.Trace.Rounds)
				}
			}
		}
	}
}

// TestSplitRows orders elements of which 32-bit codes crowd, by splits of words where the processor has them.
func TestSplitRows(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for _, n := range []int{9000, bucket.MaxLen + 1, 150_000} {
		codes := make([]uint32, n)
		for i := range codes {
			if codes[i] = r.Uint32() >> (r.IntN(8) * r.IntN(4)); i%3 == 0 {
				codes[i] = 77
			}
		}
		for workers := 1; workers <= splitWorkers+1; workers++ {
			order, env := make([]uint32, n), newEnv(workers)
			taken := ways.Watch(func() {
				err := Order(env, n, sourceOf(codes), false, func(_, lo int, part []uint32, _ []uint32) { copy(order[lo:], part) })
				if err != nil || !slices.Equal(order, stableOrder(codes)) {
					t.Errorf("%d codes, %d workers: wrong order, %v", n, workers, err)
				}
			})
			if want := bucket.Splits() && workers <= splitWorkers && !alone(n, workers, 0); taken.Has(ways.SplitRows) != want {
				t.Errorf("%d codes, %d workers: split %t, want %t", n, workers, !want, want)
			}
			if most := OrderBytes(n, workers, 4); env.Arena.Peak() > most {
				t.Errorf("%d codes, %d workers: %d bytes, at most %d", n, workers, env.Arena.Peak(), most)
			}
			env.Arena.Release(1)
		}
	}
}

// TestSplitRowsAgain moves and orders elements of which half have codes close to each other, above those of the others: after a
// partition these are split.
func TestSplitRowsAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	const n = 3 * bucket.MaxLen
	codes := make([]uint32, n)
	for i := range codes {
		if codes[i] = r.Uint32(); i%2 == 0 {
			codes[i] = 0xf0000000 + r.Uint32N(1000)*r.Uint32N(2)
		}
	}
	want := stableOrder(codes)
	for workers := 1; workers <= splitWorkers+1; workers++ {
		for _, way := range waysOf(t, codes, moveBySize[1], workers) {
			env := newEnv(workers)
			if order, err := way.sort(env); err != nil || !slices.Equal(order, want) {
				t.Errorf("%s, %d workers: wrong order, %v", way.name, workers, err)
			}
			env.Arena.Release(1)
		}
	}
}

// TestGatherSlices gathers elements of several slices by their numbers.
func TestGatherSlices(t *testing.T) {
	all := [][]uint64{{5, 6, 7}, {8}, {9, 10}}
	var at []unsafe.Pointer
	var words, want []uint64
	for i, s := range all {
		at = append(at, unsafe.Pointer(unsafe.SliceData(s)))
		for j := range s {
			words, want = append([]uint64{uint64(InSlice(i, j)) | 3<<40}, words...), append([]uint64{s[j]}, want...)
		}
	}
	got := make([]uint64, len(want))
	if PayloadOf(got).GatherSlices(at, words); !slices.Equal(got, want) {
		t.Errorf("gathered are %d, want %d", got, want)
	}
	if got := SettleBytes(10_000, 2, 48); got <= 10_000*48 {
		t.Errorf("moves of 480,000 bytes take %d", got)
	}
}
