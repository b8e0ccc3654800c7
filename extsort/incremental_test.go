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
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// visit is an element of a stream in order by Day.
type visit struct {
	Day  int32
	Page string
	At   int // in the stream
}

func byDay() sorter.Ordering[visit] {
	return sorter.By(sorter.Desc(func(v visit) int32 { return v.Day }))
}

func byPage() sorter.Ordering[visit] {
	return sorter.By(sorter.Asc(func(v visit) string { return v.Page }))
}

// drawVisits returns n visits in order by day, in groups of up to most.
func drawVisits(r *rand.Rand, n, most, pages int) []visit {
	all, day := make([]visit, n), int32(1<<30)
	for i := 0; i < n; {
		day -= 1 + r.Int32N(3)
		for range min(1+r.IntN(most), n-i) {
			all[i] = visit{day, fmt.Sprintf("/page/%d", r.IntN(pages)), i}
			i++
		}
	}
	return all
}

func pageOf(a, b visit) int { return cmp.Compare(a.Page, b.Page) }

// incrementalOracle sorts each group by itself, and treats elements that tie as policy says.
func incrementalOracle(all []visit, policy int) []visit {
	var out []visit
	for lo := 0; lo < len(all); {
		hi := lo
		for hi < len(all) && all[hi].Day == all[lo].Day {
			hi++
		}
		group := slices.Clone(all[lo:hi])
		testkit.SortStable(group, pageOf)
		from := len(out)
		for _, v := range group {
			if last := len(out) - 1; policy > 0 && last >= from && out[last].Page == v.Page {
				switch policy {
				case 2:
					out[last] = v
				case 3:
					out[last] = joined(out[last], v)
				}
				continue
			}
			out = append(out, v)
		}
		lo = hi
	}
	return out
}

func joined(a, b visit) visit { return visit{a.Day, a.Page, 31*a.At + b.At} }

// drained returns the elements of a stream, and its error.
func drained[E any](in iter.Seq2[[]E, error]) (all []E, err error) {
	for batch, e := range in {
		if err != nil {
			panic("a pair after the error")
		}
		all, err = append(all, batch...), e
	}
	return all, err
}

// TestIncremental compares streams of groups of all sizes with a sort of each group.
func TestIncremental(t *testing.T) {
	policies := [][]extsort.Option{nil, {extsort.Unique()}, {extsort.UniqueLast()}, {extsort.Combine(joined)}}
	for seed := range uint64(testkit.Pick(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 9))
		n, most := r.IntN(3000), 1+r.IntN(1<<r.IntN(12))
		if seed%20 == 7 {
			n, most = 150_000, 70_000 // some groups above 65535
		}
		all := drawVisits(r, n, most, 1+r.IntN(300))
		policy := r.IntN(len(policies))
		want := incrementalOracle(all, policy)
		var st extsort.Stats
		opts := append([]extsort.Option{extsort.Workers(r.IntN(4)), extsort.Report(&st)}, policies[policy]...)
		if r.IntN(2) == 0 {
			opts = append(opts, extsort.MemoryLimit(32<<20))
		}
		limit := 0
		if r.IntN(2) == 0 {
			limit = 1 + r.IntN(len(want)+10)
			opts = append(opts, extsort.Limit(int64(limit)))
			want = want[:min(limit, len(want))]
		}
		got, err := drained(extsort.Incremental(byDay(), byPage(), sourceOf(all, 1+r.IntN(1<<r.IntN(16)), r), opts...))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d elements in groups of up to %d, policy %d, limit %d: another result", seed, n, most, policy, limit)
		}
		if st.Elements-st.Dropped != int64(len(got)) || limit == 0 && st.Elements != int64(n) {
			t.Fatalf("seed %d: %d elements, %d dropped, of %d in and %d out", seed, st.Elements, st.Dropped, n, len(got))
		}
	}
}

// TestIncrementalAtOnce demands each group before the element after the next one's first is taken.
func TestIncrementalAtOnce(t *testing.T) {
	taken := 0
	in := func(yield func(visit, error) bool) {
		for i := range 100 {
			taken++
			if !yield(visit{Day: int32(-i / 5), Page: string(rune('a' + i*3%5)), At: i}, nil) {
				return
			}
		}
	}
	groups := 0
	for batch, err := range extsort.Incremental(byDay(), byPage(), extsort.Elements(in)) {
		if err != nil {
			t.Fatal(err)
		}
		groups++
		if len(batch) != 5 || groups < 20 && taken != 5*groups+1 {
			t.Fatalf("group %d has %d elements, after %d were taken", groups, len(batch), taken)
		}
	}
	if groups != 20 {
		t.Fatalf("%d groups", groups)
	}
}

