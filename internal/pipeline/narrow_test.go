package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// wide returns one of a hundred keys that lie far apart.
func wide(row int) int64 { return few(row) << 50 }

// TestMayNarrow samples rows: columns are narrowed if most rows tie in the first word, if more columns fit it then, and if rows are not
// dealt in less time.
func TestMayNarrow(t *testing.T) {
	const n = leastNarrowed
	of := func(n int, keys ...func(row int) int64) (specs []column.Spec) {
		for _, f := range keys {
			specs = append(specs, columnOf(keysOf(n, f)))
		}
		return specs
	}
	another := func(lo, hi int) func(row int) int64 {
		return func(row int) int64 {
			if lo <= row && row < hi {
				return 1 << 62
			}
			return few(row)
		}
	}
	text := column.SpecOf(sortkey.String, column.Func[int, string](func(int) string { return "" }))
	calls := 0
	narrowFunction := column.SpecOf(sortkey.Int32, column.Func[int, int32](func(row int) int32 { calls++; return int32(few(row)) }))
	outlier := func(row int) int64 {
		if row == 0 {
			return 1 << 40
		}
		return few(row)
	}
	pair := func(row int) int64 { // of the sample, two rows tie
		if row == 5*narrowStep {
			row = 0
		}
		return int64(row)
	}
	r := dist.Rand(73)
	oneOf := func(values int) func(row int) int64 {
		return func(int) int64 { return int64(r.IntN(values)) << 26 }
	}
	for _, c := range []struct {
		name   string
		n      int
		marked bool
		specs  []column.Spec
		want   bool
	}{
		{"two columns of few keys, which are dealt", n, false, of(n, few, few), false},
		{"two columns of few keys, with runs", n, true, of(n, few, few), true},
		{"two columns of keys far apart, which cannot be dealt", n, false, of(n, wide, few), true},
		{"two columns, of as many rows as are narrowed rather than dealt", leastOverDealt, false, of(leastOverDealt, few, few), true},
		{"two columns, of fewer", leastOverDealt - 1, false, of(leastOverDealt-1, few, few), false},
		{"three columns", n, false, of(n, few, few, few), true},
		{"three columns of fewer rows", n - 1, false, of(n-1, few, few, few), false},
		{"three columns of which rows differ in the first", n, false, of(n, apart, few, few), false},
		{"columns that fill a word each", n, false, of(n, wide, wide, wide), false},
		{"columns that fill a word with two", n, false, of(n, few, wide, few), true},
		{"a second column that grows", n, false, of(n, wide, func(row int) int64 { return int64(row) << 45 }), false},
		{"a second column with other keys in front", n, false, of(n, wide, another(0, 9)), false},
		{"a second column with other keys at the end", n, false, of(n, wide, another(n-20, n)), false},
		{"one column", n, true, of(n, few), false},
		{"a function before", n, true, append([]column.Spec{byFunction(few)}, of(n, few)...), false},
		{"a function of narrow keys before", n, true, append([]column.Spec{narrowFunction}, of(n, few)...), false},
		{"two columns of few keys, one of them far away", n, false, of(n, outlier, few), true},
		{"a text before", n, true, append([]column.Spec{text}, of(n, few)...), false},
		{"a first column of half as many keys as rows", leastOverDealt, false, of(leastOverDealt, oneOf(leastOverDealt/2), few), true},
		{"a first column of which one pair of a sample ties", leastOverDealt, false, of(leastOverDealt, pair, few), false},
		{"a first column of many more keys than rows", leastOverDealt, false, of(leastOverDealt, oneOf(100*leastOverDealt), few), false},
	} {
		o := call.Options{Workers: 1}
		if c.marked {
			o.Marks = &call.Marks{Columns: call.AllColumns, Runs: new(perm.Runs)}
		}
		r, cols := requestOf(c.n, o, c.specs...)
		if got := r.orderTask(extract.RowNumbers(c.n), cols).mayNarrow(); got != c.want {
			t.Errorf("%s: narrowed %t", c.name, got)
		}
		r.End()
	}
	if calls > 0 {
		t.Errorf("%d calls of a key function", calls)
	}
}

