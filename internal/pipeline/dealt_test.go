package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// TestDealtRows orders rows of which the first column has few values, or as many as are dealt and one more. Rows that are dealt tie, by
// the first column, and have no shape. Key functions, which no row is dealt by, are called once.
func TestDealtRows(t *testing.T) {
	r := dist.Rand(71)
	for _, n := range []int{4200, 5000, 70_000} {
		for _, values := range []int{2, min(n/leastDealt, cpu.MostDealt), min(n/leastDealt, cpu.MostDealt) + 1, n} {
			for _, limit := range []int64{0, 1 << 20} {
				first, second := make([]int64, n), make([]int64, n)
				for i := range first {
					first[i], second[i] = int64(r.IntN(values))-7, int64(i/3)<<20
				}
				first[n/2], first[n/3] = -7, int64(values)-8 // both ends
				calls := 0
				third := column.SpecOf(sortkey.Int64, column.Func[int, int64](func(row int) int64 { calls++; return -int64(row) }))
				for _, specs := range [][]column.Spec{{columnOf(first), columnOf(second)}, {columnOf(first), columnOf(second), third}} {
					calls = 0
					var st stats
					var p perm.Perm
					var err error
					taken := ways.Watch(func() {
						p, err = OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: 1, Limit: limit, Report: &st})
					})
					if errors.Is(err, engine.ErrMemoryLimit) {
						continue
					}
					later := 1
					if len(specs) == 3 {
						later = -1 // by the third column
					}
					compare := func(a, b uint32) int {
						return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]), later*cmp.Compare(a, b))
					}
					if err != nil || !isOrder(p, n, compare) || calls > n {
						t.Errorf("%d rows of %d values, limit %d, %d columns: %v, %d calls", n, values, limit, len(specs), err, calls)
					}
					dealt := values <= min(n/leastDealt, cpu.MostDealt) && limit == 0 && len(specs) == 2
					if taken.Has(ways.Dealt) != dealt || dealt && (st.Ties != n || st.Shape != "") {
						t.Errorf("%d rows of %d values, limit %d, %d columns: ways %v, %d ties, shape %q", n, values, limit, len(specs), taken, st.Ties, st.Shape)
					}
				}
			}
		}
	}
}

// TestNotDealt orders rows whose first column has few values in a sample, and others far away, and rows in order by it.
func TestNotDealt(t *testing.T) {
	const n = 20_000
	second := keysOf(n, apart)
	for _, c := range []struct {
		name  string
		first func(row int) int64
		dealt bool
	}{
		{"few values", few, true},
		{"values in runs of hundreds", func(row int) int64 { return int64(row / 300 % 2) }, true},
		{"the same values at places of equal distance", func(row int) int64 { return int64(row % (n / dealtSample) / 100) }, true},
		{"in order", func(row int) int64 { return int64(row / 300) }, false},
		{"falling", func(row int) int64 { return -int64(row / 300) }, false},
		{"rising twice", func(row int) int64 { return int64(row % (n / 2) / 300) }, false},
	} {
		for _, other := range []int64{0, 10_000, 1 << 16, 1<<16 - cpu.MostDealt, 1 << 40, -1 << 13, -1 << 40} {
			first := keysOf(n, c.first)
			if other != 0 {
				first[n/3+1] = other
			}
			var p perm.Perm
			var err error
			taken := ways.Watch(func() {
				p, err = OrderRows(extract.AppendColumns(nil, []column.Spec{columnOf(first), columnOf(second)}), n, &call.Options{Workers: 3})
			})
			compare := func(a, b uint32) int {
				return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
			}
			if err != nil || !isOrder(p, n, compare) || taken.Has(ways.Dealt) != (c.dealt && other == 0) {
				t.Errorf("%s, except for a %d: wrong order, or ways %v, %v", c.name, other, taken, err)
			}
		}
	}
}

// TestDealtAtLimits orders rows of two values at an end of all codes or elsewhere, and one at the other end.
func TestDealtAtLimits(t *testing.T) {
	const n = 5000
	second := keysOf(n, apart)
	limits := []int64{math.MinInt64, math.MinInt64 + 1, math.MinInt64 + cpu.MostDealt, math.MinInt64 + 2*cpu.MostDealt, -1, 0,
		math.MaxInt64 - 2*cpu.MostDealt, math.MaxInt64 - cpu.MostDealt, math.MaxInt64 - 1, math.MaxInt64}
	dealt := 0
	for _, least := range limits[:len(limits)-1] {
		for _, other := range limits {
			first := keysOf(n, func(row int) int64 { return least + few(row)%2 })
			first[n/3+1] = other
			var p perm.Perm
			var err error
			if ways.Watch(func() {
				p, err = OrderRows(extract.AppendColumns(nil, []column.Spec{columnOf(first), columnOf(second)}), n, &call.Options{Workers: 3})
			}).Has(ways.Dealt) {
				dealt++
			}
			compare := func(a, b uint32) int {
				return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
			}
			if err != nil || !isOrder(p, n, compare) {
				t.Errorf("values from %d on, and %d: wrong order, or %v", least, other, err)
			}
		}
	}
	if dealt == 0 {
		t.Error("no rows were dealt")
	}
}

// TestDealtEnds ends a call that deals rows at each question: it reports that, or has all rows in order.
func TestDealtEnds(t *testing.T) {
	const n = 8000
	first, second := keysOf(n, few), keysOf(n, apart)
	specs := []column.Spec{columnOf(first), columnOf(second)}
	compare := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
	}
	for left, ended := int64(0), true; ended; left++ {
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(left)
		p, err := OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: 2, Ctx: ctx})
		if ended = err != nil; ended && (!errors.Is(err, context.Canceled) || p != nil) || !ended && !isOrder(p, n, compare) {
			t.Fatalf("after %d questions: %d rows, %v", left, len(p), err)
		}
	}
}

// rowWords are the words of columns of rows in memory, of as many bits each as are given: 8, 32 or 64, or 0 for a text.
func rowWords(bits ...int) []extract.Word {
	var specs []column.Spec
	for _, b := range bits {
		spec := columnOf(make([]int64, 1))
		switch b {
		case 8:
			spec = column.SpecOfSlice(sortkey.Int8, nil, 0)
		case 32:
			spec = column.SpecOfSlice(sortkey.Int32, nil, 0)
		case 0:
			spec = column.SpecOfSlice(sortkey.String, nil, 0)
		}
		specs = append(specs, spec)
	}
	cols := extract.AppendColumns(nil, specs)
	extract.ForRows(cols, 0)
	return wordsOf(cols...)
}
