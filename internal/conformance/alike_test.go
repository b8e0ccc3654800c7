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
		{"Rows.Order", true, func(n, _ int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Order(opts...))
		}},
		{"Rows.Sort", true, func(n, _ int, opts ...sorter.Option) error {
			return sorter.RowsBy(n, cols(n)...).Sort(perm.Identity(n), opts...)
		}},
		{"Ordering.Sort", true, func(n, _ int, opts ...sorter.Option) error { return by.Sort(elements(n), opts...) }},
		{"Ordering.Order", true, func(n, _ int, opts ...sorter.Option) error { return ignored(by.Order(elements(n), opts...)) }},
		{"Rows.Within", false, func(n, _ int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Within(offsets(n), opts...))
		}},
		{"SortWithin", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.By(sorter.Asc(id)).SortWithin(elements(n), offsets(n), opts...)
		}},
		{"Ordering.SortWithin", false, func(n, _ int, opts ...sorter.Option) error {
			return by.SortWithin(elements(n), offsets(n), opts...)
		}},
		{"TopK", false, func(n, k int, opts ...sorter.Option) error { return sorter.TopK(elements(n), k, id, opts...) }},
		{"TopKeys", false, func(n, k int, opts ...sorter.Option) error { return sorter.TopKeys(elements(n), k, opts...) }},
		{"Ordering.TopK", false, func(n, k int, opts ...sorter.Option) error { return by.TopK(elements(n), k, opts...) }},
		{"TopOrder", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.By(sorter.Asc(id)).TopOrder(elements(n), k, opts...))
		}},
		{"Ordering.TopOrder", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(by.TopOrder(elements(n), k, opts...))
		}},
		{"Rows.Top", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Top(k, opts...))
		}},
		{"Partitions.Top", false, func(n, k int, opts ...sorter.Option) error {
			rows, parts, err := sorter.RowsBy(n, cols(n)...).Per(cols(n)...).Top(k, opts...)
			return third(rows, parts, err)
		}},
		{"Partitions.Top of one partition", false, func(n, k int, opts ...sorter.Option) error {
			rows, parts, err := sorter.RowsBy(n, cols(n)...).Per().Top(k, opts...)
			return third(rows, parts, err)
		}},
		{"Rows.Nth", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Nth(places(n, k), opts...))
		}},
		{"Partitions.Nth", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Per(cols(n)...).Nth(places(n, k), opts...))
		}},
		{"Rows.Quantiles", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Quantiles(shares(min(n, k)), opts...))
		}},
		{"Partitions.Quantiles", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.RowsBy(n, cols(n)...).Per(cols(n)...).Quantiles(shares(k), opts...))
		}},
		{"quantiles of values", false, func(n, k int, opts ...sorter.Option) error {
			all, rows, err := interpolatedPer(elements(n), shares(k), cols(n), opts...)
			return third(all, rows, err)
		}},
		{"Quantiles", false, func(n, k int, opts ...sorter.Option) error {
			return ignored(sorter.Quantiles(elements(n), shares(k), opts...))
		}},
		{"Merge", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.Merge(elements(n), [][]int{elements(n), nil}, id, opts...)
		}},
		{"Merge of many", false, func(n, _ int, opts ...sorter.Option) error {
			return sorter.Merge(elements(n), [][]int{elements(n)}, id, opts...)
		}},
		{"Ordering.Merge", false, func(n, _ int, opts ...sorter.Option) error {
			return by.Merge(elements(n), [][]int{nil, elements(n)}, opts...)
		}},
		{"Ordering.Merge of many", false, func(n, _ int, opts ...sorter.Option) error {
			return by.Merge(elements(n), [][]int{elements(n), nil}, opts...)
		}},
	}
	one := func(name string, run func(n int, opts ...sorter.Option) error) {
		all = append(all, optionVerb{name, false, func(n, _ int, opts ...sorter.Option) error { return run(max(n, 1), opts...) }})
	}
	one("Nth", func(n int, opts ...sorter.Option) error {
		return ignored(sorter.By(sorter.Asc(id)).Nth(elements(n), []int{n / 2}, opts...))
	})
	one("Rows.Nth of one", func(n int, opts ...sorter.Option) error {
		return ignored(sorter.RowsBy(n, cols(n)...).Nth([]int{n / 2}, opts...))
	})
	one("Ordering.Nth", func(n int, opts ...sorter.Option) error { return ignored(by.Nth(elements(n), []int{n / 2}, opts...)) })
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
		"Rows.Order": func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.RowsBy(n, cols...).Order()) },
		"Rows.Order marked": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Order(sorter.MarkRuns(new(perm.Runs))))
		},
		"Rows.Sort": func(n, m int, cols []sorter.Column[int]) error {
			return sorter.RowsBy(n, cols...).Sort(perm.Identity(n)[n-m:])
		},
		"Rows.Within": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Within([]int{0, n}))
		},
		"Rows.Top": func(n, _ int, cols []sorter.Column[int]) error { return ignored(sorter.RowsBy(n, cols...).Top(1)) },
		"Rows.Nth of one": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Nth([]int{0}))
		},
		"Rows.Nth": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Nth([]int{0}))
		},
		"Rows.Quantiles": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Quantiles([]float64{.5}))
		},
		"Partitions.Nth": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Per(cols...).Nth([]int{0}))
		},
		"Partitions.Quantiles": func(n, _ int, cols []sorter.Column[int]) error {
			return ignored(sorter.RowsBy(n, cols...).Per(cols...).Quantiles([]float64{.5}))
		},
		"quantiles of values": func(n, _ int, cols []sorter.Column[int]) error {
			_, _, err := interpolatedPer(make([]int, n), []float64{.5}, cols)
			return err
		},
		"Partitions.Top": func(n, _ int, cols []sorter.Column[int]) error {
			_, _, err := sorter.RowsBy(n, cols...).Per(cols...).Top(1)
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

// TestMisuseOfInto gives memory that the call reads to its result.
func TestMisuseOfInto(t *testing.T) {
	p := perm.Identity(3)
	for _, keys := range [][]uint32{p, p[1:], p[:2]} {
		wantPanic(t, "Into the keys", func() { _, _ = sorter.OrderKeys(keys, sorter.Into(p)) })
		wantPanic(t, "Into the elements", func() { _, _ = sorter.Order(keys, func(k uint32) uint32 { return k }, sorter.Into(p)) })
		wantPanic(t, "Into a column", func() { _, _ = sorter.RowsBy(len(keys), sorter.AscOf(keys)).Order(sorter.Into(p)) })
	}
}
