package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestDrawnSorts draws codes and ways to sort them: the order is that of a stable sort, and memory is within its bound.
func TestDrawnSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range testkit.Pick(600, 3333) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		undo := vecsort.Restrict([]string{"", "", "avx2", "none"}[r.IntN(4)])
		n := drawnSizes[r.IntN(len(drawnSizes))]
		if i%40 == 0 {
			n = drawnLarge[r.IntN(len(drawnLarge))]
		}
		if r.IntN(2) == 0 {
			drawnSort[uint32](t, r, n)
		} else {
			drawnSort[uint64](t, r, n)
		}
		if undo(); t.Failed() {
			t.Fatalf("case %d", i)
		}
	}
}

func drawnSort[C Code](t *testing.T, r *rand.Rand, n int) {
	shape, codes := drawCodes[C](r, n)
	env, cancel := drawEnv(r)
	defer cancel()
	way := drawWay(t, r, codes, env.Loop.Workers)
	got, err := way.sort(env)
	name := fmt.Sprintf("%s of %d codes, %s, %d workers", way.name, n, shape, env.Loop.Workers)
	if want := stableOrder(codes); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: wrong order, error %v", name, err)
	}
	if env.Arena.Peak() > way.bound {
		t.Errorf("%s: %d bytes, at most %d", name, env.Arena.Peak(), way.bound)
	}
	if t.Failed() {
		t.Log(name)
	}
	env.Arena.Release(1)
}

// TestDrawnEnds ends sorts at each time at which they ask: then they report it, and elements are where they were.
func TestDrawnEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for i := range testkit.Pick(200, 700) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := drawnSizes[r.IntN(len(drawnSizes))]
		if i%20 == 0 {
			n = drawnLarge[r.IntN(len(drawnLarge))]
		}
		_, codes := drawCodes[uint64](r, n)
		workers := 1 + r.IntN(3)
		way := drawWay(t, r, codes, workers)
		want := stableOrder(codes)
		questions := endSort(t, way, want, workers, noEnd)
		for range 3 {
			endSort(t, way, want, workers, r.Int64N(questions+1))
		}
		if t.Failed() {
			t.Fatalf("case %d", i)
		}
	}
}

// noEnd is more questions than any sort asks.
const noEnd = 1 << 40

// endSort ends a sort, whose order is known, after some questions for the context's error, and returns how many it asked. It reports the
// end and leaves elements and keys where they were, or all are in order.
func endSort(t *testing.T, way drawnWay, want []uint32, workers int, left int64) (asked int64) {
	t.Helper()
	env, ctx := newEnv(workers), &testkit.Ending{Context: context.Background()}
	ctx.Left.Store(left)
	env.Loop.Ctx = ctx
	got, err := way.sort(env)
	if err != nil { // untouched
		want = make([]uint32, len(want))
		presorted.Forward(want, 0)
	}
	name := fmt.Sprintf("%s of %d codes, %d workers, ended after %d questions", way.name, len(want), workers, left)
	if err != nil && err != context.Canceled {
		t.Error(name, err)
	}
	if (err == nil || way.moves) && !slices.Equal(got, want) {
		t.Errorf("%s: wrong order, error %v", name, err)
	}
	env.Arena.Release(1)
	return left - ctx.Left.Load()
}

// TestDrawnPairs sorts codes with numbers, with memory and without.
func TestDrawnPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var p bucket.Pairs
	env := newEnv(1)
	for range testkit.Pick(200, 1666) {
		n := drawnSizes[r.IntN(len(drawnSizes))]
		shape, codes := drawCodes[uint64](r, n)
		numbers := make([]uint32, n)
		presorted.Forward(numbers, 7)
		got, inPlace, a, b := slices.Clone(codes), slices.Clone(codes), slices.Clone(numbers), slices.Clone(numbers)
		p.Sort(env, got, a)
		SortInPlace(newEnv(1), inPlace, b)
		for i, x := range stableOrder(codes) {
			if got[i] != codes[x] || inPlace[i] != codes[x] || a[i] != numbers[x] || b[i] != numbers[x] {
				t.Fatalf("%d codes, %s: place %d", n, shape, i)
			}
		}
	}
}
