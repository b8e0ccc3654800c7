//go:build linux && (amd64 || arm64)

package dispatch

import (
	"fmt"
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
	"example.com/sorter/kernels"
)

// TestStrided reads all codes as those of nearly sorted lists are, at sizes around
// tiles, into memory that holds no order, and no codes that are in order.
func TestStrided(t *testing.T) {
	all := math.Inf(1)
	s := workspace(t, bucket.Options{Nearly: &all, Spread: bucket.Linear, Blind: true})
	strided := func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
		if err := w.Memset32(to, 0xdbdbdbdb, in.ResultSize()*in.N/4, w.Stream); err != nil {
			return codes.Outcome{}, err
		}
		f, err := s.bucketWay(w, in, to)
		if err != nil || f.Algorithm != engine.BucketBitonic || f.Shape != "nearly sorted" {
			t.Errorf("%d codes: %+v", in.N, f)
		}
		return f, err
	}
	r := rand.New(rand.NewPCG(33, 34))
	const tile, keyTile = kernels.Tile, kernels.KeyTile
	sizes := []int{700, tile - 1, tile, tile + 1, keyTile - 1, keyTile, keyTile + 1, 2*tile - 1, 2 * tile, 2*tile + 31, 2*keyTile + 1, 70_000}
	sizes = append(sizes, gputest.Large...)
	kinds := map[string]func(r *rand.Rand, n int) []uint64{"nearly sorted": gputest.CodesOf["nearly sorted"], "reversed": gputest.CodesOf["reversed"], "uniform": gputest.CodesOf["uniform"], "outside": gputest.Outside}
	if !testkit.Long() {
		sizes, kinds = []int{2*tile + 31}, map[string]func(r *rand.Rand, n int) []uint64{"outside": gputest.Outside}
	}
	for kind, make := range kinds {
		for _, n := range sizes {
			t.Run(fmt.Sprint(kind, " ", n), func(t *testing.T) {
				wide := make(r, n)
				if !testkit.ThreadSanitizer() {
					gputest.CheckWay(t, s.w, strided, wide)
				}
				gputest.CheckWay(t, s.w, strided, gputest.Fill32(wide))
			})
		}
	}
}

// TestStridedTwice has buckets so small that elements are partitioned twice.
func TestStridedTwice(t *testing.T) {
	if !testkit.Long() {
		t.Skip("sizes that are too large for the sanitizers")
	}
	all := math.Inf(1)
	s := workspace(t, bucket.Options{Nearly: &all, Spread: bucket.Linear, Fill: bucket.MinFill})
	twice := func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
		f, err := s.bucketWay(w, in, to)
		if f.Levels != 2 || f.Shape != "nearly sorted" {
			t.Errorf("%+v", f)
		}
		return f, err
	}
	list := gputest.CodesOf["nearly sorted"](rand.New(rand.NewPCG(39, 40)), 140_000)
	gputest.CheckWay(t, s.w, twice, list)
	gputest.CheckWay(t, s.w, twice, gputest.Fill32(list))
}

// TestNearlySorted has codes of some degree of disorder read by the strategy for nearly
// sorted lists where that degree is below the threshold, and no others.
func TestNearlySorted(t *testing.T) {
	n := 20_000
	if !testkit.Long() {
		n = 9000
	}
	r := rand.New(rand.NewPCG(35, 36))
	lists := map[string][]uint64{
		"in windows":    gputest.ShuffledBy(r, n, 16),           // about 6
		"nearly sorted": gputest.CodesOf["nearly sorted"](r, n), // about n/75
		"uniform":       gputest.CodesOf["uniform"](r, n),       // about n/3
	}
	for _, c := range []struct {
		below float64
		taken []string
	}{
		{0, nil},
		{10, []string{"in windows"}},
		{float64(n) / 20, []string{"in windows", "nearly sorted"}},
		{math.Inf(1), []string{"in windows", "nearly sorted", "uniform"}},
	} {
		s := workspace(t, bucket.Options{Nearly: &c.below, Spread: bucket.Linear})
		for name, list := range lists {
			if !testkit.Long() && (c.below != 10 || name == "uniform") {
				continue
			}
			testNearly(t, s, gputest.Fill32(list), name, slices.Contains(c.taken, name))
			if testkit.Long() {
				testNearly(t, s, list, name, slices.Contains(c.taken, name))
			}
		}
	}
}

func testNearly[W codes.Word](t *testing.T, s opened, list []W, name string, taken bool) {
	t.Helper()
	order, f := gputest.OnDevice[uint32](t, s.w, s.bucketWay, false, list)
	if !slices.Equal(order, gputest.Stable(list)) {
		t.Errorf("%s, wide %v, below %v: wrong order", name, gputest.IsWide[W](), *s.bucket.Nearly)
	}
	if got := f.Shape == "nearly sorted"; got != taken {
		t.Errorf("%s, wide %v, below %v: %+v", name, gputest.IsWide[W](), *s.bucket.Nearly, f)
	}
}
