package arrowsort_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// drained returns the batches of a reader as a table, and the reader's error.
func drained(in array.RecordReader) (arrow.Table, error) {
	var batches []arrow.RecordBatch
	for in.Next() {
		batch := in.RecordBatch()
		batch.Retain()
		batches = append(batches, batch)
	}
	defer func() {
		for _, batch := range batches {
			batch.Release()
		}
	}()
	return array.NewTableFromRecords(in.Schema(), batches), in.Err()
}

// readerOf returns a reader of a table in batches of random lengths, also of none.
func readerOf(t testing.TB, r *rand.Rand, tbl arrow.Table) array.RecordReader {
	in := array.NewTableReader(tbl, 0)
	defer in.Release()
	var batches []arrow.RecordBatch
	for in.Next() {
		batch := in.RecordBatch()
		for lo := int64(0); lo < batch.NumRows(); {
			hi := min(batch.NumRows(), lo+r.Int64N(1+batch.NumRows()))
			batches = append(batches, batch.NewSlice(lo, hi))
			lo = hi
		}
	}
	out, err := array.NewRecordReader(tbl.Schema(), batches)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches {
		batch.Release()
	}
	return out
}

// drawPart draws UniqueKeys and Limit for a sample, and returns the options with them and what is left of the rows in order.
func drawPart(r *rand.Rand, s sample, opts []arrowsort.ReaderOption) ([]arrowsort.ReaderOption, []uint64) {
	want := oracle(s.rows, s.keys)
	if r.IntN(2) == 0 {
		opts = append(opts, arrowsort.UniqueKeys())
		want = slices.CompactFunc(want, func(a, b uint64) bool { return compareRows(s.rows[a], s.rows[b], s.keys) == 0 })
	}
	if r.IntN(2) == 0 {
		k := 1 + r.IntN(1+len(s.rows))
		opts = append(opts, arrowsort.Limit(int64(k)))
		want = want[:min(k, len(want))]
	}
	return opts, want
}

// TestSortReaderRandom sorts random tables of every type under small limits of memory.
func TestSortReaderRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	runs, merges := 0, 0
	eachSample(t, 4, func(t *testing.T, s sample) {
		crew := testkit.NewCrew()
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		ctx := compute.WithAllocator(context.Background(), mem)
		for _, limit := range []int64{256 << 10, 400 << 10, 8 << 20} {
			var st arrowsort.ReaderStats
			in := readerOf(t, r, s.table)
			out, err := arrowsort.SortReader(ctx, in, s.keys, arrowsort.MemoryLimit(limit), arrowsort.TempDir(t.TempDir()), arrowsort.BatchRows(1+r.IntN(100)), arrowsort.ReportReader(&st))
			if err != nil {
				t.Fatal(err)
			}
			in.Release()
			got, err := drained(out)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			checkRows(t, s, got, oracle(s.rows, s.keys))
			got.Release()
			out.Release()
			if st.Memory > limit || st.Rows != int64(len(s.rows)) {
				t.Errorf("%v: limit %d: %+v", s, limit, st)
			}
			runs, merges = runs+st.Runs, merges+st.Merges
		}
		mem.AssertSize(t, 0)
		crew.CheckAlone(t, "after a sort")
	})
	if runs < 100 {
		t.Errorf("%d runs, %d merges", runs, merges)
	}
}

// TestSortReaderOptions sorts with Limit and UniqueKeys under random limits of memory.
func TestSortReaderOptions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	var all arrowsort.ReaderStats
	eachSample(t, 3, func(t *testing.T, s sample) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		ctx := compute.WithAllocator(context.Background(), mem)
		var st arrowsort.ReaderStats
		opts := []arrowsort.ReaderOption{arrowsort.MemoryLimit(128<<10 + r.Int64N(300<<10)), arrowsort.BatchRows(1 + r.IntN(300)), arrowsort.ReportReader(&st)}
		opts, want := drawPart(r, s, opts)
		in := readerOf(t, r, s.table)
		out, err := arrowsort.SortReader(ctx, in, s.keys, opts...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drained(out)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		checkRows(t, s, got, want)
		for _, x := range []interface{ Release() }{got, out, in} {
			x.Release()
		}
		mem.AssertSize(t, 0)
		all.Runs, all.Dropped = all.Runs+st.Runs, all.Dropped+st.Dropped
	})
	if all.Runs < 50 || all.Dropped == 0 {
		t.Errorf("%+v", all)
	}
}

// TestMergeReadersRandom merges slices of random tables that are sorted each.
func TestMergeReadersRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	eachSample(t, 3, func(t *testing.T, s sample) {
		crew := testkit.NewCrew()
		ctx := context.Background()
		var readers []array.RecordReader
		for lo := int64(0); lo < s.table.NumRows() || len(readers) == 0; {
			hi := min(s.table.NumRows(), lo+1+r.Int64N(1+s.table.NumRows()/3))
			part, err := arrowsort.SortReader(ctx, array.NewTableReader(sliceOf(s.table, int(lo), int(hi)), 0), s.keys, arrowsort.BatchRows(1+r.IntN(50)))
			if err != nil {
				t.Fatal(err)
			}
			readers = append(readers, part)
			lo = hi
		}
		opts, want := drawPart(r, s, []arrowsort.ReaderOption{arrowsort.BatchRows(1 + r.IntN(100))})
		out, err := arrowsort.MergeReaders(ctx, readers, s.keys, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range readers {
			in.Release()
		}
		got, err := drained(out)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		checkRows(t, s, got, want)
		out.Release()
		crew.CheckAlone(t, "after a merge")
	})
}
