package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Sorts of plain keys and of keys with values.

// verbSizes are the sizes at which every verb meets every kind and input.
var verbSizes = []int{0, 1, 2, 3, 10, 40, 257, 2049, 6000}

// eachVerbInput runs check on every kind, input and size, numbered; at the larger sizes,
// and at all sizes unless the run is a long one, on every third input, which is another
// one for the next kind.
func eachVerbInput(t *testing.T, check func(t *testing.T, k keyCase, ref *reference, turn int)) {
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range inputs {
			for j, n := range verbSizes {
				if (n > 2000 || !testkit.Long()) && (i+j+len(k.Name()))%3 != 0 || thinned(n, i/3+3*j+len(k.Name())) {
					continue
				}
				check(t, k, drawn(k, input, n, uint64(n)), i+j)
			}
		}
	})
}

// eachLargeKind runs check on larger inputs of one kind per encoder, of half as many
// elements where the run is not a long one.
func eachLargeKind(t *testing.T, n int, inputs []string, check func(t *testing.T, ref *reference, turn int)) {
	if !testkit.Long() {
		return
	}
	n = testkit.Pick(0, n)
	eachKind(t, func(k keyCase, t *testing.T) {
		if !k.isLarge() {
			return
		}
		for i, input := range inputs {
			check(t, drawn(k, input, n+len(k.Name()), uint64(n)), i+len(k.Name()))
		}
	})
}

func TestSortKeys(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		for i := range 4 {
			ref.checkSortKeys(t, modes[(turn+3*i)%len(modes)])
		}
		ref.checkSortKeysDefault(t, directions[turn%len(directions)])
	})
}

func TestSortKeysLarge(t *testing.T) {
	eachLargeKind(t, 70_000, []string{"sprinkled"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkSortKeys(t, modes[turn%len(modes)])
		ref.checkSortKeysDefault(t, directions[turn%len(directions)])
	})
}

// checkSortKeys holds the stable sort of keys to the oracle bit for bit.
func (r *reference) checkSortKeys(t *testing.T, m mode) {
	t.Helper()
	got, err := r.sortKeys(m.stable()...)
	if err != nil {
		t.Fatalf("%s, %s: %v", r.name, m.name, err)
	}
	if d := r.diff(got, r.in(m.order)); d != "" {
		t.Fatalf("%s, %s: keys differ from the stable sort, bits included: %s", r.name, m.name, d)
	}
}

// checkSortKeysDefault holds the default sort of keys to the order, to having
// every key as often as before, bit for bit, and to the same ties every time.
func (r *reference) checkSortKeysDefault(t *testing.T, m mode) {
	t.Helper()
	got, err := r.sortKeys(m.opts...)
	if err != nil {
		t.Fatalf("%s, %s: %v", r.name, m.name, err)
	}
	if at := got.outOfOrder(m.order); at >= 0 {
		t.Fatalf("%s, %s: keys %d and %d are out of order", r.name, m.name, at-1, at)
	}
	if got.sum() != r.sum() {
		t.Fatalf("%s, %s: the keys are not those of the input, bits included", r.name, m.name)
	}
	again, err := r.sortKeys(m.opts...)
	if d := got.diff(again, r.rows); d != "" || err != nil {
		t.Fatalf("%s, %s, a second time: %s, error %v", r.name, m.name, d, err)
	}
}

func TestSortPairs(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		for l := range 4 {
			ref.checkSortPairs(t, modes[(turn+3*l)%len(modes)])
		}
	})
}

func TestSortPairsLarge(t *testing.T) {
	eachLargeKind(t, 60_000, []string{"sprinkled"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkSortPairs(t, modes[turn%len(modes)])
	})
}

func (r *reference) checkSortPairs(t *testing.T, m mode) {
	t.Helper()
	keys, values, err := r.sortPairs(m.stable()...)
	want := r.in(m.order)
	checkSame(t, r.name+", "+m.name+", values", err, values, permOf(want))
	if d := r.diff(keys, want); d != "" {
		t.Fatalf("%s, %s, keys: %s", r.name, m.name, d)
	}
}

