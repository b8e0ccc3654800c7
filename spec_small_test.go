package sorter_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"example.com/sorter"
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
}

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
