package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Keys and values in two slices. Most tests have values that are the positions of
// their keys in the input: then values tell which keys should be beside them, bit for
// bit.

// pairing is a pair as the reference sees it.
type pairing[K, V any] struct {
	key   K
	value V
}

// TestPairsDefault sorts pairs of every kind without Stable: keys in order, every
// pair as it was, and the same ties every time.
func TestPairsDefault(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		ref.checkPairsDefault(t, modes[turn%len(modes)])
		ref.checkPairsDefault(t, directions[turn%len(directions)])
	})
}

// TestPairsDefaultLarge sorts more than small lists have and than one worker sorts
// alone.
func TestPairsDefaultLarge(t *testing.T) {
	sizes := []int{20_000, 140_000}
	if !testkit.Long() {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		eachLargeKind(t, n, []string{"sprinkled", "nearly sorted", "16 values"}, func(t *testing.T, ref *reference, turn int) {
			ref.checkPairsDefault(t, modes[turn%len(modes)])
			ref.checkPairsDefault(t, directions[turn%len(directions)])
			ref.checkSortPairs(t, modes[(turn+5)%len(modes)])
		})
	}
}

func (r *reference) checkPairsDefault(t *testing.T, m mode) {
	t.Helper()
	name := fmt.Sprintf("%s, %s", r.name, m.name)
	keys, values, err := r.sortPairs(m.opts...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if at := keys.outOfOrder(m.order); at >= 0 {
		t.Fatalf("%s: keys %d and %d are out of order", name, at-1, at)
	}
	rows := mapped(values, func(v uint32) int { return int(v) })
	checkPermuted(t, name, rows, r.len())
	if d := r.diff(keys, rows); d != "" {
		t.Fatalf("%s: keys are not those that the values came with, bits included: %s", name, d)
	}
	_, again, err := r.sortPairs(m.opts...)
	checkSame(t, name+", a second time", err, again, values)
}

// TestPairsAroundBounds sorts lengths around the bounds between what few pairs go
// through, with many ties and with few, by keys of either width of code and by wide
// ones, with values of several sizes and with pointers.
func TestPairsAroundBounds(t *testing.T) {
	t.Parallel()
	lengths := []int{4095, 4096, 4097, 8191, 8192, 8193}
	lengths = append(lengths, testkit.Pick(nil, []int{65_535, 65_536, 65_537})...)
	for n := range 70 {
		lengths = append(lengths, n)
	}
	kinds := []uint64{3, 40, 1 << 62} // of draws: how many values they have
	if !testkit.Long() {              // tens of seconds under the race detector
		lengths, kinds = lengths[:6], kinds[1:2]
	}
	r := dist.Rand(9)
	for _, n := range lengths {
		for _, values := range kinds {
			if n > 60_000 && values != 40 && !testkit.Long() {
				continue
			}
			draws := make([]uint64, n)
			for i := range draws {
				draws[i] = r.Uint64N(values) * 0x9e3779b97f4a7c15
			}
			boundPairs(t, draws, func(v uint64) uint8 { return uint8(v) }, func(i int) int { return i })
			boundPairs(t, draws, func(v uint64) int32 { return int32(v) }, func(i int) uint16 { return uint16(i) })
			boundPairs(t, draws, func(v uint64) uint64 { return v }, func(i int) [3]int { return [3]int{i} })
			boundPairs(t, draws, func(v uint64) float64 { return float64(int64(v)) }, func(i int) string { return fmt.Sprint(i) })
			boundPairs(t, draws, decimal, func(i int) [20]int { return [20]int{19: i} })
		}
	}
}

// boundPairs compares pairs with the stable sort of structs, both ways.
func boundPairs[K orderedKey, V comparable](t *testing.T, draws []uint64, key func(uint64) K, value func(i int) V) {
	t.Helper()
	n := len(draws)
	keys, values, pairs := make([]K, n), make([]V, n), make([]pairing[K, V], n)
	for i, v := range draws {
		keys[i], values[i] = key(v), value(i)
		pairs[i] = pairing[K, V]{keys[i], values[i]}
	}
	for _, desc := range []bool{false, true} {
		want, opts := slices.Clone(pairs), []sorter.Option{sorter.Stable()}
		compare := func(a, b pairing[K, V]) int { return cmp.Compare(a.key, b.key) }
		if desc {
			compare = func(a, b pairing[K, V]) int { return cmp.Compare(b.key, a.key) }
			opts = append(opts, sorter.Descending())
		}
		testkit.SortStable(want, compare)
		gotKeys, gotValues := slices.Clone(keys), slices.Clone(values)
		err := sorter.SortPairs(gotKeys, gotValues, opts...)
		checkSame(t, fmt.Sprintf("%d pairs of %T and %T, descending %v", n, *new(K), *new(V), desc), err, paired(gotKeys, gotValues), want)
	}
}

func paired[K, V any](keys []K, values []V) []pairing[K, V] {
	pairs := make([]pairing[K, V], len(keys))
	for i := range pairs {
		pairs[i] = pairing[K, V]{keys[i], values[i]}
	}
	return pairs
}

// TestPairsShapes sorts inputs of every distribution, large enough for several
// buckets, in every way to finish, with values with and without pointers.
func TestPairsShapes(t *testing.T) {
	t.Parallel()
	n := scaled(300_000)
	numbers := ascending(n)
	for j, d := range dist.All {
		for i, opts := range [][]sorter.Option{
			nil,
			{sorter.Workers(1)},
			{sorter.WithContext(neverCancelled), sorter.Workers(3)},
			{sorter.Descending(), sorter.Stable()},
		} {
			if testkit.Thinned(i + 3*j) {
				continue
			}
			draws, desc := d.Draw(n, dist.Rand(uint64(i))), i == 3
			name := fmt.Sprintf("%s, options %d", d.Name, i)
			checkStablePairs(t, name, draws, numbers, desc, func(i int) int { return i }, opts)
			narrow := mapped(draws, func(v uint64) int32 { return int32(v >> 32) })
			pointers := mapped(numbers, func(i int) *int { return &numbers[i] })
			checkStablePairs(t, name+", pointers", narrow, pointers, desc, func(p *int) int { return *p }, opts)
		}
	}
}

// checkStablePairs sorts copies of keys and of values, which tell the places that
// they had, and holds the result to the order and to ties in input order: there is
// only one that has both.
func checkStablePairs[K orderedKey, V any](t *testing.T, name string, keys []K, values []V, desc bool, place func(V) int, opts []sorter.Option) {
	t.Helper()
	gotKeys, gotValues := slices.Clone(keys), slices.Clone(values)
	if err := sorter.SortPairs(gotKeys, gotValues, opts...); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	rows := mapped(gotValues, place)
	checkPermuted(t, name, rows, len(keys))
	for i, row := range rows {
		if gotKeys[i] != keys[row] {
			t.Fatalf("%s: place %d holds key %v with the value of %v", name, i, gotKeys[i], keys[row])
		}
		if i == 0 {
			continue
		}
		c := cmp.Compare(gotKeys[i-1], gotKeys[i])
		if desc {
			c = -c
		}
		if c > 0 || c == 0 && rows[i-1] > row {
			t.Fatalf("%s: elements %d and %d, of keys %v and %v, at place %d", name, rows[i-1], row, gotKeys[i-1], gotKeys[i], i)
		}
	}
}

// TestPairsStableFloats sorts floats of which some are equal and differ in their bits,
// or none do: codes that lose nothing are taken if none do, and ties keep their order
// in any case.
func TestPairsStableFloats(t *testing.T) {
	t.Parallel()
	negative, other := math.Copysign(0, -1), math.Float64frombits(math.Float64bits(math.NaN())^1<<63)
	for i, c := range []struct {
		name    string
		special []float64
		moved   bool
	}{
		{"no zeros", nil, true},
		{"+0", []float64{0}, true},
		{"−0", []float64{negative}, true},
		{"both zeros", []float64{0, negative}, false},
		{"one NaN", []float64{math.NaN()}, true},
		{"two NaNs", []float64{math.NaN(), other}, false},
		{"a NaN and +0", []float64{math.NaN(), 0, math.Inf(1), math.Inf(-1)}, true},
	} {
		for j, n := range []int{5000, 90_000} {
			if testkit.Thinned(i + j) {
				continue
			}
			r := dist.Rand(uint64(n))
			keys := make([]float64, n)
			for i := range keys {
				if keys[i] = float64(r.IntN(50) + 1); r.IntN(4) > 0 {
					keys[i] = r.NormFloat64() // never 0
				}
			}
			for i, k := range c.special {
				keys[i], keys[n-1-i] = k, k // far from each other
			}
			name := fmt.Sprintf("%s, n=%d", c.name, n)
			checkStableFloats(t, name, keys, math.Float64bits, c.moved)
			checkStableFloats(t, name, mapped(keys, func(k float64) float32 {
				if k != k {
					return math.Float32frombits(uint32(0x7fc00001 | math.Float64bits(k)>>63<<31))
				}
				return float32(k)
			}), func(k float32) uint64 { return uint64(math.Float32bits(k)) }, c.moved)
		}
	}
}

func checkStableFloats[K interface{ float32 | float64 }](t *testing.T, name string, keys []K, bits func(K) uint64, moved bool) {
	t.Helper()
	for _, desc := range []bool{false, true} {
		want := paired(keys, ascending(len(keys)))
		opts := []sorter.Option{sorter.Stable(), sorter.Workers(2)}
		if desc {
			opts = append(opts, sorter.Descending())
		}
		testkit.SortStable(want, func(a, b pairing[K, int]) int {
			if desc {
				a, b = b, a
			}
			return cmp.Compare(a.key, b.key)
		})
		got, values := slices.Clone(keys), ascending(len(keys))
		var st sorter.Stats
		err := sorter.SortPairs(got, values, append(opts, sorter.Report(&st))...)
		exactly := func(p pairing[K, int]) pairing[uint64, int] { return pairing[uint64, int]{bits(p.key), p.value} }
		checkSame(t, fmt.Sprintf("%s, %T, descending %v", name, keys[0], desc), err, mapped(paired(got, values), exactly), mapped(want, exactly))
		if (st.Algorithm == "BucketRadix") != moved {
			t.Errorf("%s, %T: by %s", name, keys[0], st.Algorithm)
		}
	}
}

// TestPairsReport checks the algorithm and the shape in reports of pairs.
func TestPairsReport(t *testing.T) {
	const n = 50_000
	draws := func(name string) []uint64 { return dist.Named(name).Draw(n, dist.Rand(1)) }
	for _, c := range []struct {
		input     string
		opt       sorter.Option
		algorithm string
		shape     string
		bits      int
	}{
		{"uniform", sorter.Workers(2), "BucketRadix", "", 64},
		{"sorted", sorter.Workers(2), "BucketRadix", "sorted", 64},
		{"reversed", sorter.Workers(2), "BucketRadix", "reversed", 64},
		{"equal", sorter.Workers(2), "BucketRadix", "flat", 64},
		{"nearly sorted", sorter.Workers(2), "BucketRadix", "nearly sorted", 64},
		{"uniform", sorter.On(sorter.CPU()), "BucketRadix", "", 64},
		{"uniform", sorter.Use(sorter.BucketRadix), "BucketRadix", "", 64},
		{"uniform", sorter.Use(sorter.IndexGather), "IndexGather", "", 64},
		{"sorted", sorter.Use(sorter.IndexGather), "IndexGather", "sorted", 64},
		{"uniform", sorter.Use(sorter.MergeSort), "MergeSort", "", 64},
		{"uniform", sorter.On(&plainEngine{}), "IndexGather", "", 64},
		{"uniform", sorter.MemoryLimit(n * 30), "InPlace", "", 64},
	} {
		keys, values := draws(c.input), ascending(n)
		var st sorter.Stats
		err := sorter.SortPairs(keys, values, c.opt, sorter.Report(&st))
		checkReport(t, c.input, err, st, sorter.Stats{Algorithm: c.algorithm, Shape: c.shape, CodeBits: c.bits, Elements: n}, "Engine")
		reportSame(t, c.input, nil, keys, slices.Sorted(slices.Values(keys)))
	}
	var st sorter.Stats
	err := sorter.SortPairs(mapped(draws("uniform"), decimal), ascending(n), sorter.Report(&st))
	if err != nil || st.Algorithm != "IndexGather" {
		t.Errorf("strings: %v, by %s", err, st.Algorithm)
	}
	err = sorter.SortPairs(draws("uniform"), make([][17]uint64, n), sorter.Report(&st))
	if err != nil || st.Algorithm != "IndexGather" {
		t.Errorf("values of 136 bytes: %v, by %s", err, st.Algorithm)
	}
}

// TestPairsMemoryLimit holds pairs to limits from nothing to enough: sorted within
// them, or both slices untouched. Narrow keys take codes that are larger than they.
func TestPairsMemoryLimit(t *testing.T) {
	testkit.SkipRace(t)
	limits := []int64{1, 8, 16, 32, 48, 64, 96, 192, 2000}
	for _, name := range testkit.Pick([]string{"log"}, []string{"log", "uniform"}) {
		draws := dist.Named(name).Draw(scaled(150_000), dist.Rand(2))
		limitPairs(t, name, draws, limits, 2, func(i int) uint64 { return uint64(i) })
		limitPairs(t, name, mapped(draws, func(v uint64) uint8 { return uint8(v >> 56) }), limits, 2, func(i int) uint32 { return uint32(i) })
		limitPairs(t, name, mapped(draws, decimal), limits, 2, func(i int) string { return "value"[i%5:] })
	}
	// Where limits are tight, and tables small beside what pairs take.
	draws := dist.Named("log").Draw(scaled(400_000), dist.Rand(2))
	limitPairs(t, "log", draws, []int64{48, 64, 80, 2000}, 1, func(i int) [8]uint64 { return [8]uint64{uint64(i)} })
}

func limitPairs[K orderedKey, V comparable](t *testing.T, name string, keys []K, limits []int64, workers int, value func(i int) V) {
	t.Helper()
	n := len(keys)
	in := paired(keys, mapped(ascending(n), value))
	want := slices.Clone(in)
	testkit.SortStable(want, func(a, b pairing[K, V]) int { return cmp.Compare(a.key, b.key) })
	keys, values := make([]K, n), make([]V, n)
	for _, more := range [][]sorter.Option{{sorter.Workers(workers)}, {sorter.Workers(workers), sorter.WithContext(neverCancelled)}} {
		enough := false
		for _, each := range limits {
			enough = checkLimit(t, fmt.Sprintf("%s, %T, %T", name, keys[0], values[0]), in, want, each*int64(n), func(s []pairing[K, V], opts ...sorter.Option) error {
				for i, p := range s {
					keys[i], values[i] = p.key, p.value
				}
				err := sorter.SortPairs(keys, values, append(append(opts, sorter.Stable()), more...)...)
				for i := range s {
					s[i] = pairing[K, V]{keys[i], values[i]}
				}
				return err
			})
		}
		if !enough {
			t.Errorf("%s, %T: ErrMemoryLimit under %d bytes per pair", name, keys[0], limits[len(limits)-1])
		}
	}
}

// TestPairsOnFailingEngine loses an engine in the middle of a sort: both slices are
// restored.
func TestPairsOnFailingEngine(t *testing.T) {
	const n = 20_000
	lost := errors.New("lost")
	keys, values := dist.Named("zipf").Draw(n, dist.Rand(3)), ascending(n)
	e := &plainEngine{failAt: n / 3, err: lost}
	gotKeys, gotValues := slices.Clone(keys), slices.Clone(values)
	err := sorter.SortPairs(gotKeys, gotValues, sorter.On(e), sorter.Stable())
	if !errors.Is(err, lost) {
		t.Errorf("On an engine that is lost: %v", err)
	}
	checkSame(t, "keys after the engine was lost", nil, gotKeys, keys)
	checkSame(t, "values after the engine was lost", nil, gotValues, values)

}

// TestPairsOfAdjacentMemory sorts the two halves of one array, and panics where keys and
// values share memory.
func TestPairsOfAdjacentMemory(t *testing.T) {
	all := []int{3, 1, 2, 30, 10, 20}
	err := sorter.SortPairs(all[:3], all[3:])
	checkSame(t, "the halves of one array", err, all, []int{1, 2, 3, 10, 20, 30})
	for _, c := range [][2][]int{{all, all}, {all[:4], all[2:]}, {all[2:], all[:4]}} {
		if value := panicValue(func() { _ = sorter.SortPairs(c[0], c[1]) }); value != "sorter: keys and values share memory" {
			t.Errorf("panicked with %v", value)
		}
	}
	err = sorter.SortPairs(all[:0], all[:0])
	checkSame(t, "nothing", err, all, []int{1, 2, 3, 10, 20, 30})
}
