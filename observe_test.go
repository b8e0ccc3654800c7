package sorter_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// pair is an element of calls that are observed.
type pair struct {
	A int64
	B string
}

func aOf(p pair) int64 { return p.A }

func byBoth() sorter.Ordering[pair] {
	return sorter.By(sorter.Desc(aOf), sorter.Asc(func(p pair) string { return p.B }))
}

// observedCalls are the calls that report statistics, of pairs.
var observedCalls = map[string]func(s []pair, opts ...sorter.Option) error{
	"Sort": func(s []pair, opts ...sorter.Option) error { return sorter.Sort(s, aOf, opts...) },
	"Sort by strings": func(s []pair, opts ...sorter.Option) error {
		return sorter.Sort(s, func(p pair) string { return p.B }, opts...)
	},
	"SortKeys":  func(s []pair, opts ...sorter.Option) error { return sorter.SortKeys(numbersOf(s), opts...) },
	"SortPairs": func(s []pair, opts ...sorter.Option) error { return sorter.SortPairs(numbersOf(s), s, opts...) },
	"Order":     func(s []pair, opts ...sorter.Option) error { _, err := sorter.Order(s, aOf, opts...); return err },
	"OrderKeys": func(s []pair, opts ...sorter.Option) error {
		_, err := sorter.OrderKeys(numbersOf(s), opts...)
		return err
	},
	"TopK":    func(s []pair, opts ...sorter.Option) error { return sorter.TopK(s, 3, aOf, opts...) },
	"TopKeys": func(s []pair, opts ...sorter.Option) error { return sorter.TopKeys(numbersOf(s), 3, opts...) },
	"Merge": func(s []pair, opts ...sorter.Option) error {
		return sorter.Merge(make([]pair, len(s)), [][]pair{s[:len(s)/2], s[len(s)/2:]}, aOf, opts...)
	},
	"Quantiles": func(s []pair, opts ...sorter.Option) error {
		_, err := sorter.Quantiles(numbersOf(s), []float64{.5}, opts...)
		return err
	},
	"Ordering.Sort":  func(s []pair, opts ...sorter.Option) error { return byBoth().Sort(s, opts...) },
	"Ordering.Order": func(s []pair, opts ...sorter.Option) error { _, err := byBoth().Order(s, opts...); return err },
	"Ordering.TopK":  func(s []pair, opts ...sorter.Option) error { return byBoth().TopK(s, 3, opts...) },
	"Ordering.Nth":   func(s []pair, opts ...sorter.Option) error { _, err := byBoth().Nth(s, []int{2}, opts...); return err },
	"Ordering.SortWithin": func(s []pair, opts ...sorter.Option) error {
		return byBoth().SortWithin(s, []int{0, len(s) / 3, len(s)}, opts...)
	},
	"Rows.Order": func(s []pair, opts ...sorter.Option) error {
		_, err := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s))).Order(opts...)
		return err
	},
	"Rows.Top": func(s []pair, opts ...sorter.Option) error {
		_, err := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s))).Top(3, opts...)
		return err
	},
	"Rows.Sort": func(s []pair, opts ...sorter.Option) error {
		return sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s))).Sort(perm.Identity(len(s)), opts...)
	},
	"Rows.Within": func(s []pair, opts ...sorter.Option) error {
		_, err := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s))).Within([]int{0, len(s)}, opts...)
		return err
	},
	"Partitions.Nth": func(s []pair, opts ...sorter.Option) error {
		rows := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s)))
		_, err := rows.Per(sorter.Asc(func(row int) bool { return s[row].A%2 == 0 })).Nth([]int{2}, opts...)
		return err
	},
	"Partitions.Top of texts": func(s []pair, opts ...sorter.Option) error {
		rows := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s)))
		_, _, err := rows.Per(sorter.Asc(func(row int) string { return s[row].B })).Top(2, opts...)
		return err
	},
	"Partitions.Top": func(s []pair, opts ...sorter.Option) error {
		rows := sorter.RowsBy(len(s), sorter.AscOf(numbersOf(s)))
		_, _, err := rows.Per(sorter.Asc(func(row int) bool { return s[row].A%2 == 0 })).Top(2, opts...)
		return err
	},
}

