package conformance_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// smallOption is an option, and whether the small path serves it.
type smallOption struct {
	of     func() sorter.Option
	served bool // by the small path; other options take the general one
}

var reported sorter.Stats

// smallOptions are all options of the package, see TestSmallOptions.
var smallOptions = map[string]smallOption{
	"Stable":      {sorter.Stable, true},
	"Descending":  {sorter.Descending, true},
	"NaNsFirst":   {sorter.NaNsFirst, true},
	"NaNsLast":    {sorter.NaNsLast, true},
	"TotalOrder":  {sorter.TotalOrder, true},
	"Workers":     {func() sorter.Option { return sorter.Workers(2) }, true},
	"On":          {func() sorter.Option { return sorter.On(sorter.CPU()) }, true},
	"Use":         {func() sorter.Option { return sorter.Use(sorter.Auto) }, true},
	"Into":        {func() sorter.Option { return sorter.Into(make(perm.Perm, 5000)) }, true},
	"WithContext": {func() sorter.Option { return sorter.WithContext(neverCancelled) }, true},
	"Report":      {func() sorter.Option { return sorter.Report(&reported) }, true},
	"MemoryLimit": {func() sorter.Option { return sorter.MemoryLimit(1 << 30) }, false},
	"MarkRuns":    {func() sorter.Option { return sorter.MarkRuns(new(perm.Runs)) }, true},
	"MarkRunsBy":  {func() sorter.Option { return sorter.MarkRunsBy(1, new(perm.Runs)) }, true},
	"OnProgress":  {func() sorter.Option { return sorter.OnProgress(func(sorter.Progress) {}) }, false},
}

// smallCallVerbs call the library on s. They return what shows the order: positions, or
// the bits of keys.
var smallCallVerbs = []struct {
	name string
	run  func(s []fill, opts ...sorter.Option) ([]uint64, error)
}{
	{"Sort", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		err := sorter.Sort(s, price, opts...)
		return mapped(s, position), err
	}},
	{"Sort by string", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		err := sorter.Sort(s, longText, opts...)
		return mapped(s, position), err
	}},
	{"Order", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		p, err := sorter.Order(s, price, opts...)
		return mapped(p, wide), err
	}},
	{"OrderKeys", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		p, err := sorter.OrderKeys(mapped(s, price), opts...)
		return mapped(p, wide), err
	}},
	{"Rows.Order", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		p, err := sorter.RowsBy(len(s), sorter.Asc(func(row int) float32 { return s[row].Price })).Order(opts...)
		return mapped(p, wide), err
	}},
	{"Rows.Order by three columns", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		venue := sorter.AscOf(mapped(s, func(f fill) bool { return f.Venue&1 == 0 }))
		text := sorter.Desc(func(row int) string { return longText(s[row]) }).NullsLast(func(row int) bool { return s[row].Venue%5 == 0 })
		p, err := sorter.RowsBy(len(s), venue, text, sorter.DescOf(mapped(s, price))).Order(opts...)
		return mapped(p, wide), err
	}},
	{"SortKeys", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		keys := mapped(s, price)
		err := sorter.SortKeys(keys, opts...)
		return mapped(keys, func(k float32) uint64 { return uint64(math.Float32bits(k)) }), err
	}},
	{"SortPairs", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		positions := mapped(s, position)
		err := sorter.SortPairs(mapped(s, longText), positions, opts...)
		return positions, err
	}},
	{"TopK", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		err := sorter.TopK(s, len(s)/2, price, opts...)
		return mapped(s[:len(s)/2], position), err
	}},
	{"TopKeys", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		keys := mapped(s, func(f fill) uint16 { return f.Venue })
		err := sorter.TopKeys(keys, len(s)/2, opts...)
		return mapped(keys[:len(s)/2], func(k uint16) uint64 { return uint64(k) }), err
	}},
	{"Merge", func(s []fill, opts ...sorter.Option) ([]uint64, error) { return mergedRuns(s, 2, opts) }},
	{"Merge of many", func(s []fill, opts ...sorter.Option) ([]uint64, error) { return mergedRuns(s, 5, opts) }},
	{"Ordering.Sort", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		err := smallByText.Sort(s, opts...)
		return mapped(s, position), err
	}},
	{"Ordering.Order", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		p, err := smallByText.Order(s, opts...)
		return mapped(p, wide), err
	}},
	{"Ordering.TopK", func(s []fill, opts ...sorter.Option) ([]uint64, error) {
		err := smallByText.TopK(s, len(s)/2, opts...)
		return mapped(s[:len(s)/2], position), err
	}},
}

