package extsort_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// row is an element that shows where it was in the input.
type row struct {
	Key uint64
	At  uint64
	Pad uint64
}

func byKey() sorter.Ordering[row] {
	return sorter.By(sorter.Asc(func(r row) uint64 { return r.Key }))
}

// keysOf returns n keys of a distribution.
func keysOf(kind string, n int, r *rand.Rand) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		switch kind {
		case "uniform":
			keys[i] = r.Uint64()
		case "equal":
			keys[i] = 7
		case "few":
			keys[i] = r.Uint64N(5)
		case "sorted":
			keys[i] = uint64(i) / 3
		case "reversed":
			keys[i] = uint64(n-i) / 3
		case "zipf":
			keys[i] = uint64(float64(n) / float64(1+r.IntN(n)))
		}
	}
	return keys
}

var kinds = []string{"uniform", "equal", "few", "sorted", "reversed", "zipf"}

// someKinds returns the distributions of tests with many other settings.
func someKinds() []string { return testkit.Pick(kinds[1:3], kinds) }

func rowsOf(keys []uint64) []row {
	rows := make([]row, len(keys))
	for i, k := range keys {
		rows[i] = row{Key: k, At: uint64(i), Pad: ^uint64(i)}
	}
	return rows
}

// sorted is the oracle.
func sorted(rows []row) []row {
	want := slices.Clone(rows)
	testkit.SortStable(want, func(a, b row) int { return cmp.Compare(a.Key, b.Key) })
	return want
}

func collect[E any](t *testing.T, s *extsort.Sorter[E]) []E {
	t.Helper()
	var got []E
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	return got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sameElements[E comparable](t *testing.T, got, want []E) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("element %d of %d is %.60q, want %.60q", i, len(got), fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
}

// readParts reads parts, each on a goroutine of its own.
func readParts[E any](parts []extsort.Part[E]) (all [][]E, err error) {
	all, errs := make([][]E, len(parts)), make([]error, len(parts))
	var wait sync.WaitGroup
	for i, p := range parts {
		wait.Go(func() {
			for e, err := range p.All() {
				all[i], errs[i] = append(all[i], e), err
			}
		})
	}
	wait.Wait()
	return all, errors.Join(errs...)
}

func TestOrderIsThatOfAStableSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int64{64 << 10, 128 << 10, 1 << 20, 8 << 20, 64 << 20} {
		for _, n := range []int{0, 1, 2, 100, 5000, 60_000} {
			// Indices of more pass the smallest limits.
			if limit < 1<<20 {
				n = min(n, int(limit/48))
			}
			for _, kind := range someKinds() {
				t.Run(fmt.Sprintf("%s/n=%d/limit=%d", kind, n, limit), func(t *testing.T) {
					rows := rowsOf(keysOf(kind, n, r))
					var st extsort.Stats
					s, err := extsort.New(byKey(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Report(&st))
					must(t, err)
					must(t, s.Append(rows...))
					sameElements(t, collect(t, s), sorted(rows))
					must(t, s.Close())
					if checkMemory(t, &st, limit); st.Elements != int64(n) {
						t.Errorf("%+v", st)
					}
				})
			}
		}
	}
}

// TestElementsOfNoBytes: they come back as many as there were, from memory, by appenders beyond it,
// and from kept runs.
func TestElementsOfNoBytes(t *testing.T) {
	const n = 5000
	order, limit := sorter.By(sorter.Asc(func(struct{}) uint8 { return 1 })), extsort.MemoryLimit(64<<10)
	all := make([]struct{}, n)
	s, err := extsort.New(order, limit, extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	must(t, s.Append(all...))
	for range 2 {
		must(t, s.Appender().Append(all...))
	}
	if got := len(collect(t, s)); got != 3*n {
		t.Errorf("%d elements of %d", got, 3*n)
	}
	dir := t.TempDir()
	kept, err := extsort.New(order, limit, extsort.Keep(dir))
	must(t, err)
	must(t, kept.Append(all...))
	must(t, kept.Sync())
	must(t, kept.Close())
	kept, err = extsort.Resume(dir, order, limit)
	must(t, err)
	defer kept.Discard()
	if got := len(collect(t, kept)); got != n {
		t.Errorf("%d elements of %d after Resume", got, n)
	}
}
