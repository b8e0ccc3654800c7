package extsort_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// streamKind is a type of elements for tests of Merge.
type streamKind[E comparable] struct {
	name    string
	order   sorter.Ordering[E]
	compare func(a, b E) int
	draw    func(r *rand.Rand, source, at int) E
	combine func(a, b E) E
}

func rowKind(name string, key func(r *rand.Rand, source int) uint64) streamKind[row] {
	return streamKind[row]{name, byKey(), func(a, b row) int { return cmp.Compare(a.Key, b.Key) },
		func(r *rand.Rand, source, at int) row { return row{key(r, source), uint64(source), uint64(at)} },
		func(a, b row) row { return row{a.Key, 31*a.At + b.At, 7*a.Pad ^ b.Pad} }, // neither commutes nor associates
	}
}

func textKind(name, prefix string, distinct int) streamKind[string] {
	head := func(s string) string { return s[:len(prefix)+4] }
	return streamKind[string]{name, sorter.By(sorter.Desc(func(s string) string { return head(s) })),
		func(a, b string) int { return cmp.Compare(head(b), head(a)) },
		func(r *rand.Rand, source, at int) string {
			return fmt.Sprintf("%s%04d/%d/%d", prefix, r.IntN(distinct), source, at)
		},
		func(a, b string) string { return a + b[len(prefix)+4:] },
	}
}

// sourceOf yields batches of up to most elements, some empty, in memory that is overwritten.
func sourceOf[E any](all []E, most int, r *rand.Rand) iter.Seq2[[]E, error] {
	seed := r.Uint64()
	return func(yield func([]E, error) bool) {
		r, rest, memory := rand.New(rand.NewPCG(seed, 1)), all, make([]E, most)
		for len(rest) > 0 {
			batch := memory[:min(r.IntN(most+1), len(rest))]
			rest = rest[copy(batch, rest):]
			if !yield(batch, nil) {
				return
			}
			clear(batch)
		}
	}
}

// drawSources returns k sources, each in order, of up to most elements.
func drawSources[E comparable](kind streamKind[E], k, most int, r *rand.Rand) [][]E {
	all := make([][]E, k)
	for s := range all {
		all[s] = make([]E, r.IntN(most+1))
		for i := range all[s] {
			all[s][i] = kind.draw(r, s, i)
		}
		testkit.SortStable(all[s], kind.compare)
	}
	return all
}

// policies are the options for elements that tie, with the oracle of each.
func policies[E comparable](kind streamKind[E]) map[string]struct {
	opts []extsort.Option
	fold func(a, b E) E
} {
	return map[string]struct {
		opts []extsort.Option
		fold func(a, b E) E
	}{
		"all":     {},
		"first":   {[]extsort.Option{extsort.UniqueLast(), extsort.Unique()}, func(a, _ E) E { return a }},
		"last":    {[]extsort.Option{extsort.Unique(), extsort.UniqueLast()}, func(_, b E) E { return b }},
		"combine": {[]extsort.Option{extsort.Combine(kind.combine)}, kind.combine},
	}
}

func folded[E any](all []E, compare func(a, b E) int, fold func(a, b E) E) []E {
	if fold == nil {
		return all
	}
	var out []E
	for _, e := range all {
		if last := len(out) - 1; last >= 0 && compare(out[last], e) == 0 {
			out[last] = fold(out[last], e)
		} else {
			out = append(out, e)
		}
	}
	return out
}

func TestMerge(t *testing.T) {
	testMerge(t, rowKind("uniform", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }))
	testMerge(t, rowKind("few keys", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(5) }))
	testMerge(t, rowKind("one key", func(*rand.Rand, int) uint64 { return 3 }))
	testMerge(t, rowKind("ranges", func(r *rand.Rand, source int) uint64 { return uint64(source^5)<<32 | r.Uint64N(1000) }))
	testMerge(t, rowKind("one long range", func(r *rand.Rand, source int) uint64 { return uint64(min(source, 1))<<63 | r.Uint64()>>1 }))
	testMerge(t, textKind("short texts", "", 10000))
	testMerge(t, textKind("long texts", "a prefix of many bytes ", 50))
	byTwo := rowKind("two columns", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1000) })
	byTwo.order = sorter.By(sorter.Desc(func(e row) uint64 { return e.Key / 10 }), sorter.Asc(func(e row) string { return fmt.Sprint(e.Key % 3) }))
	byTwo.compare = func(a, b row) int { return cmp.Or(cmp.Compare(b.Key/10, a.Key/10), cmp.Compare(a.Key%3, b.Key%3)) }
	testMerge(t, byTwo)
	none := rowKind("no column", func(r *rand.Rand, _ int) uint64 { return r.Uint64() })
	none.order, none.compare = sorter.By[row](), func(a, b row) int { return 0 }
	testMerge(t, none)
}

