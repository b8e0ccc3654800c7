package arrowsort_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// The largest amounts of each country, and the rank of every row.
func Example() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "country", Type: arrow.BinaryTypes.String},
		{Name: "amount", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"country": "SE", "amount": 40},
		{"country": "NO", "amount": null},
		{"country": "SE", "amount": 70},
		{"country": "NO", "amount": 90},
		{"country": "SE", "amount": 70}
	]`))
	if err != nil {
		panic(err)
	}
	defer batch.Release()
	ctx := context.Background()
	keys := []arrowsort.SortKey{
		{ColumnIndex: 0},
		{ColumnIndex: 1, Order: arrowsort.SortOrderDescending},
	}

	sorted, err := arrowsort.SortRecordBatch(ctx, batch, keys)
	if err != nil {
		panic(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.Column(0), sorted.Column(1))

	ranks, err := arrowsort.Rank(ctx, arrowsort.NewDatumWithoutOwning(batch),
		arrowsort.RankOptions{Keys: keys, Tiebreaker: arrowsort.TieMin})
	if err != nil {
		panic(err)
	}
	defer ranks.Release()
	fmt.Println(ranks.(*arrowsort.ArrayDatum).MakeArray())

	// Output:
	// ["NO" "NO" "SE" "SE" "SE"] [90 (null) 70 70 40]
	// [5 2 3 1 3]
}

// integersOf returns an array of integers.
func integersOf(text string) arrow.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return a
}

// keyedTable returns a table of the columns "key" and "value".
func keyedTable(rows string) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String},
		{Name: "value", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	t, err := array.TableFromJSON(memory.DefaultAllocator, schema, []string{rows})
	if err != nil {
		panic(err)
	}
	return t
}

// An array, and a chunked array, is sorted or its row numbers are.
func ExampleSortArray() {
	ctx := context.Background()
	key := arrowsort.DefaultSortKey() // ascending, nulls at the end
	values := integersOf(`[3, null, 1]`)
	chunks := arrow.NewChunked(values.DataType(), []arrow.Array{values, integersOf(`[2]`)})

	sorted, err := arrowsort.SortArray(ctx, values, key)
	fmt.Println(sorted, err)
	order, err := arrowsort.SortIndicesArray(ctx, values, key)
	fmt.Println(order, err)
	all, err := arrowsort.SortChunked(ctx, chunks, key)
	fmt.Println(all.Chunks(), err)
	order, err = arrowsort.SortIndicesChunked(ctx, chunks, key)
	fmt.Println(order, err)
	// Output:
	// [1 3 (null)] <nil>
	// [2 0 1] <nil>
	// [[1 2 3 (null)]] <nil>
	// [2 3 0 1] <nil>
}

func ExampleSortTable() {
	ctx := context.Background()
	table := keyedTable(`[{"key": "b", "value": 1}, {"key": "a", "value": 1}, {"key": "b", "value": 2}]`)
	keys := []arrowsort.SortKey{{ColumnIndex: 0}, {ColumnIndex: 1, Order: arrowsort.SortOrderDescending}}

	sorted, err := arrowsort.SortTable(ctx, table, keys)
	if err != nil {
		panic(err)
	}
	defer sorted.Release()
	fmt.Println(sorted.Column(0).Data().Chunks(), sorted.Column(1).Data().Chunks())

	order, err := arrowsort.SortIndicesTable(ctx, table, keys)
	fmt.Println(order, err)
	// Output:
	// [["a" "b" "b"]] [[1 2 1]]
	// [1 2 0] <nil>
}

func ExampleSortIndicesRecordBatch() {
	table := keyedTable(`[{"key": "b", "value": 1}, {"key": "a", "value": 2}]`)
	rows := array.NewTableReader(table, 100)
	defer rows.Release()
	for rows.Next() {
		order, err := arrowsort.SortIndicesRecordBatch(context.Background(), rows.RecordBatch(), []arrowsort.SortKey{arrowsort.DefaultSortKey()})
		fmt.Println(order, err)
	}
	// Output: [1 0] <nil>
}

// Datums are for programs that get any kind of data: what arrow-go's compute functions take.
func ExampleSort() {
	ctx := context.Background()
	values := arrowsort.NewDatum(integersOf(`[5, 9, 5, 7]`))
	defer values.Release()
	descending := arrowsort.SortOptions{{Order: arrowsort.SortOrderDescending}}
	show := func(result arrowsort.Datum, err error) {
		if err != nil {
			panic(err)
		}
		fmt.Println(result.(*arrowsort.ArrayDatum).MakeArray())
		result.Release()
	}

	show(arrowsort.Sort(ctx, values, descending))
	show(arrowsort.SortIndices(ctx, values, descending))
	show(arrowsort.SelectK(ctx, values, 2, descending)) // row numbers of the first two
	show(arrowsort.Distinct(ctx, values, descending))   // of one row for each value
	show(arrowsort.Unique(ctx, values))                 // values in input order
	// Output:
	// [9 7 5 5]
	// [1 3 0 2]
	// [1 3]
	// [1 3 0]
	// [5 9 7]
}

// Tables that are sorted already become one.
func ExampleMergeTables() {
	tables := []arrow.Table{
		keyedTable(`[{"key": "a", "value": 1}, {"key": "c", "value": 1}]`),
		keyedTable(`[{"key": "a", "value": 2}, {"key": "b", "value": 2}]`),
	}
	merged, err := arrowsort.MergeTables(context.Background(), tables, []arrowsort.SortKey{{ColumnIndex: 0}})
	if err != nil {
		panic(err)
	}
	defer merged.Release()
	fmt.Println(merged.Column(0).Data().Chunks(), merged.Column(1).Data().Chunks())
	// Output: [["a" "a" "b" "c"]] [[1 2 2 1]]
}

// Keys inside of structs become columns, whose row numbers are those of the table.
func ExampleFields() {
	place := arrow.StructOf(arrow.Field{Name: "city", Type: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{{Name: "place", Type: place}}, nil)
	table, err := array.TableFromJSON(memory.DefaultAllocator, schema,
		[]string{`[{"place": {"city": "Oslo"}}, {"place": {"city": "Bergen"}}]`})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()

	keys, err := arrowsort.Fields(ctx, arrowsort.NewDatumWithoutOwning(table), compute.FieldRefPath(compute.FieldPath{0, 0}))
	if err != nil {
		panic(err)
	}
	order, err := arrowsort.SortIndicesTable(ctx, keys, []arrowsort.SortKey{{ColumnIndex: 0}})
	fmt.Println(order, err)
	// Output: [1 0] <nil>
}

// Options of package sorter come with the context.
func ExampleWithOptions() {
	var st sorter.Stats
	ctx := arrowsort.WithOptions(context.Background(), sorter.Workers(2), sorter.Report(&st))

	_, err := arrowsort.SortArray(ctx, integersOf(`[3, 1, 2]`), arrowsort.DefaultSortKey())

	fmt.Println(st.Engine, st.Elements, err)
	// Output: cpu 3 <nil>
}
