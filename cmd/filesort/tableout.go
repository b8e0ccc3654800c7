package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// tableWriter writes record batches. Close completes the output, and is not called after an error.
type tableWriter interface {
	Write(batch arrow.RecordBatch) error
	Close() error
}

// newTableWriter returns a writer of a format. A share of -S bounds its memory.
func (cmd *command) newTableWriter(w io.Writer, format string, schema *arrow.Schema) (tableWriter, error) {
	w = struct{ io.Writer }{w} // others close it
	switch format {
	case parquetFormat:
		return cmd.newParquetWriter(w, schema)
	case arrowFile:
		return ipc.NewFileWriter(w, cmd.arrowOptions(schema)...)
	case arrowStream:
		return ipc.NewWriter(w, cmd.arrowOptions(schema)...), nil
	}
	return cmd.newTextWriter(w, format, schema)
}

func (cmd *command) arrowOptions(schema *arrow.Schema) []ipc.Option {
	opts := []ipc.Option{ipc.WithSchema(schema), ipc.WithAllocator(memory.DefaultAllocator)}
	if cmd.compress == "zstd" {
		opts = append(opts, ipc.WithZstd())
	}
	return opts
}

// parquetWriter begins a row group where the last one is large enough.
type parquetWriter struct {
	*pqarrow.FileWriter
	most int64 // bytes of the batches of a row group
	held int64 // of the last one
}

// Bounds of row groups. Readers take one at a time, and the writer holds one.
const (
	groupRows  = 1 << 20
	groupBytes = 128 << 20
	groupShare = 16 // of -S
)

// codecs are those of Parquet, by the words of --compress.
var codecs = map[string]compress.Compression{
	"auto": compress.Codecs.Snappy, "none": compress.Codecs.Uncompressed, "gzip": compress.Codecs.Gzip, "zstd": compress.Codecs.Zstd,
}

func (cmd *command) newParquetWriter(w io.Writer, schema *arrow.Schema) (tableWriter, error) {
	properties := parquet.NewWriterProperties(parquet.WithCompression(codecs[cmd.compress]), parquet.WithMaxRowGroupLength(groupRows),
		parquet.WithVersion(parquet.V2_LATEST), parquet.WithAllocator(memory.DefaultAllocator))
	arrowProperties := pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema(), pqarrow.WithAllocator(memory.DefaultAllocator))
	if err := storable(schema, properties, arrowProperties); err != nil {
		return nil, err
	}
	f, err := pqarrow.NewFileWriter(schema, w, properties, arrowProperties)
	if err != nil {
		return nil, err
	}
	return &parquetWriter{FileWriter: f, most: min(groupBytes, cmd.memory/groupShare)}, nil
}

// storable returns an error that names the first column whose type Parquet, or pqarrow, does not have.
func storable(schema *arrow.Schema, properties *parquet.WriterProperties, arrowProperties pqarrow.ArrowWriterProperties) error {
	for _, f := range schema.Fields() {
		if err := storableField(f, properties, arrowProperties); err != nil {
			return fmt.Errorf("column %s: %v does not go to Parquet: %w", f.Name, f.Type, err)
		}
	}
	return nil
}

func storableField(f arrow.Field, properties *parquet.WriterProperties, arrowProperties pqarrow.ArrowWriterProperties) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	_, err = pqarrow.ToParquet(arrow.NewSchema([]arrow.Field{f}, nil), properties, arrowProperties)
	return err
}

func (p *parquetWriter) Write(batch arrow.RecordBatch) error {
	if batch.NumRows() == 0 {
		return nil
	}
	if p.held > p.most {
		if err := p.NewBufferedRowGroupChecked(); err != nil {
			return err
		}
		p.held = 0
	}
	batch, err := hollow(batch)
	if err != nil {
		return err
	}
	defer batch.Release()
	for _, c := range batch.Columns() {
		p.held += bytesOf(c.Data())
	}
	return p.WriteBuffered(batch)
}

// bytesOf returns the bytes of the buffers of an array: at least those of its rows.
func bytesOf(data arrow.ArrayData) (n int64) {
	for _, b := range data.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, child := range data.Children() {
		n += bytesOf(child)
	}
	return n
}

// writeTables gives write a writer of the output's format.
func (cmd *command) writeTables(w io.Writer, format string, schema *arrow.Schema, write func(tableWriter) error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			panic(p)
		case error: // pqarrow panics with the error of a write
			err = p
		default:
			panic(p)
		}
	}()
	out, err := cmd.newTableWriter(w, format, schema)
	if err != nil {
		return err
	}
	if err = write(out); err != nil {
		return err // what a pipe has got is not taken for whole
	}
	return out.Close()
}
