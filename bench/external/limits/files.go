//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	"example.com/sorter/arrowsort"
	"example.com/sorter/parquetsort"
)

var files = []call{
	{name: "arrowsort.SortReader, int64 and a text", beside: collected, make: func(t task) (func() error, error) {
		in := batchesOf(t)
		return func() error {
			out, err := arrowsort.SortReader(context.Background(), in, []arrowsort.SortKey{{ColumnIndex: 0}},
				arrowsort.MemoryLimit(t.Memory), arrowsort.TempDir(t.Dir))
			if err != nil {
				return err
			}
			return checkReader(out, in.want)
		}, nil
	}},
	{name: "parquetsort.SortFile, a number and a text", beside: collected, make: func(t task) (func() error, error) {
		in, out := filepath.Join(t.Dir, "in.parquet"), filepath.Join(t.Dir, "out.parquet")
		n, err := makeParquet(in, t.Input)
		return func() error {
			err := parquetsort.SortFile(out, []string{in}, []parquet.SortingColumn{parquet.Ascending("n")},
				parquetsort.MemoryLimit(t.Memory), parquetsort.TempDir(t.Dir))
			if err != nil {
				return err
			}
			return checkParquet(out, n)
		}, err
	}},
	toolCall("filesort, lines", "text"),
	toolCall("filesort -n -u", "text", "-n", "-u"),
	toolCall("filesort -V", "text", "-V"),
	toolCall("filesort --locale sv", "text", "--locale", "sv"),
	toolCall("filesort -by two columns", "csv", "-by", "word,n:int:desc"),
	toolCall("filesort -by a column -u", "csv", "-by", "n:int", "-u"),
	toolCall("filesort -by, Parquet", "parquet", "-by", "n"),
}

// collected is beside a limit the share of the garbage collector where memory is Go's: as much as is in use.
func collected(limit int64) int64 { return little(limit) + limit }

// program is beside -S the program itself, library that with a language or a table.
func program(int64) int64 { return 64 << 20 }
func library(int64) int64 { return 80 << 20 }

// batches is a reader of random batches, one at a time.
type batches struct {
	b          *array.RecordBuilder
	r          *rand.Rand
	left, want int
	batch      arrow.RecordBatch
}

func batchesOf(t task) *batches {
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	n := int(t.Input / 70)
	return &batches{b: array.NewRecordBuilder(memory.DefaultAllocator, schema), r: rand.New(rand.NewPCG(9, 10)), left: n, want: n}
}

func (in *batches) Schema() *arrow.Schema          { return in.b.Schema() }
func (in *batches) Err() error                     { return nil }
func (in *batches) Retain()                        {}
func (in *batches) Release()                       {}
func (in *batches) RecordBatch() arrow.RecordBatch { return in.batch }
func (in *batches) Record() arrow.RecordBatch      { return in.batch }
func (in *batches) Next() bool {
	if in.batch != nil {
		in.batch.Release()
		in.batch = nil
	}
	n := min(in.left, 4096)
	if n == 0 {
		return false
	}
	in.left -= n
	for range n {
		in.b.Field(0).(*array.Int64Builder).Append(in.r.Int64())
		in.b.Field(1).(*array.StringBuilder).Append(drawText(in.r))
	}
	in.batch = in.b.NewRecordBatch()
	return true
}

func checkReader(out array.RecordReader, want int) error {
	defer out.Release()
	last, n := int64(-1), 0
	for out.Next() {
		for _, key := range out.RecordBatch().Column(0).(*array.Int64).Int64Values() {
			if key < last {
				return errOrder
			}
			last = key
			n++
		}
	}
	if out.Err() == nil && n != want {
		return fmt.Errorf("%d rows of %d", n, want)
	}
	return out.Err()
}

type parquetRow struct {
	N    int64  `parquet:"n"`
	Text string `parquet:"text"`
}

// makeParquet writes random rows of some bytes, in groups of 200,000, and returns their number.
func makeParquet(path string, bytes int64) (n int, err error) {
	n = int(bytes / 64)
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := parquet.NewGenericWriter[parquetRow](f, parquet.MaxRowsPerRowGroup(200_000))
	r := rand.New(rand.NewPCG(11, 12))
	for range n {
		if _, err := w.Write([]parquetRow{{r.Int64(), drawText(r)}}); err != nil {
			return 0, err
		}
	}
	return n, errors.Join(w.Close(), f.Close())
}

func checkParquet(path string, want int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := parquet.NewGenericReader[parquetRow](f)
	if in.NumRows() != int64(want) {
		return fmt.Errorf("%d rows of %d", in.NumRows(), want)
	}
	return in.Close()
}

// toolCall is a call of the program filesort. The order of its result is checked by itself.
func toolCall(name, kind string, args ...string) call {
	beside := program
	if kind == "parquet" || len(args) > 0 && args[0] == "--locale" {
		beside = library
	}
	return call{name: name, beside: beside, tool: true, make: func(t task) (func() error, error) {
		in, out := filepath.Join(t.Dir, "in."+kind), filepath.Join(t.Dir, "out."+kind)
		var err error
		if kind == "parquet" {
			_, err = makeParquet(in, t.Input)
		} else {
			err = makeLines(in, kind, t.Input)
		}
		all := append([]string{"-S", fmt.Sprintf("%dK", t.Memory>>10), "-T", t.Dir, "-o", out}, args...)
		return func() error {
			cmd := exec.Command(t.Tool, append(all, in)...)
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%v %.200s", err, text)
			}
			a, err := os.Stat(in)
			if err != nil {
				return err
			}
			b, err := os.Stat(out)
			if err != nil {
				return err
			}
			if a.Size() != b.Size() && args[len(args)-1] != "-u" && kind != "parquet" {
				return fmt.Errorf("%d bytes of %d", b.Size(), a.Size())
			}
			return nil
		}, err
	}}
}

// makeLines writes lines, or rows of two columns with a header, of some bytes.
func makeLines(path, kind string, bytes int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(13, 14))
	if kind == "csv" {
		fmt.Fprintln(w, "word,n,rest")
	}
	for n := int64(0); n < bytes; {
		each := 0
		if kind == "csv" {
			each, _ = fmt.Fprintf(w, "%03x,%d,%.*s\n", r.IntN(4000), r.Int64(), r.IntN(60), spaces)
		} else {
			each, _ = fmt.Fprintf(w, "%x %.*s\n", r.Uint64(), r.IntN(60), spaces)
		}
		n += int64(each)
	}
	return errors.Join(w.Flush(), f.Close())
}
