package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Cancellation, counted: how many calls of the caller's functions begin after it. No
// test of a time says whether each of many columns is asked about.

// turnOfCalls is how many calls a worker makes between two questions to the context
// where calls are quick. Slow ones it makes one at a time.
const turnOfCalls = 16

// paceRow is an element whose columns tie as tests ask for.
type paceRow struct {
	Same, Pair, Run int64 // all tie, in pairs, in runs of 1000
	Own             int64 // nobody ties
	Name            string
}

func paceRows(n int, inOrder bool) []paceRow {
	s := make([]paceRow, n)
	for i := range s {
		s[i] = paceRow{Pair: int64(i / 2), Run: int64(i / 1000), Own: int64(i), Name: decimal(uint64(i))}
	}
	if !inOrder {
		dist.Rand(3).Shuffle(n, func(i, j int) { s[i], s[j] = s[j], s[i] })
	}
	return s
}

// alarm counts calls and cancels a context at one of them.
type alarm struct {
	at      int64 // the call that cancels
	each    time.Duration
	cancel  context.CancelFunc
	calls   atomic.Int64
	rung    atomic.Bool
	further atomic.Int64 // calls that began afterwards
}

// call is called by the counted function.
func (a *alarm) call() {
	if a.rung.Load() {
		a.further.Add(1)
	}
	if a.each > 0 {
		time.Sleep(a.each)
	}
	if a.calls.Add(1) == a.at {
		a.cancel()
		a.rung.Store(true)
	}
}

// paceColumn is a column that calls an alarm, or the columns before it.
type paceColumn[E any] struct {
	name string
	of   func(a *alarm) []sorter.Column[E]
}

// counted returns columns with a function whose calls an alarm counts. get finds the row of
// an element. The columns have no ties.
func counted[E any](get func(E) paceRow) []paceColumn[E] {
	one := func(name string, of func(a *alarm) sorter.Column[E]) paceColumn[E] {
		return paceColumn[E]{name, func(a *alarm) []sorter.Column[E] { return []sorter.Column[E]{of(a)} }}
	}
	own := func(e E) int64 { return get(e).Own }
	third := func(e E) bool { return get(e).Own%3 == 0 }
	return []paceColumn[E]{
		one("int key", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) int64 { a.call(); return own(e) })
		}),
		one("int key that shares a code", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) int32 { a.call(); return int32(own(e)) })
		}),
		one("string key in the element", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) string { a.call(); return get(e).Name })
		}),
		one("string key of its own", func(a *alarm) sorter.Column[E] {
			return sorter.Desc(func(e E) string { a.call(); return "n" + get(e).Name })
		}),
		one("array key", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) (k [16]byte) { a.call(); copy(k[:], get(e).Name); return k })
		}),
		one("null function of ints", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(own).NullsFirst(func(e E) bool { a.call(); return third(e) })
		}),
		one("null function of strings", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) string { return get(e).Name }).NullsLast(func(e E) bool { a.call(); return third(e) })
		}),
		one("key of some that are not null", func(a *alarm) sorter.Column[E] {
			return sorter.Asc(func(e E) int64 { a.call(); return own(e) }).NullsFirst(third)
		}),
	}
}

// before returns columns that may precede the counted one.
func before[E any](get func(E) paceRow) []paceColumn[E] {
	const name = "the same for all of them"
	same := sorter.Asc(func(E) string { return name })
	run := sorter.Asc(func(e E) int64 { return get(e).Run })
	list := func(name string, cols ...sorter.Column[E]) paceColumn[E] {
		return paceColumn[E]{name, func(*alarm) []sorter.Column[E] { return cols }}
	}
	return []paceColumn[E]{
		list("alone"),
		list("after a narrow column", sorter.Asc(func(e E) bool { return get(e).Own >= 0 })),
		list("after ties of all", sorter.Asc(func(e E) int64 { return get(e).Same })),
		list("after ties of two", sorter.Asc(func(e E) int64 { return get(e).Pair })),
		list("after ties of a thousand", run),
		list("after two columns", same, run),
	}
}

// paceVerbs call the library on rows by columns.
var paceVerbs = []struct {
	name string
	run  func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error
}{
	{"Sort", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).Sort(s, opts...)
	}},
	{"Sort through an index", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).Sort(s, append(opts, sorter.Use(sorter.IndexGather))...)
	}},
	{"Sort by Radix", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).Sort(s, append(opts, sorter.Use(sorter.Radix))...)
	}},
	{"Sort in place", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		err := sorter.ErrMemoryLimit
		for limit := int64(len(s)); errors.Is(err, sorter.ErrMemoryLimit); limit += limit / 8 {
			err = sorter.By(cols...).Sort(s, append(opts, sorter.MemoryLimit(limit))...)
		}
		return err
	}},
	{"Sort on an engine", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).Sort(s, append(opts, sorter.On(&plainEngine{}))...)
	}},
	{"Order", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		_, err := sorter.By(cols...).Order(s, opts...)
		return err
	}},
	{"TopK", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).TopK(s, 1+len(s)/50, opts...)
	}},
	{"TopK of half", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		return sorter.By(cols...).TopK(s, len(s)/2, opts...)
	}},
	{"Merge", func(s []paceRow, cols []sorter.Column[paceRow], opts ...sorter.Option) error {
		by, m := sorter.By(cols...), len(s)/3
		return by.Merge(make([]paceRow, len(s)), [][]paceRow{s[:m], s[m:]}, opts...)
	}},
}

