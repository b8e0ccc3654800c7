//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// partsOf opens an engine with options, and returns a workspace of it.
func partsOf(t *testing.T, opts ...Option) (*Engine, *workspace) {
	t.Helper()
	e := open(t, opts...)
	w, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.done)
	return e, w
}

// bucketWay is what sorter.BucketBitonic does.
func bucketWay(w *workspace, in input, order cuda.Ptr) (finding, error) {
	return w.sort(engine.BucketBitonic, in, order)
}

// TestParts sorts codes of all distributions with every part done in other ways.
func TestParts(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	settings := map[string][]Option{
		"linear":          {Spread(Linear)},
		"sections":        {Spread(Sections)},
		"quantiles, many": {Spread(Quantiles), Fill(mostFill)},
		"few":             {Fill(leastFill)},
		"blind":           {Presorted(false)},
		"strided":         {NearlySorted(math.Inf(1))},
	}
	r := rand.New(rand.NewPCG(21, 22))
	for name, opts := range settings {
		t.Run(name, func(t *testing.T) {
			_, w := partsOf(t, opts...)
			for codes, make := range codesOf {
				if testing.Short() && codes != "log" {
					continue
				}
				for _, n := range smallSizes(codes) {
					list := make(r, n)
					checkOrders(t, w, bucketWay, list)
					checkKeys(t, w, list)
					checkKeys(t, w, fill32(list))
				}
			}
		})
	}
}

// checkKeys sorts keys alone as sorter.BucketBitonic does.
func checkKeys[W word](t *testing.T, w *workspace, codes []W) finding {
	t.Helper()
	got, f := sortKeys(t, w, engine.BucketBitonic, codes)
	if !slices.Equal(got, slices.Sorted(slices.Values(codes))) {
		t.Errorf("%d keys, wide %v: wrong order", len(codes), isWide[W]())
	}
	return f
}

// TestFillSplitsTwice has so small buckets that elements of the linear and of the
// mapped way are partitioned twice, which otherwise takes a million of them.
func TestFillSplitsTwice(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	if testing.Short() {
		t.Skip("sizes that are too large for the sanitizers")
	}
	r := rand.New(rand.NewPCG(23, 24))
	codes := codesOf["uniform"](r, 140_000)
	for _, way := range []Spreading{Linear, Quantiles} {
		_, w := partsOf(t, Spread(way), Fill(leastFill))
		twice := func(w *workspace, in input, order cuda.Ptr) (finding, error) {
			f, err := bucketWay(w, in, order)
			if f.levels != 2 {
				t.Errorf("%v: %d levels of partition, 2 expected", way, f.levels)
			}
			return f, err
		}
		if got := orderBy(t, w, twice, codes); !slices.Equal(got, want(codes)) {
			t.Errorf("%v: wrong order", way)
		}
		if way == Quantiles {
			continue // which is not for keys alone
		}
		for _, f := range []finding{checkKeys(t, w, codes), checkKeys(t, w, fill32(codes))} {
			if f.algorithm != engine.BucketBitonic || f.levels != 2 {
				t.Errorf("keys: %+v", f)
			}
		}
	}
}

// TestAttempts tells from the counts which ways were gone.
func TestAttempts(t *testing.T) {
	if testing.Short() {
		t.Skip("the plain run has it")
	}
	const n = 9000
	r := rand.New(rand.NewPCG(25, 26))
	type counts [Quantiles + 1][2]int64 // begun, failed
	for _, c := range []struct {
		way   Spreading
		codes string
		want  counts
	}{
		{BySample, "uniform", counts{Linear: {1, 0}}},
		{BySample, "log", counts{Quantiles: {1, 0}}},
		{Linear, "uniform", counts{Linear: {1, 0}}},
		{Sections, "uniform", counts{Sections: {1, 0}}},
		{Quantiles, "uniform", counts{Quantiles: {1, 0}}},
		{Linear, "log", counts{Linear: {1, 1}, Sections: {1, 1}, Quantiles: {1, 0}}},
	} {
		e, w := partsOf(t, Spread(c.way))
		orderBy(t, w, bucketWay, codesOf[c.codes](r, n))
		var got counts
		for way := range Quantiles + 1 {
			got[way][0], got[way][1] = e.Attempts(way)
		}
		if got != c.want {
			t.Errorf("%v, %s codes: begun and failed %v, %v expected", c.way, c.codes, got, c.want)
		}
	}
	if begun, failed := (&Engine{}).Attempts(Linear); begun != 0 || failed != 0 {
		t.Errorf("an engine that is not open: %d, %d", begun, failed)
	}
}

// TestPresorted looks for codes in order, or not.
func TestPresorted(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, look := range []bool{true, false} {
		_, w := partsOf(t, Presorted(look))
		for _, shape := range []string{"sorted", "reversed", "flat"} {
			codes := codesOf[shape](r, 9000)
			found := ""
			noting := func(w *workspace, in input, order cuda.Ptr) (finding, error) {
				f, err := bucketWay(w, in, order)
				found = string(f.shape)
				return f, err
			}
			if got := orderBy(t, w, noting, codes); !slices.Equal(got, want(codes)) {
				t.Errorf("%s, look %v: wrong order", shape, look)
			}
			if look && found != shape || !look && found != "" {
				t.Errorf("%s, look %v: found %q", shape, look, found)
			}
		}
	}
}

// TestPartsOptions has settings out of range.
func TestPartsOptions(t *testing.T) {
	for _, opt := range []Option{Spread(-1), Spread(Quantiles + 1), Fill(leastFill - 1), Fill(mostFill + 1), NearlySorted(-1), NearlySorted(math.NaN())} {
		if _, err := Open(opt); err == nil || errors.Is(err, engine.ErrNoDevice) {
			t.Errorf("error %v", err)
		}
	}
	if got := Spread(Quantiles + 1)(&Engine{}).Error(); got != "sorter: gpu: no Spreading(4)" {
		t.Errorf("error %q", got)
	}
}

// TestMean holds means to the buckets that there may be.
func TestMean(t *testing.T) {
	for _, c := range []struct{ fill, n, want int }{
		{0, 1 << 29, evenSlice},
		{leastFill, 1 << 20, leastFill},
		{leastFill, 1 << 28, 512},
		{mostFill, 1 << 28, mostFill},
		{leastFill, maxN, evenSlice},
	} {
		if got := (&parts{fill: c.fill}).mean(c.n, evenSlice); got != c.want {
			t.Errorf("%d elements, %d a bucket: %d, expected %d", c.n, c.fill, got, c.want)
		}
	}
}
