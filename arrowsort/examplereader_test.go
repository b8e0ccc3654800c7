package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"example.com/sorter/arrowsort"
	"example.com/sorter/extsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// eventsOf returns a reader of some events in batches of 1000: a user and a number.
func eventsOf(schema *arrow.Schema, rows int) array.RecordReader {
	r := rand.New(rand.NewPCG(1, 2))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var batches []arrow.RecordBatch
	for i := range rows {
		b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("user %06d", r.IntN(rows)))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if i%1000 == 999 {
			batches = append(batches, b.NewRecordBatch())
		}
	}
	in, err := array.NewRecordReader(schema, batches)
	if err != nil {
		panic(err)
	}
	return in
}

// Three hundred thousand events by user, in memory for some ten thousand.
func ExampleSortReader() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "user", Type: arrow.BinaryTypes.String},
		{Name: "number", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	in := eventsOf(schema, 300_000)
	defer in.Release()

	var st arrowsort.ReaderStats
	sorted, err := arrowsort.SortReader(context.Background(), in, []arrowsort.SortKey{{ColumnIndex: 0}},
		arrowsort.MemoryLimit(4<<20), arrowsort.TempDir(os.TempDir()), arrowsort.DiskLimit(1<<30),
		arrowsort.Compress(extsort.S2), arrowsort.BatchRows(1000), arrowsort.ReportReader(&st))
	if err != nil {
		panic(err)
	}
	defer sorted.Release()
	rows, batches, ordered, last := int64(0), 0, true, ""
	for sorted.Next() {
		batch := sorted.RecordBatch()
		users := batch.Column(0).(*array.String)
		for i := range users.Len() {
			ordered, last = ordered && last <= users.Value(i), users.Value(i)
		}
		rows, batches = rows+batch.NumRows(), batches+1
	}
	if err := sorted.Err(); err != nil {
		panic(err)
	}
	fmt.Println(rows, "rows in", batches, "batches, in order:", ordered)
	fmt.Println("more than one run:", st.Runs > 1, "- within the limit:", st.Memory <= 4<<20)
	// Output:
	// 300000 rows in 300 batches, in order: true
	// more than one run: true - within the limit: true
}

// The first three users of two sorted readers, each once.
func ExampleMergeReaders() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "user", Type: arrow.BinaryTypes.String},
		{Name: "number", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	ctx, keys := context.Background(), []arrowsort.SortKey{{ColumnIndex: 0}}
	var readers []array.RecordReader
	for range 2 {
		in := eventsOf(schema, 5000)
		defer in.Release()
		sorted, err := arrowsort.SortReader(ctx, in, keys)
		if err != nil {
			panic(err)
		}
		defer sorted.Release()
		readers = append(readers, sorted)
	}
	merged, err := arrowsort.MergeReaders(ctx, readers, keys, arrowsort.UniqueKeys(), arrowsort.Limit(3))
	if err != nil {
		panic(err)
	}
	defer merged.Release()
	for merged.Next() {
		fmt.Println(merged.RecordBatch().Column(0))
	}
	if err := merged.Err(); err != nil {
		panic(err)
	}
	// Output:
	// ["user 000000" "user 000001" "user 000002"]
}
