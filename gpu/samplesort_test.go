//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

func TestSampleSort(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	checkAlgorithm(t, workspaceWith(t, engine.SampleSort), (*workspace).sampleSort)
}

// TestSamples takes other numbers of samples than the best: levels from one to
// three.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("TestSampleSort has a level")
	}
	w := workspaceWith(t, engine.SampleSort)
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ samples, n int }{{3, 5*bitonicTile + 77}, {16, 70_000}, {100, 3*bitonicTile + 1}, {kernels.MostSamples, 3 * bitonicTile}} {
		by := func(w *workspace, in input, order cuda.Ptr) (finding, error) {
			return w.sampleSortBy(splits(in.n, c.samples), in, order)
		}
		for _, codes := range []string{"uniform", "16 values"} {
			t.Run(fmt.Sprintf("%d/%s", c.samples, codes), func(t *testing.T) { checkOrders(t, w, by, codesOf[codes](r, c.n)) })
		}
	}
}

// TestSamplesOption opens engines that take other numbers of samples.
func TestSamplesOption(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	for _, samples := range []int{leastSamples - 1, kernels.MostSamples + 1} {
		if _, err := Open(Samples(samples)); err == nil || errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("%d samples: error %v", samples, err)
		}
	}
	n := 5 * bitonicTile // two levels, of one that there would be otherwise
	if testing.Short() {
		n = bitonicTile + 1
	}
	w, err := open(t, Samples(leastSamples)).dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.done()
	if err := w.load(algorithms[engine.SampleSort].modules); err != nil {
		t.Fatal(err)
	}
	counting := func(w *workspace, in input, order cuda.Ptr) (finding, error) {
		f, err := w.sampleSort(in, order)
		if want := len(splits(in.n, leastSamples)); f.levels != want {
			t.Errorf("%d levels, %d expected", f.levels, want)
		}
		return f, err
	}
	checkOrders(t, w, counting, codesOf["uniform"](rand.New(rand.NewPCG(7, 8)), n))
}

// TestSampleBound has buckets that are as large as inputs can make them.
func TestSampleBound(t *testing.T) {
	if testing.Short() {
		t.Skip("the plain run has it")
	}
	const tiles = 6
	w := workspaceWith(t, engine.SampleSort)
	n := tiles * bitonicTile
	inputs := map[string]func(i int) uint64{
		"flat":        func(int) uint64 { return 7 },
		"sorted":      func(i int) uint64 { return uint64(i) },
		"reversed":    func(i int) uint64 { return uint64(-i) },
		"same tiles":  func(i int) uint64 { return uint64(i % bitonicTile) },
		"interleaved": func(i int) uint64 { return uint64(i%bitonicTile*tiles + i/bitonicTile) },
		"organ pipes": func(i int) uint64 { return uint64(min(i, n-i)) },
		"few heavy":   func(i int) uint64 { return uint64(i*7919) % 1000 / 999 },
	}
	for _, samples := range []int{16, 100, kernels.MostSamples} {
		for name, code := range inputs {
			t.Run(fmt.Sprintf("%s/%d", name, samples), func(t *testing.T) { checkBound(t, w, samples, fill(n, code)) })
		}
		t.Run(fmt.Sprintf("beside samples/%d", samples), func(t *testing.T) {
			largest := checkBound(t, w, samples, fill(n, besideSamples(samples)))
			if share := float64(largest) * float64(samples) / float64(n); share < 1.4 {
				t.Errorf("the largest bucket has %.2f of its share, this input is to give it 1.5", share)
			}
		})
	}
}

// besideSamples makes codes of which one bucket gets 1.5 times its share: where
// every other tile has the elements of two spaces between samples, but one sample.
func besideSamples(samples int) func(i int) uint64 {
	from, to := 3*bitonicTile/samples, 4*bitonicTile/samples // ranks of samples
	return func(i int) uint64 {
		rank := i % bitonicTile
		switch odd := i/bitonicTile%2 == 1; {
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
func checkBound(t *testing.T, w *workspace, samples int, codes []uint64) (largest int) {
	t.Helper()
	n := len(codes)
	levels := splits(n, samples)
	for k := 1; k <= len(levels); k++ {
		most := largestBucket(t, w, levels[:k], codes)
		if most > levels[k-1].largest {
			t.Errorf("level %d: a bucket of %d elements, at most %d are expected", k, most, levels[k-1].largest)
		}
		if k == 1 {
			if largest = most; most > 2*(n+tilesOf(n))/levels[0].samples {
				t.Errorf("a bucket of %d of %d elements, split by %d samples", most, n, levels[0].samples)
			}
		}
	}
	return largest
}

// largestBucket splits codes and returns the size of the largest bucket.
func largestBucket(t *testing.T, w *workspace, levels []split, codes []uint64) int {
	t.Helper()
	in := input{wide: true, n: len(codes)}
	var size area
	b := buckets{workspace: w, n: in.n}
	b.size = kernels.PairBytes
	b.layOut(&size, levels)
	memory, err := w.take(8*in.n + 256 + int(size.at))
	if err != nil {
		t.Fatal(err)
	}
	defer w.put(memory)
	space := area{memory.at}
	in.codes = space.take(8 * in.n)
	last := levels[len(levels)-1]
	starts := make([]uint32, last.buckets*last.samples+1)
	err = first(
		func() error { return w.CopyToDevice(in.codes, unsafe.Pointer(&codes[0]), 8*in.n, w.stream) },
		func() (err error) { b.elements, err = w.elementsFor(in); return err },
		func() error { b.layOut(&space, levels); return b.split(in, levels) },
		func() error { return w.CopyToHost(unsafe.Pointer(&starts[0]), b.now.starts, 4*len(starts), w.stream) },
		func() error { return w.SyncStream(w.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	if starts[0] != 0 || int(starts[len(starts)-1]) != in.n {
		t.Fatalf("buckets from %d to %d, of %d elements", starts[0], starts[len(starts)-1], in.n)
	}
	most := 0
	for i, from := range starts[:len(starts)-1] {
		most = max(most, int(starts[i+1])-int(from))
	}
	return most
}

// TestSplits checks the plan of levels for all sizes.
func TestSplits(t *testing.T) {
	for n := bitonicTile + 1; n <= maxN; n += n/7 + 1 {
		for _, samples := range []int{leastSamples, 64, 100, kernels.MostSamples} {
			levels := splits(n, samples)
			last := levels[len(levels)-1]
			if last.largest > bitonicTile/2 {
				t.Errorf("%d elements, %d samples: %d levels leave buckets of %d", n, samples, len(levels), last.largest)
			}
			if runs := last.tiles(n) * last.samples; runs > 1<<30 {
				t.Errorf("%d elements, %d samples: %d runs", n, samples, runs)
			}
		}
		if few, least := fewestSplits(n), splits(n, kernels.MostSamples); len(few) != len(least) || few[0].samples > least[0].samples {
			t.Errorf("%d elements: levels %v, with most samples %v", n, few, least)
		}
	}
}
