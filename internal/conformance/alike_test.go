package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/perm"
)

// Calls with much, little or nothing to do give one answer to wrong options.

// optionVerb is a call with options on n rows, of which k or those at places below k are asked for.
type optionVerb struct {
	name   string
	engine bool // On asks an engine, also for one row
	run    func(n, k int, opts ...sorter.Option) error
}

// optionVerbs are all calls with options that return an error.
var optionVerbs = func() []optionVerb {
	id := func(i int) int { return i }
	by := sorter.By(sorter.Asc(id))
	elements := func(n int) []int { return make([]int, n) }
	cols := func(n int) []sorter.Column[int] { return []sorter.Column[int]{sorter.AscOf(elements(n))} }
	places := func(n, k int) []int { return make([]int, min(n, k)) }
	shares := func(k int) []float64 { return make([]float64, k) }
	third := func(_, _ any, err error) error { return err }
	offsets := func(n int) []int { return []int{0, n / 2, n} }
	all := []optionVerb{
		{"Sort", true, func(n, _ int, opts ...sorter.Option) error { return sorter.Sort(elements(n), id, opts...) }},
		{"SortKeys", true, func(n, _ int, opts ...sorter.Option) error { return sorter.SortKeys(elements(n), opts...) }},
		{"SortPairs", true, func(n, _ int, opts ...sorter.Option) error {
			return sorter.SortPairs(elements(n), elements(n), opts...)
		}},
		{"Order", true, func(n, _ int, opts ...sorter.Option) error { return ignored(sorter.Order(elements(n), id, opts...)) }},
		{"OrderKeys", true, func(n, _ int, opts ...sorter.Option) error { return ignored(sorter.OrderKeys(elements(n), opts...)) }},
		{"OrderN", true, func(n, _ int, opts ...sorter.Option) error { return ignored(sorter.OrderN(n, cols(n), opts...)) }},
		{"OrderRows", true, func(n, _ int, opts ...sorter.Option) error {
			return sorter.OrderRows(perm.Identity(n), cols(n), opts...)
		}},
		{"Ordering.Sort", true, func(n, _ int, opts ...sorter.Option) error { return by.Sort(elements(n), opts...) }},
		{"Ordering.Order", true, func(n, _ int, opts ...sorter.Option) error { return ignored(by.Order(elements(n), opts...)) }},
		{"OrderWithin", false, func(n, _ int, opts ...sorter.Option) error {
			return ignored(sorter.OrderWithin(offsets(n), cols(n), opts...))
		}},
		{"SortWithin", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.SortWithin(elements(n), offsets(n), id, opts...)
		}},
		{"Ordering.SortWithin", false, func(n, _ int, opts ...sorter.Option) error {
			return by.SortWithin(elements(n), offsets(n), opts...)
		}},
		{"TopK", false, func(n, k int, opts ...sorter.Option) error { return sorter.TopK(elements(n), k, id, opts...) }},
		{"TopKeys", false, func(n, k int, opts ...sorter.Option) error { return sorter.TopKeys(elements(n), k, opts...) }},
		{"Ordering.TopK", false, func(n, k int, opts ...sorter.Option) error { return by.TopK(elements(n), k, opts...) }},
		{"TopOrder", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.TopOrder(elements(n), k, id, opts...))
		}},
		{"Ordering.TopOrder", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(by.TopOrder(elements(n), k, opts...))
		}},
		{"TopN", false, func(n, k int, opts ...sorter.Option) error { return ignored(sorter.TopN(n, k, cols(n), opts...)) }},
		{"TopNPer", false, func(n, k int, opts ...sorter.Option) error {
			rows, parts, err := sorter.TopNPer(n, k, cols(n), cols(n), opts...)
			return third(rows, parts, err)
		}},
		{"TopNPer of one partition", false, func(n, k int, opts ...sorter.Option) error {
			rows, parts, err := sorter.TopNPer(n, k, nil, cols(n), opts...)
			return third(rows, parts, err)
		}},
		{"NthsN", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.NthsN(n, places(n, k), cols(n), opts...))
		}},
		{"NthsNPer", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.NthsNPer(n, places(n, k), cols(n), cols(n), opts...))
		}},
		{"QuantilesN", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.QuantilesN(n, shares(min(n, k)), cols(n), opts...))
		}},
		{"QuantilesNPer", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.QuantilesNPer(n, shares(k), cols(n), cols(n), opts...))
		}},
		{"QuantilesPer", false, func(n, k int, opts ...sorter.Option) error {
			all, rows, err := sorter.QuantilesPer(elements(n), shares(k), cols(n), opts...)
			return third(all, rows, err)
		}},
		{"Quantiles", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.Quantiles(elements(n), shares(k), opts...))
		}},
		{"Merge", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.Merge(elements(n), elements(n), nil, id, opts...)
		}},
		{"MergeN", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.MergeN(elements(n), [][]int{elements(n)}, id, opts...)
		}},
		{"Ordering.Merge", false, func(n, _ int, opts ...sorter.Option) error {
			return by.Merge(elements(n), nil, elements(n), opts...)
		}},
		{"Ordering.MergeN", false, func(n, _ int, opts ...sorter.Option) error {
			return by.MergeN(elements(n), [][]int{elements(n), nil}, opts...)
		}},
	}
	one := func(name string, run func(n int, opts ...sorter.Option) error) {
		all = append(all, optionVerb{name, false, func(n, _ int, opts ...sorter.Option) error { return run(max(n, 1), opts...) }})
	}
	one("Nth", func(n int, opts ...sorter.Option) error { return ignored(sorter.Nth(elements(n), n/2, id, opts...)) })
	one("NthN", func(n int, opts ...sorter.Option) error { return ignored(sorter.NthN(n, n/2, cols(n), opts...)) })
	one("Ordering.Nth", func(n int, opts ...sorter.Option) error { return ignored(by.Nth(elements(n), n/2, opts...)) })
	return all
}()

