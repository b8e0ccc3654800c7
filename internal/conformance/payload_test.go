package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Elements of every size and with pointers.

// orderedKey is a key whose order is that of cmp.Compare.
type orderedKey interface {
	cmp.Ordered
	sorter.Key
}

// payloadSizes are around the powers of two and the block sizes.
var payloadSizes = []int{1, 2, 10, 40, 129, 1000, 2047, 2049, 16_385, 70_001}

// checkPayload sorts elements that of makes, in every mode without NaNs.
// Elements differ from each other as a whole, so that a torn one shows.
func checkPayload[E comparable, K orderedKey](t *testing.T, name string, of func(v uint64, i int) E, key func(E) K) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		for j, n := range payloadSizes {
			if n*int(unsafe.Sizeof(*new(E))) > scaled(8<<20) {
				continue // the smaller elements meet this size
			}
			for i, d := range []dist.Dist{dist.Named("uniform"), dist.Named("16 values"), dist.All[j%len(dist.All)]} {
				in := draw(d, n, of)
				checkPayloadModes(t, fmt.Sprintf("%s, n=%d", d.Name, n), in, key, i+7*j+int(unsafe.Sizeof(in[0])))
			}
		}
	})
}

func draw[E any](d dist.Dist, n int, of func(v uint64, i int) E) []E {
	s := make([]E, n)
	for i, v := range d.Draw(n, dist.Rand(uint64(n))) {
		s[i] = of(v, i)
	}
	return s
}

// checkPayloadModes sorts in every mode, above 10,000 elements in a third of them. A thinned test has
// others of them at every turn.
func checkPayloadModes[E comparable, K orderedKey](t *testing.T, name string, in []E, key func(E) K, turn int) {
	var sorted [2][]E // ascending, descending
	for i, m := range modes {
		if len(in) > 10_000 && i%3 != len(name)%3 || testkit.Thinned(i/3+turn) {
			continue
		}
		way, sign := 0, 1
		if m.order.Desc {
			way, sign = 1, -1
		}
		if sorted[way] == nil {
			sorted[way] = slices.Clone(in)
			testkit.SortStable(sorted[way], func(a, b E) int { return sign * cmp.Compare(key(a), key(b)) })
		}
		got, outside := guarded(in, i)
		err := errors.Join(sorter.Sort(got, key, m.stable()...), outside())
		checkSame(t, name+", "+m.name, err, got, sorted[way])
	}
}

func TestPayloadSizes(t *testing.T) {
	checkPayload(t, "1 byte", func(v uint64, _ int) uint8 { return uint8(v >> 56) }, func(e uint8) uint8 { return e })
	checkPayload(t, "4 bytes", func(v uint64, i int) uint32 { return uint32(v>>52<<20 | uint64(i)) }, func(e uint32) uint16 { return uint16(e >> 20) })
	checkPayload(t, "8 bytes", func(v uint64, i int) uint64 { return v>>32<<32 | uint64(i) }, func(e uint64) uint32 { return uint32(e >> 32) })
	type e16 struct {
		key   int64
		index int
	}
	checkPayload(t, "16 bytes", func(v uint64, i int) e16 { return e16{int64(v), i} }, func(e e16) int64 { return e.key })
	type e24 struct {
		id    int64
		price float32
		side  bool
		index uint64
	}
	checkPayload(t, "24 bytes", func(v uint64, i int) e24 { return e24{int64(i), float32Of(v), i%2 == 0, uint64(i)} }, func(e e24) float32 { return e.price })
	checkPayloadArray[[8]uint64](t, "64 bytes")
	checkPayloadArray[[25]uint64](t, "200 bytes")
	checkPayloadArray[[125]uint64](t, "1000 bytes")
	checkPayload(t, "3 bytes", func(v uint64, i int) [3]uint8 { return [3]uint8{uint8(v >> 56), uint8(i), uint8(i >> 8)} }, func(e [3]uint8) uint8 { return e[0] })
}

// checkPayloadArray has the key at the front and the index in all other words.
func checkPayloadArray[E [8]uint64 | [25]uint64 | [125]uint64](t *testing.T, name string) {
	checkPayload(t, name, func(v uint64, i int) E {
		var e E
		for j := range len(e) {
			e[j] = uint64(i*1000 + j)
		}
		e[0] = v
		return e
	}, func(e E) int64 { return int64(e[0]) })
}

// TestPayloadOfNoSize sorts elements that take no memory.
func TestPayloadOfNoSize(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 10, 1000, 100_000} {
		for i, m := range modes {
			if n > alone && testkit.ThinnedTo(6, i) {
				continue
			}
			var calls atomic.Int64
			s := make([]struct{}, n)
			err := sorter.Sort(s, func(struct{}) int64 { return calls.Add(1) % 7 }, m.stable()...)
			if err != nil || calls.Load() != int64(n) {
				t.Fatalf("n=%d, %s: %d key calls, error %v", n, m.name, calls.Load(), err)
			}
			if err := sorter.TopK(s, n/2, func(struct{}) uint8 { return 1 }, m.opts...); err != nil {
				t.Fatalf("TopK: n=%d, %s: %v", n, m.name, err)
			}
		}
	}
}

// parcel is an element full of pointers, each of which leads back to its index.
type parcel struct {
	key   float64
	index *int
	name  string
	lines []int
	notes map[string]int
	any   any
	fn    func() int
}

