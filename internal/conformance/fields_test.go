package conformance_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// labelled has several strings, and byte slices, that keys may be.
type labelled struct {
	ID    int32
	Names [2]string
	Inner struct {
		Raw  []byte
		Note caption
	}
}

type caption string

// labels returns elements whose names share prefixes, are of all lengths that are
// told apart, and have zero bytes among them; some are empty.
func labels(n int) []labelled {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	s := make([]labelled, n)
	for i := range s {
		text := "prefix and \x00 more of it"[:r.IntN(20)] + string(rune('a'+r.IntN(3)))
		e := labelled{ID: int32(i)}
		e.Names = [2]string{text, strings.Clone(text[r.IntN(2):])}
		e.Inner.Raw, e.Inner.Note = []byte(text[r.IntN(2):]), caption(strings.Clone(text[1:]))
		if i%9 == 0 {
			e.Names[0] = ""
		}
		s[i] = e
	}
	return s
}

// labelKeys are keys that are fields, are not, and are most of the time.
var labelKeys = []struct {
	name string
	key  func(e labelled) string
}{
	{"first field", func(e labelled) string { return e.Names[0] }},
	{"second field", func(e labelled) string { return e.Names[1] }},
	{"fresh", func(e labelled) string { return strings.Clone(e.Names[1]) }},
	{"part of a field", func(e labelled) string { return e.Names[1][len(e.Names[1])/2:] }},
	{"one fresh", func(e labelled) string {
		if e.ID == 3_210 {
			return "fresh " + e.Names[1]
		}
		return e.Names[1]
	}},
	{"some fresh", func(e labelled) string {
		if e.ID%7 == 3 {
			return strings.Clone(e.Names[0]) + "!"
		}
		return e.Names[1]
	}},
	{"some empty", func(e labelled) string {
		if e.ID%5 == 3 {
			return ""
		}
		return e.Names[1]
	}},
	{"another field later", func(e labelled) string { return e.Names[min(e.ID/3_000, 1)] }},
}

// TestFieldKeys sorts by keys that are fields of their elements, which are not kept,
// and by others, in every way and order, and while the collector runs.
func TestFieldKeys(t *testing.T) {
	t.Parallel()
	large := labels(testkit.Pick(9_001, 20_001))
	for i, k := range labelKeys {
		if testkit.Thinned(i) {
			continue
		}
		checkLabels(t, k.name, large, k.key)
	}
	defer collecting()()
	few := labels(5_000) // more than are sorted as small
	for i, k := range labelKeys {
		if testkit.Thinned(i + 1) {
			continue
		}
		checkLabels(t, k.name+", collected", few, k.key)
		checkLabels(t, k.name+" as bytes", few, func(e labelled) []byte { return []byte(k.key(e)) })
	}
	checkLabels(t, "bytes", few, func(e labelled) []byte { return e.Inner.Raw })
	checkLabels(t, "named string", few, func(e labelled) caption { return e.Inner.Note })
}

// checkLabels sorts by key, largest first, and two further columns.
func checkLabels[K ~string | ~[]byte](t *testing.T, name string, in []labelled, key func(e labelled) K) {
	t.Helper()
	texts := make([]string, len(in)) // by element
	for _, e := range in {
		texts[e.ID] = string(key(e))
	}
	by := sorter.By(
		sorter.Desc(func(e labelled) string { return texts[e.ID] }),
		sorter.Asc(func(e labelled) string { return e.Names[0] }),
		sorter.Asc(func(e labelled) int32 { return e.ID % 3 }),
	)
	ordered := func(s []labelled) []labelled {
		guess, _ := by.Order(s, sorter.Stable())
		return sortedStably(s, guess, func(a, b labelled) int {
			return cmp.Or(cmp.Compare(texts[b.ID], texts[a.ID]), cmp.Compare(a.Names[0], b.Names[0]), cmp.Compare(a.ID%3, b.ID%3))
		})
	}
	sorted := ordered(in)
	reversed, spoiled := slices.Clone(sorted), slices.Clone(sorted)
	slices.Reverse(reversed)
	spoiled[0], spoiled[len(in)-1] = spoiled[len(in)-1], spoiled[0]
	for order, s := range map[string][]labelled{"drawn": in, "sorted": sorted, "reversed": reversed, "spoiled": spoiled} {
		want := ordered(s)
		for way, opts := range map[string][]sorter.Option{
			"2 workers":        {sorter.Workers(2), sorter.Report(new(sorter.Stats))},
			"through an index": {sorter.Workers(2), sorter.Use(sorter.IndexGather)},
			"under a context":  {sorter.Workers(2), sorter.WithContext(neverCancelled)},
			"under a limit":    {sorter.Workers(2), sorter.MemoryLimit(1 << 30)},
		} {
			if !testkit.ThinnedTo(2, len(order)+len(way)) { // every order and every way is left
				checkLabelled(t, fmt.Sprintf("%s, %s, %s", name, order, way), s, want, key, opts...)
			}
		}
	}
}

func checkLabelled[K ~string | ~[]byte](t *testing.T, name string, s, want []labelled, key func(e labelled) K, opts ...sorter.Option) {
	t.Helper()
	first, second := make([]atomic.Int32, len(s)), make([]atomic.Int32, len(s))
	by := sorter.By(
		sorter.Desc(func(e labelled) K { first[e.ID].Add(1); return key(e) }),
		sorter.Asc(func(e labelled) string { second[e.ID].Add(1); return e.Names[0] }),
		sorter.Asc(func(e labelled) int32 { return e.ID % 3 }),
	)
	got := slices.Clone(s)
	if err := by.Sort(got, append(opts, sorter.Stable())...); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d := oracle.Diff(got, want, func(a, b labelled) bool { return a.ID == b.ID && a.Names == b.Names }); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
	for i := range got {
		if a, b := first[i].Load(), second[i].Load(); a != 1 || b > 1 {
			t.Fatalf("%s: %d and %d calls for the keys of element %d, want 1 and at most 1", name, a, b, i)
		}
	}
}

// TestFieldKeysTakeNoMemory sorts by a field and by a copy of it: only those are
// kept. What several workers take depends on which of them come to work.
func TestFieldKeysTakeNoMemory(t *testing.T) {
	testkit.SkipRace(t) // one worker
	const n = 200_000
	in := labels(n)
	scratch := func(key func(e labelled) string) int64 {
		var st sorter.Stats
		if err := sorter.Sort(slices.Clone(in), key, sorter.Report(&st), sorter.Workers(1)); err != nil {
			t.Fatal(err)
		}
		return st.Scratch
	}
	field := scratch(func(e labelled) string { return e.Names[1] })
	fresh := scratch(func(e labelled) string { return strings.Clone(e.Names[1]) })
	if most := fresh - n*int64(unsafe.Sizeof("")); field > most {
		t.Errorf("%d bytes of scratch by a field, %d by other strings", field, fresh)
	}
}
