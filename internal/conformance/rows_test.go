package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Rows.Sort reorders a selection as a stable sort of its rows does.

// selections draw rows below n.
var selections = []struct {
	name string
	draw func(n int) []uint32
}{
	{"all", func(n int) []uint32 { return perm.Identity(n) }},
	{"falling", func(n int) []uint32 { p := perm.Identity(n); slices.Reverse(p); return p }},
	{"every third", func(n int) []uint32 {
		return slices.DeleteFunc([]uint32(perm.Identity(n)), func(row uint32) bool { return row%3 != 0 })
	}},
	{"some, repeatedly", func(n int) []uint32 {
		r, rows := dist.Rand(uint64(n)), make([]uint32, n+n/2)
		for i := range rows {
			rows[i] = uint32(r.IntN(n))
		}
		return rows
	}},
}

func TestRowsSort(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, n := range []int{1, 2, 17, 100, 3000, 5000, testkit.Pick(20_000, 70_000)} {
		rows := nullRows(n, nullPatterns[turn%len(nullPatterns)].null)
		counter := &nullCounter{}
		counter.reset(n)
		for i, spec := range nullOrderings(func(row int) *nullRow { return &rows[row] }, counter) {
			var slice, calls []sorter.Column[int]
			for k, c := range spec {
				slice = append(slice, slicesOf(rows, c, k, i%2 == 0))
				calls = append(calls, c.column(k))
			}
			for _, s := range selections {
				if turn++; testkit.Thinned(turn) || n > 4000 && turn%3 != 0 {
					continue
				}
				o := nullOptions[turn%len(nullOptions)]
				name := fmt.Sprintf("%s of %d rows, ordering %d, %s", s.name, n, i, o.name)
				checkRowsSort(t, name, rows, slice, spec, s.draw(n), o.order, o.opts)
				checkRowsSort(t, name+", by functions", rows, calls, spec, s.draw(n), o.order, o.opts)
				if n <= 4000 { // without pooled memory under a limit
					checkRowsSort(t, name+", without options", rows, slice, spec, s.draw(n), oracle.Order{}, nil)
				}
			}
		}
	}
}

// checkRowsSort reorders a selection, and marks the runs of the result.
func checkRowsSort(t *testing.T, name string, rows []nullRow, cols []sorter.Column[int], spec []nullColumn[int], selected []uint32, o oracle.Order, opts []sorter.Option) {
	t.Helper()
	compare := comparison(spec, o)
	want := slices.Clone(selected)
	testkit.SortStable(want, func(a, b uint32) int { return compare(&rows[a], &rows[b]) })

	got := slices.Clone(selected)
	err := sorter.RowsBy(len(rows), cols...).Sort(got, append(opts, sorter.Stable())...)
	checkSame(t, name, err, got, want)

	var all, first perm.Runs
	var st sorter.Stats
	got = slices.Clone(selected)
	err = sorter.RowsBy(len(rows), cols...).Sort(got, append(opts, sorter.Stable(), sorter.MarkRuns(&all), sorter.MarkRunsBy(1, &first), sorter.Report(&st))...)
	checkSame(t, name+", with runs", err, got, want)
	checkRuns(t, "runs of "+name, got, all, func(a, b uint32) bool { return compare(&rows[a], &rows[b]) == 0 })
	by := comparison(spec[:1], o)
	checkRuns(t, "runs by a column of "+name, got, first, func(a, b uint32) bool { return by(&rows[a], &rows[b]) == 0 })
	if st.Elements != len(selected) || st.CodeBits == 0 && len(selected) > 1 || st.Algorithm == "" {
		t.Fatalf("%s: statistics %+v", name, st)
	}
}

// TestRowsSortOfNone has no rows, or no columns.
func TestRowsSortOfNone(t *testing.T) {
	for _, n := range []int{0, 3, 9000} {
		rows := []uint32(perm.Identity(n))
		slices.Reverse(rows)
		want := slices.Clone(rows)
		checkSame(t, "no columns", sorter.RowsBy(n).Sort(rows), rows, want)
		checkSame(t, "no rows", sorter.RowsBy(n, sorter.AscOf([]int{})).Sort(rows[:0]), rows, want)
	}
}