// missing returns an algorithm that no engine of the process has.
func missing(t *testing.T) sorter.Algorithm {
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if !slices.ContainsFunc(sorter.Backends(), func(b sorter.Backend) bool { return b.Runs(a) }) {
			return a
		}
	}
	t.Skip("engines have all algorithms")
	return 0
}

// TestOptionsOfNothing gives calls a cancelled context, an algorithm that no engine has, one that the engine
// of the call lacks, and an engine that fails.
func TestOptionsOfNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	lost := errors.New("lost")
	failing := func() sorter.Option { return sorter.On(&plainEngine{err: lost}) }
	for _, v := range optionVerbs {
		for _, n := range []int{0, 1, 7, 5000} {
			for _, k := range []int{0, 1, 3} {
				name := fmt.Sprintf("%s, n=%d, k=%d", v.name, n, k)
				var st sorter.Stats
				if err := v.run(n, k); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				for _, more := range [][]sorter.Option{nil, {sorter.Report(&st)}, {sorter.MemoryLimit(1 << 30)}, {sorter.Workers(2)}} {
					if err := v.run(n, k, append(more, sorter.WithContext(ctx))...); !errors.Is(err, context.Canceled) {
						t.Errorf("%s, cancelled: %v", name, err)
					}
				}
				if err := v.run(n, k, sorter.On(&plainEngine{}), sorter.Use(sorter.BucketRadix)); !errors.Is(err, sorter.ErrNoDevice) {
					t.Errorf("%s, an algorithm that the engine lacks: %v", name, err)
				}
				switch err := v.run(n, k, failing()); {
				case n == 0 && err != nil && !strings.Contains(v.name, "Nth"):
					t.Errorf("%s, nothing to ask an engine: %v", name, err)
				case n > 0 && v.engine && !errors.Is(err, lost):
					t.Errorf("%s, on an engine that fails: %v", name, err)
				}
			}
		}
	}
}

// TestMissingAlgorithm names an algorithm that no engine has.
func TestMissingAlgorithm(t *testing.T) {
	a := missing(t)
	for _, v := range optionVerbs {
		for _, n := range []int{0, 1, 7, 5000} {
			for _, k := range []int{0, 1, 3} {
				if err := v.run(n, k, sorter.Use(a)); !errors.Is(err, sorter.ErrNoDevice) {
					t.Errorf("%s, n=%d, k=%d, %v: %v", v.name, n, k, a, err)
				}
			}
		}
	}
}

