//go:build linux && (amd64 || arm64)

package gpu

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// tiesBy is the plain twin of mark_ties.
func tiesBy[W word](codes []W, order []uint32) []uint32 {
	ties := make([]uint32, engine.TieWords(len(order)))
	for i := 1; i < len(order); i++ {
		if codes[order[i]] == codes[order[i-1]] {
			ties[i/32] |= 1 << (i % 32)
		}
	}
	return ties
}

// markedJob is a job whose ties are marked.
func markedJob[W word](ctx context.Context, a engine.Algorithm, codes []W) (job *engine.Job, order []uint32) {
	job, order = newJob(ctx, a, codes)
	job.Ties = make([]uint32, engine.TieWords(len(codes)))
	return job, order
}

func checkMarked[W word](t *testing.T, got []uint32, codes []W, order []uint32) {
	t.Helper()
	for i, want := range tiesBy(codes, order) {
		if got[i] != want {
			t.Errorf("%d codes: ties %#x of places %d to %d, want %#x", len(codes), got[i], 32*i, 32*i+31, want)
			return
		}
	}
}

// tiedSizes are around a word and what a grid of one device marks in one go.
var tiedSizes = []int{1, 2, 31, 32, 33, 63, 64, 65, kernels.SampleThreads - 1, kernels.SampleThreads, kernels.SampleThreads + 1, 10_007, 70_000}

// TestMarkTies marks ties in memory that holds something else, through an order
// and of codes that are in order.
func TestMarkTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := mergeWorkspace(t)
	names := slices.Sorted(maps.Keys(codesOf))
	if testing.Short() {
		names = []string{"flat", "16 values", "low half"}
	}
	for _, name := range names {
		for _, n := range tiedSizes {
			codes := codesOf[name](rand.New(rand.NewPCG(31, uint64(n))), n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testMarkTies(t, w, codes)
				testMarkTies(t, w, fill32(codes))
			})
		}
	}
}

func testMarkTies[W word](t *testing.T, w *workspace, codes []W) {
	t.Helper()
	sorted, order := sortedRuns(codes, len(codes))
	for _, c := range []struct {
		codes []W
		order cuda.Ptr
	}{{codes, up(t, w, order)}, {sorted, 0}} {
		const behind = 0x5a5a5a5a
		words := engine.TieWords(len(codes))
		poison := slices.Repeat([]uint32{behind}, words+1)
		ties := up(t, w, poison)
		if err := w.markTies(input{codes: up(t, w, c.codes), wide: isWide[W](), n: len(codes)}, c.order, ties); err != nil {
			t.Fatal(err)
		}
		got := down[uint32](t, w, ties, words+1)
		checkMarked(t, got[:words], codes, order)
		if got[words] != behind {
			t.Errorf("wide %v: the word behind the ties is %#x", isWide[W](), got[words])
		}
	}
}

// TestTies has every algorithm mark the ties of its order.
func TestTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	by := append(slices.Collect(maps.Keys(algorithms)), engine.Auto, engine.IndexGather, engine.Hybrid)
	if testing.Short() { // they differ in what is tested elsewhere
		by = []engine.Algorithm{engine.BucketBitonic, engine.Hybrid}
	}
	names := someCodes()
	for i, a := range by {
		for j, name := range names {
			n := []int{1, 33, 5000, 9001}[(i+j)%4]
			codes := codesOf[name](rand.New(rand.NewPCG(32, uint64(j))), n)
			testTies(t, e, a, codes)
			testTies(t, e, a, fill32(codes))
		}
	}
}

func testTies[W word](t *testing.T, e *Engine, a engine.Algorithm, codes []W) {
	t.Helper()
	job, order := markedJob(t.Context(), a, codes)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want(codes)) {
		t.Fatalf("%v, %d codes: error %v, or wrong order", a, len(codes), err)
	}
	checkMarked(t, job.Ties, codes, order)
}