var smallByText = sorter.By(sorter.Desc(longText).NullsFirst(func(f fill) bool { return f.Venue%7 == 0 }), sorter.Asc(price))

// mergedRuns cuts s into k runs, sorts each and merges them.
func mergedRuns(s []fill, k int, opts []sorter.Option) ([]uint64, error) {
	var runs [][]fill
	for i := range k {
		run := s[i*len(s)/k : (i+1)*len(s)/k]
		_ = sorter.Sort(run, price, opts...) // a cancelled context ends Merge of many, too
		runs = append(runs, run)
	}
	dst := make([]fill, len(s))
	err := sorter.Merge(dst, runs, price, opts...)
	return mapped(dst, position), err
}

func longText(f fill) string    { return "some text longer than a code"[f.Venue%16:] }
func position(f fill) uint64    { return f.Pos }
func wide(number uint32) uint64 { return uint64(number) }

// withNaNs are fills of which some have no price.
func withNaNs(n int) []fill {
	s := fills(n)
	for i := range s {
		if i%9 == 4 {
			s[i].Price = float32(math.NaN())
		}
	}
	return s
}

// TestSmallOptions decides about every option of the package, alone and in pairs: the
// result is that of the general path, and Report says which path it was.
func TestSmallOptions(t *testing.T) {
	names := slices.Sorted(maps.Keys(smallOptions))
	if all := optionsOf(t); !slices.Equal(names, all) {
		t.Fatalf("smallOptions has %v, the package has %v: decide in config.small whether the small path serves an option", names, all)
	}
	general := sorter.OnProgress(func(sorter.Progress) {})
	for _, n := range []int{0, 1, 2, 10, 17, 100, 4096, 4097} {
		if n > 100 && !testkit.Long() {
			continue
		}
		in := withNaNs(n)
		for _, v := range smallCallVerbs {
			for i, a := range names {
				for _, b := range names[i:] {
					name := strings.Join([]string{v.name, a, b}, ", ")
					opts := []sorter.Option{smallOptions[a].of(), smallOptions[b].of()}
					want, err := v.run(slices.Clone(in), append(opts, general)...)
					if err != nil {
						t.Fatalf("%s, n=%d, on the general path: %v", name, n, err)
					}
					want = slices.Clone(want)
					reported = sorter.Stats{Rounds: 99}
					got, err := v.run(slices.Clone(in), opts...)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%s, n=%d: not the result of the general path, error %v", name, n, err)
					}
					if a == "Report" || b == "Report" {
						small := n <= 4096 && smallOptions[a].served && smallOptions[b].served && !(n < 2 && strings.Contains(v.name, "Top"))
						checkSmallStats(t, name, &reported, n, small)
					}
				}
			}
		}
	}
}

func checkSmallStats(t *testing.T, name string, st *sorter.Stats, n int, small bool) {
	t.Helper()
	switch {
	case st.Elements != n, st.Engine != sorter.CPU().Name(), st.Total <= 0, (st.Algorithm == "Small") != small,
		small && (st.Workers != 1 || st.CodeBits < 1 || st.CodeBits > 64 || st.Rounds != 0 || st.Ties > n || n > 40 && st.Scratch < int64(4*n)):
		t.Errorf("%s, n=%d, small %v: %+v", name, n, small, *st)
	}
}

