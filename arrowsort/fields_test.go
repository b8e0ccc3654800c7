package arrowsort_test

import (
	"context"
	"slices"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// structsOf returns a struct of fields, null where valid is false.
func structsOf(t *testing.T, valid []bool, names []string, fields ...arrow.Array) arrow.Array {
	t.Helper()
	bitmap, nulls := make([]byte, (len(valid)+7)/8), 0
	for i, ok := range valid {
		if ok {
			bitmap[i/8] |= 1 << (i % 8)
		} else {
			nulls++
		}
	}
	a, err := array.NewStructArrayWithNulls(fields, names, memory.NewBufferBytes(bitmap), nulls, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// nested returns a batch of a column id and of a struct {b: {x, y}, z} with nulls on both levels.
func nested(t *testing.T) arrow.RecordBatch {
	i8 := arrow.PrimitiveTypes.Int8
	x := arrayOf(t, i8, 5, 3, nil, 1, 4, 2)
	dt := &arrow.DictionaryType{IndexType: i8, ValueType: arrow.BinaryTypes.String}
	y := array.NewDictionaryArray(dt, arrayOf(t, i8, 0, 1, 1, 0, 1, 0), arrayOf(t, dt.ValueType, "q", "p"))
	b := structsOf(t, []bool{true, true, true, true, false, true}, []string{"x", "y"}, x, y)
	a := structsOf(t, []bool{true, true, true, false, true, true}, []string{"b", "z"}, b, array.NewNull(6))
	id := arrayOf(t, i8, 0, 1, 2, 3, 4, 5)
	fields := []arrow.Field{{Name: "id", Type: i8}, {Name: "a", Type: a.DataType(), Nullable: true}}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), []arrow.Array{id, a}, 6)
}

func TestFields(t *testing.T) {
	ctx := context.Background()
	batch := nested(t)
	slice := batch.NewSlice(1, 5)
	table := array.NewTableFromRecords(batch.Schema(), []arrow.RecordBatch{batch, slice})
	for _, c := range []struct {
		input any
		path  string
		want  []uint64 // ascending, nulls at the end
	}{
		{batch, ".a.b.x", []uint64{5, 1, 0, 2, 3, 4}},
		{batch, ".a.b.y", []uint64{1, 2, 0, 5, 3, 4}},
		{batch, ".a.z", []uint64{0, 1, 2, 3, 4, 5}},
		{slice, "[1][0][0]", []uint64{0, 1, 2, 3}},
		{slice, ".id", []uint64{0, 1, 2, 3}},
		{table, ".a.b.x", []uint64{5, 1, 6, 0, 2, 3, 4, 7, 8, 9}},
		{table, ".a.b.y", []uint64{1, 2, 6, 7, 0, 5, 3, 4, 8, 9}},
	} {
		ref, err := compute.NewFieldRefFromDotPath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := arrowsort.Fields(ctx, arrowsort.NewDatum(c.input), ref)
		if err != nil {
			t.Fatal(err)
		}
		got, err := arrowsort.SortIndicesTable(ctx, fields, by(asc))
		if got := values(t, got, err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.path, got, c.want)
		}
	}
}

func TestSortStructs(t *testing.T) {
	batch := nested(t)
	sorted, err := arrowsort.SortRecordBatch(context.Background(), batch, by(desc))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		want, got := batch.Column(1), sorted.Column(1)
		if err := array.ValidateFull(got); err != nil {
			t.Fatal(err)
		}
		if !array.SliceEqual(want, int64(i), int64(i+1), got, int64(5-i), int64(6-i)) {
			t.Errorf("rows reversed: %v, not %v", got, want)
		}
	}
}

func TestFieldsErrors(t *testing.T) {
	ctx := context.Background()
	runs := array.NewRunEndEncodedArray(arrayOf(t, arrow.PrimitiveTypes.Int16, 2), arrayOf(t, arrow.PrimitiveTypes.Int8, 1), 2, 0)
	parent := structsOf(t, []bool{true, false}, []string{"r"}, runs)
	schema := arrow.NewSchema([]arrow.Field{{Name: "p", Type: parent.DataType(), Nullable: true}}, nil)
	batch := arrowsort.NewDatum(array.NewRecordBatch(schema, []arrow.Array{parent}, 2))
	_, err := arrowsort.Fields(ctx, batch, compute.FieldRefName("q"))
	wantError(t, err, compute.ErrNoMatch)
	_, err = arrowsort.Fields(ctx, batch, compute.FieldRefList("p", "r"))
	wantError(t, err, arrow.ErrNotImplemented)
	_, err = arrowsort.Fields(ctx, arrowsort.NewDatum(runs), compute.FieldRefName("q"))
	wantError(t, err, arrow.ErrNotImplemented)
}
