//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// workspaceOf opens the engine and returns a workspace of it.
func workspaceOf(t *testing.T) *workspace {
	t.Helper()
	return workspaceFrom(t, open(t))
}

// workspaceFrom returns a workspace of an engine for the time of the test.
func workspaceFrom(t *testing.T, e *Engine) *workspace {
	t.Helper()
	w, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.done)
	return w
}

func TestRadix(t *testing.T) { testRadix(t, workspaceOf(t), largeRadix.tile, engine.Radix) }

// testRadix sorts codes of every distribution, at sizes around what the kernels
// cut: a warp's part of a tile, a tile, and as many as are looked back at at once.
func testRadix(t *testing.T, w *workspace, tile int, by ...engine.Algorithm) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, make := range codesOf {
		all := append([]int{0, 1, 2, 31, 33, 511, 513, tile - 1, tile, tile + 1, 6*tile + 5}, large...)
		if testing.Short() {
			all = smallSizes(name)
		}
		for _, n := range all {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				testArgsort(t, w, by, make(r, max(n, 1))[:n])
			})
		}
	}
}

// TestRadixPlaces sorts codes whose digits differ in some places only: the first
// pass, the last, and the change from the low word to the high one fall on any.
func TestRadixPlaces(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	w := workspaceOf(t)
	r := rand.New(rand.NewPCG(5, 6))
	const n = 3000
	step := 1
	if testing.Short() {
		step = 101
	}
	for places := 0; places < 256; places += step {
		mask := uint64(0)
		for p := range 8 {
			mask |= uint64(places>>p&1) * 0xff << (8 * p)
		}
		codes := fill(n, func(int) uint64 { return 0x123456789abcdef0&^mask | r.Uint64()&mask&0x0707070707070707 })
		t.Run(fmt.Sprintf("%08b", places), func(t *testing.T) { testArgsort(t, w, []engine.Algorithm{engine.Radix}, codes) })
	}
}

// unseen returns codes of which the samples (see drawn, in sample.cuh) see some, and
// all others are of another kind. n < 1<<14 are few enough for both samples to be at
// the same places.
func unseen(n int, seen func(r *rand.Rand) uint64, other func(i int) uint64) []uint64 {
	r := rand.New(rand.NewPCG(7, 8))
	codes := fill(n, other)
	for k := range uint64(kernels.RangeSamples) {
		codes[drawn(k, uint64(n))] = seen(r)
	}
	return codes
}

// drawn is the k-th position of the first sample of n codes, see sample.cuh.
func drawn(k, n uint64) uint64 {
	lo, hi := n*k/kernels.RangeSamples, n*(k+1)/kernels.RangeSamples
	skip, _ := bits.Mul64(mix(k+1), hi-lo)
	return lo + skip
}

// mix is that of sample.cuh.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// TestLastResort sorts codes that defeat every plan of the bucket sort.
func TestLastResort(t *testing.T) {
	e := open(t, Verify())
	wide := unseen(14_000, (*rand.Rand).Uint64, func(int) uint64 { return 0x8000_0001_0000_0000 }) // more others than a bucket holds
	var st sorter.Stats
	got, err := sorter.OrderKeys(wide, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
	if err != nil || !slices.Equal(got, want(wide)) || st.Algorithm != "Radix" || st.Rounds != 8 {
		t.Errorf("64 bits: error %v, %+v, or wrong order", err, st)
	}
	narrow := fill32(wide)
	got, err = sorter.OrderKeys(narrow, sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Report(&st))
	if err != nil || !slices.Equal(got, want(narrow)) || st.Algorithm != "Radix" || st.Rounds != 4 {
		t.Errorf("32 bits: error %v, %+v, or wrong order", err, st)
	}
}
