package arrowsort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestReaderMemoryCounted sorts random schemas under random limits, also such as are too small, with Limit and UniqueKeys.
// Stats never have more memory than the limit, and what passes is sorted.
func TestReaderMemoryCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	var passed, refused, spilled, most int
	for i := range testkit.Pick(60, 400) {
		schema, batches := drawBatches(r)
		in, err := array.NewRecordReader(schema, batches)
		must(err)
		limit := int64(64<<10) << r.IntN(3)
		limit += r.Int64N(limit)
		var st arrowsort.ReaderStats
		opts, k := []arrowsort.ReaderOption{arrowsort.MemoryLimit(limit), arrowsort.TempDir(t.TempDir()), arrowsort.ReportReader(&st)}, 0
		if r.IntN(3) > 0 {
			k = 1 + r.IntN([]int{10, 5000, int(limit) / 128, int(limit) / 128}[r.IntN(4)]) // up to those that memory keeps
			opts = append(opts, arrowsort.Limit(int64(k)))
		}
		unique := r.IntN(3) == 0
		if unique {
			opts = append(opts, arrowsort.UniqueKeys())
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		out, err := arrowsort.SortReader(compute.WithAllocator(context.Background(), mem), in, oneKey, opts...)
		must(err)
		got, err := drained(out)
		out.Release()
		switch {
		case errors.Is(err, sorter.ErrMemoryLimit):
			refused++
		case err != nil:
			t.Fatal(err)
		default:
			passed++
			checkFirst(t, got, schema, batches, k, unique)
		}
		got.Release()
		mem.AssertSize(t, 0)
		if st.Memory > limit {
			t.Fatalf("call %d, %v in %d batches, limit %d, first %d, unique %v: %+v", i, schema, len(batches), limit, k, unique, st)
		}
		if st.Runs > 0 {
			spilled++
		}
		most = max(most, int(100*st.Memory/limit))
	}
	if passed < 25 || refused < 3 || spilled < 15 || most < 80 {
		t.Errorf("%d passed, %d refused, %d spilled, at most %d %% of the limit", passed, refused, spilled, most)
	}
}

// drawBatches draws a schema with a key and up to 3 further columns, and batches of it.
func drawBatches(r *rand.Rand) (*arrow.Schema, []arrow.RecordBatch) {
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.BinaryView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.PrimitiveTypes.Float64},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.BinaryTypes.String}}
	fields := []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}
	for i := range 1 + r.IntN(3) {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: types[min(r.IntN(len(types)+2), len(types)-1)]})
	}
	schema := arrow.NewSchema(fields, nil)
	values, keys, width, per := 1+r.IntN([]int{60, 5000}[r.IntN(2)]), []int{60, 1 << 20}[r.IntN(2)], 1+r.IntN(60), 1+r.IntN([]int{30, 3000, 20_000}[r.IntN(3)])
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var batches []arrow.RecordBatch
	for left := 1 + r.IntN(30_000); left > 0; left -= per {
		for range min(per, left) {
			for i := range fields {
				v := r.IntN(values)
				if i == 0 {
					v = r.IntN(keys)
				}
				switch x := b.Field(i).(type) {
				case *array.Int64Builder:
					x.Append(int64(v))
				case *array.BooleanBuilder:
					x.Append(v%2 == 0)
				case *array.StringBuilder:
					x.Append(strings.Repeat("s", width) + fmt.Sprint(v))
				case *array.BinaryViewBuilder:
					x.AppendString(strings.Repeat("v", width) + fmt.Sprint(v))
				case *array.Float64DictionaryBuilder:
					must(x.Append(float64(v)))
				case *array.BinaryDictionaryBuilder:
					must(x.AppendString(strings.Repeat("d", width) + fmt.Sprint(v)))
				}
			}
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return schema, batches
}

// checkFirst expects the first k rows of batches in order, of 0 all of them, of equal keys one if unique.
func checkFirst(t *testing.T, got arrow.Table, schema *arrow.Schema, batches []arrow.RecordBatch, k int, unique bool) {
	t.Helper()
	all := array.NewTableFromRecords(schema, batches)
	rows := oracle(boxedRows(columnsOfTable(all)), oneKey)
	s := sample{table: all, rows: boxedRows(columnsOfTable(all)), keys: oneKey}
	want := rows[:0:0]
	for _, row := range rows {
		if last := len(want) - 1; unique && last >= 0 && compareRows(s.rows[want[last]], s.rows[row], oneKey) == 0 {
			continue
		}
		want = append(want, row)
	}
	if k > 0 {
		want = want[:min(k, len(want))]
	}
	checkRows(t, s, got, want)
}

func columnsOfTable(tbl arrow.Table) (columns []*arrow.Chunked) {
	for i := range int(tbl.NumCols()) {
		columns = append(columns, tbl.Column(i).Data())
	}
	return columns
}
