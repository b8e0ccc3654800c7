package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Promises of a call beyond its result: the number of key calls,
// panics of key functions, and the state afterwards.

// TestKeyCalls counts the calls for every single element: exactly one, also for
// keys that tie on their prefixes.
func TestKeyCalls(t *testing.T) {
	testkit.SkipUnlessLong(t)
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range []string{"uniform", "equal", "sorted", "reversed", "edge values", "16 values"} {
			for j, n := range []int{0, 1, 2, 10, 40, 1000, 5000, 20_000} {
				drawn(k, input, n, 1).checkKeyCalls(t, modes[(i+j+len(k.Name()))%len(modes)])
			}
		}
	})
}

func (r *reference) checkKeyCalls(t *testing.T, m mode) {
	t.Helper()
	calls := make([]atomic.Int32, len(r.rows))
	r.onKey(func(row int) { calls[row].Add(1) })
	check := func(verb string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %s, %s: %v", verb, r.name, m.name, err)
		}
		for i := range calls {
			if c := calls[i].Swap(0); c != 1 {
				t.Fatalf("%s: %s, %s: %d key calls for element %d, want 1", verb, r.name, m.name, c, i)
			}
		}
	}
	_, err := r.argsort(r.rows, m.stable()...)
	check("Order", err)
	check("TopK", r.topK(slices.Clone(r.rows), max(1, len(r.rows)/4), m.stable()...))
	check("Sort", r.sort(slices.Clone(r.rows), m.stable()...))
	check("Sort, default ties", r.sort(slices.Clone(r.rows), m.opts...))
}

// verb is one way to sort fills, under the options of a test. All of them call
// key for every element.
type verb struct {
	name  string
	input func(n int) []fill
	run   func(s []fill, key func(fill) float32, opts ...sorter.Option) error
}

var verbs = []verb{
	{"Sort", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.Sort(s, key, opts...)
	}},
	{"Sort by IndexGather", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.Sort(s, key, append(opts, sorter.Use(sorter.IndexGather))...)
	}},
	{"Sort by string", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.Sort(s, func(f fill) string { return fmt.Sprintf("a prefix of all keys %012.3f", key(f)) }, opts...)
	}},
	{"Sort in place", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.Sort(s, key, append(inPlace(len(s), 0), opts...)...)
	}},
	{"Order", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		_, err := sorter.Order(s, key, opts...)
		return err
	}},
	{"Rows.Order", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		_, err := sorter.RowsBy(len(s), sorter.Asc(func(i int) float32 { return key(s[i]) })).Order(opts...)
		return err
	}},
	{"TopK", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.TopK(s, max(1, len(s)/10), key, opts...)
	}},
	{"Ordering.Sort", fills, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		by := sorter.By(sorter.Desc(key), sorter.Asc(func(f fill) bool { return f.Side }), sorter.Desc(func(f fill) float64 { return f.Qty }))
		return by.Sort(s, opts...)
	}},
	{"Merge", sortedHalves, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		return sorter.Merge(make([]fill, len(s)), [][]fill{s[:len(s)/2], s[len(s)/2:]}, key, opts...)
	}},
	{"Merge of many", sortedHalves, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		dst, h := make([]fill, len(s)), len(s)/2
		err := sorter.Merge(dst, [][]fill{s[:h/2], s[h/2 : h], nil, s[h:]}, key, opts...)
		return errors.Join(err, changedByError(dst, err))
	}},
	{"Ordering.Merge of many of strings", sortedHalves, func(s []fill, key func(fill) float32, opts ...sorter.Option) error {
		dst, h := make([]fill, len(s)), len(s)/2
		by := sorter.By(sorter.Asc(func(f fill) string { return fmt.Sprintf("a prefix of all keys %012.3f", key(f)) }))
		err := by.Merge(dst, [][]fill{s[:h/2], s[h/2 : h], s[h:]}, opts...)
		return errors.Join(err, changedByError(dst, err))
	}},
}

// changedByError returns an error if there is one already and dst is no longer zero.
func changedByError(dst []fill, err error) error {
	if err != nil && slices.ContainsFunc(dst, func(f fill) bool { return f != fill{} }) {
		return errors.New("dst was written before an error")
	}
	return nil
}

func sortedHalves(n int) []fill {
	s := fills(n)
	return append(byPrice(s[:n/2]), byPrice(s[n/2:])...)
}

