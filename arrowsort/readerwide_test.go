package arrowsort_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestSortReaderWideRuns sorts runs of more memory than caches hold, as SortTable does.
func TestSortReaderWideRuns(t *testing.T) {
	types := []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.BinaryTypes.LargeString, arrow.PrimitiveTypes.Int32}
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: string(rune('a' + i)), Type: typ, Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	r := rand.New(rand.NewPCG(3, 3))
	var batches []arrow.RecordBatch
	const rows = 700_000
	for n := 0; n < rows; n += 7000 {
		for range 7000 {
			for i := range types {
				appendAny(b.Field(i), r)
			}
		}
		whole := b.NewRecordBatch()
		batches = append(batches, whole.NewSlice(0, 3), whole.NewSlice(3, 7000))
	}
	in, err := array.NewRecordReader(schema, batches)
	must(err)
	var st arrowsort.ReaderStats
	out, err := arrowsort.SortReader(context.Background(), in, oneKey, arrowsort.MemoryLimit(48<<20), arrowsort.ReportReader(&st))
	must(err)
	got, err := drained(out)
	must(err)
	table := array.NewTableFromRecords(schema, batches)
	want, err := arrowsort.SortTable(context.Background(), table, oneKey)
	must(err)
	if st.Runs < 2 || !array.TableEqual(got, want) {
		t.Errorf("another table, of %d rows: %+v", got.NumRows(), st)
	}
}
