//go:build linux && (amd64 || arm64)

package samplesort

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

func TestSort(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	gputest.CheckAlgorithm(t, gputest.Workspace(t, Modules...), gputest.TileSizes(bitonic.Tile), Sorter{}.Sort)
}

// TestSamples takes other numbers of samples than the best: levels from one to
// three.
func TestSamples(t *testing.T) {
	if !testkit.Long() {
		t.Skip("TestSort has a level")
	}
	w := gputest.Workspace(t, Modules...)
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ samples, n int }{{3, 5*bitonic.Tile + 77}, {16, 70_000}, {100, 3*bitonic.Tile + 1}, {kernels.MaxSamples, 3 * bitonic.Tile}} {
		by := func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
			return sortBy(w, splits(in.N, c.samples), in, order)
		}
		for _, list := range []string{"uniform", "16 values"} {
			t.Run(fmt.Sprintf("%d/%s", c.samples, list), func(t *testing.T) { gputest.CheckOrders(t, w, by, gputest.CodesOf[list](r, c.n)) })
		}
	}
}

// TestSamplesOption takes as few samples as are allowed.
func TestSamplesOption(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	n := 5 * bitonic.Tile // two levels, of one that there would be otherwise
	if !testkit.Long() {
		n = bitonic.Tile + 1
	}
	w := gputest.Workspace(t, Modules...)
	counting := func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
		f, err := Sorter{Samples: MinSamples}.Sort(w, in, order)
		if want := len(splits(in.N, MinSamples)); f.Levels != want {
			t.Errorf("%d levels, %d expected", f.Levels, want)
		}
		return f, err
	}
	gputest.CheckOrders(t, w, counting, gputest.CodesOf["uniform"](rand.New(rand.NewPCG(7, 8)), n))
}

// TestSampleBound has buckets that are as gputest.Large as inputs can make them.
func TestSampleBound(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the plain run has it")
	}
	const tiles = 6
	w := gputest.Workspace(t, Modules...)
	n := tiles * bitonic.Tile
	inputs := map[string]func(i int) uint64{
		"flat":        func(int) uint64 { return 7 },
		"sorted":      func(i int) uint64 { return uint64(i) },
		"reversed":    func(i int) uint64 { return uint64(-i) },
		"same tiles":  func(i int) uint64 { return uint64(i % bitonic.Tile) },
		"interleaved": func(i int) uint64 { return uint64(i%bitonic.Tile*tiles + i/bitonic.Tile) },
		"organ pipes": func(i int) uint64 { return uint64(min(i, n-i)) },
		"few heavy":   func(i int) uint64 { return uint64(i*7919) % 1000 / 999 },
	}
	for _, samples := range []int{16, 100, kernels.MaxSamples} {
		for name, code := range inputs {
			t.Run(fmt.Sprintf("%s/%d", name, samples), func(t *testing.T) { checkBound(t, w, samples, gputest.Fill(n, code)) })
		}
		t.Run(fmt.Sprintf("beside samples/%d", samples), func(t *testing.T) {
			largest := checkBound(t, w, samples, gputest.Fill(n, besideSamples(samples)))
			if share := float64(largest) * float64(samples) / float64(n); share < 1.4 {
				t.Errorf("the largest bucket has %.2f of its share, this input is to give it 1.5", share)
			}
		})
	}
}

// besideSamples makes codes of which one bucket gets 1.5 times its share: where
// every other tile has the elements of two spaces between samples, but one sample.
func besideSamples(samples int) func(i int) uint64 {
	from, to := 3*bitonic.Tile/samples, 4*bitonic.Tile/samples // ranks of samples
	return func(i int) uint64 {
		rank := i % bitonic.Tile
		switch odd := i/bitonic.Tile%2 == 1; {
		case odd && from < rank && rank < to:
			return uint64(to<<20 + rank)
		case odd:
			return uint64(rank<<20 + 1<<19)
		}
		return uint64(rank << 20)
	}
}

// checkBound holds the buckets of each level to what splits says, and returns the
// size of the largest after the first.
func checkBound(t *testing.T, w *device.Workspace, samples int, list []uint64) (largest int) {
	t.Helper()
	n := len(list)
	levels := splits(n, samples)
	for k := 1; k <= len(levels); k++ {
		most := largestBucket(t, w, levels[:k], list)
		if most > levels[k-1].largest {
			t.Errorf("level %d: a bucket of %d elements, at most %d are expected", k, most, levels[k-1].largest)
		}
		if k == 1 {
			if largest = most; most > 2*(n+bitonic.Tiles(n))/levels[0].samples {
				t.Errorf("a bucket of %d of %d elements, split by %d samples", most, n, levels[0].samples)
			}
		}
	}
	return largest
}

// largestBucket splits codes and returns the size of the largest bucket.
func largestBucket(t *testing.T, w *device.Workspace, levels []split, list []uint64) int {
	t.Helper()
	in := codes.Input{Wide: true, N: len(list)}
	var size device.Area
	b := buckets{w: w, n: in.N}
	b.Size = kernels.PairBytes
	b.layOut(&size, levels)
	memory, err := w.Take(8*in.N + 256 + int(size.At))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Put(memory)
	space := device.Area{At: memory.At}
	in.Codes = space.Take(8 * in.N)
	last := levels[len(levels)-1]
	starts := make([]uint32, last.buckets*last.samples+1)
	q := w.Queue()
	q.ToDevice(in.Codes, unsafe.Pointer(&list[0]), 8*in.N)
	q.Then(func() (err error) { b.Elements, err = bitonic.ElementsFor(w, in); return err })
	b.layOut(&space, levels)
	b.split(&q, in, levels)
	q.ToHost(unsafe.Pointer(&starts[0]), b.now.starts, 4*len(starts))
	if err := q.Sync(); err != nil {
		t.Fatal(err)
	}
	if starts[0] != 0 || int(starts[len(starts)-1]) != in.N {
		t.Fatalf("buckets from %d to %d, of %d elements", starts[0], starts[len(starts)-1], in.N)
	}
	most := 0
	for i, from := range starts[:len(starts)-1] {
		most = max(most, int(starts[i+1])-int(from))
	}
	return most
}

// TestSplits checks the plan of levels for all sizes.
func TestSplits(t *testing.T) {
	for n := bitonic.Tile + 1; n <= bucket.MaxN; n += n/7 + 1 {
		for _, samples := range []int{MinSamples, 64, 100, kernels.MaxSamples} {
			levels := splits(n, samples)
			last := levels[len(levels)-1]
			if last.largest > bitonic.Tile/2 {
				t.Errorf("%d elements, %d samples: %d levels leave buckets of %d", n, samples, len(levels), last.largest)
			}
			if runs := last.tiles(n) * last.samples; runs > 1<<30 {
				t.Errorf("%d elements, %d samples: %d runs", n, samples, runs)
			}
		}
		if few, least := fewestSplits(n), splits(n, kernels.MaxSamples); len(few) != len(least) || few[0].samples > least[0].samples {
			t.Errorf("%d elements: levels %v, with most samples %v", n, few, least)
		}
	}
}