func testMerge[E comparable](t *testing.T, kind streamKind[E]) {
	t.Run(kind.name, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, uint64(len(kind.name))))
		for _, k := range []int{0, 1, 2, 3, 17, 90, 1000} {
			for policy, p := range policies(kind) {
				if testkit.ThinnedTo(4, r.IntN(4)) || k > 17 && r.IntN(3) >= testkit.Pick(1, 3) {
					continue
				}
				most := []int{20, 300, testkit.Pick(3000, 9000)}[r.IntN(3)]
				switch k {
				case 90: // windows of more regions than are merged however short they are, and some are long
					most = []int{50, 1500}[r.IntN(2)]
				case 1000:
					most = []int{3, 40, testkit.Pick(100, 300)}[r.IntN(3)]
					if policy != "all" {
						most = 30
					}
				}
				sources := drawSources(kind, k, most, r)
				want := slices.Concat(sources...)
				testkit.SortStable(want, kind.compare)
				n := len(want)
				want = folded(want, kind.compare, p.fold)
				var st extsort.Stats
				what := ""
				opts := append([]extsort.Option{extsort.Workers(1 + r.IntN(3)), extsort.Report(&st)}, p.opts...)
				if r.IntN(3) == 0 {
					opts, what = append(opts, extsort.Eager()), what+" eager"
				}
				if r.IntN(3) == 0 {
					opts, what = append(opts, extsort.MemoryLimit(int64(128<<10+k*4<<10))), what+" in little memory"
				}
				limited := r.IntN(4) == 0 && len(want) > 0
				if limited {
					want = want[:1+r.IntN(len(want))]
					opts, what = append(opts, extsort.Limit(int64(len(want)))), what+" limited"
				}
				batch := []int{1, 7, 1000}[r.IntN(3)]
				streams := make([]iter.Seq2[[]E, error], k)
				for s := range streams {
					streams[s] = sourceOf(sources[s], batch, r)
				}
				t.Run(fmt.Sprintf("k=%d/%s%s", k, policy, what), func(t *testing.T) {
					crew := testkit.NewCrew()
					got := gather(t, extsort.Merge(kind.order, streams, opts...))
					sameElements(t, got, want)
					crew.CheckAlone(t, "Merge")
					if !limited && (st.Elements != int64(n) || st.Dropped != int64(n-len(want))) {
						t.Errorf("Stats have %d elements, %d of them dropped; want %d and %d", st.Elements, st.Dropped, n, n-len(want))
					}
				})
			}
		}
	})
}

// gather returns a copy of all elements of a stream, which may not fail, nor have an empty batch.
func gather[E any](t *testing.T, stream iter.Seq2[[]E, error]) (all []E) {
	t.Helper()
	for batch, err := range stream {
		must(t, err)
		if len(batch) == 0 {
			t.Fatal("an empty batch")
		}
		all = append(all, batch...)
		clear(batch)
	}
	return all
}

// upToError returns the elements of a stream that fails, and the error.
func upToError[E any](t *testing.T, stream iter.Seq2[[]E, error]) (all []E, failed error) {
	t.Helper()
	for batch, err := range stream {
		if failed != nil {
			t.Fatal("a pair after the error")
		}
		if failed = err; err != nil && batch != nil {
			t.Fatal("a batch with the error")
		}
		all = append(all, batch...)
	}
	if failed == nil {
		t.Fatal("no error")
	}
	return all, failed
}

