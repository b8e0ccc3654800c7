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
type sink[T any] interface {
	Write([]T) (int, error)
	Reset(io.Writer)
	Close() error
}

const (
	measuredN = 1_000_000
	perWrite  = 1000 // rows of a call of Write
)

// measure writes rows to w, and reports the time and the processor time of a row.
func measure[T any](b *testing.B, name string, w sink[T], rows []T) {
	b.Run(name, func(b *testing.B) {
		before := processorTime()
		for b.Loop() {
			w.Reset(io.Discard)
			writeAll(b, w, rows)
		}
		all := float64(b.N) * float64(len(rows))
		b.ReportMetric(float64((processorTime()-before).Nanoseconds())/all, "cpu-ns/row")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/row")
	})
}

func writeAll[T any](b *testing.B, w sink[T], rows []T) {
	for len(rows) > 0 {
		n := min(len(rows), perWrite)
		if _, err := w.Write(rows[:n]); err != nil {
			b.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// compare measures parquet.SortingWriter and Writer.
func compare[T any](b *testing.B, name string, rows []T, buffers int, options ...parquet.WriterOption) {
	b.Run(name, func(b *testing.B) {
		limit := int64(len(rows) / buffers)
		measure(b, "parquet", parquet.NewSortingWriter[T](io.Discard, limit, options...), rows)
		measure(b, "sorter", parquetsort.NewWriter[T](io.Discard, limit, options...), rows)
	})
}

// BenchmarkWriter writes a million rows in one buffer and in ten.
func BenchmarkWriter(b *testing.B) {
	rows := measuredRows(measuredN)
	for _, columns := range [][]parquet.SortingColumn{by("id"), by("name", "-score")} {
		for _, buffers := range []int{1, 10} {
			name := fmt.Sprintf("by=%s/buffers=%d", columns[0].Path()[0], buffers)
			compare(b, name, rows, buffers, parquet.SortingWriterConfig(parquet.SortingColumns(columns...)))
		}
	}
}

// BenchmarkEncoding writes the rows without sorting them: the least that a writer takes.
func BenchmarkEncoding(b *testing.B) {
	measure(b, "unsorted", parquet.NewGenericWriter[measured](io.Discard), measuredRows(measuredN))
}

// rowSink writes rows of values by WriteRows.
type rowSink struct {
	sink[measured]
	to parquet.RowWriter
}

func (s rowSink) Write(rows []parquet.Row) (int, error) { return s.to.WriteRows(rows) }

// BenchmarkWriteRows writes a million rows of values in one buffer and in ten.
func BenchmarkWriteRows(b *testing.B) {
	schema := parquet.SchemaOf(measured{})
	rows := make([]parquet.Row, measuredN)
	for i, row := range measuredRows(measuredN) {
		rows[i] = schema.Deconstruct(nil, &row)
	}
	plain := parquet.NewGenericWriter[measured](io.Discard)
	measure(b, "unsorted", rowSink{plain, plain}, rows)
	for _, columns := range [][]parquet.SortingColumn{by("id"), by("name", "-score")} {
		for _, buffers := range []int64{1, 10} {
			b.Run(fmt.Sprintf("by=%s/buffers=%d", columns[0].Path()[0], buffers), func(b *testing.B) {
				config := parquet.SortingWriterConfig(parquet.SortingColumns(columns...))
				theirs := parquet.NewSortingWriter[measured](io.Discard, measuredN/buffers, config)
				ours := parquetsort.NewWriter[measured](io.Discard, measuredN/buffers, config)
				measure(b, "parquet", rowSink{theirs, theirs}, rows)
				measure(b, "sorter", rowSink{ours, ours}, rows)
			})
		}
	}
}

// BenchmarkSecondPath writes 200 000 rows that are taken apart into values.
func BenchmarkSecondPath(b *testing.B) {
	type tagged struct {
		measured
		Tags []int64 `parquet:"tags"`
		JSON string  `parquet:"json,json"`
	}
	rows := make([]tagged, measuredN/5)
	for i, r := range measuredRows(len(rows)) {
		rows[i] = tagged{r, []int64{r.A, r.B % 7}, "1"}
	}
	for _, column := range []string{"id", "tags"} {
		for _, buffers := range []int{1, 10} {
			compare(b, fmt.Sprintf("by=%s/buffers=%d", column, buffers), rows, buffers, parquet.SortingWriterConfig(parquet.SortingColumns(by(column)...)))
		}
	}
}

// BenchmarkShapes writes 200 000 rows with optional and nested fields.
func BenchmarkShapes(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]optionals, measuredN/5)
	for i := range rows {
		rows[i] = randomOptionals(r, i)
	}
	compare(b, "by=deep.a,i/buffers=10", rows, 10, parquet.SortingWriterConfig(parquet.SortingColumns(by("~deep.a", "-i")...)))
}
