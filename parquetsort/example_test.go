package parquetsort_test

import (
	"bytes"
	"fmt"

	"example.com/sorter/parquetsort"
	"github.com/parquet-go/parquet-go"
)

// The constructor is all that differs from parquet.NewSortingWriter.
func ExampleNewWriter() {
	type Trade struct {
		Symbol string  `parquet:"symbol"`
		Price  float64 `parquet:"price"`
	}
	var file bytes.Buffer
	w := parquetsort.NewWriter[Trade](&file, 1_000_000,
		parquet.SortingWriterConfig(
			parquet.SortingColumns(parquet.Ascending("symbol"), parquet.Descending("price")),
		),
	)
	if _, err := w.Write([]Trade{{"DEF", 3}, {"ABC", 1}, {"DEF", 2}, {"ABC", 4}}); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	trades, err := parquet.Read[Trade](bytes.NewReader(file.Bytes()), int64(file.Len()))
	fmt.Println(trades, err)
	// Output: [{ABC 4} {ABC 1} {DEF 3} {DEF 2}] <nil>
}

// Rows that do not fit in memory wait in temporary files; of rows with the same key the first
// that was written is kept.
func ExampleNewWriter_dropDuplicates() {
	type Event struct {
		ID   int64   `parquet:"id"`
		User *string `parquet:"user"`
	}
	var file bytes.Buffer
	w := parquetsort.NewWriter[Event](&file, 2,
		parquet.SortingWriterConfig(
			parquet.SortingColumns(parquet.NullsFirst(parquet.Ascending("user"))),
			parquet.SortingBuffers(parquet.NewFileBufferPool("", "events.*")),
			parquet.DropDuplicatedRows(true),
		),
	)
	ann, bob := "ann", "bob"
	for _, e := range []Event{{1, &bob}, {2, &ann}, {3, nil}, {4, &bob}, {5, &ann}} {
		if _, err := w.Write([]Event{e}); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	events, err := parquet.Read[Event](bytes.NewReader(file.Bytes()), int64(file.Len()))
	for _, e := range events {
		fmt.Print(e.ID, " ")
	}
	fmt.Println(err)
	// Output: 3 2 1 <nil>
}
