package arrowsort_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// FuzzBlock decodes damaged blocks of every type: none may crash. A block without damage has the rows that were
// encoded. Checksums find all damage of a disk before.
func FuzzBlock(f *testing.F) {
	types := anyTypes()
	f.Add(uint8(0), uint16(0), uint8(0))
	f.Add(uint8(7), uint16(9), uint8(1))
	f.Add(uint8(20), uint16(5), uint8(128))
	f.Fuzz(func(t *testing.T, of uint8, at uint16, change uint8) {
		typ := types[int(of)%len(types)]
		r := rand.New(rand.NewPCG(uint64(of), 1))
		b := array.NewBuilder(memory.DefaultAllocator, typ)
		defer b.Release()
		const rows = 20
		for range rows {
			appendAny(b, r)
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "any", Type: typ, Nullable: true}}, nil)
		batch := array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, rows)
		block := arrowsort.EncodeBlock(batch)
		if change == 0 {
			got, err := arrowsort.DecodeBlock(schema, block)
			if err != nil || !array.RecordEqual(got, batch) {
				t.Fatalf("%v of %v, %v", got, batch, err)
			}
			if !bytes.Equal(arrowsort.EncodeBlock(got), block) {
				t.Fatal("the same rows in another block")
			}
			return
		}
		block[int(at)%len(block)] ^= change
		_, _ = arrowsort.DecodeBlock(schema, block)
		_, _ = arrowsort.DecodeBlock(schema, block[:int(at)%len(block)])
	})
}

// TestSortReaderLongText sorts text, lists and dictionaries of more than their offsets and indices reach, as the test says:
// batches are shorter then.
func TestSortReaderLongText(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.BinaryView, arrow.ListOf(arrow.PrimitiveTypes.Int32), arrow.ListViewOf(arrow.BinaryTypes.String)} {
		schema, batches := anyBatches(t, memory.DefaultAllocator, r, typ, 2000)
		in, err := array.NewRecordReader(schema, batches)
		must(err)
		out, err := arrowsort.SortReader(context.Background(), in, oneKey, arrowsort.MostText(300))
		must(err)
		table := array.NewTableFromRecords(schema, batches)
		order, err := arrowsort.SortIndicesTable(context.Background(), table, oneKey)
		must(err)
		sorted, err := drained(out)
		must(err)
		had, got := rowsAsText(t, table, 1), rowsAsText(t, sorted, 1)
		if n := len(sorted.Column(1).Data().Chunks()); n < 4 {
			t.Errorf("%v: %d chunks", typ, n)
		}
		for i, row := range order.(*array.Uint64).Uint64Values() {
			if got[i] != had[row] {
				t.Fatalf("%v: row %d is %s, want %s", typ, i, got[i], had[row])
			}
		}
	}
}

// TestSortReaderDictionaries merges batches whose dictionaries have together more values than indices reach.
func TestSortReaderDictionaries(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
	r := rand.New(rand.NewPCG(6, 2))
	var batches []arrow.RecordBatch
	for i := range 60 {
		b := array.NewBuilder(memory.DefaultAllocator, typ).(*array.BinaryDictionaryBuilder)
		for range 200 {
			must(b.AppendString(strings.Repeat("x", i%7) + string(rune('a'+r.IntN(90))) + string(rune('a'+i))))
		}
		batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 200))
	}
	table := array.NewTableFromRecords(schema, batches)
	order, err := arrowsort.SortIndicesTable(context.Background(), table, oneKey)
	must(err)
	had := rowsAsText(t, table, 0)
	for _, limit := range []int64{400 << 10, 64 << 20} {
		in, err := array.NewRecordReader(schema, batches)
		must(err)
		out, err := arrowsort.SortReader(context.Background(), in, oneKey, arrowsort.MemoryLimit(limit))
		must(err)
		sorted, err := drained(out)
		must(err)
		checkValid(t, sorted)
		got := rowsAsText(t, sorted, 0)
		for i, row := range order.(*array.Uint64).Uint64Values() {
			if got[i] != had[row] {
				t.Fatalf("limit %d: row %d is %s, want %s", limit, i, got[i], had[row])
			}
		}
	}
}

// TestSortReaderRounds merges more runs than memory has blocks of.
func TestSortReaderRounds(t *testing.T) {
	const rows, limit = 100_000, 300 << 10
	for name, c := range map[string]struct {
		opt  arrowsort.ReaderOption
		want func(st arrowsort.ReaderStats) int64
	}{
		"all":    {arrowsort.BatchRows(1000), func(arrowsort.ReaderStats) int64 { return rows }},
		"unique": {arrowsort.UniqueKeys(), func(st arrowsort.ReaderStats) int64 { return rows - st.Dropped }},
		"limit":  {arrowsort.Limit(rows / 2), func(arrowsort.ReaderStats) int64 { return rows / 2 }},
	} {
		var st arrowsort.ReaderStats
		out, err := arrowsort.SortReader(context.Background(), newGenerated(rows), oneKey, arrowsort.MemoryLimit(limit), arrowsort.ReportReader(&st), c.opt)
		must(err)
		got, last := int64(0), int64(-1)
		for out.Next() {
			for _, key := range out.RecordBatch().Column(0).(*array.Int64).Int64Values() {
				if key < last || key == last && name == "unique" {
					t.Fatalf("%s: %d after %d", name, key, last)
				}
				last = key
				got++
			}
		}
		must(out.Err())
		out.Release()
		if st.Merges == 0 || got != c.want(st) || st.Memory > limit || name == "unique" && st.Dropped == 0 {
			t.Errorf("%s: %d rows: %+v", name, got, st)
		}
	}
}
