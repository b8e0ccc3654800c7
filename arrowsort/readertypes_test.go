package arrowsort_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// anyTypes are types of columns that are no keys: every layout that arrow-go has, and some inside of others.
func anyTypes() []arrow.DataType {
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	fields := []arrow.Field{{Name: "a", Type: number, Nullable: true}, {Name: "b", Type: text, Nullable: true}}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}
	return []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, number, arrow.PrimitiveTypes.Float64, &arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.FixedSizeBinaryType{ByteWidth: 0},
		&arrow.Decimal256Type{Precision: 50, Scale: 2}, text, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.StructOf(fields...), arrow.StructOf(),
		arrow.ListOf(text), arrow.LargeListOf(number), arrow.ListViewOf(text), arrow.LargeListViewOf(number),
		arrow.FixedSizeListOf(3, text), arrow.FixedSizeListOf(2, arrow.FixedWidthTypes.Boolean), arrow.MapOf(text, number),
		arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{5, 2}), arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{3, 7}),
		dictionary, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: number},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, text), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, number),
		extensions.NewUUIDType(),
		arrow.ListOf(arrow.StructOf(fields...)), arrow.StructOf(arrow.Field{Name: "list", Type: arrow.ListOf(arrow.BinaryTypes.StringView), Nullable: true}),
		arrow.ListOf(dictionary), arrow.StructOf(arrow.Field{Name: "d", Type: dictionary, Nullable: true}),
		arrow.FixedSizeListOf(2, arrow.ListViewOf(arrow.StructOf(fields...))), arrow.ListOf(extensions.NewUUIDType()),
		arrow.ListOf(arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{0, 1})), arrow.ListOf(arrow.MapOf(text, arrow.ListOf(number))),
	}
}

// appendAny appends a random value.
func appendAny(b array.Builder, r *rand.Rand) {
	if _, union := b.(array.UnionBuilder); !union && r.IntN(8) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(r.IntN(2) == 0)
	case *array.Int32Builder:
		b.Append(r.Int32())
	case *array.Float64Builder:
		b.Append(r.Float64())
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%05d", r.IntN(1e5)))[:b.Type().(*arrow.FixedSizeBinaryType).ByteWidth])
	case *array.StringBuilder:
		b.Append(text(r))
	case *array.BinaryBuilder:
		b.Append([]byte(text(r)))
	case *array.StringViewBuilder:
		b.Append(text(r))
	case *array.BinaryViewBuilder:
		b.Append([]byte(text(r)))
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			appendAny(b.FieldBuilder(i), r)
		}
	case *array.MapBuilder:
		b.Append(true)
		for i := range r.IntN(4) {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint(i))
			appendAny(b.ItemBuilder(), r)
		}
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range b.Type().(*arrow.FixedSizeListType).Len() {
			appendAny(b.ValueBuilder(), r)
		}
	case array.VarLenListLikeBuilder:
		n := r.IntN(5)
		b.AppendWithSize(true, n)
		for range n {
			appendAny(b.ValueBuilder(), r)
		}
	case array.UnionBuilder:
		appendUnion(b, r)
	case *array.BinaryDictionaryBuilder:
		must(b.AppendString(fmt.Sprint("value ", r.IntN(60))))
	case *array.Int32DictionaryBuilder:
		must(b.Append(int32(r.IntN(300))))
	case *array.RunEndEncodedBuilder:
		b.Append(1)
		appendAny(b.ValueBuilder(), r)
	case *extensions.UUIDBuilder:
		b.AppendBytes([16]byte{byte(r.Uint32()), 5, byte(r.Uint32())})
	default:
		must(b.AppendValueFromString(fmt.Sprint(r.IntN(1e6))))
	}
}

