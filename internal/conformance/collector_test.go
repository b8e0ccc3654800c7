package conformance_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// boxed are elements with the only pointers to their targets, of 16, 24, 40 and 64
// bytes, which are moved in different ways.
type (
	boxed16 struct {
		text *string
		key  int64
	}
	boxed40 struct {
		key  int64
		text *string
		name string
		_    int64
	}
	boxed64 struct {
		text *string
		key  int64
		_    [6]int64
	}
)

// collecting runs the garbage collector without a pause until stop is called.
func collecting() (stop func()) {
	end := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
				runtime.GC()
			}
		}
	})
	return func() {
		close(end)
		wait.Wait()
	}
}

// TestCollectorRunsMeanwhile sorts elements with pointers while the garbage
// collector runs without a pause, and checks the pointers' targets. With
// GODEBUG=gccheckmark=1,clobberfree=1 the runtime itself finds objects that were not
// marked.
func TestCollectorRunsMeanwhile(t *testing.T) {
	defer collecting()()
	for round := range 2 {
		n := scaled(80_000) + round
		keys := dist.Named("uniform").Draw(n, dist.Rand(uint64(n)))
		fresh := func(i int) *string { s := fmt.Sprint(int64(keys[i])); return &s }

		checkBoxes(t, n, func(i int) boxed16 { return boxed16{fresh(i), int64(keys[i])} },
			func(e boxed16) int64 { return e.key }, func(e boxed16) string { return *e.text })
		checkBoxes(t, n, func(i int) boxed40 { return boxed40{int64(keys[i]), fresh(i), *fresh(i), 0} },
			func(e boxed40) int64 { return e.key }, func(e boxed40) string { return e.name })
		checkBoxes(t, n, func(i int) boxed64 { return boxed64{text: fresh(i), key: int64(keys[i])} },
			func(e boxed64) int64 { return e.key }, func(e boxed64) string { return *e.text })
		checkFreshKeys(t, n, keys)
	}
}

func checkBoxes[E any](t *testing.T, n int, box func(i int) E, key func(E) int64, text func(E) string) {
	t.Helper()
	s := make([]E, n)
	for i := range s {
		s[i] = box(i)
	}
	if err := sorter.Sort(s, key, sorter.Workers(2)); err != nil {
		t.Fatal(err)
	}
	for i, e := range s {
		if i > 0 && key(s[i-1]) > key(e) || text(e) != fmt.Sprint(key(e)) {
			t.Fatalf("position %d of %d: %q with key %d", i, n, text(e), key(e))
		}
	}
}

// checkFreshKeys has a key function whose strings nobody else holds.
func checkFreshKeys(t *testing.T, n int, keys []uint64) {
	t.Helper()
	rows := ascending(n)
	text := func(i int) string { return "the same prefix " + fmt.Sprint(keys[i]%1000) }
	texts := mapped(rows, text)
	err := sorter.By(sorter.Asc(func(i int) string { return strings.Clone(text(i)) }), sorter.Asc(func(i int) string { return fmt.Sprint(i % 7) })).Sort(rows, sorter.Workers(2))
	want := ascending(n)
	testkit.SortStable(want, func(a, b int) int {
		if c := strings.Compare(texts[a], texts[b]); c != 0 {
			return c
		}
		return a%7 - b%7
	})
	checkSame(t, "fresh keys", err, rows, want)
}