// TestNarrowed asks for the bounds of columns until the first word is full, and of no text, nor of a first column with nulls. It leaves
// the columns of the task alone.
func TestNarrowed(t *testing.T) {
	const n = 100
	keys := columnOf(keysOf(n, few))
	nulls := withBits(keys, n, column.NullsLast, fifth)
	narrow := make([]int32, n)
	int32s := withBits(column.SpecOfSlice(sortkey.Int32, unsafe.Pointer(&narrow[0]), n), n, column.NullsLast, fifth)
	text := column.SpecOf(sortkey.String, column.Func[int, string](func(int) string { return "" }))
	texts := extract.AppendColumns(nil, []column.Spec{text})
	for _, c := range []struct {
		name   string
		specs  []column.Spec
		bits   []int // of codes, of each column whose bounds are asked for
		want   []int // bits of columns
		better bool
	}{
		{"half a word each", []column.Spec{keys, keys, keys}, []int{32, 32}, []int{32, 32, 64}, true},
		{"less than a word", []column.Spec{keys, keys, keys}, []int{32, 31, 20}, []int{32, 31, 20}, true},
		{"a whole word", []column.Spec{keys, keys}, []int{64}, []int{64, 64}, false},
		{"nulls first", []column.Spec{int32s, keys, keys}, []int{20, 20}, []int{33, 20, 20}, true},
		{"nulls that fill a word first", []column.Spec{nulls, keys, keys}, nil, []int{65, 64, 64}, false},
		{"nulls later", []column.Spec{keys, nulls, keys}, []int{20, 20, 20}, []int{20, 21, 20}, true},
		{"a text between", []column.Spec{keys, text, keys}, []int{41, 20}, []int{41, texts[0].Bits(), 20}, false},
		{"more than a word", []column.Spec{keys, keys}, []int{40, 30}, []int{40, 30}, false},
	} {
		r, cols := requestOf(n, call.Options{}, c.specs...)
		task, before := r.orderTask(extract.RowNumbers(n), cols), slices.Clone(cols)
		asked := 0
		bounds := func(*extract.Column) (least, most uint64, err error) {
			if asked++; asked > len(c.bits) {
				return 0, 0, errors.New("one too many")
			}
			return 0, math.MaxUint64 >> (64 - c.bits[asked-1]), nil
		}
		narrow, better, err := task.narrowed(bounds)
		var got, kept []int
		for i := range narrow {
			got, kept = append(got, narrow[i].Bits()), append(kept, task.cols[i].Bits()-before[i].Bits())
		}
		if err != nil || asked != len(c.bits) || better != c.better || !slices.Equal(got, c.want) || slices.Max(kept) != 0 || slices.Min(kept) != 0 {
			t.Errorf("%s: columns of %d bits, want %d, %d questions, better %t, the task's columns change by %d bits, %v", c.name, got, c.want, asked, better, kept, err)
		}
		failed := errors.New("no bounds")
		cols, better, err = task.narrowed(func(*extract.Column) (least, most uint64, err error) { return 0, 0, failed })
		if len(c.bits) > 0 && (err != failed || better || cols != nil) {
			t.Errorf("%s: %d columns, better %t, error %v", c.name, len(cols), better, err)
		}
		r.End()
	}
}

// TestNarrowColumns orders rows of few keys by one word, unless a key that no sample has takes bits. A call that ends reports that.
func TestNarrowColumns(t *testing.T) {
	const n = leastNarrowed
	first, second, third := keysOf(n, func(row int) int64 { return few(row) << 40 }), keysOf(n, func(row int) int64 { return int64(row%1000) - 500 }), keysOf(n, func(row int) int64 { return int64(-row) })
	specs := []column.Spec{columnOf(first), columnOf(second), columnOf(third)}
	compare := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]), cmp.Compare(third[a], third[b]))
	}
	order := func(o call.Options) (p perm.Perm, err error) {
		taken := ways.Watch(func() { p, err = OrderRows(extract.AppendColumns(nil, specs), n, &o) })
		if err == nil && (!isOrder(p, n, compare) || !taken.Has(ways.NarrowColumns)) {
			t.Errorf("wrong order, ways %v", taken)
		}
		return p, err
	}
	var st stats
	if _, err := order(call.Options{Workers: 2, Report: &st}); err != nil || st.CodeBits >= 64 {
		t.Errorf("rows by codes of %d bits, %v", st.CodeBits, err)
	}
	second[n/2-1], st = 1<<62, stats{}
	if _, err := order(call.Options{Workers: 2, Report: &st}); err != nil || st.CodeBits != 64 {
		t.Errorf("rows with a key that no sample has, by codes of %d bits, %v", st.CodeBits, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := order(call.Options{Ctx: ctx}); !errors.Is(err, context.Canceled) || p != nil {
		t.Errorf("an order of a call that has ended: %d rows, %v", len(p), err)
	}
}
