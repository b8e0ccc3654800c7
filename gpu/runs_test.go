//go:build linux && (amd64 || arm64)

package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// up copies words to device memory that the test gives back in the end.
func up[W word](t *testing.T, w *workspace, words []W) cuda.Ptr {
	t.Helper()
	size := int(unsafe.Sizeof(*new(W)))
	b, err := w.take(size*len(words) + 1)
	if err == nil && len(words) > 0 {
		err = first(
			func() error { return w.CopyToDevice(b.at, unsafe.Pointer(&words[0]), size*len(words), w.stream) },
			func() error { return w.SyncStream(w.stream) },
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.put(b) })
	return b.at
}

// down copies n words from device memory.
func down[W word](t *testing.T, w *workspace, at cuda.Ptr, n int) []W {
	t.Helper()
	words := make([]W, n)
	err := first(
		func() error {
			return w.CopyToHost(unsafe.Pointer(unsafe.SliceData(words)), at, n*int(unsafe.Sizeof(*new(W))), w.stream)
		},
		func() error { return w.SyncStream(w.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// mergeWorkspace is a workspace with the kernels of runs.
func mergeWorkspace(t *testing.T) *workspace {
	t.Helper()
	e := open(t)
	w, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.done)
	if err := w.load(mergeModules); err != nil {
		t.Fatal(err)
	}
	return w
}

// aroundTiles are sizes around what a block of the merge kernels takes.
var aroundTiles = []int{1, 2, kernels.MergeTile - 1, kernels.MergeTile, kernels.MergeTile + 1, 2*kernels.MergeTile - 1, 2 * kernels.MergeTile, 5*kernels.MergeTile + 7}

// sortedRuns is the plain twin of tile_sort: codes and positions, each part of that
// length in stable order.
func sortedRuns[W word](codes []W, length int) (sorted []W, positions []uint32) {
	for start := 0; start < len(codes); start += length {
		part := codes[start:min(start+length, len(codes))]
		for _, i := range want(part) {
			sorted = append(sorted, part[i])
			positions = append(positions, uint32(start)+i)
		}
	}
	return sorted, positions
}

// someCodes are all kinds of codes, or few in a short run, which is for the
// sanitizers: kernels that compare have the same accesses for all of them.
func someCodes() []string {
	if testing.Short() {
		return []string{"uniform", "16 values"}
	}
	return slices.Sorted(maps.Keys(codesOf))
}

func TestTileSort(t *testing.T) {
	w := mergeWorkspace(t)
	for _, name := range someCodes() {
		for _, n := range aroundTiles {
			codes := codesOf[name](rand.New(rand.NewPCG(5, 6)), n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testTileSort(t, w, codes)
				testTileSort(t, w, fill32(codes))
			})
		}
	}
}

func testTileSort[W word](t *testing.T, w *workspace, codes []W) {
	n, wide := len(codes), isWide[W]()
	to := runs{up(t, w, make([]W, n)), up(t, w, make([]uint32, n))}
	if err := w.tileSort(input{codes: up(t, w, codes), wide: wide, n: n}, to); err != nil {
		t.Fatal(err)
	}
	sorted, positions := sortedRuns(codes, kernels.MergeTile)
	if !slices.Equal(down[W](t, w, to.codes, n), sorted) || !slices.Equal(down[uint32](t, w, to.positions, n), positions) {
		t.Errorf("wide %v: wrong runs", wide)
	}
	alone := runs{codes: up(t, w, make([]W, n))}
	if err := w.tileSort(input{codes: up(t, w, codes), wide: wide, n: n}, alone); err != nil || !slices.Equal(down[W](t, w, alone.codes, n), sorted) {
		t.Errorf("wide %v: error %v, or wrong runs of keys alone", wide, err)
	}
}

func isWide[W word]() bool {
	var w W
	return unsafe.Sizeof(w) == 8
}

// TestMerge merges runs of lengths that are no multiple of a tile, with a last
// run that is shorter or has no partner.
func TestMerge(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := mergeWorkspace(t)
	for _, name := range someCodes() {
		for _, c := range []struct{ n, length int }{
			{1, 1}, {100, 1}, {1000, 7}, {3 * kernels.MergeTile, kernels.MergeTile}, {3*kernels.MergeTile + 1, kernels.MergeTile},
			{20_000, 2048}, {30_000, 10_001}, {25_000, 24_999}, {12_000, 4096}, {9000, 9000},
		} {
			codes := codesOf[name](rand.New(rand.NewPCG(7, 8)), c.n)
			t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
				testMerge(t, w, codes, c.length)
				testMerge(t, w, fill32(codes), c.length)
			})
		}
	}
}

