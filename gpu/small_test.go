//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// Devices of compute capability 7.5, of which few tests can have one: the simulated
// driver has them, and refuses what they would, and on others the same kernels run,
// which the driver compiles from the same PTX.

// smallShared is the shared memory of their blocks.
const smallShared = 64 << 10

// openSmall opens such a device, or one that does what they do.
func openSmall(t *testing.T, opts ...Option) *Engine {
	t.Helper()
	shrink(t)
	e := open(t, opts...)
	for _, d := range e.devs {
		d.algorithms = repertoireWithin(smallShared)
	}
	return e
}

func smallWorkspace(t *testing.T) *workspace {
	t.Helper()
	return workspaceFrom(t, openSmall(t))
}

// TestRepertoires holds every device to what its shared memory has place for.
func TestRepertoires(t *testing.T) {
	for _, c := range []struct {
		shared int
		runs   []engine.Algorithm
		suffix string // of the kernels of the radix sort
	}{
		{227 << 10, slices.Sorted(maps.Keys(algorithms)), ""},
		{99 << 10, slices.Sorted(maps.Keys(algorithms)), ""},
		{smallShared, []engine.Algorithm{engine.Radix, engine.MergeSort}, "_small"},
	} {
		r := repertoireWithin(c.shared)
		if runs := slices.Sorted(maps.Keys(r)); !slices.Equal(runs, c.runs) {
			t.Errorf("%d bytes: %v, want %v", c.shared, runs, c.runs)
		}
		if _, ok := r[engine.Radix].modules[0].kernels["radix_pass"+c.suffix+"_u32"]; !ok {
			t.Errorf("%d bytes: other kernels for the radix sort: %v", c.shared, r[engine.Radix].modules[0].kernels)
		}
		for a, way := range r {
			if way.shared() > c.shared {
				t.Errorf("%d bytes: %v takes %d", c.shared, a, way.shared())
			}
		}
	}
	for what, modules := range map[string][]*module{"any sort": orderModules, "runs": mergeModules, "several devices": routeModules} {
		if most := (algorithm{modules: modules}).shared(); most > smallShared {
			t.Errorf("%s: %d bytes", what, most)
		}
	}
	if 2*smallRadix.shared > smallShared { // see SmallTile of radix.cuh
		t.Errorf("two blocks take %d bytes", 2*smallRadix.shared)
	}
	if smallRadix.tile > largeRadix.tile { // see RadixMost
		t.Errorf("the small tile has %d elements", smallRadix.tile)
	}
}

// TestSmall sorts by what small devices run, or choose.
func TestSmall(t *testing.T) {
	w, r := smallWorkspace(t), rand.New(rand.NewPCG(3, 4))
	if testing.Short() { // what the size of a tile may change
		testArgsort(t, w, []engine.Algorithm{engine.Auto}, codesOf["uniform"](r, smallRadix.tile+1))
		return
	}
	testRadix(t, w, smallRadix.tile, engine.Auto, engine.Radix)
	testArgsort(t, w, []engine.Algorithm{engine.MergeSort}, codesOf["uniform"](r, kernels.MergeTile+1))
}

// TestSmallLong has a list for which other devices would look at a sample.
func TestSmallLong(t *testing.T) {
	e := openSmall(t)
	in := input{n: maxN, wide: true}
	if got := e.dev.algorithms.choiceFor(engine.Auto, in); got != engine.Radix {
		t.Errorf("long lists are for %v", got)
	}
	if all, radix := e.dev.algorithms.demanding(engine.Auto, in).needs(e.dev, in), smallRadix.bytes(e.dev, in); all != radix {
		t.Errorf("%d bytes for a list by %d bytes", all, radix)
	}
	if len(large) == 0 {
		return // kernels on the CPU are slow
	}
	codes := codesOf["gauss"](rand.New(rand.NewPCG(3, 5)), 1<<20+7) // of 64 bits
	job, order := newJob(t.Context(), engine.Auto, codes)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, want(codes)) || job.Trace.Algorithm != "Radix" {
		t.Errorf("error %v, %+v, or wrong order", err, job.Trace)
	}
}

// TestSmallChunks sorts lists in chunks, whose ties are marked, and keys alone.
func TestSmallChunks(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := openSmall(t, Verify())
	const length = 5 * engine.Block
	all := []cut{
		{engine.Auto, 4, true}, {engine.Radix, 3, true},
		{engine.Auto, 7, false}, {engine.MergeSort, 3, false}, {engine.Hybrid, 2, false}, {engine.Hybrid, 5, false},
	}
	if testing.Short() {
		all = []cut{{engine.Auto, 4, true}, {engine.Hybrid, 2, false}}
	}
	names := slices.Sorted(maps.Keys(codesOf))
	for i, c := range all {
		name := names[(5*i)%len(names)]
		t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
			codes := codesOf[name](rand.New(rand.NewPCG(1, uint64(i))), c.n(length))
			testChunks(t, e, c, length, codes)
			testChunks(t, e, c, length, fill32(codes))
		})
	}
}

// TestSmallTies has ties marked by each way to sort.
func TestSmallTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := openSmall(t, Verify())
	for i, a := range []engine.Algorithm{engine.Auto, engine.Radix, engine.MergeSort, engine.IndexGather, engine.Hybrid} {
		codes := codesOf["16 values"](rand.New(rand.NewPCG(32, uint64(i))), 5000)
		testTies(t, e, a, codes)
		testTies(t, e, a, fill32(codes))
	}
}

// TestSmallAfter sorts codes that are on the device.
func TestSmallAfter(t *testing.T) { testAfter(t, openSmall(t, Verify()), 3000) }

// TestSmallLacks asks for algorithms whose kernels do not fit: nothing happens.
func TestSmallLacks(t *testing.T) {
	e := openSmall(t)
	for a := engine.Auto; a < engine.Algorithms; a++ {
		runs := !a.OrdersCodes() && a != engine.BucketRadix || a == engine.Hybrid || a == engine.Radix || a == engine.MergeSort
		if e.Runs(a) != runs {
			t.Errorf("runs %v: %v", a, !runs)
		}
	}
	for _, a := range []engine.Algorithm{engine.BucketBitonic, engine.Bitonic, engine.SampleSort} {
		keys := []int32{3, 1, 2}
		err := sorter.SortKeys(keys, sorter.On(e), sorter.Use(a))
		if !errors.Is(err, sorter.ErrNoDevice) || !slices.Equal(keys, []int32{3, 1, 2}) {
			t.Errorf("%v: error %v, keys %v", a, err, keys)
		}
		job, order := newJob(t.Context(), a, []uint32{3, 1, 2})
		if err := e.Order(t.Context(), job); !errors.Is(err, engine.ErrNoDevice) || !slices.Equal(order, []uint32{0, 0, 0}) {
			t.Errorf("Order by %v: error %v, order %v", a, err, order)
		}
		if err := e.OrderDevice(a, 0, 32, 100, 0); !errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("OrderDevice by %v: error %v", a, err)
		}
	}
}