// failing is a source that fails after its elements.
func failing[E any](in iter.Seq2[[]E, error], err error) iter.Seq2[[]E, error] {
	return func(yield func([]E, error) bool) {
		for batch := range in {
			if !yield(batch, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

// TestMergeSourceFails wants all elements before the end of the source that fails, and no other.
func TestMergeSourceFails(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	kind := rowKind("", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(500) })
	broken := errors.New("broken")
	for i := range 40 {
		k := 1 + r.IntN(20)
		sources, at := drawSources(kind, k, []int{5, 3000}[i%2], r), r.IntN(k)
		if i%5 == 0 {
			sources[at] = nil
		}
		var want []row
		if own := sources[at]; len(own) > 0 {
			last := own[len(own)-1].Key
			for s, all := range sources {
				for _, e := range all {
					if e.Key < last || e.Key == last && s <= at {
						want = append(want, e)
					}
				}
			}
			testkit.SortStable(want, kind.compare)
		}
		streams := make([]iter.Seq2[[]row, error], k)
		for s := range streams {
			streams[s] = sourceOf(sources[s], 100, r)
		}
		streams[at] = failing(streams[at], broken)
		crew := testkit.NewCrew()
		opts := []extsort.Option{extsort.Workers(1 + i%3)}
		if i%4 == 0 {
			opts = append(opts, extsort.Eager())
		}
		got, err := upToError(t, extsort.Merge(byKey(), streams, opts...))
		crew.CheckAlone(t, "Merge")
		var e *extsort.SourceError
		if !errors.As(err, &e) || e.Source != at || !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprint(at)) {
			t.Fatalf("error %v, want one of source %d", err, at)
		}
		sameElements(t, got, want)
	}
}

// TestMergeOfFailures wants the error of the first of sources that fail at once.
func TestMergeOfFailures(t *testing.T) {
	broken := errors.New("broken")
	sources := slices.Repeat([]iter.Seq2[[]row, error]{failing(func(func([]row, error) bool) {}, broken)}, 5)
	for range 20 {
		var e *extsort.SourceError
		if all, err := upToError(t, extsort.Merge(byKey(), sources)); len(all) > 0 || !errors.As(err, &e) || e.Source != 0 {
			t.Fatalf("%d elements, error %v, want one of source 0", len(all), err)
		}
	}
}

// TestMergeOutOfOrder makes one element of one source come before the one before it: anywhere in a block, with few
// regions that are merged and many that are sorted.
func TestMergeOutOfOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	kind := rowKind("", func(r *rand.Rand, _ int) uint64 { return 10 + r.Uint64N(100_000) })
	texts := textKind("", "some prefix ", 9000)
	for i := range 60 {
		if testkit.ThinnedTo(4, i%7) { // 0 and 4 of seven: all numbers of sources, workers and elements
			continue
		}
		k, most := []int{1, 3, 40}[i%3], []int{10, 1000, 12_000}[i/3%3]
		if i%20 == 19 {
			k, most = 1200, 600
		}
		opts := []extsort.Option{extsort.Workers(1 + i%3)}
		if i%4 == 0 {
			opts = append(opts, extsort.Eager())
		}
		if i%2 == 0 {
			sources := drawSources(kind, k, most, r)
			outOfOrder(t, kind, sources, r, func(e *row, before row) { e.Key = before.Key - 1 - r.Uint64N(5) }, opts)
		} else {
			sources := drawSources(texts, min(k, 40), min(most, 5000), r)
			outOfOrder(t, texts, sources, r, func(e *string, before string) { *e = "some prefix 9999/late" }, opts)
		}
	}
}

// TestMergeOutOfOrderBetweenBlocks has a first batch that fills the first block.
func TestMergeOutOfOrderBetweenBlocks(t *testing.T) {
	for _, n := range []int{8, 100} {
		for _, opts := range [][]extsort.Option{nil, {extsort.Eager()}} {
			first, next := make([]row, n), []row{{Key: 4}, {Key: 6}}
			for i := range first {
				first[i].Key = 5
			}
			source := func(yield func([]row, error) bool) { _ = yield(first, nil) && yield(next, nil) }
			other := func(yield func([]row, error) bool) { yield([]row{{Key: 1}, {Key: 9}}, nil) }
			_, err := upToError(t, extsort.Merge(byKey(), []iter.Seq2[[]row, error]{other, source}, opts...))
			var e *extsort.OrderError
			if !errors.As(err, &e) || *e != (extsort.OrderError{Source: 1, Element: int64(n)}) {
				t.Errorf("error %v, want one of element %d of source 1", err, n)
			}
		}
	}
}

func outOfOrder[E comparable](t *testing.T, kind streamKind[E], sources [][]E, r *rand.Rand, spoil func(e *E, before E), opts []extsort.Option) {
	t.Helper()
	s := r.IntN(len(sources))
	for len(sources[s]) < 2 {
		sources[s] = append(sources[s], kind.draw(r, s, 0), kind.draw(r, s, 1))
		testkit.SortStable(sources[s], kind.compare)
	}
	at := 1 + r.IntN(len(sources[s])-1)
	if r.IntN(3) == 0 {
		at = len(sources[s]) - 1
	}
	spoil(&sources[s][at], sources[s][at-1])
	streams := make([]iter.Seq2[[]E, error], len(sources))
	batch := []int{1, 64, 1000}[r.IntN(3)]
	for i := range streams {
		streams[i] = sourceOf(sources[i], batch, r)
	}
	crew := testkit.NewCrew()
	got, err := upToError(t, extsort.Merge(kind.order, streams, opts...))
	crew.CheckAlone(t, "Merge")
	var e *extsort.OrderError
	if !errors.As(err, &e) || *e != (extsort.OrderError{Source: s, Element: int64(at)}) {
		t.Fatalf("error %v, want one of element %d of source %d", err, at, s)
	}
	if !slices.IsSortedFunc(got, kind.compare) {
		t.Fatal("the elements before the error are not in order")
	}
}

// TestMergeBreaks ends loops early. All sources have ended then.
func TestMergeBreaks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	kind := rowKind("", func(r *rand.Rand, _ int) uint64 { return r.Uint64() })
	for i := range 20 {
		var open atomic.Int64
		streams := make([]iter.Seq2[[]row, error], 1+r.IntN(30))
		for s, all := range drawSources(kind, len(streams), 8_000, r) {
			in := sourceOf(all, 50, r)
			streams[s] = func(yield func([]row, error) bool) {
				open.Add(1)
				defer open.Add(-1)
				defer runtime.Gosched() // others go on
				in(yield)
			}
		}
		crew := testkit.NewCrew()
		batches := r.IntN(3)
		func() {
			defer func() {
				if v := recover(); v != nil && v != "of the caller" {
					t.Errorf("panic %v", v)
				}
			}()
			for range extsort.Merge(byKey(), streams) {
				if batches--; batches < 0 {
					if i%2 == 0 {
						panic("of the caller")
					}
					break
				}
			}
		}()
		if n := open.Load(); n > 0 {
			t.Fatalf("%d sources are open after the loop", n)
		}
		crew.CheckAlone(t, "Merge")
	}
}