func newParcel(v uint64, i int) parcel {
	return parcel{
		key: float64Of(v), index: &i, name: fmt.Sprint("parcel ", i), lines: []int{i, i},
		notes: map[string]int{"i": i}, any: fmt.Sprint(i), fn: func() int { return i },
	}
}

// intact returns the element's index, or an error if its parts disagree.
func (p parcel) intact() (int, error) {
	i := *p.index
	if p.name != fmt.Sprint("parcel ", i) || !slices.Equal(p.lines, []int{i, i}) || p.notes["i"] != i || p.any != fmt.Sprint(i) || p.fn() != i {
		return i, fmt.Errorf("element %d is torn: %q %v %v %v", i, p.name, p.lines, p.notes, p.any)
	}
	return i, nil
}

// underGC keeps the collector as busy as it can be while f runs.
func underGC(f func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			runtime.GC()
		}
	}()
	defer func() {
		stop.Store(true)
		<-done
	}()
	f()
}

// TestPointersUnderGC sorts elements that only the slice keeps alive: hidden
// from the collector for a moment, they would be freed or overwritten.
func TestPointersUnderGC(t *testing.T) {
	verbs := []struct {
		name string
		sort func(s []parcel, opts ...sorter.Option) error
	}{
		{"Sort", func(s []parcel, opts ...sorter.Option) error {
			return sorter.Sort(s, func(p parcel) float64 { return p.key }, opts...)
		}},
		{"Sort by string", func(s []parcel, opts ...sorter.Option) error {
			return sorter.Sort(s, func(p parcel) string { return decimal(uint64(max(p.key, 0))) }, opts...)
		}},
		{"Sort in place", func(s []parcel, opts ...sorter.Option) error {
			return sorter.Sort(s, func(p parcel) float64 { return p.key }, append(append(opts, sorter.Use(sorter.Auto)), inPlace(len(s), int64(8*len(s)))...)...)
		}},
		{"Ordering.Sort", func(s []parcel, opts ...sorter.Option) error {
			by := sorter.By(sorter.Asc(func(p parcel) bool { return p.key > 0 }), sorter.Desc(func(p parcel) string { return p.name }))
			return by.Sort(s, opts...)
		}},
		{"TopK", func(s []parcel, opts ...sorter.Option) error {
			return sorter.TopK(s, len(s)/3, func(p parcel) float64 { return p.key }, opts...)
		}},
		{"SortPairs", func(s []parcel, opts ...sorter.Option) error {
			keys := make([]string, len(s))
			for i, p := range s {
				keys[i] = p.name[:len(p.name)-1]
			}
			return sorter.SortPairs(keys, s, opts...)
		}},
		{"SortPairs by float64", func(s []parcel, opts ...sorter.Option) error {
			return sorter.SortPairs(mapped(s, func(p parcel) float64 { return p.key }), s, opts...)
		}},
	}
	underGC(func() {
		for i, v := range verbs {
			for j, algorithm := range []sorter.Algorithm{sorter.Auto, sorter.BucketRadix, sorter.IndexGather} {
				for k, n := range []int{30, 1000, 20_000} {
					if testkit.Thinned(i + 3*j + 5*k) {
						continue
					}
					name := fmt.Sprintf("%s, %v, n=%d", v.name, algorithm, n)
					s := draw(dist.Named("uniform"), n, newParcel)
					if err := v.sort(s, sorter.Stable(), sorter.Use(algorithm)); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					checkIntact(t, name, s)
				}
			}
		}
	})
}

func checkIntact(t *testing.T, name string, s []parcel) {
	t.Helper()
	seen := make([]bool, len(s))
	for at, p := range s {
		i, err := p.intact()
		if err != nil {
			t.Fatalf("%s: position %d: %v", name, at, err)
		}
		if seen[i] {
			t.Fatalf("%s: position %d: element %d a second time", name, at, i)
		}
		seen[i] = true
	}
}

// TestKeysUnderGC sorts keys that hold pointers and that nothing else holds:
// fresh strings and byte slices, made by the key function too.
func TestKeysUnderGC(t *testing.T) {
	fresh := func(v uint64, _ int) string { return decimal(v) }
	underGC(func() {
		for _, n := range []int{30, 1000, 40_000} {
			keys := draw(dist.Named("zipf"), n, fresh)
			want := slices.Sorted(slices.Values(keys))
			err := sorter.SortKeys(keys)
			checkSame(t, fmt.Sprintf("SortKeys, n=%d", n), err, keys, want)

			values := dist.Named("zipf").Draw(n, dist.Rand(uint64(n)))
			err = sorter.Sort(values, decimal)
			got := mapped(values, decimal)
			checkSame(t, fmt.Sprintf("Sort by fresh strings, n=%d", n), err, got, want)

			blobs := draw(dist.Named("zipf"), n, func(v uint64, _ int) []byte { return []byte(decimal(v)) })
			err = sorter.SortKeys(blobs, sorter.Workers(2), sorter.MemoryLimit(int64(64*n+1<<23)))
			checkSame(t, fmt.Sprintf("SortKeys of bytes, n=%d", n), err, mapped(blobs, func(b []byte) string { return string(b) }), want)
		}
	})
}
