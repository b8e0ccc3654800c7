//go:build linux && (amd64 || arm64)

package dispatch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// open returns the sorter of the first device with options, or skips the test. Samples have the same
// positions in every run, so that the algorithms that tests expect do not depend on chance.
func open(t *testing.T, o Options) *Sorter {
	t.Helper()
	if o.Bucket.Salt == nil {
		o.Bucket.Salt = new(uint64)
	}
	return sorterOf(t, gputest.Open(t), o)
}

func sorterOf(t *testing.T, d *device.Device, o Options) *Sorter {
	t.Helper()
	s, err := New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// by is a way to sort by an algorithm.
func (s *Sorter) by(a engine.Algorithm) gputest.Way {
	return func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
		return s.Sort(w, a, in, to)
	}
}

// opened is a sorter with a workspace of its device.
type opened struct {
	*Sorter
	w *device.Workspace
}

func workspace(t *testing.T, o bucket.Options) opened {
	t.Helper()
	s := open(t, Options{Bucket: o})
	return opened{s, gputest.WorkspaceOf(t, s.Device)}
}

// bucketWay sorts as sorter.BucketBitonic does.
func (s opened) bucketWay(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	return s.Sort(w, engine.BucketBitonic, in, to)
}

// checkKeys sorts keys alone as sorter.BucketBitonic does.
func checkKeys[W codes.Word](t *testing.T, s opened, list []W) codes.Outcome {
	t.Helper()
	got, f := gputest.OnDevice[W](t, s.w, s.bucketWay, true, list)
	if !slices.Equal(got, slices.Sorted(slices.Values(list))) {
		t.Errorf("%d keys, wide %v: wrong order", len(list), gputest.IsWide[W]())
	}
	return f
}

// sizes are few in a short run, which is for the sanitizers.
func sizes(list string) []int {
	if !testkit.Long() {
		return gputest.SmallSizes(list)
	}
	return append([]int{2, 3, 1000, 9000, 70000}, gputest.Large...)
}

func TestSort(t *testing.T) {
	s := workspace(t, bucket.Options{})
	by := slices.Collect(maps.Keys(standard))
	if !testkit.Long() { // each has a test of its own
		by = []engine.Algorithm{engine.BucketBitonic}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, make := range gputest.CodesOf {
		for _, n := range sizes(name) {
			t.Run(name, func(t *testing.T) { testSort(t, s, by, make(r, n)) })
		}
	}
}

// testSort sorts codes by each of the algorithms.
func testSort(t *testing.T, s opened, by []engine.Algorithm, wide []uint64) {
	t.Helper()
	var ways []gputest.Way
	for _, a := range by {
		ways = append(ways, s.by(a))
	}
	gputest.CheckSort(t, s.w, wide, ways...)
}

// TestCrowds sorts codes that lie close to the ends of their range, 0 and the highest,
// by every algorithm and by every way of spreading.
func TestCrowds(t *testing.T) {
	if !testkit.Long() {
		t.Skip("the plain run has it")
	}
	r := dist.Rand(35)
	for way := bucket.BySample; way <= bucket.Quantiles; way++ {
		s := workspace(t, bucket.Options{Spread: way})
		by := []engine.Algorithm{engine.BucketBitonic}
		if way == bucket.BySample {
			by = slices.Collect(maps.Keys(standard))
		}
		for end := range dist.CrowdEnds {
			for kind := range dist.CrowdKinds {
				for _, n := range []int{2 + r.IntN(64), 300, 2 + r.IntN(9000)} {
					c := dist.Crowd{End: end, Kind: kind, Width: 1 + r.IntN(64), Extremes: r.IntN(3) == 0}
					t.Run(fmt.Sprintf("%v: %d %v", way, n, c), func(t *testing.T) { testSort(t, s, by, c.Draw(n, 64, r)) })
				}
			}
		}
	}
}