// TestNilOption gives every call a nil option, alone and after others.
func TestNilOption(t *testing.T) {
	ctx := sorter.WithContext(context.Background())
	for _, v := range optionVerbs {
		for _, n := range []int{0, 3, 5000} {
			for _, opts := range [][]sorter.Option{{nil}, {ctx, nil}} {
				wantPanic(t, fmt.Sprintf("%s, n=%d, a nil option", v.name, n), func() { _ = v.run(n, 1, opts...) })
			}
		}
	}
	id := func(i int) int { return i }
	wantPanic(t, "IsSorted, a nil option", func() { sorter.IsSorted([]int{1}, id, nil) })
	wantPanic(t, "ScratchBytes, a nil option", func() { sorter.By(sorter.Asc(id)).ScratchBytes(10, nil) })
}

// wantPanic holds a call to a panic of the package's own text.
func wantPanic(t *testing.T, name string, call func()) {
	t.Helper()
	value := panicValue(call)
	if text := fmt.Sprint(value); value == nil || !strings.HasPrefix(text, "sorter: ") {
		t.Errorf("%s: panicked with %v, want a text that begins with \"sorter: \"", name, value)
	}
}

// TestRowsPastTheEnd orders rows of which columns have too few keys or validity bits: those of no key that
// are null are fine.
func TestRowsPastTheEnd(t *testing.T) {
	rows := map[string]func(n, m int, cols []sorter.Column[int]) error{ // m <= n rows, of numbers below n
		"OrderN": func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.OrderN(n, cols)) },
		"OrderN marked": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.OrderN(n, cols, sorter.MarkRuns(new(perm.Runs))))
		},
		"OrderRows": func(n, m int, cols []sorter.Column[int]) error {
			return sorter.OrderRows(perm.Identity(n)[n-m:], cols)
		},
		"OrderWithin": func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.OrderWithin([]int{0, n}, cols)) },
		"TopN":        func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.TopN(n, 1, cols)) },
		"NthN":        func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.NthN(n, 0, cols)) },
		"NthsN":       func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.NthsN(n, []int{0}, cols)) },
		"QuantilesN": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.QuantilesN(n, []float64{.5}, cols))
		},
		"NthsNPer": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.NthsNPer(n, []int{0}, cols, cols))
		},
		"QuantilesNPer": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.QuantilesNPer(n, []float64{.5}, cols, cols))
		},
		"QuantilesPer": func(n, _ int, cols []sorter.Column[int]) error {
			_, _, err := sorter.QuantilesPer(make([]int, n), []float64{.5}, cols)
			return err
		},
		"TopNPer": func(n, _ int, cols []sorter.Column[int]) error {
			_, _, err := sorter.TopNPer(n, 1, cols, cols)
			return err
		},
	}
	for name, run := range rows {
		for _, n := range []int{2, 10, 1000, 20_000} {
			few, all := n-1, make([]byte, n/8+1)
			for i := range all {
				all[i] = 0xff
			}
			padded := slices.Clone(all)
			padded[(n-1)/8] &^= 1 << ((n - 1) % 8) // the last row is null
			never, last := func(int) bool { return false }, func(row int) bool { return row == n-1 }
			for kind, c := range map[string]sorter.Column[int]{
				"ints": sorter.AscOf(make([]int, few)), "strings": sorter.AscOf(make([]string, few)),
				"bytes": sorter.FixedBinary(make([]byte, 3*few), 3).Asc(), "chunks": sorter.Chunks([][]float64{make([]float64, few)}).Desc(),
				"arena": sorter.Arena(nil, make([]int32, n)).Asc(),
			} {
				name := fmt.Sprintf("%s by %s, n=%d", name, kind, n)
				for how, col := range map[string]sorter.Column[int]{
					"no nulls": c, "a null function": c.NullsFirst(never), "nulls last": c.NullsLast(never),
					"bits": c.NullsFirstBits(all, 0), "too few bits": c.NullsLastBits(all[:few/8], 0),
					"bits from an offset": c.NullsLastBits(all, 8+n%8),
				} {
					wantPanic(t, name+", "+how, func() { _ = run(n, 1, []sorter.Column[int]{col}) })
				}
				for how, col := range map[string]sorter.Column[int]{"a null row": c.NullsFirst(last), "a null bit": c.NullsLastBits(padded, 0)} {
					if value := panicValue(func() {
						if err := run(n, 1, []sorter.Column[int]{col}); err != nil {
							t.Errorf("%s, %s: %v", name, how, err)
						}
					}); value != nil {
						t.Errorf("%s, %s: panicked with %v", name, how, value)
					}
				}
			}
		}
	}
}

