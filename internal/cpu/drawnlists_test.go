package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/testkit"
)

// TestDrawnLists orders sorted lists together.
func TestDrawnLists(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range testkit.Pick(1500, 3333) {
		if r.IntN(2) == 0 {
			drawnLists[uint32](t, r)
		} else {
			drawnLists[uint64](t, r)
		}
	}
}

func drawnLists[C Code](t *testing.T, r *rand.Rand) {
	lists, most := 1+r.IntN(12), 1+r.IntN(1+r.IntN(900))
	var all []C
	var ends []int
	mask := ^C(0)
	if r.IntN(2) == 0 { // narrow ones take one pass
		mask >>= r.IntN(8 * int(unsafe.Sizeof(mask)))
	}
	for range lists {
		_, codes := drawCodes[C](r, 1+r.IntN(most))
		for i := range codes {
			codes[i] &= mask
		}
		slices.Sort(codes)
		all, ends = append(all, codes...), append(ends, len(all)+len(codes))
	}
	env := newEnv(1)
	var l bucket.Lists[C]
	n := len(all)
	for range 1 + r.IntN(2) { // again in the same memory
		l.Begin(env, n, lists, slices.Min(all), slices.Max(all))
		for i, lo := 0, 0; i < lists; i++ {
			l.Add(all[lo:ends[i]], uint32(lo))
			lo = ends[i]
		}
		words, spare := l.Sort(func(number uint32) C { return all[number] })
		if len(words) != n || len(spare) != n {
			t.Fatalf("%d words of %d, and %d", len(words), n, len(spare))
		}
		for i, x := range stableOrder(all) {
			if uint32(words[i]) != x {
				t.Fatalf("%d lists of up to %d: element %d is at place %d", lists, most, uint32(words[i]), i)
			}
		}
		run := make([]uint64, n)
		for i := range run {
			run[i] = uint64(r.Uint32())<<32 | uint64(i)
		}
		l.SortRun(run, func(number uint32) C { return all[number] })
		for i, x := range stableOrder(all) {
			if uint32(run[i]) != x {
				t.Fatalf("a run of %d: element %d is at place %d", n, uint32(run[i]), i)
			}
		}
	}
	env.Arena.Release(1)
}
