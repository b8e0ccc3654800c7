// Command beam sorts the lines of all files of a folder, by columns, on any runner of Apache Beam:
// into numbered files whose concatenation is in order.
//
//	go run . -in 'logs/*.csv' -out sorted/logs   # prism, in this process
//	./flink.sh -in 'logs/*.csv' -out sorted/logs # Flink, in Docker
package main

import (
	"context"
	"flag"
	"log"
	"strings"

	"example.com/sorter"
	beamsort "example.com/sorter/beam"
	"example.com/sorter/extsort"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

// column returns the n-th column of a line of CSV without quotes, from 0.
func column(n int) func(line string) string {
	return func(line string) string {
		for range n {
			_, line, _ = strings.Cut(line, ",")
		}
		value, _, _ := strings.Cut(line, ",")
		return value
	}
}

// Workers know the order by its name, so its columns are part of the program.
var order = beamsort.Register("lines by country, then the newest", extsort.Strings(),
	sorter.Asc(column(0)), sorter.Desc(column(1)))

var (
	in     = flag.String("in", "*.csv", "pattern of the files")
	out    = flag.String("out", "sorted", "prefix of the sorted files")
	runner = flag.String("on", "prism", "runner: prism, flink, spark, universal; the last three take -endpoint")
)

func main() {
	flag.Parse()
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	beamsort.Sort(s, textio.Read(s, *in), order, beamsort.To(*out), beamsort.As(beamsort.Lines),
		beamsort.Suffix(".csv"), beamsort.Manifest())
	if _, err := beam.Run(context.Background(), *runner, p); err != nil {
		log.Fatal(err)
	}
}