func testMerge[W word](t *testing.T, w *workspace, codes []W, length int) {
	n, wide := len(codes), isWide[W]()
	sorted, positions := sortedRuns(codes, length)
	from := runs{up(t, w, sorted), up(t, w, positions)}
	to := runs{up(t, w, make([]W, n)), up(t, w, make([]uint32, n))}
	paths := up(t, w, make([]uint32, pathsBytes(n, length)/4))
	keys := runs{codes: up(t, w, sorted)} // what is merged is overwritten
	run, err := w.merge(input{wide: wide, n: n}, length, from, to, paths, true)
	if err != nil {
		t.Fatal(err)
	}
	sorted, positions = sortedRuns(codes, n)
	if !slices.Equal(down[W](t, w, run.codes, n), sorted) || !slices.Equal(down[uint32](t, w, run.positions, n), positions) {
		t.Errorf("wide %v: wrong order", wide)
	}
	run, err = w.merge(input{wide: wide, n: n, keys: true}, length, keys, runs{codes: up(t, w, make([]W, n))}, paths, true)
	if err != nil || run.positions != 0 || !slices.Equal(down[W](t, w, run.codes, n), sorted) {
		t.Errorf("wide %v: error %v, or wrong keys", wide, err)
	}
}

// TestMergePairs checks codes, too, where two runs become one.
func TestMergePairs(t *testing.T) {
	w := mergeWorkspace(t)
	codes := codesOf["16 values"](rand.New(rand.NewPCG(9, 10)), 11_000)
	sorted, positions := sortedRuns(codes, 3000)
	from := runs{up(t, w, sorted), up(t, w, positions)}
	to := runs{up(t, w, make([]uint64, len(codes))), up(t, w, make([]uint32, len(codes)))}
	if err := w.mergePairs(true, len(codes), 3000, from, to, up(t, w, make([]uint32, 100))); err != nil {
		t.Fatal(err)
	}
	sorted, positions = sortedRuns(codes, 6000)
	if !slices.Equal(down[uint64](t, w, to.codes, len(codes)), sorted) || !slices.Equal(down[uint32](t, w, to.positions, len(codes)), positions) {
		t.Error("wrong runs")
	}
}

// TestCancelPasses ends the context of a sort before its second pass over the tiles,
// when it has been given as many as it may before it asks.
func TestCancelPasses(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	codes := codesOf["uniform"](rand.New(rand.NewPCG(31, 32)), bitonicTile+1)
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		by    engine.Algorithm
		tiles int // of the first pass
	}{
		{engine.Bitonic, 2}, {engine.SampleSort, 3}, {engine.MergeSort, 3}, {engine.Radix, 1},
	} {
		w := workspaceWith(t, c.by)
		in, order := input{codes: up(t, w, codes), wide: true, n: len(codes)}, up(t, w, make([]uint32, len(codes)))
		w.ctx, w.tiles = ended, c.tiles
		if _, err := w.sort(c.by, in, order); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v of a context that ended", c.by, err)
		}
		w.ctx, w.tiles = ended, patience
		if _, err := w.sort(c.by, in, order); err != nil || !slices.Equal(down[uint32](t, w, order, len(codes)), want(codes)) {
			t.Errorf("%v: error %v, or wrong order, of the sort behind it", c.by, err)
		}
	}
}

// TestGatherRun makes a run of an order in its own place.
func TestGatherRun(t *testing.T) {
	w := mergeWorkspace(t)
	for _, n := range []int{1, 1023, 70_000} {
		codes := codesOf["gauss"](rand.New(rand.NewPCG(11, 12)), n)
		sorted, positions := sortedRuns(codes, n)
		to := runs{up(t, w, make([]uint64, n)), up(t, w, positions)}
		if err := w.gatherRun(input{codes: up(t, w, codes), wide: true, n: n}, to.positions, 1<<31, to); err != nil {
			t.Fatal(err)
		}
		alone := runs{codes: up(t, w, make([]uint64, n))}
		if err := w.gatherRun(input{codes: up(t, w, codes), wide: true, n: n}, up(t, w, positions), 0, alone); err != nil || !slices.Equal(down[uint64](t, w, alone.codes, n), sorted) {
			t.Errorf("%d codes: error %v, or wrong keys", n, err)
		}
		for i := range positions {
			positions[i] += 1 << 31
		}
		if !slices.Equal(down[uint64](t, w, to.codes, n), sorted) || !slices.Equal(down[uint32](t, w, to.positions, n), positions) {
			t.Errorf("%d codes: wrong run", n)
		}
	}
}