func numbersOf(s []pair) []int64 {
	all := make([]int64, len(s))
	for i, p := range s {
		all[i] = p.A
	}
	return all
}

func pairsOf(n int) []pair {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	s := make([]pair, n)
	for i := range s {
		a := r.Int64N(int64(n))
		s[i] = pair{a, strings.Repeat("b", int(a%3))}
	}
	return s
}

// TestObserve holds each call to one report, the same as that of Report, with and without options, and to none when
// nobody observes.
func TestObserve(t *testing.T) {
	var got []*sorter.Stats
	defer sorter.Observe(nil)
	for name, call := range observedCalls {
		for _, n := range []int{10, 1000, 20_000} {
			for i, opts := range [][]sorter.Option{nil, {sorter.Workers(2)}, {sorter.Descending(), sorter.WithContext(t.Context())}} {
				s := pairsOf(n)
				got = nil
				sorter.Observe(func(st *sorter.Stats) { got = append(got, st) })
				var st sorter.Stats
				if i > 0 {
					opts = append(opts, sorter.Report(&st))
				}
				if err := call(s, opts...); err != nil {
					t.Fatal(name, err)
				}
				if len(got) != 1 || got[0].Elements != n || got[0].Engine == "" || got[0].Algorithm == "" {
					t.Errorf("%s of %d, options %d: %d reports, %v", name, n, i, len(got), got)
					continue
				}
				if i > 0 && (st.String() != got[0].String() || &st == got[0]) {
					t.Errorf("%s of %d: the observer gets\n%v\nReport\n%v", name, n, got[0], &st)
				}
				sorter.Observe(nil)
				got = nil
				if err := call(s, opts...); err != nil || got != nil {
					t.Errorf("%s of %d: %d reports when nobody observes, %v", name, n, len(got), err)
				}
			}
		}
	}
}

// TestObserveFunctions: sorts by a comparison are calls, too, and so is one that fails, or panics.
func TestObserveFunctions(t *testing.T) {
	defer sorter.Observe(nil)
	var reports atomic.Int64
	sorter.Observe(func(*sorter.Stats) { reports.Add(1) })
	compare := func(a, b pair) int { return int(a.A - b.A) }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func(s []pair){
		"SortFunc":  func(s []pair) { _ = sorter.SortFunc(s, compare) },
		"OrderFunc": func(s []pair) { _, _ = sorter.OrderFunc(s, compare) },
		"cancelled": func(s []pair) {
			if sorter.Sort(s, aOf, sorter.WithContext(ctx)) == nil {
				t.Error("no error")
			}
		},
		"panic": func(s []pair) {
			defer func() { _ = recover() }()
			_ = sorter.Sort(s, func(pair) int64 { panic("key") })
		},
	} {
		for _, n := range []int{10, 3000, 20_000} {
			reports.Store(0)
			if call(pairsOf(n)); reports.Load() != 1 {
				t.Errorf("%s of %d: %d reports", name, n, reports.Load())
			}
		}
	}
	reports.Store(0)
	top := sorter.NewTop(byBoth(), 5)
	top.Push(pairsOf(20_000)...)
	top.Result()
	if n := reports.Load(); n > 1 {
		t.Errorf("Top: %d reports", n)
	}
}

// BenchmarkObserve sorts 1000 elements with and without an observer.
func BenchmarkObserve(b *testing.B) {
	src := pairsOf(1000)
	s := slices.Clone(src)
	for name, f := range map[string]func(*sorter.Stats){"off": nil, "on": func(*sorter.Stats) {}} {
		b.Run(name, func(b *testing.B) {
			sorter.Observe(f)
			defer sorter.Observe(nil)
			b.ReportAllocs()
			for b.Loop() {
				copy(s, src)
				if err := sorter.Sort(s, aOf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
