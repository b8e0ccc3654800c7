// Command parquet sorts trades, lines of CSV, into numbered Parquet files whose concatenation is in
// order, on any runner of Apache Beam.
//
//	go run ./parquet -in 'trades/*.csv' -out sorted/trades
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	"github.com/parquet-go/parquet-go"
)

// Trade is a line, and a row of a file.
type Trade struct {
	Stock  int64   `parquet:"stock"`
	Time   int64   `parquet:"time,timestamp"` // in milliseconds
	Price  float64 `parquet:"price"`
	Volume int64   `parquet:"volume"`
}

var byStock = beamsort.Register("trades by stock, then the newest", beamsort.Fixed[Trade](),
	sorter.Asc(func(t Trade) int64 { return t.Stock }), sorter.Desc(func(t Trade) int64 { return t.Time }))

// shard writes the rows of a file, which come in order.
type shard struct{ *parquet.GenericWriter[Trade] }

// Write writes rows.
func (s shard) Write(rows []Trade) error {
	_, err := s.GenericWriter.Write(rows)
	return err
}

// The sorting columns are metadata for readers of the files: rows are in order already.
var inParquet = beamsort.RegisterFormat("trades in parquet", func(file io.Writer) (beamsort.Writer[Trade], error) {
	sorting := parquet.SortingColumns(parquet.Ascending("stock"), parquet.Descending("time"))
	return shard{parquet.NewGenericWriter[Trade](file, parquet.SortingWriterConfig(sorting), parquet.Compression(&parquet.Zstd))}, nil
})

// parse reads a line of stock, time, price and volume.
func parse(line string) (t Trade, err error) {
	if _, err = fmt.Sscanf(line, "%d,%d,%g,%d", &t.Stock, &t.Time, &t.Price, &t.Volume); err != nil {
		return t, fmt.Errorf("%q is no trade: %w", line, err)
	}
	return t, nil
}

func init() { beam.RegisterFunction(parse) }

var (
	in     = flag.String("in", "*.csv", "pattern of the files")
	out    = flag.String("out", "sorted", "prefix of the sorted files")
	size   = flag.Int64("size", 256<<20, "bytes of rows in a file, before Parquet encodes them")
	runner = flag.String("on", "prism", "runner: prism, flink, spark; the last two take -endpoint")
)

// sort sorts the lines of the files.
func sort() error {
	p, s := beam.NewPipelineWithRoot()
	trades := beam.ParDo(s, parse, textio.Read(s, *in))
	beamsort.Sort(s, trades, byStock, beamsort.To(*out), beamsort.As(inParquet), beamsort.Suffix(".parquet"),
		beamsort.ShardBytes(*size), beamsort.Manifest())
	_, err := beam.Run(context.Background(), *runner, p)
	return err
}

func main() {
	flag.Parse()
	beam.Init()
	if err := sort(); err != nil {
		log.Fatal(err)
	}
}