// appendUnion appends a value of one of the children.
func appendUnion(b array.UnionBuilder, r *rand.Rand) {
	codes := b.Type().(arrow.UnionType).TypeCodes()
	own := r.IntN(len(codes))
	switch b := b.(type) {
	case *array.SparseUnionBuilder:
		b.Append(codes[own])
		for i := range codes {
			if i == own {
				appendAny(b.Child(i), r)
			} else {
				b.Child(i).AppendEmptyValue()
			}
		}
	case *array.DenseUnionBuilder:
		b.Append(codes[own])
		appendAny(b.Child(own), r)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// anyBatches returns a reader of batches of a key of few values and a column of a type, which are slices of longer
// arrays with a dictionary of their own each.
func anyBatches(t *testing.T, mem memory.Allocator, r *rand.Rand, typ arrow.DataType, rows int) (*arrow.Schema, []arrow.RecordBatch) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int32}, {Name: "any", Type: typ, Nullable: true}}, nil)
	var batches []arrow.RecordBatch
	for left := rows; left > 0; {
		n, before, after := 1+r.IntN(min(left, 400)), r.IntN(9), r.IntN(9)
		keys, values := array.NewInt32Builder(mem), array.NewBuilder(mem, typ)
		for range before + n + after {
			keys.Append(r.Int32N(int32(rows)))
			appendAny(values, r)
		}
		columns := []arrow.Array{keys.NewArray(), values.NewArray()}
		whole := array.NewRecordBatch(schema, columns, int64(before+n+after))
		batches = append(batches, whole.NewSlice(int64(before), int64(before+n)))
		for _, x := range []interface{ Release() }{whole, columns[0], columns[1], keys, values} {
			x.Release()
		}
		left -= n
	}
	return schema, batches
}

// rowsAsText returns each row of a column.
func rowsAsText(t *testing.T, table arrow.Table, column int) []string {
	t.Helper()
	var rows []string
	for _, chunk := range table.Column(column).Data().Chunks() {
		for i := range chunk.Len() {
			text, err := json.Marshal(chunk.GetOneForMarshal(i))
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, string(text))
		}
	}
	return rows
}

// checkValid checks the arrays of a table. arrow-go refuses byte strings of width 0.
func checkValid(t *testing.T, table arrow.Table) {
	t.Helper()
	for i := range int(table.NumCols()) {
		for _, chunk := range table.Column(i).Data().Chunks() {
			if fixed, ok := chunk.DataType().(*arrow.FixedSizeBinaryType); ok && fixed.ByteWidth == 0 {
				continue
			}
			if err := array.ValidateFull(chunk); err != nil {
				t.Fatalf("column %d: %v", i, err)
			}
		}
	}
}

// TestSortReaderMovesEveryType sorts by a key and expects the rows of another column, of every type, as
// they were.
func TestSortReaderMovesEveryType(t *testing.T) {
	for _, typ := range anyTypes() {
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			for _, rows := range []int{1, 50, 3000} {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				ctx := compute.WithAllocator(context.Background(), mem)
				schema, batches := anyBatches(t, mem, r, typ, rows)
				table := array.NewTableFromRecords(schema, batches)
				keys := []arrowsort.SortKey{arrowsort.DefaultSortKey()}
				order, err := arrowsort.SortIndicesTable(ctx, table, keys)
				if err != nil {
					t.Fatal(err)
				}
				had := rowsAsText(t, table, 1)
				for _, limit := range []int64{200 << 10, 16 << 20} {
					in, err := array.NewRecordReader(schema, batches)
					must(err)
					var st arrowsort.ReaderStats
					out, err := arrowsort.SortReader(ctx, in, keys, arrowsort.MemoryLimit(limit), arrowsort.BatchRows(257), arrowsort.ReportReader(&st))
					must(err)
					in.Release()
					sorted, err := drained(out)
					if err != nil {
						t.Fatal(err)
					}
					checkValid(t, sorted)
					if got := rowsAsText(t, sorted, 1); len(got) != rows {
						t.Fatalf("%d rows of %d", len(got), rows)
					} else {
						for i, row := range order.(*array.Uint64).Uint64Values() {
							if got[i] != had[row] {
								t.Fatalf("limit %d, %d rows: row %d is %s, want %s", limit, rows, i, got[i], had[row])
							}
						}
					}
					if limit < 1<<20 && rows == 3000 && st.Runs < 2 {
						t.Errorf("%d runs", st.Runs)
					}
					sorted.Release()
					out.Release()
				}
				order.Release()
				table.Release()
				for _, batch := range batches {
					batch.Release()
				}
				mem.AssertSize(t, 0)
			}
		})
	}
}