// TestRowsSortMisuse has rows that columns lack. Rows that are null need no key.
func TestRowsSortMisuse(t *testing.T) {
	keys, rows := make([]int32, 100), []uint32{3, 100, 5}
	for want, col := range map[string]sorter.Column[int]{
		"sorter: order of row 100 by a column of 100":                     sorter.AscOf(keys),
		"sorter: order of row 100 by 99 validity bits":                    sorter.AscOf(keys).NullsFirstBits(make([]byte, 13), 5),
		"sorter: column without a key function; make it with Asc or Desc": {},
	} {
		if got := panicValue(func() { _ = sorter.RowsBy(101, col).Sort(rows) }); got != want {
			t.Errorf("recovered %v, want %q", got, want)
		}
		checkSame(t, "after a panic", nil, rows, []uint32{3, 100, 5})
	}
	err := sorter.RowsBy(101, sorter.AscOf(keys).NullsFirst(func(row int) bool { return row >= 100 })).Sort(rows)
	checkSame(t, "a null without a key", err, rows, []uint32{100, 3, 5})
}

// TestRowsSortOfOtherRows has numbers that are none of the rows.
func TestRowsSortOfOtherRows(t *testing.T) {
	for _, n := range []int{0, 3, 100, 9000} {
		rows := []uint32(perm.Identity(n + 1))
		slices.Reverse(rows)
		want, key := slices.Clone(rows), sorter.Asc(func(row int) int { return row })
		for name, cols := range map[string][]sorter.Column[int]{"a function": {key}, "no columns": nil, "too many keys": {sorter.AscOf(rows)}} {
			got := panicValue(func() { _ = sorter.RowsBy(n, cols...).Sort(rows) })
			if text := fmt.Sprintf("sorter: row %d of %d rows", n, n); got != text {
				t.Errorf("%s: recovered %v, want %q", name, got, text)
			}
			checkSame(t, "after a panic", nil, rows, want)
		}
	}
}

// TestRowsSortInLittleMemory lowers the limit until rows stay as they are.
func TestRowsSortInLittleMemory(t *testing.T) {
	testkit.SkipRace(t)
	for _, n := range []int{9000, 100_000} {
		all := nullRows(n, nullPatterns[3].null)
		spec := nullOrderings(func(row int) *nullRow { return &all[row] }, &nullCounter{})[2]
		var cols []sorter.Column[int]
		for k, c := range spec {
			cols = append(cols, slicesOf(all, c, k, true))
		}
		rows := selections[3].draw(n)
		compare := comparison(spec, oracle.Order{})
		want := slices.Clone(rows)
		testkit.SortStable(want, func(a, b uint32) int { return compare(&all[a], &all[b]) })
		refused := false
		for limit := int64(n) * 150; limit > 1000 && !refused; limit -= limit / testkit.Pick[int64](3, 7) {
			refused = !checkLimit(t, "rows", rows, want, limit, func(s []uint32, opts ...sorter.Option) error {
				return sorter.RowsBy(n, cols...).Sort(s, append(opts, sorter.Stable(), sorter.Workers(2))...)
			})
		}
		if !refused {
			t.Error("no limit was too small")
		}
	}
}

// TestRowsSortCancelled cancels orders of selections, large and small.
func TestRowsSortCancelled(t *testing.T) {
	testkit.SkipInstrumented(t)
	n := scaled(400_000)
	all := nullRows(n, nullPatterns[3].null)
	spec := nullOrderings(func(row int) *nullRow { return &all[row] }, &nullCounter{})[2]
	var cols []sorter.Column[int]
	for k, c := range spec {
		cols = append(cols, slicesOf(all, c, k, k == 0))
	}
	checkCancels(t, []task{taskOn("Rows.Sort", selections[3].draw(n), func(s []uint32, opts ...sorter.Option) error {
		return sorter.RowsBy(n, cols...).Sort(s, opts...)
	})}, 6)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{20, 3000} {
		rows := selections[1].draw(n)
		for _, marks := range []bool{false, true} {
			opts := []sorter.Option{sorter.WithContext(cancelled)}
			if marks {
				opts = append(opts, sorter.MarkRuns(new(perm.Runs)))
			}
			if err := sorter.RowsBy(n, cols...).Sort(rows, opts...); !errors.Is(err, cancelled.Err()) {
				t.Errorf("%d rows, cancelled before: %v", n, err)
			}
			checkSame(t, "cancelled before", nil, rows, selections[1].draw(n))
		}
	}
}
