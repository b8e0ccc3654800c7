package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// plainShape draws the bits of n keys of 64 bits, or of 32 bits in the upper half.
type plainShape struct {
	name        string
	draw        func(r *rand.Rand, n int, odd []uint64) []uint64
	rank, first bool // the median, and the first, are surely found
}

func eachPlain(f func(r *rand.Rand, i, n int, odd []uint64) uint64) func(r *rand.Rand, n int, odd []uint64) []uint64 {
	return func(r *rand.Rand, n int, odd []uint64) []uint64 {
		s := make([]uint64, n)
		for i := range s {
			s[i] = f(r, i, n, odd)
		}
		return s
	}
}

// plainShapes are lists with crowds at and about the bounds, with keys that tie and differ, and with a sample that lies.
var plainShapes = []plainShape{
	{"uniform", eachPlain(func(r *rand.Rand, _, _ int, _ []uint64) uint64 { return r.Uint64() }), true, true},
	{"ascending", eachPlain(func(_ *rand.Rand, i, n int, _ []uint64) uint64 { return uint64(i) * (math.MaxUint64 / uint64(n)) }), false, false},
	{"equal", eachPlain(func(_ *rand.Rand, _, _ int, odd []uint64) uint64 { return odd[0] }), true, true},
	{"two values", eachPlain(func(r *rand.Rand, _, _ int, _ []uint64) uint64 { return r.Uint64N(2) << 50 }), false, true},
	{"sixteen values", eachPlain(func(r *rand.Rand, _, _ int, _ []uint64) uint64 { return r.Uint64N(16) << 60 }), false, true},
	{"a crowd in the middle", eachPlain(func(r *rand.Rand, _, _ int, _ []uint64) uint64 {
		if r.IntN(3) == 0 {
			return 1 << 62
		}
		return r.Uint64()
	}), false, false},
	{"all odd", eachPlain(func(r *rand.Rand, _, _ int, odd []uint64) uint64 { return odd[r.IntN(len(odd))] }), false, false},
	{"some odd", eachPlain(func(r *rand.Rand, _, _ int, odd []uint64) uint64 {
		if r.IntN(3) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return r.Uint64()
	}), false, false},
	{"NaNs", eachPlain(func(r *rand.Rand, _, _ int, odd []uint64) uint64 {
		if r.IntN(40) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return odd[len(odd)-1-r.IntN(2)]
	}), false, false},
	{"a sample of one", func(r *rand.Rand, n int, _ []uint64) []uint64 { return lying(r, n, func() uint64 { return 1 << 59 }) }, false, false},
	{"a sample of the least", func(r *rand.Rand, n int, _ []uint64) []uint64 {
		return lying(r, n, func() uint64 { return r.Uint64N(1 << 59) })
	}, false, false},
	{"a sample of the greatest", func(r *rand.Rand, n int, _ []uint64) []uint64 {
		return lying(r, n, func() uint64 { return 1<<62 + r.Uint64N(1<<59) })
	}, false, false},
}

// lying returns keys of which those that are drawn are others.
func lying(r *rand.Rand, n int, draw func() uint64) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = 1<<61 + r.Uint64N(1<<60)
	}
	size := plainSample(n)
	for i := range size {
		s[samplePlace(i, n/size)] = draw()
	}
	return s
}

var oddFloats = []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, math.SmallestNonzeroFloat64, -math.MaxFloat64}

func oddBits64() (all []uint64) {
	for _, f := range oddFloats {
		all = append(all, math.Float64bits(f))
	}
	return append(all, math.Float64bits(math.NaN())|1<<63, math.Float64bits(math.NaN())+5, 1<<63|0x7ff<<52|9)
}

func oddBits32() (all []uint64) {
	for _, f := range oddFloats {
		all = append(all, uint64(math.Float32bits(float32(f)))<<32)
	}
	return append(all, uint64(1<<31|math.Float32bits(float32(math.NaN())))<<32, uint64(math.Float32bits(float32(math.NaN()))+5)<<32)
}

// TestPlain selects keys of all kinds and shapes, in all orders, around the sizes of samples.
func TestPlain(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	t.Run("int32", func(t *testing.T) { testPlain(t, oddBits32(), func(b uint64) int32 { return int32(b >> 32) }) })
	t.Run("uint32", func(t *testing.T) { testPlain(t, oddBits32(), func(b uint64) uint32 { return uint32(b >> 32) }) })
	t.Run("int64", func(t *testing.T) { testPlain(t, oddBits64(), func(b uint64) int64 { return int64(b) }) })
	t.Run("uint64", func(t *testing.T) { testPlain(t, oddBits64(), func(b uint64) uint64 { return b }) })
	t.Run("float32", func(t *testing.T) {
		testPlain(t, oddBits32(), func(b uint64) float32 { return math.Float32frombits(uint32(b >> 32)) })
	})
	t.Run("float64", func(t *testing.T) { testPlain(t, oddBits64(), math.Float64frombits) })
}