// inPlace returns the options to sort n fills by price in place, and others with more
// bytes: a limit for four workers, and that many, however many processors there are.
func inPlace(n int, more int64) []sorter.Option {
	return []sorter.Option{sorter.Workers(4), sorter.MemoryLimit(inPlaceLimit(n) + more)}
}

// inPlaceLimit returns a memory limit that sorting n fills by price can just
// keep, with up to four workers. The error of a limit that is too small names
// what is needed, but tests should not trust it.
func inPlaceLimit(n int) int64 {
	if limit, ok := inPlaceLimits.Load(n); ok {
		return limit.(int64)
	}
	limit := int64(1 << 10)
	for s := fills(n); sorter.Sort(s, price, sorter.MemoryLimit(limit), sorter.Workers(4)) != nil; {
		limit += limit / 4
	}
	inPlaceLimits.Store(n, limit)
	return limit
}

var inPlaceLimits sync.Map // int → int64

func TestKeyPanics(t *testing.T) {
	type cause struct{ at int }
	for _, v := range verbs {
		for _, n := range []int{2, 30, scaled(5000), scaled(100_000)} {
			in := v.input(n)
			for _, at := range []int{0, 1, n / 2, n - 1} {
				for _, workers := range []int{1, 4} {
					name := fmt.Sprintf("%s, n=%d, panic at %d, %d workers", v.name, n, at, workers)
					s, crew, want := slices.Clone(in), testkit.NewCrew(), &cause{at}
					got := panicValue(func() {
						_ = v.run(s, func(f fill) float32 {
							if f.Pos == uint64(at) {
								panic(want)
							}
							return f.Price
						}, sorter.Workers(workers))
					})
					if got != any(want) {
						t.Fatalf("%s: recovered %v, want %v", name, got, want)
					}
					checkSame(t, name+": the slice after the panic", nil, s, in)
					crew.CheckAlone(t, name)
				}
			}
		}
	}
}

// TestEveryKeyPanics has all workers panic at once: one value arrives.
func TestEveryKeyPanics(t *testing.T) {
	for _, n := range []int{5, 100_000} {
		s := fills(n)
		crew := testkit.NewCrew()
		err := errors.New("every key")
		got := panicValue(func() { _ = sorter.Sort(s, func(fill) float32 { panic(err) }, sorter.Workers(5)) })
		if got != any(err) {
			t.Fatalf("n=%d: recovered %v, want %v", n, got, err)
		}
		checkSame(t, "the slice after the panic", nil, s, fills(n))
		crew.CheckAlone(t, fmt.Sprintf("n=%d", n))
	}
}

// TestSortAfterPanic sorts on with whatever the panic left in the pools.
func TestSortAfterPanic(t *testing.T) {
	in := fills(50_000)
	for range 5 {
		s := slices.Clone(in)
		panicValue(func() {
			_ = sorter.Sort(s, func(f fill) float32 {
				if f.Pos == 40_000 {
					panic("once")
				}
				return f.Price
			})
		})
		err := sorter.Sort(s, price, sorter.Stable())
		checkSame(t, "the sort after a panic", err, s, byPrice(in))
	}
}

func TestNullFunctionPanics(t *testing.T) {
	for _, n := range []int{10, 50_000} {
		s := fills(n)
		col := sorter.Asc(price).NullsLast(func(f fill) bool {
			if f.Pos == uint64(n/2) {
				panic("null")
			}
			return false
		})
		crew := testkit.NewCrew()
		if got := panicValue(func() { _ = sorter.By(col).Sort(s) }); got != "null" {
			t.Fatalf("n=%d: recovered %v", n, got)
		}
		checkSame(t, "the slice after the panic", nil, s, fills(n))
		crew.CheckAlone(t, fmt.Sprintf("n=%d", n))
	}
}

// TestGoexit ends a key function's goroutine: the call must not hang, whichever
// goroutine it was.
func TestGoexit(t *testing.T) {
	for _, v := range verbs {
		for _, n := range []int{30, scaled(100_000)} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, workers := range []int{1, 4} {
					name := fmt.Sprintf("%s, n=%d, Goexit at %d, %d workers", v.name, n, at, workers)
					checkGoexit(t, name, v, n, at, workers)
				}
			}
		}
	}
}

