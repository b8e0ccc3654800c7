//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// codesOf makes n codes with some property, by name.
var codesOf = map[string]func(r *rand.Rand, n int) []uint64{
	"uniform": func(r *rand.Rand, n int) []uint64 { return fill(n, func(int) uint64 { return r.Uint64() }) },
	"gauss": func(r *rand.Rand, n int) []uint64 {
		return fill(n, func(int) uint64 { return uint64(int64(r.NormFloat64()*1e17)) + 1<<63 })
	},
	"small range": func(r *rand.Rand, n int) []uint64 {
		return fill(n, func(int) uint64 { return 1<<40 + r.Uint64N(uint64(n))<<32 })
	},
	"sorted":   func(r *rand.Rand, n int) []uint64 { return fill(n, func(i int) uint64 { return uint64(i) << 34 }) },
	"reversed": func(r *rand.Rand, n int) []uint64 { return fill(n, func(i int) uint64 { return uint64(n-i) << 34 }) },
	"flat":     func(r *rand.Rand, n int) []uint64 { return fill(n, func(int) uint64 { return 42 << 32 }) },
	"nearly sorted": func(r *rand.Rand, n int) []uint64 {
		s := fill(n, func(i int) uint64 { return uint64(i) << 34 })
		for range n / 100 {
			i, j := r.IntN(n), r.IntN(n)
			s[i], s[j] = s[j], s[i]
		}
		return s
	},
	"outliers": func(r *rand.Rand, n int) []uint64 {
		s := fill(n, func(int) uint64 { return 1<<62 + r.Uint64()>>8 })
		s[0], s[n/2], s[n-1] = 1<<64-1, 0, 1
		return s
	},
	"few values and outliers": func(r *rand.Rand, n int) []uint64 {
		s := fill(n, func(int) uint64 { return 7<<33 + r.Uint64N(4)<<32 })
		s[n/3], s[n/2], s[n-1] = 1<<64-1, 0, 1<<33
		return s
	},
	"16 values": func(r *rand.Rand, n int) []uint64 {
		return fill(n, func(int) uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 })
	},
	"log": func(r *rand.Rand, n int) []uint64 {
		return fill(n, func(int) uint64 { return uint64(math.Exp2(64*r.Float64())) - 1 })
	},
	"mostly one value": func(r *rand.Rand, n int) []uint64 {
		return fill(n, func(int) uint64 { return r.Uint64() >> (r.IntN(50) / 40 * 63) })
	},
	"low half": func(r *rand.Rand, n int) []uint64 { return fill(n, func(int) uint64 { return r.Uint64() >> 32 }) },
}

func fill(n int, f func(i int) uint64) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

func want[W word](codes []W) []uint32 { return stable(codes) }

// argsort runs codes through an algorithm.
func argsort[W word](t *testing.T, l *lane, a engine.Algorithm, codes []W) []uint32 {
	t.Helper()
	return orderBy(t, l, func(l *lane, in input, order cuda.Ptr) (finding, error) { return l.sort(a, in, order) }, codes)
}

// way is one way to order codes on the device.
type way func(l *lane, in input, order cuda.Ptr) (finding, error)

// orderBy runs codes through the device.
func orderBy[W word](t *testing.T, l *lane, by way, codes []W) []uint32 {
	t.Helper()
	n := len(codes)
	var w W
	size := int(unsafe.Sizeof(w))
	b, err := l.take(n*(size+4) + 512)
	if err != nil {
		t.Fatal(err)
	}
	defer l.put(b)
	at, order := b.at, b.at+cuda.Ptr(n*size+255)&^255
	result := make([]uint32, n)
	var f finding
	err = first(
		func() error { return l.CopyToDevice(at, unsafe.Pointer(unsafe.SliceData(codes)), n*size, l.stream) },
		func() (err error) { f, err = by(l, input{codes: at, wide: size == 8, n: n}, order); return err },
		func() error { return l.check(input{codes: at, wide: size == 8, n: n}, order) },
		func() error { return l.CopyToHost(unsafe.Pointer(unsafe.SliceData(result)), order, 4*n, l.stream) },
		func() error { return l.SyncStream(l.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d codes: %+v", n, f)
	return result
}

// open opens the engine, or skips the test where there is no device.
func open(t *testing.T, opts ...Option) *Engine {
	t.Helper()
	e, err := Open(opts...)
	if errors.Is(err, engine.ErrNoDevice) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// sizes are few in a short run, which is for the sanitizers.
func sizes(codes string) []int {
	if testing.Short() {
		return smallSizes(codes)
	}
	return append([]int{2, 3, 1000, 9000, 70000}, large...)
}

func TestArgsort(t *testing.T) {
	e := open(t)
	l, err := e.dev.lane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.done()
	by := slices.Collect(maps.Keys(algorithms))
	if testing.Short() { // each has a test of its own
		by = []engine.Algorithm{engine.BucketBitonic}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, make := range codesOf {
		for _, n := range sizes(name) {
			t.Run(name, func(t *testing.T) { testArgsort(t, l, by, make(r, n)) })
		}
	}
}

// testArgsort orders codes, and their high halves, by each of the algorithms.
func testArgsort(t *testing.T, l *lane, by []engine.Algorithm, wide []uint64) {
	narrow := fill32(wide)
	wantWide, wantNarrow := want(wide), want(narrow)
	for _, a := range by {
		if got := argsort(t, l, a, wide); !slices.Equal(got, wantWide) {
			t.Errorf("%v: %d codes of 64 bits: wrong order", a, len(wide))
		}
		if got := argsort(t, l, a, narrow); !slices.Equal(got, wantNarrow) {
			t.Errorf("%v: %d codes of 32 bits: wrong order", a, len(narrow))
		}
	}
}

// TestMergeSort has sizes at which the number of rounds changes.
func TestMergeSort(t *testing.T) {
	l := mergeLane(t)
	r := rand.New(rand.NewPCG(13, 14))
	sizes := append([]int{0, kernels.MergeTile + 1, 4*kernels.MergeTile + 1, 8 * kernels.MergeTile}, aroundTiles...)
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		testArgsort(t, l, []engine.Algorithm{engine.MergeSort}, codesOf["16 values"](r, n))
	}
}

func fill32(wide []uint64) []uint32 {
	s := make([]uint32, len(wide))
	for i, c := range wide {
		s[i] = uint32(c >> 32)
	}
	return s
}
