//go:build linux && (amd64 || arm64)

package dispatch

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/radix"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// smallShared is the shared memory of their blocks.
const smallShared = 64 << 10

// openSmall returns the sorter of a device with little shared memory, or of one that does
// the same.
func openSmall(t *testing.T) opened {
	t.Helper()
	gputest.Shrink(t)
	d := gputest.Open(t)
	d.Info.SharedPerBlock = smallShared
	return opened{sorterOf(t, d, Options{}), gputest.WorkspaceOf(t, d)}
}

// TestRepertoires holds every device to what its shared memory has place for.
func TestRepertoires(t *testing.T) {
	for _, c := range []struct {
		shared int
		runs   []engine.Algorithm
		suffix string // of the kernels of the radix sort
	}{
		{227 << 10, slices.Sorted(maps.Keys(standard)), ""},
		{99 << 10, slices.Sorted(maps.Keys(standard)), ""},
		{smallShared, []engine.Algorithm{engine.Radix, engine.MergeSort}, "_small"},
	} {
		r := within(c.shared, all(&bucket.Sorter{}, Options{}))
		if runs := slices.Sorted(maps.Keys(r)); !slices.Equal(runs, c.runs) {
			t.Errorf("%d bytes: %v, want %v", c.shared, runs, c.runs)
		}
		if _, ok := r[engine.Radix].modules[0].Kernels["radix_pass"+c.suffix+"_u32"]; !ok {
			t.Errorf("%d bytes: other kernels for the radix sort: %v", c.shared, r[engine.Radix].modules[0].Kernels)
		}
		for a, way := range r {
			if device.Shared(way.modules) > c.shared {
				t.Errorf("%d bytes: %v takes %d", c.shared, a, device.Shared(way.modules))
			}
		}
	}
	for what, modules := range map[string][]*device.Module{"any sort": codes.Modules, "runs": runs.Modules} {
		if most := device.Shared(modules); most > smallShared {
			t.Errorf("%s: %d bytes", what, most)
		}
	}
}

// TestSmall sorts by what small devices run, or choose.
func TestSmall(t *testing.T) {
	s, r := openSmall(t), rand.New(rand.NewPCG(3, 4))
	testSort(t, s, []engine.Algorithm{engine.Auto}, gputest.CodesOf["uniform"](r, radix.Small.Tile()+1))
	if testkit.Long() {
		testSort(t, s, []engine.Algorithm{engine.Radix}, gputest.CodesOf["uniform"](r, 6*radix.Small.Tile()+5))
		testSort(t, s, []engine.Algorithm{engine.MergeSort}, gputest.CodesOf["uniform"](r, kernels.MergeTile+1))
	}
}

// TestSmallTiles sorts the longest list that the radix sort sorts in small tiles, and one that has large tiles, in the memory
// that each was promised.
func TestSmallTiles(t *testing.T) {
	s, r := workspace(t, bucket.Options{}), rand.New(rand.NewPCG(3, 5))
	for n, want := range map[int]*radix.Sorter{mostSmallTiles: radix.Small, mostSmallTiles + 1: radix.Large} {
		in := codes.Input{N: n}
		if radixFor(in) != want || s.Bytes(engine.Radix, in) != want.Bytes(in) {
			t.Errorf("%d codes have tiles of %d, and %d bytes", n, radixFor(in).Tile(), s.Bytes(engine.Radix, in))
		}
		if testkit.Long() || n == mostSmallTiles {
			testSort(t, s, []engine.Algorithm{engine.Radix}, gputest.CodesOf["uniform"](r, n))
		}
	}
}

// TestSmallLong has a list for which other devices would take a sample.
func TestSmallLong(t *testing.T) {
	s := openSmall(t)
	in := codes.Input{N: MaxNByBuckets, Wide: true}
	if got := s.algorithms.choiceFor(engine.Auto, in); got != engine.Radix {
		t.Errorf("long lists are for %v", got)
	}
	if all, radix := s.Bytes(engine.Auto, in), radix.Small.Bytes(in); all != radix {
		t.Errorf("%d bytes for a list by %d bytes", all, radix)
	}
}

// TestLong has a list for which a device with enough shared memory takes a sample.
func TestLong(t *testing.T) {
	if got := standard.choiceFor(engine.Auto, codes.Input{N: MaxNByBuckets}); got != engine.BucketBitonic {
		t.Errorf("long lists are for %v", got)
	}
}

// TestCancelPasses ends the context of a sort before its second pass over the tiles,
// when it has been given as many as it may before it asks.
func TestCancelPasses(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	list := gputest.CodesOf["uniform"](rand.New(rand.NewPCG(31, 32)), bitonic.Tile+1)
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		by    engine.Algorithm
		tiles int // of the first pass
	}{
		{engine.Bitonic, 2}, {engine.SampleSort, 3}, {engine.MergeSort, 3}, {engine.Radix, 1},
	} {
		s := workspace(t, bucket.Options{})
		if err := s.Load(standard[c.by].modules); err != nil {
			t.Fatal(err)
		}
		w := s.w
		in, order := codes.Input{Codes: gputest.Up(t, w, list), Wide: true, N: len(list)}, gputest.Up(t, w, make([]uint32, len(list)))
		w.Begin(ended, c.tiles)
		if _, err := s.Sort(w, c.by, in, order); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v of a context that ended", c.by, err)
		}
		w.Begin(ended, device.Patience)
		if _, err := s.Sort(w, c.by, in, order); err != nil || !slices.Equal(gputest.Down[uint32](t, w, order, len(list)), gputest.Stable(list)) {
			t.Errorf("%v: error %v, or wrong order, of the sort after it", c.by, err)
		}
	}
}
