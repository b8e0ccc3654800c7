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
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// Devices of compute capability 7.5, of which few tests can have one: the simulated
// driver has them, with their limits. On other devices the same kernels run, which
// the driver compiles from the same PTX.

// smallShared is the shared memory of their blocks.
const smallShared = 64 << 10

// openSmall opens such a device, or another one with the same kernels.
func openSmall(t *testing.T, opts ...Option) *Engine {
	t.Helper()
	gputest.Shrink(t)
	e := open(t, opts...)
	for i, d := range e.devs {
		d.Info.SharedPerBlock = smallShared
		sorter, err := dispatch.New(d.Device, e.settings.Algorithms)
		if err != nil {
			t.Fatal(err)
		}
		e.devs[i] = sorter
	}
	return e
}

// TestSmallLong has a list for which other devices would take a sample.
func TestSmallLong(t *testing.T) {
	e := openSmall(t)
	if len(gputest.Large) == 0 {
		t.Skip("kernels on the CPU are slow")
	}
	list := gputest.CodesOf["gauss"](rand.New(rand.NewPCG(3, 5)), 1<<20+7) // of 64 bits
	job, order := newJob(t.Context(), engine.Auto, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) || job.Trace.Algorithm != "Radix" {
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
	if !testkit.Long() {
		all = []cut{{engine.Auto, 4, true}, {engine.Hybrid, 2, false}}
	}
	names := slices.Sorted(maps.Keys(gputest.CodesOf))
	for i, c := range all {
		name := names[(5*i)%len(names)]
		t.Run(fmt.Sprint(name, " ", c), func(t *testing.T) {
			list := gputest.CodesOf[name](rand.New(rand.NewPCG(1, uint64(i))), c.n(length))
			testChunks(t, e, c, length, list)
			testChunks(t, e, c, length, gputest.Fill32(list))
		})
	}
}

// TestSmallTies has ties marked by each way to sort.
func TestSmallTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := openSmall(t, Verify())
	for i, a := range []engine.Algorithm{engine.Auto, engine.Radix, engine.MergeSort, engine.IndexGather, engine.Hybrid} {
		list := gputest.CodesOf["16 values"](rand.New(rand.NewPCG(32, uint64(i))), 5000)
		testTies(t, e, a, list)
		testTies(t, e, a, gputest.Fill32(list))
	}
}

// TestSmallAfter sorts codes that are on the device.
func TestSmallAfter(t *testing.T) { testAfter(t, openSmall(t, Verify()), 3000) }

// TestSmallLacks asks for algorithms whose kernels do not fit: nothing happens.
func TestSmallLacks(t *testing.T) {
	e := openSmall(t)
	for a := engine.Auto; a < engine.Algorithms; a++ {
		runs := !engine.OrdersCodes(a) && a != engine.BucketRadix || a == engine.Hybrid || a == engine.Radix || a == engine.MergeSort
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
