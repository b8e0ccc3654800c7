package arrowsort_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
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