// optionsOf returns the names of all functions of the package that return an Option.
func optionsOf(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || file.Name.Name != "sorter" || f.Type.Results.NumFields() != 1 {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && result.Name == "Option" {
				names = append(names, f.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestSmallOptionsCancelled makes calls under a context that is over: nothing is called
// or moved, and there is no result.
func TestSmallOptionsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{0, 1, 2, 10, 17, 100, 4096} {
		in := fills(n)
		for _, v := range smallCallVerbs {
			s := slices.Clone(in)
			reported = sorter.Stats{}
			got, err := v.run(s, sorter.WithContext(ctx), sorter.Report(&reported))
			if !errors.Is(err, context.Canceled) || !slices.Equal(s, in) || strings.Contains(v.name, "Order") && !strings.Contains(v.name, "ing.") && len(got) > 0 {
				t.Errorf("%s, n=%d: error %v, or something moved", v.name, n, err)
			}
			if reported.Elements != n || reported.Engine == "" {
				t.Errorf("%s, n=%d: Stats %+v", v.name, n, reported)
			}
		}
	}
	called := func(fill) float32 { t.Error("called under a context that is over"); return 0 }
	_ = sorter.Sort(fills(10), called, sorter.WithContext(ctx))
	_ = sorter.By(sorter.Asc(called)).Sort(fills(100), sorter.WithContext(ctx))
}

// TestSmallFurtherSlowCalls cancels slow calls on the small path: none begins afterwards.
// A key function that was quick in one call may be slow in the next.
func TestSmallFurtherSlowCalls(t *testing.T) {
	for _, n := range []int{10, 100} {
		in := paceRows(n, false)
		eachCounted(func(r paceRow) paceRow { return r }, func(name string, cols func(a *alarm) []sorter.Column[paceRow]) {
			a := &alarm{at: 3}
			a.cancel = func() {}
			by := sorter.By(cols(a)...)
			if err := by.Sort(slices.Clone(in), sorter.WithContext(t.Context())); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			a.calls.Store(0)
			a.rung.Store(false)
			a.further.Store(0)
			a.each, a.cancel = 1500*time.Microsecond, cancel
			s := slices.Clone(in)
			err := by.Sort(s, sorter.WithContext(ctx), sorter.Workers(8))
			if !errors.Is(err, context.Canceled) || a.further.Load() > 0 || !slices.Equal(s, in) {
				t.Errorf("%s, n=%d: error %v, %d further calls", name, n, err, a.further.Load())
			}
		})
	}
}

// TestSmallOptionsAllocs holds calls with options to the allocations of those without.
func TestSmallOptionsAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	byPrice := sorter.By(sorter.Asc(price), sorter.Asc(func(f fill) int64 { return f.ID }))
	for _, n := range []int{1, 10, 100, 4096} {
		in := fills(n)
		s, keys, p := slices.Clone(in), mapped(in, price), make(perm.Perm, n)
		rows := []sorter.Column[int]{sorter.AscOf(keys)}
		for verb, run := range map[string]func(opts []sorter.Option){
			"Sort":           func(opts []sorter.Option) { copy(s, in); _ = sorter.Sort(s, price, opts...) },
			"Sort by string": func(opts []sorter.Option) { copy(s, in); _ = sorter.Sort(s, longText, opts...) },
			"SortKeys":       func(opts []sorter.Option) { _ = sorter.SortKeys(keys, opts...) },
			"SortPairs":      func(opts []sorter.Option) { _ = sorter.SortPairs(keys, s, opts...) },
			"Order":          func(opts []sorter.Option) { _, _ = sorter.Order(in, price, opts...) },
			"Rows.Order":     func(opts []sorter.Option) { _, _ = sorter.RowsBy(n, rows...).Order(opts...) },
			"TopK":           func(opts []sorter.Option) { _ = sorter.TopK(s, (n+1)/2, price, opts...) },
			"Ordering.Sort":  func(opts []sorter.Option) { copy(s, in); _ = byPrice.Sort(s, opts...) },
			"Ordering.Order": func(opts []sorter.Option) { _, _ = byPrice.Order(s, opts...) },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			opts := []sorter.Option{sorter.Into(p)}
			bare := testing.AllocsPerRun(20, func() { run(opts) })
			opts = append(opts, sorter.WithContext(ctx))
			for name, o := range smallOptions {
				if !o.served || name == "Into" || strings.HasPrefix(name, "Mark") { // runs are new memory
					continue
				}
				opts := append(opts, o.of())
				if got := testing.AllocsPerRun(20, func() { run(opts) }); got > bare {
					t.Errorf("%s with %s, n=%d: %v allocations, and %v without", verb, name, n, got, bare)
				}
			}
			cancel()
			if most := map[string]float64{"Rows.Order": 3, "Sort by string": 1, "TopK": 1}[verb]; bare > most {
				t.Errorf("%s, n=%d: %v allocations, want at most %v", verb, n, bare, most)
			}
		}
	}
}
