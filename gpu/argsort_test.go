//go:build linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
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
func argsort[W word](t *testing.T, w *workspace, a engine.Algorithm, codes []W) []uint32 {
	t.Helper()
	return orderBy(t, w, func(w *workspace, in input, order cuda.Ptr) (finding, error) { return w.sort(a, in, order) }, codes)
}

// way is one way to order codes on the device.
type way func(w *workspace, in input, order cuda.Ptr) (finding, error)

// orderBy runs codes through the device.
func orderBy[W word](t *testing.T, w *workspace, by way, codes []W) []uint32 {
	t.Helper()
	order, _ := onDevice[uint32](t, w, by, false, codes)
	return order
}

// sortKeys sorts keys alone by an algorithm.
func sortKeys[W word](t *testing.T, w *workspace, a engine.Algorithm, codes []W) ([]W, finding) {
	t.Helper()
	return onDevice[W](t, w, func(w *workspace, in input, to cuda.Ptr) (finding, error) { return w.sort(a, in, to) }, true, codes)
}

// onDevice runs codes through the device, checks what they became, and brings it
// back.
func onDevice[R, W word](t *testing.T, w *workspace, by way, keys bool, codes []W) ([]R, finding) {
	t.Helper()
	in := input{wide: isWide[W](), n: len(codes), keys: keys}
	size, resultSize := in.size()*in.n, in.resultSize()*in.n
	b, err := w.take(size + resultSize + 512)
	if err != nil {
		t.Fatal(err)
	}
	defer w.put(b)
	to := b.at + cuda.Ptr(size+255)&^255
	in.codes = b.at
	result := make([]R, in.n)
	var f finding
	err = first(
		func() error { return w.CopyToDevice(in.codes, unsafe.Pointer(unsafe.SliceData(codes)), size, w.stream) },
		func() (err error) { f, err = by(w, in, to); return err },
		func() error { return w.check(in, to) },
		func() error { return w.CopyToHost(unsafe.Pointer(unsafe.SliceData(result)), to, resultSize, w.stream) },
		func() error { return w.SyncStream(w.stream) },
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d codes: %+v", in.n, f)
	return result, f
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
	w, err := e.dev.workspace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.done()
	by := slices.Collect(maps.Keys(algorithms))
	if testing.Short() { // each has a test of its own
		by = []engine.Algorithm{engine.BucketBitonic}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, make := range codesOf {
		for _, n := range sizes(name) {
			t.Run(name, func(t *testing.T) { testArgsort(t, w, by, make(r, n)) })
		}
	}
}

// testArgsort orders codes, and their high halves, by each of the algorithms, and
// sorts them as keys alone.
func testArgsort(t *testing.T, w *workspace, by []engine.Algorithm, wide []uint64) {
	t.Helper()
	testWidth(t, w, by, wide)
	testWidth(t, w, by, fill32(wide))
}

func testWidth[W word](t *testing.T, w *workspace, by []engine.Algorithm, codes []W) {
	t.Helper()
	// In a short run, half of the codes are ordered and the others sorted alone.
	short, odd := testing.Short(), len(codes) > 0 && codes[0]%2 == 1
	order, sorted := want(codes), slices.Sorted(slices.Values(codes))
	for _, a := range by {
		if short && odd {
			continue
		}
		if got := argsort(t, w, a, codes); !slices.Equal(got, order) {
			t.Errorf("%v: %d codes, wide %v: wrong order", a, len(codes), isWide[W]())
		}
	}
	for _, a := range by {
		if short && !odd {
			continue
		}
		if got, _ := sortKeys(t, w, a, codes); !slices.Equal(got, sorted) {
			t.Errorf("%v: %d keys, wide %v: wrong order", a, len(codes), isWide[W]())
		}
	}
}

// TestCrowds sorts codes that lie close to the ends of their range, 0 and the highest,
// by every algorithm and by every way of spreading.
func TestCrowds(t *testing.T) {
	if testing.Short() {
		t.Skip("the plain run has it")
	}
	r := dist.Rand(35)
	for way := BySample; way <= Quantiles; way++ {
		_, w := partsOf(t, Spread(way))
		by := []engine.Algorithm{engine.BucketBitonic}
		if way == BySample {
			by = slices.Collect(maps.Keys(algorithms))
		}
		for end := range dist.CrowdEnds {
			for kind := range dist.CrowdKinds {
				for _, n := range []int{2 + r.IntN(64), 300, 2 + r.IntN(9000)} {
					c := dist.Crowd{End: end, Kind: kind, Width: 1 + r.IntN(64), Extremes: r.IntN(3) == 0}
					t.Run(fmt.Sprintf("%v: %d %v", way, n, c), func(t *testing.T) { testArgsort(t, w, by, c.Draw(n, 64, r)) })
				}
			}
		}
	}
}

// TestMergeSort has sizes at which the number of rounds changes.
func TestMergeSort(t *testing.T) {
	w := mergeWorkspace(t)
	r := rand.New(rand.NewPCG(13, 14))
	sizes := append([]int{0, kernels.MergeTile + 1, 4*kernels.MergeTile + 1, 8 * kernels.MergeTile}, aroundTiles...)
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		testArgsort(t, w, []engine.Algorithm{engine.MergeSort}, codesOf["16 values"](r, n))
	}
}

func fill32(wide []uint64) []uint32 {
	s := make([]uint32, len(wide))
	for i, c := range wide {
		s[i] = uint32(c >> 32)
	}
	return s
}

// TestFew has the first sample find codes of few values, if they are in no order, and
// the bucket sort leave them at once where it is to; and no others.
func TestFew(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	_, w := partsOf(t)
	r := rand.New(rand.NewPCG(31, 32))
	few := map[string]bool{"16 values": true, "few values and outliers": true}
	for name, make := range codesOf {
		list := make(r, 20_000)
		leaving := func(w *workspace, in input, to cuda.Ptr) (finding, error) {
			f, err := w.argsortIf(func(input, Spreading) bool { return true }, true, in, to)
			if got := w.note.sample.few.Load() != 0; got != few[name] || got && !errors.Is(err, errUneven) {
				t.Errorf("%s, wide %v: few values %v, %v", name, in.wide, got, err)
			}
			if errors.Is(err, errUneven) {
				return w.sortBy(lastResort, in, to)
			}
			return f, err
		}
		for _, by := range []way{leaving, bucketWay} { // of what the first does nothing is left
			if !slices.Equal(orderBy(t, w, by, list), want(list)) {
				t.Errorf("%s: wrong order", name)
			}
		}
	}
}