// cancelAt cancels a call in a counted function, and holds it to few further ones.
// It reports whether the function was called that often.
func cancelAt(t *testing.T, name string, in []paceRow, a *alarm, workers int, call func(s []paceRow, opts ...sorter.Option) error) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a.cancel = cancel
	s := slices.Clone(in)
	err := call(s, sorter.WithContext(ctx), sorter.Workers(workers))
	name = fmt.Sprintf("%s, n=%d, %d workers, cancelled at call %d", name, len(in), workers, a.at)
	most := turnOfCalls*workers - 1 // whoever cancels is in a turn, too
	if a.each > 0 {
		most = 2 * (workers - 1) // two where the first element was null, and no call of a key
	}
	if further := a.further.Load(); further > int64(most) {
		t.Errorf("%s: %d further calls, want at most %d", name, further, most)
	}
	switch {
	case !a.rung.Load():
		return false
	case err == nil && a.calls.Load() < int64(len(in)): // the last call may come too late to stop the sort
		t.Errorf("%s: no error after %d calls", name, a.calls.Load())
	case err != nil && !errors.Is(err, context.Canceled):
		t.Errorf("%s: %v", name, err)
	case err != nil:
		checkSame(t, name+": untouched", nil, s, in)
	}
	return true
}

// eachCounted calls test with every counted column after every list of columns.
func eachCounted[E any](get func(E) paceRow, test func(name string, cols func(a *alarm) []sorter.Column[E])) {
	for _, w := range counted(get) {
		for _, b := range before(get) {
			test(w.name+", "+b.name, func(a *alarm) []sorter.Column[E] { return append(slices.Clone(b.of(a)), w.of(a)...) })
		}
	}
}

// TestFurtherCalls cancels quick calls at random: at most a turn of each worker begins
// afterwards.
func TestFurtherCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	sizes := testkit.Pick([]int{100, 12_000}, []int{100, 5000, 20_000})
	for i, n := range sizes {
		inputs := [][]paceRow{paceRows(n, false), paceRows(n, true)}
		for j, v := range paceVerbs {
			if testkit.Thinned(i + j) {
				continue
			}
			eachCounted(func(r paceRow) paceRow { return r }, func(name string, cols func(a *alarm) []sorter.Column[paceRow]) {
				in, within := inputs[r.IntN(2)], n/2
				switch {
				case v.name == "Merge":
					in = inputs[1]
				case v.name == "TopK":
					within = n / 100 // later columns are read for few
				}
				rung := 0
				for _, workers := range []int{1, 2, 8} {
					a := &alarm{at: 1 + int64(r.IntN(within))}
					if cancelAt(t, v.name+" by "+name, in, a, workers, func(s []paceRow, opts ...sorter.Option) error { return v.run(s, cols(a), opts...) }) {
						rung++
					}
				}
				if rung == 0 {
					t.Errorf("%s by %s, n=%d: never called so often", v.name, name, n)
				}
			})
		}
		rows := inputs[0]
		eachCounted(func(i int) paceRow { return rows[i] }, func(name string, cols func(a *alarm) []sorter.Column[int]) {
			for _, workers := range []int{1, 2, 8} {
				a := &alarm{at: 1 + int64(r.IntN(n*3/4))}
				cancelAt(t, "Rows.Order by "+name, rows, a, workers, func(_ []paceRow, opts ...sorter.Option) error {
					_, err := sorter.RowsBy(n, cols(a)...).Order(opts...)
					return err
				})
			}
		})
	}
}

// TestFurtherSlowCalls cancels calls that are slow from the first on: each worker ends
// the one that it is in.
func TestFurtherSlowCalls(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel() // most of its time it sleeps
	const n = 20_000
	in, turns, every := paceRows(n, true), 0, testkit.Pick(5, 2)
	for _, v := range paceVerbs {
		eachCounted(func(r paceRow) paceRow { return r }, func(name string, cols func(a *alarm) []sorter.Column[paceRow]) {
			if turns++; turns%every != 0 {
				return
			}
			a := &alarm{at: 12, each: 1500 * time.Microsecond}
			cancelAt(t, v.name+" of slow calls by "+name, in, a, []int{1, 8}[turns/6%2], func(s []paceRow, opts ...sorter.Option) error { return v.run(s, cols(a), opts...) })
		})
	}
}

// TestIsSortedToTheEnd asks under a context that is over: the answer is that of any
// other call.
func TestIsSortedToTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := paceRows(5000, true)
	for _, want := range []bool{true, false} {
		calls := 0
		got := sorter.IsSorted(s, func(r paceRow) int64 { calls++; return r.Own }, sorter.WithContext(ctx))
		if got != want || calls != len(s) {
			t.Errorf("IsSorted under a cancelled context is %v after %d calls, want %v after %d", got, calls, want, len(s))
		}
		s[len(s)-1].Own = -1
	}
}
