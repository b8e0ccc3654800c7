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
	"example.com/sorter/kernels"
)

// up copies words to device memory that the test gives back in the end.
func up[W word](t *testing.T, l *lane, words []W) cuda.Ptr {
	t.Helper()
	var w W
	size := int(unsafe.Sizeof(w))
	b, err := l.take(size*len(words) + 1)
	if err == nil && len(words) > 0 {
		err = first(
			func() error { return l.CopyToDevice(b.at, unsafe.Pointer(&words[0]), size*len(words), l.stream) },
			func() error { return l.SyncStream(l.stream) },
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.put(b) })
	return b.at
}

// down copies n words from device memory.
func down[W word](t *testing.T, l *lane, at cuda.Ptr, n int) []W {
	t.Helper()
	var w W
	words := make([]W, n)
	err := first(
		func() error {
			return l.CopyToHost(unsafe.Pointer(unsafe.SliceData(words)), at, n*int(unsafe.Sizeof(w)), l.stream)
		},
		func() error { return l.SyncStream(l.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// mergeLane is a lane with the kernels of runs.
func mergeLane(t *testing.T) *lane {
	t.Helper()
	e := open(t)
	l, err := e.dev.lane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.done)
	if err := l.load(mergeModules); err != nil {
		t.Fatal(err)
	}
	return l
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
	l := mergeLane(t)
	for _, name := range someCodes() {
		for _, n := range aroundTiles {
			codes := codesOf[name](rand.New(rand.NewPCG(5, 6)), n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testTileSort(t, l, codes)
				testTileSort(t, l, fill32(codes))
			})
		}
	}
}

func testTileSort[W word](t *testing.T, l *lane, codes []W) {
	n, wide := len(codes), isWide[W]()
	to := runs{up(t, l, make([]W, n)), up(t, l, make([]uint32, n))}
	if err := l.tileSort(input{codes: up(t, l, codes), wide: wide, n: n}, to); err != nil {
		t.Fatal(err)
	}
	sorted, positions := sortedRuns(codes, kernels.MergeTile)
	if !slices.Equal(down[W](t, l, to.codes, n), sorted) || !slices.Equal(down[uint32](t, l, to.positions, n), positions) {
		t.Errorf("wide %v: wrong runs", wide)
	}
	alone := runs{codes: up(t, l, make([]W, n))}
	if err := l.tileSort(input{codes: up(t, l, codes), wide: wide, n: n}, alone); err != nil || !slices.Equal(down[W](t, l, alone.codes, n), sorted) {
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
	l := mergeLane(t)
	for _, name := range someCodes() {
		for _, c := range []struct{ n, length int }{
			{1, 1}, {100, 1}, {1000, 7}, {3 * kernels.MergeTile, kernels.MergeTile}, {3*kernels.MergeTile + 1, kernels.MergeTile},
			{20_000, 2048}, {30_000, 10_001}, {25_000, 24_999}, {12_000, 4096}, {9000, 9000},
		} {
			codes := codesOf[name](rand.New(rand.NewPCG(7, 8)), c.n)
			t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
				testMerge(t, l, codes, c.length)
				testMerge(t, l, fill32(codes), c.length)
			})
		}
	}
}

func testMerge[W word](t *testing.T, l *lane, codes []W, length int) {
	n, wide := len(codes), isWide[W]()
	sorted, positions := sortedRuns(codes, length)
	from := runs{up(t, l, sorted), up(t, l, positions)}
	to := runs{up(t, l, make([]W, n)), up(t, l, make([]uint32, n))}
	paths := up(t, l, make([]uint32, pathsBytes(n, length)/4))
	keys := runs{codes: up(t, l, sorted)} // what is merged is overwritten
	run, err := l.merge(input{wide: wide, n: n}, length, from, to, paths, true)
	if err != nil {
		t.Fatal(err)
	}
	sorted, positions = sortedRuns(codes, n)
	if !slices.Equal(down[W](t, l, run.codes, n), sorted) || !slices.Equal(down[uint32](t, l, run.positions, n), positions) {
		t.Errorf("wide %v: wrong order", wide)
	}
	run, err = l.merge(input{wide: wide, n: n, keys: true}, length, keys, runs{codes: up(t, l, make([]W, n))}, paths, true)
	if err != nil || run.positions != 0 || !slices.Equal(down[W](t, l, run.codes, n), sorted) {
		t.Errorf("wide %v: error %v, or wrong keys", wide, err)
	}
}

// TestMergePairs checks codes, too, where two runs become one.
func TestMergePairs(t *testing.T) {
	l := mergeLane(t)
	codes := codesOf["16 values"](rand.New(rand.NewPCG(9, 10)), 11_000)
	sorted, positions := sortedRuns(codes, 3000)
	from := runs{up(t, l, sorted), up(t, l, positions)}
	to := runs{up(t, l, make([]uint64, len(codes))), up(t, l, make([]uint32, len(codes)))}
	if err := l.mergePairs(true, len(codes), 3000, from, to, up(t, l, make([]uint32, 100))); err != nil {
		t.Fatal(err)
	}
	sorted, positions = sortedRuns(codes, 6000)
	if !slices.Equal(down[uint64](t, l, to.codes, len(codes)), sorted) || !slices.Equal(down[uint32](t, l, to.positions, len(codes)), positions) {
		t.Error("wrong runs")
	}
}

// TestCancelPasses ends the context of a sort before its second pass over the tiles,
// when it has been given as many as it may before it asks.
func TestCancelPasses(t *testing.T) {
	codes := codesOf["uniform"](rand.New(rand.NewPCG(31, 32)), bitonicTile+1)
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		by    engine.Algorithm
		tiles int // of the first pass
	}{
		{engine.Bitonic, 2}, {engine.SampleSort, 3}, {engine.MergeSort, 3}, {engine.Radix, 1},
	} {
		l := laneWith(t, c.by)
		in, order := input{codes: up(t, l, codes), wide: true, n: len(codes)}, up(t, l, make([]uint32, len(codes)))
		l.ctx, l.tiles = ended, c.tiles
		if _, err := l.sort(c.by, in, order); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v of a context that ended", c.by, err)
		}
		l.ctx, l.tiles = ended, patience
		if _, err := l.sort(c.by, in, order); err != nil || !slices.Equal(down[uint32](t, l, order, len(codes)), want(codes)) {
			t.Errorf("%v: error %v, or wrong order, of the sort behind it", c.by, err)
		}
	}
}

// TestGatherRun makes a run of an order in its own place.
func TestGatherRun(t *testing.T) {
	l := mergeLane(t)
	for _, n := range []int{1, 1023, 70_000} {
		codes := codesOf["gauss"](rand.New(rand.NewPCG(11, 12)), n)
		sorted, positions := sortedRuns(codes, n)
		to := runs{up(t, l, make([]uint64, n)), up(t, l, positions)}
		if err := l.gatherRun(input{codes: up(t, l, codes), wide: true, n: n}, to.positions, 1<<31, to); err != nil {
			t.Fatal(err)
		}
		alone := runs{codes: up(t, l, make([]uint64, n))}
		if err := l.gatherRun(input{codes: up(t, l, codes), wide: true, n: n}, up(t, l, positions), 0, alone); err != nil || !slices.Equal(down[uint64](t, l, alone.codes, n), sorted) {
			t.Errorf("%d codes: error %v, or wrong keys", n, err)
		}
		for i := range positions {
			positions[i] += 1 << 31
		}
		if !slices.Equal(down[uint64](t, l, to.codes, n), sorted) || !slices.Equal(down[uint32](t, l, to.positions, n), positions) {
			t.Errorf("%d codes: wrong run", n)
		}
	}
}
