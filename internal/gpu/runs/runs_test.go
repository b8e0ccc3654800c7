//go:build linux && (amd64 || arm64)

package runs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// around are sizes around the elements of a block of the kernels.
var around = []int{1, 2, kernels.MergeTile - 1, kernels.MergeTile, kernels.MergeTile + 1, 2*kernels.MergeTile - 1, 2 * kernels.MergeTile, 5*kernels.MergeTile + 7}

// TestSort has sizes at which the number of rounds changes.
func TestSort(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	r := rand.New(rand.NewPCG(13, 14))
	sizes := append([]int{0, kernels.MergeTile + 1, 4*kernels.MergeTile + 1, 8 * kernels.MergeTile}, around...)
	if !testkit.Long() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		gputest.CheckSort(t, w, gputest.CodesOf["16 values"](r, n), Sort)
	}
}

func TestTileSort(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	for i, name := range gputest.SomeCodes() {
		for j, n := range around {
			if testkit.ThreadSanitizer() && (i+j)%4 != 0 {
				continue
			}
			list := gputest.CodesOf[name](rand.New(rand.NewPCG(5, 6)), n)
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testTileSort(t, w, list)
				testTileSort(t, w, gputest.Fill32(list))
			})
		}
	}
}

func testTileSort[W codes.Word](t *testing.T, w *device.Workspace, list []W) {
	n, wide := len(list), gputest.IsWide[W]()
	to := Runs{gputest.Up(t, w, make([]W, n)), gputest.Up(t, w, make([]uint32, n))}
	if err := tileSort(w, codes.Input{Codes: gputest.Up(t, w, list), Wide: wide, N: n}, to); err != nil {
		t.Fatal(err)
	}
	sorted, positions := gputest.SortedRuns(list, kernels.MergeTile)
	if !slices.Equal(gputest.Down[W](t, w, to.Codes, n), sorted) || !slices.Equal(gputest.Down[uint32](t, w, to.Positions, n), positions) {
		t.Errorf("wide %v: wrong runs", wide)
	}
	alone := Runs{Codes: gputest.Up(t, w, make([]W, n))}
	if err := tileSort(w, codes.Input{Codes: gputest.Up(t, w, list), Wide: wide, N: n}, alone); err != nil || !slices.Equal(gputest.Down[W](t, w, alone.Codes, n), sorted) {
		t.Errorf("wide %v: error %v, or wrong runs of keys alone", wide, err)
	}
}

// TestMerge merges runs of lengths that are no multiple of a tile, with a last
// run that is shorter or has no partner.
func TestMerge(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := gputest.Workspace(t, Modules...)
	for _, name := range gputest.SomeCodes() {
		for _, c := range []struct{ n, length int }{
			{1, 1}, {100, 1}, {1000, 7}, {3 * kernels.MergeTile, kernels.MergeTile}, {3*kernels.MergeTile + 1, kernels.MergeTile},
			{20_000, 2048}, {30_000, 10_001}, {25_000, 24_999}, {12_000, 4096}, {9000, 9000},
		} {
			list := gputest.CodesOf[name](rand.New(rand.NewPCG(7, 8)), c.n)
			t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
				testMerge(t, w, list, c.length)
				testMerge(t, w, gputest.Fill32(list), c.length)
			})
		}
	}
}

func testMerge[W codes.Word](t *testing.T, w *device.Workspace, list []W, length int) {
	n, wide := len(list), gputest.IsWide[W]()
	sorted, positions := gputest.SortedRuns(list, length)
	from := Runs{gputest.Up(t, w, sorted), gputest.Up(t, w, positions)}
	to := Runs{gputest.Up(t, w, make([]W, n)), gputest.Up(t, w, make([]uint32, n))}
	paths := gputest.Up(t, w, make([]uint32, PathsBytes(n, length)/4))
	keys := Runs{Codes: gputest.Up(t, w, sorted)} // the merge overwrites its input
	run, err := Merge(w, codes.Input{Wide: wide, N: n}, length, from, to, paths, true)
	if err != nil {
		t.Fatal(err)
	}
	sorted, positions = gputest.SortedRuns(list, n)
	if !slices.Equal(gputest.Down[W](t, w, run.Codes, n), sorted) || !slices.Equal(gputest.Down[uint32](t, w, run.Positions, n), positions) {
		t.Errorf("wide %v: wrong order", wide)
	}
	run, err = Merge(w, codes.Input{Wide: wide, N: n, Keys: true}, length, keys, Runs{Codes: gputest.Up(t, w, make([]W, n))}, paths, true)
	if err != nil || run.Positions != 0 || !slices.Equal(gputest.Down[W](t, w, run.Codes, n), sorted) {
		t.Errorf("wide %v: error %v, or wrong keys", wide, err)
	}
}

// TestMergePairs checks codes, too, where two runs become one.
func TestMergePairs(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	list := gputest.CodesOf["16 values"](rand.New(rand.NewPCG(9, 10)), 11_000)
	sorted, positions := gputest.SortedRuns(list, 3000)
	from := Runs{gputest.Up(t, w, sorted), gputest.Up(t, w, positions)}
	to := Runs{gputest.Up(t, w, make([]uint64, len(list))), gputest.Up(t, w, make([]uint32, len(list)))}
	if err := mergePairs(w, true, len(list), 3000, from, to, gputest.Up(t, w, make([]uint32, 100))); err != nil {
		t.Fatal(err)
	}
	sorted, positions = gputest.SortedRuns(list, 6000)
	if !slices.Equal(gputest.Down[uint64](t, w, to.Codes, len(list)), sorted) || !slices.Equal(gputest.Down[uint32](t, w, to.Positions, len(list)), positions) {
		t.Error("wrong runs")
	}
}

// TestGatherRun makes a run of an order in its own place.
func TestGatherRun(t *testing.T) {
	w := gputest.Workspace(t, Modules...)
	for _, n := range []int{1, 1023, 70_000} {
		list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(11, 12)), n)
		sorted, positions := gputest.SortedRuns(list, n)
		to := Runs{gputest.Up(t, w, make([]uint64, n)), gputest.Up(t, w, positions)}
		if err := Gather(w, codes.Input{Codes: gputest.Up(t, w, list), Wide: true, N: n}, to.Positions, 1<<31, to); err != nil {
			t.Fatal(err)
		}
		alone := Runs{Codes: gputest.Up(t, w, make([]uint64, n))}
		if err := Gather(w, codes.Input{Codes: gputest.Up(t, w, list), Wide: true, N: n}, gputest.Up(t, w, positions), 0, alone); err != nil || !slices.Equal(gputest.Down[uint64](t, w, alone.Codes, n), sorted) {
			t.Errorf("%d codes: error %v, or wrong keys", n, err)
		}
		for i := range positions {
			positions[i] += 1 << 31
		}
		if !slices.Equal(gputest.Down[uint64](t, w, to.Codes, n), sorted) || !slices.Equal(gputest.Down[uint32](t, w, to.Positions, n), positions) {
			t.Errorf("%d codes: wrong run", n)
		}
	}
}
