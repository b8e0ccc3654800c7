//go:build linux && (amd64 || arm64)

package dispatch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestKeyBuckets sorts keys alone that have a plan for buckets, at sizes around what
// cuts them.
func TestKeyBuckets(t *testing.T) {
	s := workspace(t, bucket.Options{})
	r := rand.New(rand.NewPCG(15, 16))
	few := []int{kernels.LocalSize, kernels.LocalSize + 1}
	around := []int{kernels.Tile - 1, kernels.Tile, kernels.Tile + 1, kernels.KeyTile - 1, kernels.KeyTile, kernels.KeyTile + 1, 70_000}
	if !testkit.Long() {
		few, around = few[1:], around[2:3]
	}
	for _, c := range []struct {
		name   string
		levels int
		sizes  []int
	}{
		{"uniform", 0, few}, // their sample may show anything
		{"uniform", 1, around},
		{"outliers", 1, []int{70_000}},        // that no sample shows
		{"gauss", 2, []int{kernels.Tile + 1}}, // in sections
	} {
		for _, n := range c.sizes {
			if (n > 2*kernels.KeyTile || c.levels == 0) && testkit.ThreadSanitizer() {
				continue
			}
			t.Run(fmt.Sprint(c.name, " ", n), func(t *testing.T) {
				list := gputest.CodesOf[c.name](r, n)
				testKeyBuckets(t, s, list, c.levels)
				testKeyBuckets(t, s, gputest.Fill32(list), c.levels)
			})
		}
	}
}

func testKeyBuckets[W codes.Word](t *testing.T, s opened, list []W, levels int) {
	t.Helper()
	if f := checkKeys(t, s, list); f.Algorithm != engine.BucketBitonic || levels > 0 && f.Levels != levels {
		t.Errorf("wide %v: %+v", gputest.IsWide[W](), f)
	}
}

// TestKeyCrowds sorts keys alone that look even in the samples, while others crowd in
// one bucket or come on both sides of the range: as many as there is place for, and
// more, which are left to the radix sort.
func TestKeyCrowds(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	s := workspace(t, bucket.Options{})
	inside := func(r *rand.Rand) uint64 { return 1<<62 + r.Uint64()>>2 }
	for _, c := range []struct {
		name  string
		n     int
		other func(i int) uint64
		by    engine.Algorithm
	}{
		{"one code", 11_000, func(int) uint64 { return 0x6000_0001_0000_0001 }, engine.BucketBitonic},
		{"one code", 14_000, func(int) uint64 { return 0x6000_0001_0000_0001 }, engine.Radix},
		{"near codes", 11_000, func(i int) uint64 { return 0x6000_0001_0000_0000 + uint64(i*7919%11_000)<<31 }, engine.BucketBitonic},
		{"wide codes that differ little", 9500, func(i int) uint64 { return 0x6000_0001_0000_0000 + uint64(i*7919%9500) }, engine.BucketBitonic},
		{"outside", 14_000, func(i int) uint64 { return uint64(i%2)<<63 + uint64(i)<<33 }, engine.BucketBitonic},
		{"above", 14_000, func(i int) uint64 { return 1<<63 + uint64(i)<<33 }, engine.Radix},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.n), func(t *testing.T) {
			if !testkit.Long() && c.n > 11_000 {
				t.Skip("takes long under a sanitizer")
			}
			list := gputest.Unseen(c.n, inside, c.other)
			testCrowd(t, s, list, c.by)
			testCrowd(t, s, gputest.Fill32(list), c.by)
		})
	}
}

func testCrowd[W codes.Word](t *testing.T, s opened, list []W, by engine.Algorithm) {
	t.Helper()
	if f := checkKeys(t, s, list); f.Algorithm != by {
		t.Errorf("wide %v: %+v", gputest.IsWide[W](), f)
	}
}