// TestMergeBreakEndsEmptyBatches has sources that give one element each, and empty batches without an end.
func TestMergeBreakEndsEmptyBatches(t *testing.T) {
	endless := func(yield func([]row, error) bool) {
		for next := []row{{Key: 1}}; yield(next, nil); next = nil {
			runtime.Gosched()
		}
	}
	crew := testkit.NewCrew()
	for range extsort.Merge(byKey(), []iter.Seq2[[]row, error]{endless, endless}, extsort.Eager()) {
		break
	}
	crew.CheckAlone(t, "Merge")
}

func TestMergeCancelled(t *testing.T) {
	for _, waits := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		streams := make([]iter.Seq2[[]row, error], 5)
		for s := range streams {
			streams[s] = func(yield func([]row, error) bool) {
				for i := uint64(0); yield([]row{{Key: i}}, nil); i++ {
					if waits && s == 3 {
						<-ctx.Done()
					}
				}
			}
		}
		crew := testkit.NewCrew()
		go func() {
			if waits {
				runtime.Gosched()
			}
			cancel()
		}()
		_, err := upToError(t, extsort.Merge(byKey(), streams, extsort.WithContext(ctx)))
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		crew.CheckAlone(t, "Merge")
		if _, err := upToError(t, extsort.Merge(byKey(), streams, extsort.WithContext(ctx))); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v of a context that has ended", err)
		}
	}
}

