//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestKeyBuckets sorts keys alone that have a plan for buckets, at sizes around what
// cuts them.
func TestKeyBuckets(t *testing.T) {
	w := workspaceOf(t)
	r := rand.New(rand.NewPCG(15, 16))
	few := []int{kernels.LocalSize, kernels.LocalSize + 1}
	around := []int{kernels.Tile - 1, kernels.Tile, kernels.Tile + 1, kernels.KeyTile - 1, kernels.KeyTile, kernels.KeyTile + 1, 70_000}
	if testing.Short() {
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
			t.Run(fmt.Sprint(c.name, " ", n), func(t *testing.T) {
				codes := codesOf[c.name](r, n)
				testKeyBuckets(t, w, codes, c.levels)
				testKeyBuckets(t, w, fill32(codes), c.levels)
			})
		}
	}
}

func testKeyBuckets[W word](t *testing.T, w *workspace, codes []W, levels int) {
	t.Helper()
	if f := checkKeys(t, w, codes); f.algorithm != engine.BucketBitonic || levels > 0 && f.levels != levels {
		t.Errorf("wide %v: %+v", isWide[W](), f)
	}
}

// TestKeyCrowds sorts keys alone that look even in the samples, while others crowd in
// one bucket or come on both sides of the range: as many as there is place for, and
// more, which are left to the radix sort.
func TestKeyCrowds(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := workspaceOf(t)
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
			if testing.Short() && c.n > 11_000 {
				t.Skip("takes long under a sanitizer")
			}
			codes := unseen(c.n, inside, c.other)
			testCrowd(t, w, codes, c.by)
			testCrowd(t, w, fill32(codes), c.by)
		})
	}
}

func testCrowd[W word](t *testing.T, w *workspace, codes []W, by engine.Algorithm) {
	t.Helper()
	if f := checkKeys(t, w, codes); f.algorithm != by {
		t.Errorf("wide %v: %+v", isWide[W](), f)
	}
}

// TestCrowdedKeys tells keys that leave slices even from those that do not.
func TestCrowdedKeys(t *testing.T) {
	for _, c := range []struct {
		n       int
		codes   uint64 // evenly many of each of so many
		step    uint64 // from one to the next
		crowded bool
	}{
		{1 << 20, 1 << 20, 1, false}, {1 << 20, 1 << 17, 1, false}, {1 << 20, 1 << 15, 1, true}, {1 << 20, 1 << 17, 1 << 12, false}, {1 << 20, 1 << 15, 1 << 12, true},
		{1 << 28, 1 << 32, 1, false}, {1 << 28, 1 << 22, 1, true}, {1 << 28, 1 << 22, 1 << 8, true},
	} {
		in := input{n: c.n, keys: true, wide: true}
		s := &sample{high: (c.codes - 1) * c.step, differ: (c.codes - 1) * c.step}
		lay := layoutFor(c.n, true, 0, s.high, unevenMargin)
		parts := int(float64(s.high) / float64(lay.span) * kernels.Segments)
		for i := range parts {
			s.parts[i] = uint32(in.samples() / parts)
		}
		if got := in.crowded(s); got != c.crowded {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestCheckKeys has sorted keys that are wrong in one place.
func TestCheckKeys(t *testing.T) {
	w := workspaceOf(t)
	codes := codesOf["uniform"](rand.New(rand.NewPCG(17, 18)), 5000)
	testCheckKeys(t, w, codes)
	testCheckKeys(t, w, fill32(codes))
}

func testCheckKeys[W word](t *testing.T, w *workspace, codes []W) {
	t.Helper()
	in := input{codes: up(t, w, codes), wide: isWide[W](), n: len(codes), keys: true}
	sorted := slices.Sorted(slices.Values(codes))
	if err := w.check(in, up(t, w, sorted)); err != nil {
		t.Errorf("keys in order: %v", err)
	}
	for what, spoil := range map[string]func(s []W){
		"swapped": func(s []W) { s[1000], s[1001] = s[1001], s[1000] },
		"doubled": func(s []W) { s[1000] = s[1001] },
		"changed": func(s []W) { s[len(s)-1]++ },
		"moved":   func(s []W) { s[1000]--; s[2000]++ },
	} {
		s := slices.Clone(sorted)
		spoil(s)
		if err := w.check(in, up(t, w, s)); err == nil {
			t.Errorf("wide %v, %s: nobody was told", in.wide, what)
		}
	}
}