// TestMisuseOfColumns draws wrong arguments of functions by columns and of options.
func TestMisuseOfColumns(t *testing.T) {
	s, id := []int{3, 1, 2}, func(i int) int { return i }
	var noKey func(int) int
	by, cols, none := sorter.By(sorter.Asc(id)), []sorter.Column[int]{sorter.Asc(id)}, []sorter.Column[int]{{}}
	runs, nan := new(perm.Runs), []float64{.5, -1}
	for name, call := range map[string]func(){
		"By a zero column":                func() { _ = sorter.By(sorter.Column[int]{}).Sort(s) },
		"Compare by a zero column":        func() { sorter.By(sorter.Column[int]{}).Compare(1, 2) },
		"OrderN by a zero column":         func() { _, _ = sorter.OrderN(3, none) },
		"OrderN of many by a zero column": func() { _, _ = sorter.OrderN(5000, none) },
		"OrderRows by a zero column":      func() { _ = sorter.OrderRows([]uint32{1}, none) },
		"OrderWithin by a zero column":    func() { _, _ = sorter.OrderWithin([]int{0, 3}, none) },
		"TopN by a zero column":           func() { _, _ = sorter.TopN(3, 1, none) },
		"TopNPer by a zero column":        func() { _, _, _ = sorter.TopNPer(3, 1, none, cols) },
		"NthsNPer by a zero column":       func() { _, _ = sorter.NthsNPer(3, []int{0}, cols, none) },
		"QuantilesPer by a zero column":   func() { _, _, _ = sorter.QuantilesPer(s, nil, none) },
		"SearchRangeN by a zero column":   func() { sorter.SearchRangeN(3, none, 1) },
		"a zero column with nulls": func() {
			_, _ = sorter.OrderN(3, []sorter.Column[int]{none[0].NullsFirst(func(int) bool { return true })})
		},
		"SearchRangeN of -1":               func() { sorter.SearchRangeN(-1, cols, 0) },
		"SearchRange, nil key":             func() { sorter.SearchRange(s, noKey, 1) },
		"TopOrder, nil key":                func() { _, _ = sorter.TopOrder(s, 1, noKey) },
		"Nth, nil key":                     func() { _, _ = sorter.Nth(s, 1, noKey) },
		"SortWithin, nil key":              func() { _ = sorter.SortWithin(s, nil, noKey) },
		"TopKeys of -1":                    func() { _ = sorter.TopKeys(s, -1) },
		"TopOrder of -1":                   func() { _, _ = sorter.TopOrder(s, -1, id) },
		"Ordering.TopOrder of -1":          func() { _, _ = by.TopOrder(s, -1) },
		"TopN of -1 rows":                  func() { _, _ = sorter.TopN(-1, 1, cols) },
		"TopN at -1":                       func() { _, _ = sorter.TopN(3, -1, cols) },
		"TopNPer of -1 rows":               func() { _, _, _ = sorter.TopNPer(-1, 1, cols, cols) },
		"TopNPer at -1":                    func() { _, _, _ = sorter.TopNPer(3, -1, cols, cols) },
		"Nth at -1":                        func() { _, _ = sorter.Nth(s, -1, id) },
		"Nth at the end":                   func() { _, _ = sorter.Nth(s, 3, id) },
		"Ordering.Nth at the end":          func() { _, _ = by.Nth(s, 3) },
		"NthN of -1 rows":                  func() { _, _ = sorter.NthN(-1, 0, cols) },
		"NthsN of -1 rows":                 func() { _, _ = sorter.NthsN(-1, nil, cols) },
		"NthsN at the end":                 func() { _, _ = sorter.NthsN(3, []int{3}, cols) },
		"NthsNPer of -1 rows":              func() { _, _ = sorter.NthsNPer(-1, nil, cols, cols) },
		"NthsNPer at -1":                   func() { _, _ = sorter.NthsNPer(3, []int{-1}, cols, cols) },
		"QuantilesN of -1 rows":            func() { _, _ = sorter.QuantilesN(-1, nil, cols) },
		"QuantilesN of nothing":            func() { _, _ = sorter.QuantilesN(0, []float64{.5}, cols) },
		"QuantilesN at -1":                 func() { _, _ = sorter.QuantilesN(3, nan, cols) },
		"QuantilesNPer at -1":              func() { _, _ = sorter.QuantilesNPer(3, nan, cols, cols) },
		"QuantilesPer at -1":               func() { _, _, _ = sorter.QuantilesPer(s, nan, cols) },
		"Quantiles at -1":                  func() { _, _ = sorter.Quantiles(s, nan) },
		"SortWithin of falling offsets":    func() { _ = sorter.SortWithin(s, []int{2, 1}, id) },
		"SortWithin from -1":               func() { _ = sorter.SortWithin(s, []int{-1, 1}, id) },
		"SortWithin past the end":          func() { _ = sorter.SortWithin(s, []int{0, 4}, id) },
		"Ordering.SortWithin past the end": func() { _ = by.SortWithin(s, []int{0, 4}) },
		"OrderWithin of falling offsets":   func() { _, _ = sorter.OrderWithin([]int{2, 1}, cols) },
		"OrderWithin from -1":              func() { _, _ = sorter.OrderWithin([]int{-1}, cols) },
		"MarkRuns(nil)":                    func() { sorter.MarkRuns(nil) },
		"MarkRunsBy(1, nil)":               func() { sorter.MarkRunsBy(1, nil) },
		"MarkRunsBy(-1)":                   func() { sorter.MarkRunsBy(-1, runs) },
		"OrderN, runs of two columns":      func() { _, _ = sorter.OrderN(3, cols, sorter.MarkRunsBy(2, runs)) },
		"OrderN of many, runs of two":      func() { _, _ = sorter.OrderN(5000, cols, sorter.MarkRunsBy(2, runs)) },
		"OrderKeys, runs of two columns":   func() { _, _ = sorter.OrderKeys(s, sorter.MarkRunsBy(2, runs)) },
		"Ordering.Order, runs of two":      func() { _, _ = by.Order(s, sorter.MarkRunsBy(2, runs)) },
		"OrderWithin, runs of two columns": func() { _, _ = sorter.OrderWithin([]int{0, 3}, cols, sorter.MarkRunsBy(2, runs)) },
		"OrderRows, runs of two columns":   func() { _ = sorter.OrderRows([]uint32{1, 0}, cols, sorter.MarkRunsBy(2, runs)) },
		"NullsFirstBits from -1":           func() { sorter.AscOf(s).NullsFirstBits([]byte{0xff}, -1) },
		"bits of strings":                  func() { sorter.Asc(func(s string) string { return s }).NullsLastBits([]byte{0xff}, 0) },
		"bits from past their end": func() {
			_, _ = sorter.OrderN(3, []sorter.Column[int]{sorter.AscOf(s).NullsLastBits([]byte{0xff}, 100)})
		},
		"Keys of no layout":  func() { sorter.Keys{}.Asc() },
		"Concat of nothing":  func() { sorter.Concat() },
		"Concat of types":    func() { sorter.Concat(sorter.Chunks([][]int{s}), sorter.Chunks([][]string{nil})) },
		"Arena past its end": func() { sorter.Arena([]byte("abc"), []int32{0, 4}) },
		"Views of 3 bytes":   func() { sorter.Views(make([]byte, 3)) },
		"FixedBinary of 0":   func() { sorter.FixedBinary(nil, 0) },
		"FixedBinary of 3":   func() { sorter.FixedBinary(make([]byte, 4), 3) },
	} {
		wantPanic(t, name, call)
	}
	p := perm.Identity(3)
	for _, keys := range [][]uint32{p, p[1:], p[:2]} {
		wantPanic(t, "Into the keys", func() { _, _ = sorter.OrderKeys(keys, sorter.Into(p)) })
		wantPanic(t, "Into the elements", func() { _, _ = sorter.Order(keys, func(k uint32) uint32 { return k }, sorter.Into(p)) })
		wantPanic(t, "Into a column", func() { _, _ = sorter.OrderN(len(keys), []sorter.Column[int]{sorter.AscOf(keys)}, sorter.Into(p)) })
	}
}
