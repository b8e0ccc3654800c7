package parquetsort_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"example.com/sorter/parquetsort"
	"github.com/parquet-go/parquet-go"
)

// measured is the row of the table in README.md.
type measured struct {
	ID    int64   `parquet:"id"`
	Name  string  `parquet:"name"`
	Score float64 `parquet:"score"`
	A     int64   `parquet:"a"`
	B     int64   `parquet:"b"`
}

func measuredRows(n int) []measured {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]measured, n)
	for i := range rows {
		rows[i] = measured{r.Int64(), fmt.Sprintf("name-%06d", r.IntN(n/10+1)), r.Float64(), r.Int64N(1000), int64(i)}
	}
	return rows
}

// sink is a writer of rows.
type sink interface {
	Write([]measured) (int, error)
	Reset(io.Writer)
	Close() error
}

// BenchmarkWriter writes a million rows in slices of 1000.
func BenchmarkWriter(b *testing.B) {
	const n = 1_000_000
	rows := measuredRows(n)
	orders := map[string][]parquet.SortingColumn{
		"id":         {parquet.Ascending("id")},
		"name,score": {parquet.Ascending("name"), parquet.Descending("score")},
	}
	for _, order := range []string{"id", "name,score"} {
		sorting := parquet.SortingWriterConfig(parquet.SortingColumns(orders[order]...))
		for _, buffers := range []int64{1, 10} {
			run := func(name string, w sink) {
				b.Run(fmt.Sprintf("by=%s/buffers=%d/%s", order, buffers, name), func(b *testing.B) {
					for b.Loop() {
						w.Reset(io.Discard)
						writeAll(b, w, rows)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
				})
			}
			run("parquet", parquet.NewSortingWriter[measured](io.Discard, n/buffers, sorting))
			run("sorter", parquetsort.NewWriter[measured](io.Discard, n/buffers, sorting))
		}
	}
	b.Run("encoding only", func(b *testing.B) {
		w := parquet.NewGenericWriter[measured](io.Discard)
		for b.Loop() {
			w.Reset(io.Discard)
			writeAll(b, w, rows)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
	})
}

func writeAll(b *testing.B, w sink, rows []measured) {
	for len(rows) > 0 {
		n := min(len(rows), 1000)
		if _, err := w.Write(rows[:n]); err != nil {
			b.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}
