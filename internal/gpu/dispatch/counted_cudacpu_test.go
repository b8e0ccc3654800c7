//go:build cudacpu && linux && amd64

package dispatch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// countedLists are lists that each way by sample sorts: buckets, few values, the radix sort, the check for order, and
// an attempt that fails.
func countedLists(r *rand.Rand) map[string][]uint64 {
	const n = 9000
	lists := map[string][]uint64{}
	for _, name := range []string{"uniform", "16 values", "mostly one value", "sorted", "reversed", "flat", "log"} {
		lists[name] = gputest.CodesOf[name](r, n)
	}
	lists["one digit"] = gputest.Fill(n, func(int) uint64 { return r.Uint64N(250) << 40 })
	return lists
}

// TestCounted counts digits beside samples, on a device that does its work at once, in turns or late.
func TestCounted(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	defer cudacpu.SetMode(cudacpu.Eager)
	r := rand.New(rand.NewPCG(31, 32))
	s := workspace(t, bucket.Options{})
	calls := 0
	s.counts = func(codes.Input) bool { calls++; return true }
	radixes := 0
	way := func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
		f, err := s.sortBySample(w, in, to)
		if f.Algorithm == lastResort {
			radixes++
		}
		return f, err
	}
	for _, mode := range []cudacpu.Mode{cudacpu.Eager, cudacpu.Mixed, cudacpu.Lazy} {
		cudacpu.SetMode(mode)
		for name, list := range countedLists(r) {
			t.Run(name, func(t *testing.T) { gputest.CheckSort(t, s.w, list, way) })
		}
	}
	if calls == 0 || radixes == 0 || radixes == calls {
		t.Errorf("%d sorts, of which %d are radix sorts", calls, radixes)
	}
}

// TestCountedFails fails each call of the driver in turn: the next sorts are right all the same.
func TestCountedFails(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	defer cudacpu.Fail(0, 0, false)
	r := rand.New(rand.NewPCG(33, 34))
	s := workspace(t, bucket.Options{})
	s.counts = func(codes.Input) bool { return true }
	for name, wide := range countedLists(r) {
		if !testkit.Long() && name != "uniform" && name != "mostly one value" {
			continue
		}
		list := gputest.Fill32(wide)
		right := gputest.Stable(list)
		gputest.OrderBy(t, s.w, s.sortBySample, list)
		failed := 0
		for k := 1; failed == k-1; k++ { // until all calls succeed
			gputest.OrderBy(t, s.w, func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
				cudacpu.Fail(k, int(cuda.LaunchFailed), false)
				_, err := s.sortBySample(w, in, to)
				cudacpu.Fail(0, 0, false)
				if err != nil {
					failed++
				}
				return s.sortBySample(w, in, to)
			}, list)
			if got := gputest.OrderBy(t, s.w, s.sortBySample, list); !slices.Equal(got, right) {
				t.Fatalf("%s, after a failure of call %d: wrong order", name, k)
			}
		}
		if failed < 5 {
			t.Errorf("%s: %d calls failed", name, failed)
		}
	}
}