func checkGoexit(t *testing.T, name string, v verb, n, at, workers int) {
	t.Helper()
	in := v.input(n)
	s, crew, done := slices.Clone(in), testkit.NewCrew(), make(chan struct{})
	go func() {
		defer close(done)
		_ = v.run(s, func(f fill) float32 {
			if f.Pos == uint64(at) {
				runtime.Goexit()
			}
			return f.Price
		}, sorter.Workers(workers))
	}()
	select {
	case <-done:
	case <-time.After(testkit.Patience):
		t.Fatalf("%s: hangs", name)
	}
	checkSame(t, name+": the slice afterwards", nil, s, in)
	crew.CheckAlone(t, name)
}

// TestConcurrentUse sorts different slices of different types at a time; the
// race detector watches.
func TestConcurrentUse(t *testing.T) {
	in := fills(30_000)
	want := byPrice(in)
	by := sorter.By(sorter.Asc(func(f fill) bool { return f.Side }), sorter.Desc(price))
	wantBy := slices.Clone(in)
	if err := by.Sort(wantBy, sorter.Stable()); err != nil {
		t.Fatal(err)
	}
	keys := mapped(dist.Named("zipf").Draw(20_000, dist.Rand(1)), decimal)
	wantKeys := slices.Sorted(slices.Values(keys))
	wantOrder := perm.Perm(nil)
	for _, f := range want {
		wantOrder = append(wantOrder, uint32(f.Pos))
	}
	var wait sync.WaitGroup
	for range 3 {
		for _, job := range []func(){
			func() {
				s := slices.Clone(in)
				err := sorter.Sort(s, price, sorter.Stable())
				reportSame(t, "Sort, concurrently", err, s, want)
			},
			func() {
				s := slices.Clone(in)
				err := by.Sort(s, sorter.Stable(), sorter.Workers(3))
				reportSame(t, "Ordering.Sort, concurrently", err, s, wantBy)
			},
			func() {
				s := slices.Clone(keys)
				err := sorter.SortKeys(s)
				reportSame(t, "SortKeys, concurrently", err, s, wantKeys)
			},
			func() { // argsorts share one input, which they only read
				p, err := sorter.Order(in, price, sorter.Stable())
				reportSame(t, "Order, concurrently", err, p, wantOrder)
			},
			func() {
				s := slices.Clone(in)
				err := sorter.TopK(s, 500, price, sorter.Stable())
				reportSame(t, "TopK, concurrently", err, s[:500], want[:500])
			},
			func() {
				s := fills(50)
				err := sorter.Sort(s, price, sorter.Stable())
				reportSame(t, "Sort of few, concurrently", err, s, byPrice(fills(50)))
			},
		} {
			wait.Go(func() {
				for range 4 {
					job()
				}
			})
		}
	}
	wait.Wait()
}

// TestSortWithinKey sorts in a key function: a call holds no lock.
func TestSortWithinKey(t *testing.T) {
	s := fills(3000)
	want := byPrice(s)
	err := sorter.Sort(s, func(f fill) float32 {
		inner := []float32{2, 3, 1, f.Price}
		if err := sorter.SortKeys(inner, sorter.Descending()); err != nil || !sorter.IsSorted(inner, func(x float32) float32 { return -x }) {
			panic(fmt.Sprint("inner sort: ", err, inner))
		}
		return f.Price
	}, sorter.Stable())
	checkSame(t, "sort around sorts", err, s, want)
}

// TestSortsWithoutOptionsReturnNil holds sorts without special options to returning nil.
func TestSortsWithoutOptionsReturnNil(t *testing.T) {
	for _, opts := range [][]sorter.Option{nil, {sorter.Stable()}, {sorter.Descending(), sorter.NaNsLast(), sorter.Workers(3)}} {
		for _, n := range []int{0, 1, 2, 1000, scaled(50_000)} {
			for _, v := range verbs {
				if err := v.run(v.input(n), price, opts...); err != nil {
					t.Errorf("%s, n=%d: %v", v.name, n, err)
				}
			}
		}
	}
	if err := sorter.Sort([]int(nil), func(i int) int { return i }, sorter.WithContext(context.Background())); err != nil {
		t.Errorf("nil slice: %v", err)
	}
}

