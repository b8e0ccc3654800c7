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
		const many = 1 << 40
		questions, left := int64(0), int64(many) // before the end: first more than there are, then some of these
		ordered, untouched := stableOrder(codes), make([]uint32, n)
		presorted.Forward(untouched, 0)
		for range 4 {
			env := newEnv(workers)
			ctx := &testkit.Ending{Context: context.Background()}
			ctx.Left.Store(left)
			env.Loop.Ctx = ctx
			got, err := way.sort(env)
			want := ordered
			if err != nil {
				want = untouched
			}
			switch {
			case err != nil && err != context.Canceled, err == nil && env.Loop.Cancellable() && ctx.Left.Load() < 0:
				t.Fatalf("case %d, %s of %d codes: error %v, asked %d times after the end", i, way.name, n, err, -ctx.Left.Load())
			case (err == nil || way.moves) && !slices.Equal(got, want):
				t.Fatalf("case %d, %s of %d codes, error %v: wrong order", i, way.name, n, err)
			}
			env.Arena.Release(1)
			if left == many {
				questions = many - ctx.Left.Load()
			}
			left = r.Int64N(questions + 1)
		}
	}
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
