package arrowsort_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