// TestSortPairsValues moves values of many shapes, pointers among them.
func TestSortPairsValues(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20, 3000, scaled(120_000)} {
		sortPairsOf(t, n, func(i int) uint8 { return uint8(i) })
		sortPairsOf(t, n, func(i int) string { return fmt.Sprint("value ", i) })
		sortPairsOf(t, n, func(i int) *int { return &i })
		sortPairsOf(t, n, func(i int) [9]uint64 { return [9]uint64{0: uint64(i), 8: ^uint64(i)} })
		sortPairsOf(t, n, func(i int) any { return i })
		sortPairsOf(t, n, func(int) struct{} { return struct{}{} })
	}
}

func sortPairsOf[V comparable](t *testing.T, n int, value func(i int) V) {
	t.Helper()
	keys := dist.Named("16 values").Draw(n, dist.Rand(3))
	type pair struct {
		key   uint64
		value V
	}
	pairs, values := make([]pair, n), make([]V, n)
	for i := range pairs {
		values[i] = value(i)
		pairs[i] = pair{keys[i], values[i]}
	}
	testkit.SortStable(pairs, func(a, b pair) int { return oracle.Ordered[uint64](oracle.Order{})(a.key, b.key) })
	err := sorter.SortPairs(keys, values, sorter.Stable())
	got := make([]pair, n)
	for i := range got {
		got[i] = pair{keys[i], values[i]}
	}
	checkSame(t, fmt.Sprintf("values of type %T, n=%d", *new(V), n), err, got, pairs)
}

// TestSortKeysNotNegative sorts numbers of which none is negative, all but one,
// and those with a NaN or a −0 among them.
func TestSortKeysNotNegative(t *testing.T) {
	t.Parallel()
	negative := math.Copysign(0, -1)
	nan64, nan32 := math.Float64frombits(1<<63|math.Float64bits(math.NaN())), math.Float32frombits(0xffc00001)
	checkNotNegative(t, math.Float64bits, []float64{0, 1, math.Inf(1), negative, -1, nan64, 2, math.Inf(-1), math.NaN()})
	checkNotNegative(t, math.Float32bits, []float32{0, 1, float32(math.Inf(1)), float32(negative), -1, nan32, 2, float32(math.Inf(-1)), float32(math.NaN())})
	checkNotNegative(t, func(k int64) int64 { return k }, []int64{0, math.MaxInt64, -1, math.MinInt64})
	checkNotNegative(t, func(k int32) int32 { return k }, []int32{0, math.MaxInt32, -1, math.MinInt32})
}

// checkNotNegative sorts numbers of [0, 2^20) with each of others among them, once
// and a hundred times: what is not looked for may be missed if it is alone.
func checkNotNegative[K int32 | int64 | float32 | float64, B cmp.Ordered](t *testing.T, bits func(K) B, others []K) {
	t.Helper()
	r := dist.Rand(1)
	for i := range 4 * len(others) {
		if testkit.Thinned(i + i/8) {
			continue
		}
		other, n, times := others[i/4], []int{5000, 40_000}[i%2], []int{1, 100}[i/2%2]
		keys := make([]K, n)
		for i := range keys {
			keys[i] = K(r.Uint64() >> 44)
		}
		for range times {
			keys[r.IntN(n)] = other
		}
		sorted, want := slices.Clone(keys), slices.Clone(keys)
		opts := []sorter.Option{sorter.Workers(1 + i/4%3)}
		compare := cmp.Compare[K]
		switch i / 4 % 3 {
		case 1:
			opts, compare = append(opts, sorter.Descending()), func(a, b K) int { return cmp.Compare(b, a) }
		case 2:
			opts, compare = append(opts, sorter.NaNsLast()), func(a, b K) int {
				if a != a || b != b {
					return cmp.Compare(b, a)
				}
				return cmp.Compare(a, b)
			}
		}
		if err := sorter.SortKeys(sorted, opts...); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(sorted, compare) {
			t.Errorf("%d %T with %d times %v: not in order", n, other, times, other)
		}
		byBits := func(a, b K) int { return cmp.Compare(bits(a), bits(b)) }
		slices.SortFunc(sorted, byBits)
		slices.SortFunc(want, byBits)
		if d := oracle.Diff(sorted, want, oracle.Same[K]); d != "" {
			t.Errorf("%d %T with %d times %v: other keys than before: %s", n, other, times, other, d)
		}
	}
}
