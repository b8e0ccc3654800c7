package beamsort_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	beamsort "example.com/sorter/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// csv and bigEndian are formats of clicks: lines of text, and records for programs of other
// languages.
var (
	csv = beamsort.RegisterLines("csv of clicks", "minute,page",
		func(dst []byte, c Click) ([]byte, error) { return fmt.Appendf(dst, "%d,%d", c.Minute, c.Page), nil })
	bigEndian = beamsort.RegisterFormat("big-endian clicks",
		func(file io.Writer) (beamsort.Writer[Click], error) { return bigEndianWriter{file}, nil })
)

type bigEndianWriter struct{ file io.Writer }

func (w bigEndianWriter) Write(clicks []Click) error {
	return binary.Write(w.file, binary.BigEndian, clicks)
}

func (w bigEndianWriter) Close() error { return nil }

func ExampleRegisterLines() {
	dir, err := os.MkdirTemp("", "sorted")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	p, s := beam.NewPipelineWithRoot()
	clicks := beam.Create(s, Click{30, 1}, Click{10, 2})
	for format, name := range map[beamsort.Format]string{csv: "text", bigEndian: "binary"} {
		beamsort.Sort(s, clicks, byMinute, beamsort.To(filepath.Join(dir, name)), beamsort.As(format), beamsort.Shards(1))
	}
	if _, err = beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "text-00000-of-00001"))
	fmt.Printf("%s%v\n", text, err)
	records, err := os.ReadFile(filepath.Join(dir, "binary-00000-of-00001"))
	fmt.Println(records[:12], err)
	// Output:
	// minute,page
	// 10,2
	// 30,1
	// <nil>
	// [0 0 0 0 0 0 0 10 0 0 0 2] <nil>
}
