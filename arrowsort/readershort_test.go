package arrowsort_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// shortOf returns the rows of a table in batches of at most some rows, of which the caller releases each.
func shortOf(r *rand.Rand, tbl arrow.Table, most int64) (batches []arrow.RecordBatch) {
	in := array.NewTableReader(tbl, 0)
	defer in.Release()
	for in.Next() {
		for lo, n := int64(0), in.RecordBatch().NumRows(); lo < n; {
			hi := min(n, lo+1+r.Int64N(most))
			batches = append(batches, in.RecordBatch().NewSlice(lo, hi))
			lo = hi
		}
	}
	return batches
}

// TestSortReaderShortBatches sorts tables of every type that come in short batches and go in short batches.
func TestSortReaderShortBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	eachSample(t, 1, func(t *testing.T, s sample) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		ctx := compute.WithAllocator(context.Background(), mem)
		for _, limit := range []int64{400 << 10, 64 << 20} {
			batches := shortOf(r, s.table, 1+r.Int64N(30))
			in, err := array.NewRecordReader(s.table.Schema(), batches)
			must(err)
			var st arrowsort.ReaderStats
			opts, want := drawPart(r, s, []arrowsort.ReaderOption{arrowsort.MemoryLimit(limit), arrowsort.TempDir(t.TempDir()), arrowsort.BatchRows(1 + r.IntN(8)), arrowsort.ReportReader(&st)})
			out, err := arrowsort.SortReader(ctx, in, s.keys, opts...)
			must(err)
			got, err := drained(out)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			checkRows(t, s, got, want)
			if st.Memory > limit {
				t.Errorf("%v: limit %d: %+v", s, limit, st)
			}
			for _, x := range []interface{ Release() }{got, out, in} {
				x.Release()
			}
			for _, batch := range batches {
				batch.Release()
			}
		}
		mem.AssertSize(t, 0)
	})
}

// TestShortBatchesAreJoined counts the batches that are held of many short ones: each takes time for each batch of the result.
func TestShortBatchesAreJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	s := newSample(t, r, 60_000, find("int32"))
	batches := shortOf(r, s.table, 5)
	held, err := arrowsort.Held(s.table.Schema(), s.keys, batches)
	must(err)
	if most := 60_000/1024 + 4096; len(batches) < 15_000 || held > most {
		t.Errorf("%d of %d batches, want at most %d", held, len(batches), most)
	}
	for _, batch := range batches {
		batch.Release()
	}
}