func testPlain[K int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, odd []uint64, key func(bits uint64) K) {
	r := dist.Rand(91)
	for _, n := range append([]int{leastPlain, leastPlain + 1, 2047, 2048, 8192}, testkit.Pick([]int(nil), []int{16_383, 33_000})...) {
		for _, shape := range plainShapes {
			keys := make([]K, n)
			for i, b := range shape.draw(r, n, odd) {
				keys[i] = key(b)
			}
			o := call.Options{Descending: r.IntN(2) == 0, NaNs: sortkey.NaNs(r.IntN(4)), Workers: int32(r.IntN(3))}
			compare := sortkey.Comparator[K](o.Order())
			order := make([]uint32, n)
			for i := range order {
				order[i] = uint32(i)
			}
			testkit.SortStable(order, func(i, j uint32) int { return compare(keys[i], keys[j]) })
			what := fmt.Sprintf("%d keys, %s, %+v", n, shape.name, o.Order())
			checkPlainRanks(t, what, keys, order, []int{n / 2, r.IntN(n), 0, n - 1}[:1+r.IntN(4)], &o, shape.rank)
			for _, k := range []int{1, n / 100, n / mostFirst, r.IntN(n / mostFirst)} {
				checkPlainFirst(t, what, keys, order, k, &o, shape.first)
			}
		}
	}
}

// TestPlainMisses selects each rank of lists whose sample is wrong: it is found, or it is not.
func TestPlainMisses(t *testing.T) {
	if !bucket.Splits() {
		t.Skip("no AVX-512")
	}
	r := dist.Rand(92)
	for _, n := range []int{leastPlain, 2100} {
		for _, from := range []uint64{0, 1<<61 + 1<<58, 1 << 62} {
			keys, missed := lying(r, n, func() uint64 { return from + r.Uint64N(1<<59) }), 0
			order := make([]uint32, n)
			for i := range order {
				order[i] = uint32(i)
			}
			testkit.SortStable(order, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) })
			for k := range n {
				what := fmt.Sprintf("%d keys, drawn from %x, rank %d", n, from, k)
				checkPlainRanks(t, what, keys, order, []int{k}, &call.Options{}, false)
				if _, ok := RanksOfKeys([]extract.Column{extract.ColumnAs(sortkey.Uint64, nil)}, extract.InputOf(cpu.PayloadOf(keys)), []int{k}, &call.Options{}); !ok {
					missed++
				}
				if k <= n/mostFirst {
					checkPlainFirst(t, what, keys, order, k, &call.Options{}, false)
				}
			}
			if missed == 0 || missed == n {
				t.Fatalf("%d keys, drawn from %x: %d ranks are not found", n, from, missed)
			}
		}
	}
}

// checkPlainRanks checks rows of ranks, which are right, or left to another way where the sample may be wrong.
func checkPlainRanks[K sortkey.Key](t *testing.T, what string, keys []K, order []uint32, ks []int, o *call.Options, sure bool) {
	t.Helper()
	cols := []extract.Column{extract.ColumnAs(sortkey.KindOf[K](), nil)}
	rows, ok := RanksOfKeys(cols, extract.InputOf(cpu.PayloadOf(keys)), ks, o)
	if !ok && sure && len(ks) == 1 && ks[0] == len(keys)/2 {
		t.Fatalf("%s: no row of rank %d", what, ks)
	}
	for i, k := range ks {
		if ok && rows[i] != order[k] {
			t.Fatalf("%s: row %d has rank %d, want %d", what, rows[i], k, order[k])
		}
	}
}

// checkPlainFirst checks the first k keys, bit for bit, and that the others are the rest.
func checkPlainFirst[K sortkey.Key](t *testing.T, what string, keys []K, order []uint32, k int, o *call.Options, sure bool) {
	t.Helper()
	got := slices.Clone(keys)
	ok := FirstKeys(sortkey.KindOf[K](), cpu.PayloadOf(got), k, o)
	if !ok && sure && k > 0 {
		t.Fatalf("%s: the first %d are not found", what, k)
	}
	want := make([]K, len(keys))
	for i, row := range order {
		want[i] = keys[row]
	}
	for i := range got[:k] {
		if ok && !sameBits(got[i], want[i]) {
			t.Fatalf("%s: key %d of the first %d is %v, want %v", what, i, k, got[i], want[i])
		}
	}
	for i := range got {
		if !ok && !sameBits(got[i], keys[i]) {
			t.Fatalf("%s: key %d of the first %d has moved", what, i, k)
		}
	}
	slices.SortFunc(got, byBits)
	slices.SortFunc(want, byBits)
	if !slices.EqualFunc(got, want, sameBits[K]) {
		t.Fatalf("%s: the first %d are moved, and others are lost", what, k)
	}
}

func sameBits[K sortkey.Key](a, b K) bool { return byBits(a, b) == 0 }

func byBits[K sortkey.Key](a, b K) int {
	return sortkey.Comparator[K](sortkey.Order{NaNs: sortkey.TotalOrder})(a, b)
}
