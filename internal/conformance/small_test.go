package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// smallVerbs are what programs call millions of times on few elements.
var smallVerbs = []struct {
	name string
	run  func(s []fill, seen func())
}{
	{"Sort by float32", func(s []fill, seen func()) {
		_ = sorter.Sort(s, func(f fill) float32 { seen(); return f.Price })
	}},
	{"stable Sort by int64", func(s []fill, seen func()) {
		_ = sorter.Sort(s, func(f fill) int64 { seen(); return f.ID }, sorter.Stable())
	}},
	{"Sort by uint16, descending", func(s []fill, seen func()) {
		_ = sorter.Sort(s, func(f fill) uint16 { seen(); return f.Venue }, sorter.Descending())
	}},
	{"Sort by string", func(s []fill, seen func()) {
		const digits = "0123456789abcdef0123456789abcdef"
		_ = sorter.Sort(s, func(f fill) string { seen(); return digits[f.ID&15:] })
	}},
	{"Sort by time", func(s []fill, seen func()) {
		_ = sorter.Sort(s, func(f fill) time.Time { seen(); return time.Unix(f.ID>>30, 0) })
	}},
	{"Sort by Float4", func(s []fill, seen func()) {
		_ = sorter.Sort(s, func(f fill) sorter.Float4 { seen(); return sorter.Float4{float32(f.Venue & 3), f.Price} })
	}},
	{"Ordering by string, float64 and time", func(s []fill, seen func()) {
		seenBySmallColumns = seen
		_ = smallColumns.Sort(s)
	}},
	{"Ordering by string, float64 and time, descending, NaNs last", func(s []fill, seen func()) {
		seenBySmallColumns = seen
		_ = smallColumns.Sort(s, sorter.Descending(), sorter.NaNsLast())
	}},
}

// smallColumns do not fit one code, and tie in all columns but the last.
var (
	seenBySmallColumns func()
	smallColumns       = sorter.By(
		sorter.Asc(func(f fill) string { seenBySmallColumns(); return "a string longer than a code"[f.ID&1:] }),
		sorter.Desc(func(f fill) float64 { return float64(f.Venue & 3) }),
		sorter.Asc(func(f fill) time.Time { return time.Unix(f.ID>>30, 0) }).NullsLast(func(f fill) bool { return f.Venue&8 == 0 }),
	)
)

func TestSmallStartsNoGoroutine(t *testing.T) {
	for _, v := range smallVerbs {
		for _, n := range []int{1, 2, 10, 16, 17, 100, 1000} {
			testkit.CheckStartsNone(t, fmt.Sprintf("%s, n=%d", v.name, n), func() { v.run(fills(n), func() {}) })
		}
	}
}

// TestOneWorkerStartsNoGoroutine holds Workers(1) to the caller's goroutine.
func TestOneWorkerStartsNoGoroutine(t *testing.T) {
	testkit.SkipRace(t)
	inPlaceLimit(100_000) // which sorts with several workers
	for _, v := range verbs {
		in := v.input(100_000)
		testkit.CheckStartsNone(t, v.name, func() {
			if err := v.run(slices.Clone(in), price, sorter.Workers(1)); err != nil {
				t.Errorf("%s: %v", v.name, err)
			}
		})
	}
}

// TestWorkersBoundsGoroutines counts, every now and then, the goroutines that run while
// a key function does.
func TestWorkersBoundsGoroutines(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		crew := testkit.NewCrew()
		var most atomic.Int64
		err := sorter.Sort(fills(testkit.Pick(80_000, 200_000)), func(f fill) float32 {
			if f.Pos%1000 == 0 {
				for n := int64(crew.Count()); ; {
					if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
						break
					}
				}
			}
			return f.Price
		}, sorter.Workers(workers))
		if m := most.Load(); err != nil || m > int64(workers) {
			t.Errorf("%d workers: %d goroutines, error %v", workers, m, err)
		}
		crew.CheckAlone(t, fmt.Sprintf("%d workers", workers))
	}
}

// TestSmallOrderingIsShared sorts small slices of many lengths by one Ordering
// from several goroutines, with options that change its columns.
func TestSmallOrderingIsShared(t *testing.T) {
	order := sorter.By(
		sorter.Asc(func(t tower) string { return t.group }),
		sorter.Desc(func(t tower) float64 { return t.time }),
		sorter.Asc(func(t tower) string { return t.name }),
		sorter.Asc(func(t tower) sorter.Float4 { return t.tail }),
	)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 60 {
				s := shuffled(towers(i*g*7+i), uint64(i))
				want := slices.Clone(s)
				testkit.SortStable(want, compareTowers)
				got := slices.Clone(s)
				reportSame(t, "Sort", order.Sort(got), got, want)
				p, err := order.Order(s)
				reportSame(t, "Order", err, mapped(p, func(i uint32) tower { return s[i] }), want)
				err = order.TopK(s, len(s)/2)
				reportSame(t, "TopK", err, s[:len(s)/2], want[:len(s)/2])
				slices.Reverse(want) // no two are equal
				reportSame(t, "Sort descending", order.Sort(got, sorter.Descending()), got, want)
			}
		})
	}
	wait.Wait()
}