// TestMergePanics lets sources, key functions and the function of Combine panic or end their goroutine.
func TestMergePanics(t *testing.T) {
	count := func(k, n int) []iter.Seq2[[]row, error] {
		streams := make([]iter.Seq2[[]row, error], k)
		for s := range streams {
			streams[s] = func(yield func([]row, error) bool) {
				for i := range n {
					if !yield([]row{{Key: uint64(i / 3)}}, nil) {
						return
					}
				}
			}
		}
		return streams
	}
	var calls atomic.Int64
	after := func(n int64, do func()) {
		if calls.Add(1) == n {
			do()
		}
	}
	boom := func() { panic("boom") }
	for how, do := range map[string]func(){"panic": boom, "Goexit": runtime.Goexit} {
		for what, stream := range map[string]func() iter.Seq2[[]row, error]{
			"source": func() iter.Seq2[[]row, error] {
				streams := count(3, 5000)
				in := streams[1]
				streams[1] = func(yield func([]row, error) bool) {
					in(yield)
					do()
				}
				return extsort.Merge(byKey(), streams)
			},
			"source at its start": func() iter.Seq2[[]row, error] {
				streams := count(3, 100)
				streams[2] = func(func([]row, error) bool) { do() }
				return extsort.Merge(byKey(), streams)
			},
			"key": func() iter.Seq2[[]row, error] {
				o := sorter.By(sorter.Asc(func(e row) uint64 { after(900, do); return e.Key }))
				return extsort.Merge(o, count(4, 3000))
			},
			"combine in a window": func() iter.Seq2[[]row, error] {
				return extsort.Merge(byKey(), count(4, 3000), extsort.Combine(func(a, b row) row { after(200, do); return a }))
			},
			"combine between windows": func() iter.Seq2[[]row, error] {
				return extsort.Merge(byKey(), count(2, 3), extsort.Combine(func(a, b row) row { do(); return a }))
			},
		} {
			t.Run(what+"/"+how, func(t *testing.T) {
				calls.Store(0)
				crew := testkit.NewCrew()
				ended := make(chan any)
				go func() {
					value := any("Goexit")
					defer func() { ended <- value }()
					defer func() {
						if v := recover(); v != nil {
							value = v
						}
					}()
					for _, err := range stream() {
						if err != nil {
							t.Error(err)
						}
					}
					value = "the end"
				}()
				if v := <-ended; v != map[string]any{"panic": "boom", "Goexit": "Goexit"}[how] {
					t.Errorf("the loop ends by %v", v)
				}
				crew.CheckAlone(t, "Merge")
			})
		}
	}
}

// TestMergeEager has sources that give one element, and wait for the caller then.
func TestMergeEager(t *testing.T) {
	for _, k := range []int{1, 3, 100} {
		var given sync.WaitGroup
		given.Add(1)
		streams := make([]iter.Seq2[[]row, error], k+1)
		for s := range k {
			streams[s] = extsort.Elements(func(yield func(row, error) bool) {
				if yield(row{Key: uint64(1000 - s)}, nil) {
					given.Wait()
					yield(row{Key: uint64(2000 + s)}, nil)
				}
			})
		}
		streams[k] = func(func([]row, error) bool) {} // it has ended
		crew, got := testkit.NewCrew(), []uint64(nil)
		for batch, err := range extsort.Merge(byKey(), streams, extsort.Eager()) {
			must(t, err)
			if got == nil {
				if len(batch) != 1 {
					t.Fatalf("%d elements before others are known", len(batch))
				}
				given.Done()
			}
			for _, e := range batch {
				got = append(got, e.Key)
			}
		}
		if len(got) != 2*k || got[0] != uint64(1001-k) || !slices.IsSorted(got) {
			t.Fatalf("%d keys from %d on, want %d from %d on", len(got), got[0], 2*k, 1001-k)
		}
		crew.CheckAlone(t, "Merge")
	}
}

