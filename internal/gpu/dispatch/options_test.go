//go:build linux && (amd64 || arm64)

package dispatch

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// TestParts sorts codes of all distributions with every part done in other ways.
func TestParts(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	all := math.Inf(1)
	settings := map[string]bucket.Options{
		"linear":          {Spread: bucket.Linear},
		"sections":        {Spread: bucket.Sections},
		"octaves":         {Spread: bucket.Octaves},
		"quantiles, many": {Spread: bucket.Quantiles, Fill: bucket.MaxFill},
		"few":             {Fill: bucket.MinFill},
		"blind":           {Blind: true},
		"strided":         {Nearly: &all},
	}
	r := rand.New(rand.NewPCG(21, 22))
	for name, opts := range settings {
		t.Run(name, func(t *testing.T) {
			s := workspace(t, opts)
			for list, make := range gputest.CodesOf {
				if !testkit.Long() {
					if list == "log" || list == "small range" {
						gputest.CheckSort(t, s.w, make(r, 9000), s.bucketWay)
					}
					continue
				}
				for _, n := range []int{2, 3, 1000, 9000} {
					list := make(r, n)
					gputest.CheckOrders(t, s.w, s.bucketWay, list)
					checkKeys(t, s, list)
					checkKeys(t, s, gputest.Fill32(list))
				}
			}
		})
	}
}

// TestFillSplitsTwice has so small buckets that elements of the linear and of the
// mapped way are partitioned twice, which otherwise takes a million of them.
func TestFillSplitsTwice(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	if !testkit.Long() {
		t.Skip("sizes that are too large for the sanitizers")
	}
	r := rand.New(rand.NewPCG(23, 24))
	list := gputest.CodesOf["uniform"](r, 140_000)
	for _, way := range []bucket.Spreading{bucket.Linear, bucket.Quantiles} {
		s := workspace(t, bucket.Options{Spread: way, Fill: bucket.MinFill})
		twice := func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
			f, err := s.bucketWay(w, in, order)
			if f.Levels != 2 {
				t.Errorf("%v: %d levels of partition, 2 expected", way, f.Levels)
			}
			return f, err
		}
		if got := gputest.OrderBy(t, s.w, twice, list); !slices.Equal(got, gputest.Stable(list)) {
			t.Errorf("%v: wrong order", way)
		}
		if way == bucket.Quantiles {
			continue // which is not for keys alone
		}
		for _, f := range []codes.Outcome{checkKeys(t, s, list), checkKeys(t, s, gputest.Fill32(list))} {
			if f.Algorithm != engine.BucketBitonic || f.Levels != 2 {
				t.Errorf("keys: %+v", f)
			}
		}
	}
}

// TestAttempts reads from the counts which ways were tried.
func TestAttempts(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the plain run has it")
	}
	const n = 9000
	r := rand.New(rand.NewPCG(25, 26))
	type counts [bucket.Quantiles + 1][2]int64 // begun, failed
	for _, c := range []struct {
		way  bucket.Spreading
		list string
		want counts
	}{
		{bucket.BySample, "uniform", counts{bucket.Linear: {1, 0}}},
		{bucket.BySample, "log", counts{bucket.Octaves: {1, 0}}},
		{bucket.Octaves, "log", counts{bucket.Octaves: {1, 0}}},
		{bucket.Linear, "uniform", counts{bucket.Linear: {1, 0}}},
		{bucket.Sections, "uniform", counts{bucket.Sections: {1, 0}}},
		{bucket.Quantiles, "uniform", counts{bucket.Quantiles: {1, 0}}},
		{bucket.Linear, "log", counts{bucket.Linear: {1, 1}, bucket.Sections: {1, 1}}}, // two attempts, and no more
	} {
		var attempts bucket.Attempts
		s := workspace(t, bucket.Options{Spread: c.way, Attempts: &attempts})
		gputest.OrderBy(t, s.w, s.bucketWay, gputest.CodesOf[c.list](r, n))
		var got counts
		for way := range bucket.Quantiles + 1 {
			got[way][0], got[way][1] = attempts.Of(way)
		}
		if got != c.want {
			t.Errorf("%v, %s codes: begun and failed %v, %v expected", c.way, c.list, got, c.want)
		}
	}
}

// TestKnownRange sorts parts of a bell, whose density falls to 0 at an end of the range. If that is
// known, sections do, and otherwise not.
func TestKnownRange(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the plain run has it")
	}
	const n, middle = 200_000, 1 << 63
	r := rand.New(rand.NewPCG(29, 30))
	bell := gputest.CodesOf["gauss"](r, 3*n)
	for _, known := range [][2]uint64{{middle, math.MaxUint64}, {0, middle - 1}, {middle - 1e17, middle + 5e16}, {middle + 1e16, math.MaxUint64}} {
		list := slices.DeleteFunc(slices.Clone(bell), func(c uint64) bool { return c>>32 < known[0]>>32 || c>>32 > known[1]>>32 })
		list = list[:min(n, len(list))]
		checkKnownRange(t, list, known[0]>>32<<32, known[1]|math.MaxUint32)
		checkKnownRange(t, gputest.Fill32(list), known[0]>>32, known[1]>>32)
	}
}

func checkKnownRange[W codes.Word](t *testing.T, list []W, least, most uint64) {
	t.Helper()
	for _, known := range []bool{true, false} {
		var attempts bucket.Attempts
		s := workspace(t, bucket.Options{Attempts: &attempts})
		gputest.CheckWay(t, s.w, func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
			if known {
				in.Least, in.Most = least, most
			}
			f, err := s.bucket.Sort(w, in, to)
			if errors.Is(err, bucket.ErrUneven) { // keys alone have no further spreading
				return s.bucketWay(w, in, to)
			}
			return f, err
		}, list)
		if begun, failed := attempts.Of(bucket.Sections); known && (begun != 2 || failed > 0) || !known && begun > failed {
			t.Errorf("%d codes from %#x to %#x, known %v: %d sorts by sections, %d failed", len(list), least, most, known, begun, failed)
		}
	}
}

// TestPresorted looks for codes in order, or not.
func TestPresorted(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, look := range []bool{true, false} {
		s := workspace(t, bucket.Options{Blind: !look})
		for _, shape := range []string{"sorted", "reversed", "flat"} {
			list := gputest.CodesOf[shape](r, 9000)
			found := ""
			noting := func(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
				f, err := s.bucketWay(w, in, order)
				found = string(f.Shape)
				return f, err
			}
			if got := gputest.OrderBy(t, s.w, noting, list); !slices.Equal(got, gputest.Stable(list)) {
				t.Errorf("%s, look %v: wrong order", shape, look)
			}
			if look && found != shape || !look && found != "" && shape != "flat" { // the radix sort, to which flat codes go, finds that
				t.Errorf("%s, look %v: found %q", shape, look, found)
			}
		}
	}
}
