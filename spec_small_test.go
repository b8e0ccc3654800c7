package sorter_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
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

// TestSmallStartsNoGoroutine looks from within the key function and afterwards.
func TestSmallStartsNoGoroutine(t *testing.T) {
	for _, v := range smallVerbs {
		for _, n := range []int{1, 2, 10, 16, 17, 100, 1000} {
			before, most := runtime.NumGoroutine(), 0
			v.run(fills(n), func() { most = max(most, runtime.NumGoroutine()) })
			if most > before || runtime.NumGoroutine() > before {
				t.Errorf("%s, n=%d: %d goroutines in the key function, %d after, %d before", v.name, n, most, runtime.NumGoroutine(), before)
			}
		}
	}
}

// TestOneWorkerStartsNoGoroutine holds Workers(1) to the caller's goroutine.
func TestOneWorkerStartsNoGoroutine(t *testing.T) {
	inPlaceLimit(100_000) // which sorts with several workers
	for _, v := range verbs {
		before, most := runtime.NumGoroutine(), 0
		err := v.run(v.input(100_000), func(f fill) float32 {
			most = max(most, runtime.NumGoroutine())
			return f.Price
		}, sorter.Workers(1))
		if err != nil || most > before || runtime.NumGoroutine() > before {
			t.Errorf("%s: %d goroutines in the key function, %d before, error %v", v.name, most, before, err)
		}
	}
}

// TestWorkersBoundsGoroutines counts key functions that run at a time.
func TestWorkersBoundsGoroutines(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		before := runtime.NumGoroutine()
		most := make(chan int, 1)
		most <- 0
		err := sorter.Sort(fills(200_000), func(f fill) float32 {
			m := <-most
			most <- max(m, runtime.NumGoroutine())
			return f.Price
		}, sorter.Workers(workers))
		if m := <-most; err != nil || m > before+workers-1 {
			t.Errorf("%d workers: %d goroutines, %d before, error %v", workers, m, before, err)
		}
		checkNoGoroutineLeft(t, fmt.Sprintf("%d workers", workers), before)
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
				slices.SortStableFunc(want, compareTowers)
				got := slices.Clone(s)
				checkShared(t, "Sort", order.Sort(got), got, want)
				p, err := order.Order(s)
				checkShared(t, "Order", err, mapped(p, func(i uint32) tower { return s[i] }), want)
				err = order.TopK(s, len(s)/2)
				checkShared(t, "TopK", err, s[:len(s)/2], want[:len(s)/2])
				slices.Reverse(want) // no two are equal
				checkShared(t, "Sort descending", order.Sort(got, sorter.Descending()), got, want)
			}
		})
	}
	wait.Wait()
}

// checkShared is checkSame for goroutines, which may not end a test.
func checkShared(t *testing.T, name string, err error, got, want []tower) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s of %d: error %v, or a wrong order", name, len(want), err)
	}
}

func shuffled[E any](s []E, seed uint64) []E {
	r := dist.Rand(seed)
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// TestSmallOrderingPanics has a key function panic in the middle of a small
// sort, again and again: what it leaves behind must not show in the next one.
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
			if value != "fuse" || !slices.Equal(s, before) {
				t.Fatalf("at call %d: panic value %v, slice untouched: %v", at, value, slices.Equal(s, before))
			}
			continue
		}
		slices.SortFunc(before, compareTowers)
		if value != nil || !slices.Equal(s, before) {
			t.Fatalf("after a panic: panic value %v, or a wrong order", value)
		}
	}
}