// TestMergeReadAhead counts the elements that sources have yielded and nobody has got.
func TestMergeReadAhead(t *testing.T) {
	for _, k := range []int{1, 8, 300} {
		for _, limit := range []int64{1 << 20, 8 << 20} {
			var ahead, most atomic.Int64
			streams := make([]iter.Seq2[[]row, error], k)
			for s := range streams {
				streams[s] = func(yield func([]row, error) bool) {
					batch := make([]row, 100)
					for i := range max(20, 1500/k) {
						for j := range batch {
							batch[j] = row{Key: uint64(i*100 + j + s%3*50)}
						}
						now := ahead.Add(int64(len(batch)))
						for old := most.Load(); old < now && !most.CompareAndSwap(old, now); old = most.Load() {
						}
						if !yield(batch, nil) {
							return
						}
					}
				}
			}
			var st extsort.Stats
			for batch, err := range extsort.Merge(byKey(), streams, extsort.MemoryLimit(limit), extsort.Report(&st)) {
				must(t, err)
				ahead.Add(-int64(len(batch)))
			}
			inSources := int64(k * 100) // batches that are not copied yet
			if bytes := (most.Load() - inSources) * 24; bytes > limit || st.Memory > limit || st.Memory <= 0 {
				t.Errorf("%d sources: %d bytes read ahead, %d counted, limit %d", k, bytes, st.Memory, limit)
			}
		}
	}
	streams := make([]iter.Seq2[[]row, error], 10_000)
	for s := range streams {
		streams[s] = func(yield func([]row, error) bool) { yield([]row{{Key: uint64(s)}}, nil) }
	}
	_, err := upToError(t, extsort.Merge(byKey(), streams, extsort.MemoryLimit(1<<20)))
	var little *sorter.MemoryError
	if !errors.Is(err, extsort.ErrMemoryLimit) || !errors.As(err, &little) || little.Need <= 1<<20 {
		t.Fatalf("error %v of 10,000 sources in 1 MiB", err)
	}
	if got := gather(t, extsort.Merge(byKey(), streams, extsort.MemoryLimit(little.Need), extsort.Workers(1))); len(got) != len(streams) {
		t.Errorf("%d elements of 10,000 sources in as much memory as they need", len(got))
	}
	if got := gather(t, extsort.Merge(byKey(), streams, extsort.MemoryLimit(32<<20))); len(got) != len(streams) || got[9999].Key != 9999 {
		t.Errorf("%d elements of 10,000 sources", len(got))
	}
}

func TestMergeMisuse(t *testing.T) {
	one := []iter.Seq2[[]row, error]{func(func([]row, error) bool) {}}
	for what, f := range map[string]func(){
		"nil source":        func() { extsort.Merge(byKey(), append(one, nil)) },
		"nil option":        func() { extsort.Merge(byKey(), one, nil) },
		"Elements of nil":   func() { extsort.Elements[row](nil) },
		"Combine of nil":    func() { extsort.Combine[row](nil) },
		"Combine of others": func() { extsort.Merge(byKey(), one, extsort.Combine(func(a, b string) string { return a })) },
		"New with Eager":    func() { _, _ = extsort.New(byKey(), extsort.Eager()) },
		"New, last":         func() { _, _ = extsort.New(byKey(), extsort.UniqueLast()) },
		"New, combine":      func() { _, _ = extsort.New(byKey(), extsort.Combine(func(a, b row) row { return a })) },
	} {
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "extsort: ") {
					t.Errorf("%s: panic %v", what, v)
				}
			}()
			f()
		}()
	}
}

// TestMergeNests merges merges, elements and sorts.
func TestMergeNests(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	kind := rowKind("", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(100) })
	all := drawSources(kind, 4, 3000, r)
	want := slices.Concat(all...)
	testkit.SortStable(want, kind.compare)
	s, err := extsort.New(byKey())
	must(t, err)
	defer s.Close()
	must(t, s.Append(all[3]...))
	inner := extsort.Merge(byKey(), []iter.Seq2[[]row, error]{sourceOf(all[1], 10, r), sourceOf(all[2], 10, r)})
	first := extsort.Elements(func(yield func(row, error) bool) {
		for _, e := range all[0] {
			if !yield(e, nil) {
				return
			}
		}
	})
	stream := extsort.Merge(byKey(), []iter.Seq2[[]row, error]{first, inner, s.Batches()})
	sameElements(t, gather(t, stream), want)
}
