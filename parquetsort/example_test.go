package parquetsort_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/sorter"
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

// The smallest amounts of a file: statistics of a row group say that all its rows come after those that are held.
func Example_topOfRowGroups() {
	type Sale struct {
		Amount int64  `parquet:"amount"`
		Item   string `parquet:"item"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[Sale](&file)
	for _, group := range [][]Sale{{{20, "pen"}, {7, "ink"}, {30, "book"}}, {{25, "cup"}, {21, "map"}}, {{5, "nib"}, {40, "lamp"}}} {
		if _, err := w.Write(group); err != nil {
			panic(err)
		}
		if err := w.Flush(); err != nil { // ends the row group
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	sales, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		panic(err)
	}

	byAmount, err := sorter.ByFields[Sale]("Amount")
	if err != nil {
		panic(err)
	}
	top := sorter.NewTop(byAmount, 2)
	for i, group := range sales.RowGroups() {
		least, _, ok := group.ColumnChunks()[0].(*parquet.FileColumnChunk).Bounds()
		if bound, full := top.Bound(); ok && full && byAmount.Compare(Sale{Amount: least.Int64()}, bound) >= 0 {
			fmt.Println("skipped row group", i)
			continue
		}
		rows := parquet.NewGenericRowGroupReader[Sale](group)
		batch := make([]Sale, group.NumRows())
		n, err := rows.Read(batch)
		if err != nil && err != io.EOF {
			panic(err)
		}
		top.Push(batch[:n]...)
		if err := rows.Close(); err != nil {
			panic(err)
		}
	}
	fmt.Println(top.Result())
	// Output:
	// skipped row group 1
	// [{5 nib} {7 ink}]
}

// One Writer writes file after file, which reuse its memory: here from rows of values.
func ExampleWriter_Reset() {
	type Event struct {
		Day  int32  `parquet:"day"`
		Name string `parquet:"name"`
	}
	w := parquetsort.NewWriter[Event](io.Discard, 1000,
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("day"))),
	)
	w.SetKeyValueMetadata("source", "events")
	for range 2 {
		var file bytes.Buffer
		w.Reset(&file)
		rows := []parquet.Row{w.Schema().Deconstruct(nil, &Event{3, "c"}), w.Schema().Deconstruct(nil, &Event{1, "a"})}
		if _, err := w.WriteRows(rows); err != nil {
			panic(err)
		}
		if err := w.Flush(); err != nil { // a run of its own, to make room
			panic(err)
		}
		if _, err := w.WriteRows([]parquet.Row{w.Schema().Deconstruct(nil, &Event{2, "b"})}); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		source, _ := w.File().Lookup("source")
		events, err := parquet.Read[Event](bytes.NewReader(file.Bytes()), int64(file.Len()))
		fmt.Println(source, events, err)
	}
	// Output:
	// events [{1 a} {2 b} {3 c}] <nil>
	// events [{1 a} {2 b} {3 c}] <nil>
}

// Files of one schema become one in order, as COPY (SELECT … ORDER BY …) TO does it.
func ExampleSortFile() {
	type Trip struct {
		Pickup int64   `parquet:"pickup,timestamp"`
		Zone   string  `parquet:"zone,dict"`
		Fare   float64 `parquet:"fare"`
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	january, february, sorted := filepath.Join(dir, "january.parquet"), filepath.Join(dir, "february.parquet"), filepath.Join(dir, "sorted.parquet")
	if err := parquet.WriteFile(january, []Trip{{5, "Harlem", 9.5}, {3, "SoHo", 12}}); err != nil {
		panic(err)
	}
	if err := parquet.WriteFile(february, []Trip{{8, "SoHo", 7}, {8, "Harlem", 11}}); err != nil {
		panic(err)
	}
	err = parquetsort.SortFile(sorted, []string{january, february}, []parquet.SortingColumn{parquet.Ascending("zone"), parquet.Descending("fare")})
	if err != nil {
		panic(err)
	}
	trips, err := parquet.ReadFile[Trip](sorted)
	fmt.Println(trips, err)
	// Output: [{8 Harlem 11} {5 Harlem 9.5} {3 SoHo 12} {8 SoHo 7}] <nil>
}

// Options bound memory and time, and choose how files are written.
func ExampleSortFile_options() {
	type Reading struct {
		Sensor string  `parquet:"sensor"`
		At     int64   `parquet:"at"`
		Value  float64 `parquet:"value"`
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "readings.parquet")
	readings := make([]Reading, 3000)
	for i := range readings {
		readings[i] = Reading{fmt.Sprint("sensor", i%7), int64(i * 7919 % 3000), float64(i)}
	}
	if err := parquet.WriteFile(in, readings); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var stats parquetsort.FileStats
	err = parquetsort.SortFile(filepath.Join(dir, "sorted-%02d.parquet"), []string{in}, []parquet.SortingColumn{parquet.Ascending("at")},
		parquetsort.WithContext(ctx),
		parquetsort.Workers(2),
		parquetsort.MemoryLimit(64<<20),
		parquetsort.TempDir(dir),
		parquetsort.RowGroupRows(500),
		parquetsort.RowGroupBytes(1<<20),
		parquetsort.SplitRows(1000),
		parquetsort.SplitBytes(1<<20),
		parquetsort.Compression(&parquet.Zstd),
		parquetsort.Encoding(&parquet.DeltaBinaryPacked, "at"),
		parquetsort.BloomFilters(parquet.SplitBlockFilter(10, "sensor")),
		parquetsort.Unique(),
		parquetsort.NaNsByNulls(),
		parquetsort.Limit(2500),
		parquetsort.Report(&stats))
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.RowsOut, "rows in", stats.RowGroups, "row groups of", len(stats.Files), "files")
	// Output: 2500 rows in 5 row groups of 3 files
}
