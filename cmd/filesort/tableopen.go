package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// openAs opens a file of the format, from which next reads batches.
func (t *tables) openAs(name, place string) (*arrow.Schema, error) {
	if t.format == parquetFormat {
		return t.openParquet(place)
	}
	if t.format == arrowFile {
		f, err := os.Open(place)
		if err != nil {
			return nil, err
		}
		head := make([]byte, magicBytes)
		if _, err := f.ReadAt(head, 0); err == nil && columnarOf(string(head)) == arrowFile {
			return t.openArrow(f)
		}
		f.Close()
		name = place
	}
	in, err := openInput(name, t.stdin, t.cmd.compress, true)
	if err != nil {
		return nil, err
	}
	t.close = in.Close
	if in.source == nil { // it may wait
		in.Reader = readerOf(t.ctx, in.Reader)
	}
	r, err := ipc.NewReader(in, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	t.next = retained(r.Read)
	t.close = func() error {
		r.Release()
		return in.Close()
	}
	return r.Schema(), nil
}

func (t *tables) openArrow(f *os.File) (*arrow.Schema, error) {
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.close = func() error { return errors.Join(r.Close(), f.Close()) }
	at := 0
	t.next = func() (arrow.RecordBatch, error) {
		if at == r.NumRecords() {
			return nil, io.EOF
		}
		at++
		return r.RecordBatchAt(at - 1)
	}
	return r.Schema(), nil
}

// Rows of a batch of Parquet, and bytes that are read of a column at a time.
const (
	parquetBatch  = 8 << 10
	parquetBuffer = 256 << 10
)

func (t *tables) openParquet(place string) (*arrow.Schema, error) {
	f, err := os.Open(place)
	if err != nil {
		return nil, err
	}
	t.close = f.Close
	properties := parquet.NewReaderProperties(memory.DefaultAllocator)
	properties.BufferedStreamEnabled, properties.BufferSize = true, parquetBuffer
	stored, err := file.NewParquetReader(f, file.WithReadProps(properties))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	reader, err := pqarrow.NewFileReader(stored, pqarrow.ArrowReadProperties{BatchSize: parquetBatch}, memory.DefaultAllocator)
	if err != nil {
		return nil, errors.Join(err, stored.Close())
	}
	batches, err := reader.GetRecordReader(t.ctx, nil, nil)
	if err != nil {
		return nil, errors.Join(err, stored.Close())
	}
	t.next = counting(retained(batches.Read), stored.NumRows())
	t.close = func() error {
		batches.Release()
		return stored.Close()
	}
	return batches.Schema(), nil
}

// retained returns read, whose batches its reader releases, with batches that stay.
func retained(read func() (arrow.RecordBatch, error)) func() (arrow.RecordBatch, error) {
	return func() (arrow.RecordBatch, error) {
		batch, err := read()
		if err == nil {
			batch.Retain()
		}
		return batch, err
	}
}

// counting returns read with an error where it ends before there were some rows: a reader of Parquet takes a column
// that ends for the end of the file.
func counting(read func() (arrow.RecordBatch, error), rows int64) func() (arrow.RecordBatch, error) {
	return func() (arrow.RecordBatch, error) {
		batch, err := read()
		switch {
		case err == nil:
			rows -= batch.NumRows()
		case err == io.EOF && rows != 0:
			err = fmt.Errorf("damaged: %d rows are missing", rows)
		}
		return batch, err
	}
}