// TestTooLong needs no memory: elements of no size.
func TestTooLong(t *testing.T) {
	long := uint64(1) << 32
	if long > math.MaxInt {
		return // 32-bit ints: no slice is too long
	}
	n := int(long)
	s := make([]struct{}, n)
	key := func(struct{}) int { panic("a key of a slice that is too long was asked for") }
	by := sorter.By(sorter.Asc(key))
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"Order", func() error { _, err := sorter.Order(s, key); return err }},
		{"Rows.Order", func() error {
			_, err := sorter.RowsBy(n, sorter.Asc(func(int) int { panic("key") })).Order()
			return err
		}},
		{"Ordering.Order", func() error { _, err := by.Order(s); return err }},
	} {
		if err := c.call(); !errors.Is(err, sorter.ErrTooLong) {
			t.Errorf("%s of %d elements: %v, want ErrTooLong", c.name, n, err)
		}
	}
}

// TestKeyCallsOfFew counts the key calls of every call on one element, of which no order needs a key, and on two or three, which
// take exactly one each for the first column.
func TestKeyCallsOfFew(t *testing.T) {
	type element struct{ key, at int }
	for n := 1; n <= 3; n++ {
		s, dst, numbers := make([]element, n), make([]element, n), make([]uint32, n)
		for i := range s {
			s[i], numbers[i] = element{key: 1, at: i}, uint32(i)
		}
		first, second := make([]int, n), make([]int, n)
		key := func(e element) int { first[e.at]++; return e.key }
		o := sorter.By(sorter.Asc(key), sorter.Asc(func(e element) string { second[e.at]++; return "text" }))
		rows := sorter.RowsBy(n, sorter.Asc(func(i int) int { first[i]++; return 1 }), sorter.Asc(func(i int) string { second[i]++; return "text" }))
		per := sorter.RowsBy(n, sorter.Asc(func(i int) string { second[i]++; return "text" })).Per(sorter.Asc(func(i int) int { first[i]++; return 1 }))
		for _, opts := range [][]sorter.Option{nil, {sorter.OnProgress(func(sorter.Progress) {})}, {sorter.Workers(2), sorter.Stable()}} {
			var runs perm.Runs
			marked := append(slices.Clone(opts), sorter.MarkRuns(&runs))
			for name, call := range map[string]func() error{
				"Sort":              func() error { return sorter.Sort(s, key, opts...) },
				"Order":             func() error { _, err := sorter.Order(s, key, opts...); return err },
				"Order marked":      func() error { _, err := sorter.Order(s, key, marked...); return err },
				"TopK":              func() error { return sorter.TopK(s, n, key, opts...) },
				"Merge":             func() error { return sorter.Merge(dst, [][]element{s[:n/2], s[n/2:]}, key, opts...) },
				"Ordering.Sort":     func() error { return o.Sort(s, opts...) },
				"Ordering.Order":    func() error { _, err := o.Order(s, marked...); return err },
				"Ordering.TopK":     func() error { return o.TopK(s, n, opts...) },
				"Ordering.TopOrder": func() error { _, err := o.TopOrder(s, n, opts...); return err },
				"Ordering.Nth":      func() error { _, err := o.Nth(s, []int{0}, opts...); return err },
				"Ordering.Merge":    func() error { return o.Merge(dst, [][]element{s[:n/2], s[n/2:]}, opts...) },
				"SortWithin":        func() error { return o.SortWithin(s, []int{0, n}, opts...) },
				"Rows.Order":        func() error { _, err := rows.Order(marked...); return err },
				"Rows.Sort":         func() error { return rows.Sort(slices.Clone(numbers), opts...) },
				"Rows.Within":       func() error { _, err := rows.Within([]int{0, n}, marked...); return err },
				"Rows.Top":          func() error { _, err := rows.Top(n, opts...); return err },
				"Rows.Nth":          func() error { _, err := rows.Nth([]int{0}, opts...); return err },
				"Partitions.Top":    func() error { _, _, err := per.Top(1, opts...); return err },
				"Partitions.Nth":    func() error { _, err := per.Nth([]int{0}, opts...); return err },
			} {
				clear(first)
				clear(second)
				if err := call(); err != nil {
					t.Fatal(name, err)
				}
				if slices.Max(first) > 1 || slices.Max(second) > 1 || n > 1 && slices.Min(first) < 1 {
					t.Errorf("%s of %d elements, %d options: %d and %d key calls", name, n, len(opts), first, second)
				}
			}
		}
	}
}
