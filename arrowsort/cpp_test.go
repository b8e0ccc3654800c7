package arrowsort_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// The cases of this file are those of Arrow C++'s tests of sort_indices, rank and select_k_unstable:
// inputs and results that any implementation has to agree with.

// arrayOf returns an array of values that are printed and parsed; nil is null.
func arrayOf(t testing.TB, dt arrow.DataType, values ...any) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	for _, v := range values {
		if octets, ok := v.(string); ok && dt.ID() == arrow.FIXED_SIZE_BINARY {
			b.(*array.FixedSizeBinaryBuilder).Append([]byte(octets))
		} else if v == nil {
			b.AppendNull()
		} else if err := b.AppendValueFromString(fmt.Sprint(v)); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

// variants returns an array as a datum, and cut into 1, 2 and 3 chunks.
func variants(a arrow.Array) []arrowsort.Datum {
	all := []arrowsort.Datum{arrowsort.NewDatumWithoutOwning(a)}
	for cuts := range min(3, a.Len()) {
		var chunks []arrow.Array
		for cut := range cuts + 1 {
			lo, hi := a.Len()*cut/(cuts+1), a.Len()*(cut+1)/(cuts+1)
			chunks = append(chunks, array.NewSlice(a, int64(lo), int64(hi)))
		}
		all = append(all, arrowsort.NewDatumWithoutOwning(arrow.NewChunked(a.DataType(), chunks)))
	}
	return all
}

// directions are all combinations of order and null placement.
var directions = []struct {
	name string
	key  arrowsort.SortKey
}{
	{"ascending, at end", arrowsort.SortKey{}},
	{"ascending, at start", arrowsort.SortKey{NullPlacement: arrowsort.SortNullsAtStart}},
	{"descending, at end", arrowsort.SortKey{Order: arrowsort.SortOrderDescending}},
	{"descending, at start", arrowsort.SortKey{Order: arrowsort.SortOrderDescending, NullPlacement: arrowsort.SortNullsAtStart}},
}

var ties = []arrowsort.Tiebreaker{arrowsort.TieMin, arrowsort.TieMax, arrowsort.TieFirst, arrowsort.TieDense}

// rankTypes are the types of the rank tests, with five values and with ties and nulls.
func rankTypes() map[arrow.DataType][2][]any {
	all := map[arrow.DataType][2][]any{}
	add := func(simple, tied []any, types ...arrow.DataType) {
		for _, dt := range types {
			all[dt] = [2][]any{simple, tied}
		}
	}
	p := arrow.PrimitiveTypes
	add([]any{2, 3, 1, 0, 5}, []any{1, 0, 5, nil, 5, nil, 0},
		p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64,
		&arrow.Decimal128Type{Precision: 5}, &arrow.Decimal256Type{Precision: 5})
	add([]any{2.1, 3.2, 1.0, 0.0, 5.5}, []any{1.2, 0.0, 5.3, nil, 5.3, nil, 0.0},
		p.Float32, p.Float64, arrow.FixedWidthTypes.Float16)
	add([]any{"b", "c", "a", "", "d"}, []any{"a", "", "e", nil, "e", nil, ""},
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView)
	add([]any{"bbb", "ccc", "aaa", "   ", "ddd"}, []any{"aaa", "   ", "eee", nil, "eee", nil, "   "},
		&arrow.FixedSizeBinaryType{ByteWidth: 3})
	return all
}

func TestRankCpp(t *testing.T) {
	simple := map[string][]uint64{
		"ascending, at end": {3, 4, 2, 1, 5}, "ascending, at start": {3, 4, 2, 1, 5},
		"descending, at end": {3, 2, 4, 5, 1}, "descending, at start": {3, 2, 4, 5, 1},
	}
	tied := map[string][4][]uint64{ // by ties
		"ascending, at end":    {{3, 1, 4, 6, 4, 6, 1}, {3, 2, 5, 7, 5, 7, 2}, {3, 1, 4, 6, 5, 7, 2}, {2, 1, 3, 4, 3, 4, 1}},
		"ascending, at start":  {{5, 3, 6, 1, 6, 1, 3}, {5, 4, 7, 2, 7, 2, 4}, {5, 3, 6, 1, 7, 2, 4}, {3, 2, 4, 1, 4, 1, 2}},
		"descending, at end":   {{3, 4, 1, 6, 1, 6, 4}, {3, 5, 2, 7, 2, 7, 5}, {3, 4, 1, 6, 2, 7, 5}, {2, 3, 1, 4, 1, 4, 3}},
		"descending, at start": {{5, 6, 3, 1, 3, 1, 6}, {5, 7, 4, 2, 4, 2, 7}, {5, 6, 3, 1, 4, 2, 7}, {3, 4, 2, 1, 2, 1, 4}},
	}
	for dt, inputs := range rankTypes() {
		for _, d := range directions {
			for i, tie := range ties {
				checkRank(t, arrayOf(t, dt), d.key, tie, []uint64{})
				checkRank(t, arrayOf(t, dt, nil), d.key, tie, []uint64{1})
				checkRank(t, arrayOf(t, dt, inputs[0]...), d.key, tie, simple[d.name])
				checkRank(t, arrayOf(t, dt, inputs[1]...), d.key, tie, tied[d.name][i])
			}
		}
	}
}

func TestRankCppBool(t *testing.T) {
	want := map[string][4][]uint64{
		"ascending, at end":    {{3, 1, 3, 6, 3, 6, 1}, {5, 2, 5, 7, 5, 7, 2}, {3, 1, 4, 6, 5, 7, 2}, {2, 1, 2, 3, 2, 3, 1}},
		"ascending, at start":  {{5, 3, 5, 1, 5, 1, 3}, {7, 4, 7, 2, 7, 2, 4}, {5, 3, 6, 1, 7, 2, 4}, {3, 2, 3, 1, 3, 1, 2}},
		"descending, at end":   {{1, 4, 1, 6, 1, 6, 4}, {3, 5, 3, 7, 3, 7, 5}, {1, 4, 2, 6, 3, 7, 5}, {1, 2, 1, 3, 1, 3, 2}},
		"descending, at start": {{3, 6, 3, 1, 3, 1, 6}, {5, 7, 5, 2, 5, 2, 7}, {3, 6, 4, 1, 5, 2, 7}, {2, 3, 2, 1, 2, 1, 3}},
	}
	a := arrayOf(t, arrow.FixedWidthTypes.Boolean, true, false, true, nil, true, nil, false)
	for _, d := range directions {
		for i, tie := range ties {
			checkRank(t, a, d.key, tie, want[d.name][i])
		}
	}
}

func TestRankCppNaNsAndNulls(t *testing.T) {
	want := map[string][]uint64{
		"ascending, at end": {1, 5, 3, 2, 3, 5}, "ascending, at start": {5, 1, 3, 6, 3, 1},
		"descending, at end": {2, 5, 3, 1, 3, 5}, "descending, at start": {6, 1, 3, 5, 3, 1},
	}
	nan := math.NaN()
	a := arrayOf(t, arrow.PrimitiveTypes.Float64, 1.0, nil, nan, 2.0, nan, nil)
	for _, d := range directions {
		checkRank(t, a, d.key, arrowsort.TieMin, want[d.name])
	}
}

func checkRank(t *testing.T, a arrow.Array, key arrowsort.SortKey, tie arrowsort.Tiebreaker, want []uint64) {
	t.Helper()
	for _, input := range variants(a) {
		got, err := arrowsort.Rank(context.Background(), input, arrowsort.RankOptions{Keys: arrowsort.SortOptions{key}, Tiebreaker: tie})
		if got := numbers(t, got, err); !slices.Equal(got, want) {
			t.Errorf("rank of %v %v by %+v, ties %d: %v, not %v", a.DataType(), a, key, tie, got, want)
		}
	}
}

func TestRankDefault(t *testing.T) {
	got, err := arrowsort.Rank(context.Background(), arrowsort.NewDatum(arrayOf(t, arrow.PrimitiveTypes.Int8, 1, nil, 1, 0)), arrowsort.RankOptions{})
	if got := numbers(t, got, err); !slices.Equal(got, []uint64{2, 4, 3, 1}) {
		t.Error(got)
	}
}

// TestChunkedNaNsCpp has a case that arrow-go skips in its own tests since it fails there.
func TestChunkedNaNsCpp(t *testing.T) {
	want := map[string][]uint64{
		"ascending, at end": {1, 6, 2, 4, 5, 0, 3}, "ascending, at start": {0, 3, 4, 5, 1, 6, 2},
		"descending, at end": {2, 1, 6, 4, 5, 0, 3}, "descending, at start": {0, 3, 4, 5, 2, 1, 6},
	}
	dt, nan := arrow.PrimitiveTypes.Float32, math.NaN()
	chunked := arrow.NewChunked(dt, []arrow.Array{arrayOf(t, dt, nil, 1), arrayOf(t, dt, 3, nil, nan), arrayOf(t, dt, nan, 1)})
	for _, d := range directions {
		got, err := arrowsort.SortIndicesChunked(context.Background(), chunked, d.key)
		if got := values(t, got, err); !slices.Equal(got, want[d.name]) {
			t.Errorf("%s: %v, not %v", d.name, got, want[d.name])
		}
	}
}

func TestSelectKCpp(t *testing.T) {
	f, u, nan := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Uint8, math.NaN()
	for _, c := range []struct {
		typ  arrow.DataType
		in   []any
		k    int64
		desc bool
		at   [2][]any // at end, at start
	}{
		{u, []any{nil, 30, 20, 10, nil}, 4, false, [2][]any{{10, 20, 30, nil}, {nil, nil, 10, 20}}},
		{u, []any{nil, 30, 20, 10, nil}, 3, false, [2][]any{{10, 20, 30}, {nil, nil, 10}}},
		{u, []any{nil, 30, 20, 10, nil}, 10, false, [2][]any{{10, 20, 30, nil, nil}, {nil, nil, 10, 20, 30}}},
		{u, []any{nil, nil, nil, nil, nil}, 4, false, [2][]any{{nil, nil, nil, nil}, {nil, nil, nil, nil}}},
		{u, []any{nil, 1, 3, nil, 2, 1}, 3, false, [2][]any{{1, 1, 2}, {nil, nil, 1}}},
		{u, []any{nil, 1, 3, nil, 2, 1}, 10, false, [2][]any{{1, 1, 2, 3, nil, nil}, {nil, nil, 1, 1, 2, 3}}},
		{u, []any{0, 1, 9, 3, 7, 2, 4, 10}, 3, true, [2][]any{{10, 9, 7}, {10, 9, 7}}},
		{u, []any{1, 2}, 0, true, [2][]any{{}, {}}},
		{f, []any{nil, 30, nan, 20, 10, nil}, 4, true, [2][]any{{30, 20, 10, nan}, {nil, nil, nan, 30}}},
		{f, []any{nil, 30, nan, 20, 10, nil}, 10, true, [2][]any{{30, 20, 10, nan, nil, nil}, {nil, nil, nan, 30, 20, 10}}},
		{f, []any{nil, nan, nan, nil, nil}, 4, false, [2][]any{{nan, nan, nil, nil}, {nil, nil, nil, nan}}},
		{f, []any{nil, nan, nan, nil, nil}, 10, false, [2][]any{{nan, nan, nil, nil, nil}, {nil, nil, nil, nan, nan}}},
		{f, []any{nil, 1, 3, nil, nan, 10, nan, 2, 1}, 3, true, [2][]any{{10, 3, 2}, {nil, nil, nan}}},
		{f, []any{100, 4, 2, 7, 8, 3, nan, 3, 1}, 4, false, [2][]any{{1, 2, 3, 3}, {nan, 1, 2, 3}}},
	} {
		in := arrayOf(t, c.typ, c.in...)
		for i, want := range c.at {
			key := arrowsort.SortKey{}
			if c.desc {
				key = desc
			}
			if i == 1 {
				key.NullPlacement = arrowsort.SortNullsAtStart
			}
			for _, input := range variants(in) {
				d, err := arrowsort.SelectK(context.Background(), input, c.k, arrowsort.SortOptions{key})
				checkValues(t, in, numbers(t, d, err), arrayOf(t, c.typ, want...))
			}
		}
	}
}

// checkValues checks that the given rows of in are want.
func checkValues(t *testing.T, in arrow.Array, rows []uint64, want arrow.Array) {
	t.Helper()
	if len(rows) != want.Len() {
		t.Fatalf("%d rows %v of %v, not %v", len(rows), rows, in, want)
	}
	for i, row := range rows {
		if compareBoxed(boxed(in, int(row)), boxed(want, i), asc) != 0 {
			t.Fatalf("rows %v of %v, not %v", rows, in, want)
		}
	}
}

// TestSelectKCppTables has nulls and NaNs in two columns, the first ascending with nulls at the
// start, the second descending.
func TestSelectKCppTables(t *testing.T) {
	nan := math.NaN()
	batch := func(a, b []any) arrow.RecordBatch {
		fields := []arrow.Field{
			{Name: "a", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
			{Name: "b", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		}
		columns := []arrow.Array{arrayOf(t, fields[0].Type, a...), arrayOf(t, fields[1].Type, b...)}
		return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(len(a)))
	}
	one := batch([]any{nil, 30, nil, nil, 20, nil, 10, nil}, []any{5, 3, 4, 6, 5, 5, 3, nil})
	two := batch([]any{nil, 1, 3, nil, 6, 6, nan, 1}, []any{5, 3, nil, nil, nil, nan, 5, 5})
	three := batch([]any{nil, nil, nan, nil, nan, nil}, []any{nil, nil, nil, nan, nan, nan})
	start, end := arrowsort.SortNullsAtStart, arrowsort.SortNullsAtEnd
	for _, c := range []struct {
		batch     arrow.RecordBatch
		k         int64
		aEnd, b   bool // nulls of a at the end, of b at the start
		wantFirst []uint64
	}{
		{one, 3, false, false, []uint64{3, 0, 5}},
		{one, 3, false, true, []uint64{7, 3, 0}},
		{one, 10, false, false, []uint64{3, 0, 5, 2, 7, 6, 4, 1}},
		{one, 10, false, true, []uint64{7, 3, 0, 5, 2, 6, 4, 1}},
		{two, 3, false, false, []uint64{0, 3, 6}},
		{two, 3, false, true, []uint64{3, 0, 6}},
		{two, 10, false, false, []uint64{0, 3, 6, 7, 1, 2, 5, 4}},
		{two, 10, false, true, []uint64{3, 0, 6, 7, 1, 2, 4, 5}},
		{three, 3, false, false, []uint64{3, 5, 0}},
		{three, 3, false, true, []uint64{0, 1, 3}},
		{three, 3, true, true, []uint64{2, 4, 0}},
		{three, 10, false, false, []uint64{3, 5, 0, 1, 4, 2}},
		{three, 10, true, true, []uint64{2, 4, 0, 1, 3, 5}},
	} {
		keys := by(asc, desc)
		keys[0].NullPlacement, keys[1].NullPlacement = start, end
		if c.aEnd {
			keys[0].NullPlacement = end
		}
		if c.b {
			keys[1].NullPlacement = start
		}
		got, err := arrowsort.SelectK(context.Background(), arrowsort.NewDatum(c.batch), c.k, keys)
		if got := numbers(t, got, err); !slices.Equal(got, c.wantFirst) {
			t.Errorf("first %d by %+v: %v, not %v", c.k, keys, got, c.wantFirst)
		}
	}
}
