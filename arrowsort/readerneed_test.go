package arrowsort_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// TestReaderNeed repeats a sort with the limit that its error asks for. It takes a few times only, whatever the first limit,
// and the error comes before the first batch.
func TestReaderNeed(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows, limit := 1000+r.IntN(50_000), int64(1+r.IntN(200_000))
		first := limit
		for tries := 0; ; tries++ {
			got, err := sortedRows(rows, limit, t.TempDir())
			var small *sorter.MemoryError
			if !errors.As(err, &small) {
				if err != nil || got != rows {
					t.Errorf("%d rows, first limit %d: %d rows, %v", rows, first, got, err)
				}
				break
			}
			if small.Limit != limit || small.Need <= limit || got > 0 || tries > 20 {
				t.Fatalf("%d rows, first limit %d: after %d rows and %d tries: %v", rows, first, got, tries, err)
			}
			limit = small.Need
		}
	}
}

// TestReaderNeedIsEnough repeats sorts of random schemas with the limit that their error asks for, once. Rows are of about one
// width, and of one dictionary.
func TestReaderNeedIsEnough(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	refused := 0
	for range testkit.Pick(60, 400) {
		schema, batches := drawBatches(r)
		batches = batches[:1]
		limit := int64(1 + r.IntN([]int{1 << 10, 64 << 10, 300 << 10}[r.IntN(3)]))
		var opts []arrowsort.ReaderOption
		if r.IntN(3) == 0 {
			opts = append(opts, arrowsort.Limit(int64(1+r.IntN(3000))))
		}
		sorted := func(limit int64) error {
			in, err := array.NewRecordReader(schema, batches)
			must(err)
			out, err := arrowsort.SortReader(context.Background(), in, oneKey, append(opts, arrowsort.MemoryLimit(limit), arrowsort.TempDir(t.TempDir()))...)
			must(err)
			defer out.Release()
			for out.Next() {
			}
			return out.Err()
		}
		var small *sorter.MemoryError
		err := sorted(limit)
		if errors.As(err, &small) {
			refused++
			err = sorted(small.Need)
		}
		if err != nil {
			t.Errorf("%v, limit %d: %v", schema, limit, err)
		}
	}
	if refused < 20 {
		t.Errorf("%d refused", refused)
	}
}

// sortedRows sorts generated rows and returns how many came out.
func sortedRows(rows int, limit int64, dir string) (got int, err error) {
	out, err := arrowsort.SortReader(context.Background(), newGenerated(rows), oneKey, arrowsort.MemoryLimit(limit), arrowsort.TempDir(dir))
	if err != nil {
		return 0, err
	}
	defer out.Release()
	for out.Next() {
		got += int(out.RecordBatch().NumRows())
	}
	return got, out.Err()
}