func shuffled[E any](s []E, seed uint64) []E {
	r := dist.Rand(seed)
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// TestSmallOrderingPanics has a key function panic in the middle of a small
// sort, again and again: its state must not affect the next one.
func TestSmallOrderingPanics(t *testing.T) {
	fuse := 0
	order := sorter.By(
		sorter.Asc(func(t tower) string { return t.group }),
		sorter.Asc(func(t tower) string {
			if fuse--; fuse == 0 {
				panic("fuse")
			}
			return t.name
		}),
	)
	for at := range 120 {
		s := shuffled(towers(100), uint64(at))
		before := slices.Clone(s)
		fuse = at
		value := panicValue(func() {
			if err := order.Sort(s); err != nil {
				t.Error(err)
			}
		})
		if at >= 1 && at <= 100 {
			if value != "fuse" {
				t.Fatalf("at call %d: panic value %v", at, value)
			}
			checkSame(t, fmt.Sprintf("at call %d: untouched", at), nil, s, before)
			continue
		}
		slices.SortFunc(before, compareTowers)
		if value != nil {
			t.Fatalf("after a panic: panic value %v", value)
		}
		checkSame(t, "after a panic", nil, s, before)
	}
}

// TestEverySmallLength sorts every length around the bounds between what small
// inputs go through, with many ties and with few, and moves every number of
// elements to the front.
func TestEverySmallLength(t *testing.T) {
	r := dist.Rand(48)
	for n := range 70 {
		for _, values := range []uint64{3, 40, 1 << 62} {
			draws := make([]uint64, n)
			for i := range draws {
				draws[i] = r.Uint64N(values)
			}
			everySmallKey(t, draws)
			everySmallTop(t, draws)
		}
	}
}

func everySmallKey(t *testing.T, draws []uint64) {
	smallKeys(t, draws, func(v uint64) uint8 { return uint8(v * 37) })
	smallKeys(t, draws, func(v uint64) int16 { return int16(v * 9973) })
	smallKeys(t, draws, func(v uint64) int32 { return int32(v*0x9e3779b9) ^ -1<<31 })
	smallKeys(t, draws, func(v uint64) uint32 { return uint32(v * 0x9e3779b9) })
	smallKeys(t, draws, func(v uint64) int64 { return int64(v * 0x9e3779b97f4a7c15) })
	smallKeys(t, draws, func(v uint64) uint64 { return v * 0x9e3779b97f4a7c15 })
	smallKeys(t, draws, func(v uint64) float32 { return float32(int64(v*0x9e3779b97f4a7c15)) / 1e9 })
	smallKeys(t, draws, func(v uint64) float64 { return float64(int64(v*0x9e3779b97f4a7c15)) / 1e9 })
	smallKeys(t, draws, func(v uint64) string { return "longer than a code"[v%10:] })
}

// smallKeys sorts keys alone and as the keys of numbered elements, both ways.
func smallKeys[K interface {
	cmp.Ordered
	sorter.Key
}](t *testing.T, draws []uint64, key func(v uint64) K) {
	t.Helper()
	type element struct {
		key K
		at  int
	}
	var elements []element
	for i, v := range draws {
		elements = append(elements, element{key(v), i})
	}
	for _, desc := range []bool{false, true} {
		want, opts := slices.Clone(elements), []sorter.Option{sorter.Stable()}
		testkit.SortStable(want, func(a, b element) int { return cmp.Compare(a.key, b.key) })
		if desc {
			testkit.SortStable(want, func(a, b element) int { return cmp.Compare(b.key, a.key) })
			opts = append(opts, sorter.Descending())
		}
		got, keys := slices.Clone(elements), make([]K, len(elements))
		for i, e := range elements {
			keys[i] = e.key
		}
		_ = sorter.Sort(got, func(e element) K { return e.key }, opts...)
		_ = sorter.SortKeys(keys, opts[1:]...)
		p, _ := sorter.Order(elements, func(e element) K { return e.key }, opts...)
		for i, e := range want {
			if got[i] != e || keys[i] != e.key || int(p[i]) != e.at {
				t.Fatalf("%d of %T, descending %v: place %d holds %v, %v, %d, want %v", len(draws), e.key, desc, i, got[i], keys[i], p[i], e)
			}
		}
	}
}

func everySmallTop(t *testing.T, draws []uint64) {
	want := make([]int, len(draws)) // positions in order
	for i := range want {
		want[i] = i
	}
	byDraw := func(i int) uint64 { return draws[i] }
	testkit.SortStable(want, func(i, j int) int { return cmp.Compare(draws[i], draws[j]) })
	for k := 1; k <= len(draws); k++ {
		got := slices.Sorted(slices.Values(want))
		_ = sorter.TopK(got, k, byDraw)
		name := fmt.Sprintf("the first %d of %d", k, len(draws))
		checkSame(t, name, nil, got[:k], want[:k])
		checkPermuted(t, name, got, len(draws))
	}
}