// TestIncrementalOrder finds an element out of order wherever it is, after all groups before it.
func TestIncrementalOrder(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		all := drawVisits(r, 2+r.IntN(2000), 1+r.IntN(50), 20)
		at := 1 + r.IntN(len(all)-1)
		all[at].Day = all[at-1].Day + 1
		ended := at - 1
		for ended > 0 && all[ended-1].Day == all[at-1].Day {
			ended--
		}
		got, err := drained(extsort.Incremental(byDay(), byPage(), sourceOf(all, 1+r.IntN(500), r)))
		if lie := (*extsort.OrderError)(nil); !errors.As(err, &lie) || lie.Element != int64(at) || lie.Source != 0 {
			t.Fatalf("seed %d: %v, want that of element %d", seed, err, at)
		}
		if !slices.Equal(got, incrementalOracle(all[:ended], 0)) {
			t.Fatalf("seed %d: not the groups before element %d", seed, at)
		}
	}
}

// TestIncrementalEnds ends streams by errors, cancellation, breaks, panics and groups that are too large.
func TestIncrementalEnds(t *testing.T) {
	crew := testkit.NewCrew()
	all := drawVisits(rand.New(rand.NewPCG(1, 1)), 50_000, 100, 10)
	sick := errors.New("sick")
	failing := func(yield func([]visit, error) bool) {
		if yield(all[:777], nil) {
			yield(nil, sick)
		}
	}
	got, err := drained(extsort.Incremental(byDay(), byPage(), failing))
	ended := 777
	for all[ended-1].Day == all[776].Day {
		ended--
	}
	if err != sick || !slices.Equal(got, incrementalOracle(all[:ended], 0)) {
		t.Fatalf("%d elements and %v", len(got), err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for batch, err := range extsort.Incremental(byDay(), byPage(), sourceOf(all, 1000, rand.New(rand.NewPCG(1, 2))), extsort.WithContext(ctx)) {
		if n++; n == 3 {
			cancel()
		}
		if n > 3 && (batch != nil || !errors.Is(err, context.Canceled)) {
			t.Fatalf("after the context: %d elements, %v", len(batch), err)
		}
	}
	if n != 4 {
		t.Fatalf("%d pairs", n)
	}
	for range extsort.Incremental(byDay(), byPage(), sourceOf(all, 1000, rand.New(rand.NewPCG(1, 2)))) {
		break
	}

	var st extsort.Stats
	large := slices.Repeat([]visit{{Page: "/"}}, 100_000)
	one := sourceOf(large, 1000, rand.New(rand.NewPCG(1, 2)))
	_, err = drained(extsort.Incremental(byDay(), byPage(), one, extsort.MemoryLimit(1<<20), extsort.Report(&st)))
	little := (*sorter.MemoryError)(nil)
	if !errors.As(err, &little) || little.Limit != 1<<20 || little.Need <= 1<<20 || !errors.Is(err, extsort.ErrMemoryLimit) {
		t.Fatalf("a large group: %v", err)
	}
	limit := int64(16 << 20)
	if _, err = drained(extsort.Incremental(byDay(), byPage(), one, extsort.MemoryLimit(limit), extsort.Report(&st))); err != nil {
		t.Fatal(err)
	}
	if st.Memory > limit || st.Memory < 100_000*32 || st.Largest != 100_000 || st.Parts != 1 {
		t.Fatalf("%+v", st)
	}

	for _, f := range []func(){
		func() { extsort.Incremental[visit](byDay(), byPage(), nil) },
		func() { extsort.Incremental(byDay(), byPage(), one, extsort.Combine(func(a, b int) int { return a })) },
		func() {
			by := sorter.By(sorter.Asc(func(v visit) int { panic(v) }))
			drained(extsort.Incremental(byDay(), by, sourceOf(all, 1000, rand.New(rand.NewPCG(1, 2)))))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
	crew.CheckAlone(t, "Incremental")
}

// TestIncrementalOfSinglesIsCancelled cancels a stream whose groups have one element: nothing is sorted.
func TestIncrementalOfSinglesIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := func(yield func(visit, error) bool) {
		for i := 0; i < 100 && yield(visit{Day: int32(-i)}, nil); i++ {
		}
	}
	n, last := 0, error(nil)
	for _, err := range extsort.Incremental(byDay(), byPage(), extsort.Elements(in), extsort.WithContext(ctx)) {
		cancel()
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d pairs, the last with %v", n, last)
	}
}

// TestShortGroupsAreSortedTogether expects that groups of one batch are sorted by several goroutines at a time: a key
// function waits for another.
func TestShortGroupsAreSortedTogether(t *testing.T) {
	all := make([]visit, 20_000)
	for i := range all {
		all[i] = visit{Day: int32(-i / 4), Page: fmt.Sprint(i * 7 % 4), At: i}
	}
	var inside, together atomic.Int64
	limit := time.Now().Add(30 * time.Second)
	by := sorter.By(sorter.Asc(func(v visit) string {
		inside.Add(1)
		defer inside.Add(-1)
		for ; together.Load() == 0 && time.Now().Before(limit); runtime.Gosched() {
			if inside.Load() > 1 {
				together.Add(1)
			}
		}
		return v.Page
	}))
	in := func(yield func([]visit, error) bool) { yield(all, nil) }
	got, err := drained(extsort.Incremental(byDay(), by, in, extsort.Workers(2)))
	if err != nil || !slices.Equal(got, incrementalOracle(all, 0)) || together.Load() == 0 {
		t.Errorf("%d elements of %d, by several goroutines %v: %v", len(got), len(all), together.Load() > 0, err)
	}
}
