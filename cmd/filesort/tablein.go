package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// tables reads files of one schema that are stored by column, one after the other, as one reader of record batches.
type tables struct {
	ctx    context.Context
	cmd    *command
	format string
	stdin  io.Reader
	names  []string
	places []string // where the files are that have no name, or cannot be read from their end
	m      *meter
	refs   int

	schema       *arrow.Schema // of the first file
	dictionaries *dictionaries // that note those of the batches, or nil
	name         string        // of the open file, for errors
	batch        arrow.RecordBatch
	next         func() (arrow.RecordBatch, error) // io.EOF after the last; nil: no file is open
	close        func() error
	err          error
}

// openTables opens the first file.
func (cmd *command) openTables(ctx context.Context, format string, stdin io.Reader, folder *workFolder, m *meter) (*tables, error) {
	t := &tables{ctx: ctx, cmd: cmd, format: format, stdin: stdin, names: cmd.files, m: m, refs: 1}
	if needsFile(format) {
		var err error
		if t.places, err = cmd.seekable(ctx, stdin, folder); err != nil {
			return nil, err
		}
	}
	if err := t.open(); err != nil {
		return nil, err
	}
	return t, nil
}

// open opens the next file.
func (t *tables) open() error {
	name := t.names[0]
	t.name = nameOf(name)
	t.names = t.names[1:]
	place := name
	if t.places != nil {
		place, t.places = t.places[0], t.places[1:]
	}
	schema, err := t.openAs(name, place)
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w", t.name, err)
	case t.schema == nil:
		t.schema = schema
	case !sameColumns(t.schema, schema):
		return fmt.Errorf("%s: its columns are not those of the first file, %v but %v", t.name, schema, t.schema)
	}
	return nil
}

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

// sameColumns reports whether two schemas have the same names and types.
func sameColumns(a, b *arrow.Schema) bool {
	if a.NumFields() != b.NumFields() {
		return false
	}
	for i, f := range a.Fields() {
		if g := b.Field(i); f.Name != g.Name || f.Nullable != g.Nullable || !arrow.TypeEqual(f.Type, g.Type) {
			return false
		}
	}
	return true
}

// Next makes the next batch the current one.
func (t *tables) Next() bool {
	t.drop()
	if t.err != nil {
		return false
	}
	for {
		batch, err := t.next()
		switch {
		case err == nil:
			t.batch = batch
			t.m.add(int(batch.NumRows()))
			if t.dictionaries != nil {
				t.err = t.dictionaries.note(batch)
			}
			return t.err == nil
		case !errors.Is(err, io.EOF):
			t.err = fmt.Errorf("reading %s: %w", t.name, err)
			return false
		}
		err = t.close()
		if t.next, t.close = nil, nil; err != nil {
			t.err = fmt.Errorf("reading %s: %w", t.name, err)
			return false
		}
		if len(t.names) == 0 {
			t.next = func() (arrow.RecordBatch, error) { return nil, io.EOF }
			t.close = func() error { return nil }
			return false
		}
		if t.err = t.open(); t.err != nil {
			return false
		}
	}
}

func (t *tables) drop() {
	if t.batch != nil {
		t.batch.Release()
		t.batch = nil
	}
}

func (t *tables) Schema() *arrow.Schema          { return t.schema }
func (t *tables) RecordBatch() arrow.RecordBatch { return t.batch }
func (t *tables) Record() arrow.RecordBatch      { return t.batch }
func (t *tables) Err() error                     { return t.err }
func (t *tables) Retain()                        { t.refs++ }

// Release closes the open file when nobody reads any more.
func (t *tables) Release() {
	if t.refs--; t.refs > 0 {
		return
	}
	t.drop()
	if t.close != nil {
		t.close() // an error was one of reading before
		t.close = nil
	}
}

var _ array.RecordReader = (*tables)(nil)

// workFolder is a folder of files that have a name while a sort goes on. There is none before the first of them.
type workFolder struct {
	parent string
	path   string
}

// file returns the path of a file of a name.
func (w *workFolder) file(name string) (path string, err error) {
	if w.path == "" {
		if w.path, err = os.MkdirTemp(w.parent, ".filesort-*"); err != nil {
			return "", err
		}
	}
	return filepath.Join(w.path, name), nil
}

func (w *workFolder) remove() error {
	if w.path == "" {
		return nil
	}
	return os.RemoveAll(w.path)
}

// seekable returns where the inputs can be read from any place. Standard input and those that can be opened once only
// are copied to the folder.
func (cmd *command) seekable(ctx context.Context, stdin io.Reader, folder *workFolder) (places []string, err error) {
	for i, name := range cmd.files {
		info, err := os.Stat(name)
		if name != "-" && err != nil {
			return nil, err
		}
		if name != "-" && info.Mode().IsRegular() && stored(info) {
			if _, descriptor, err := follow(name); err == nil && !descriptor {
				places = append(places, name)
				continue
			}
		}
		path, err := folder.file(fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		if err := copyInput(ctx, path, name, stdin); err != nil {
			return nil, fmt.Errorf("copying %s, which is read from its end: %w", nameOf(name), err)
		}
		places = append(places, path)
	}
	return places, nil
}

// copyInput copies an input to a new file.
func copyInput(ctx context.Context, path, name string, stdin io.Reader) error {
	in, err := openInput(name, stdin, "none", true)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, readerOf(ctx, in))
	return errors.Join(err, f.Close())
}

// readerOf returns a reader that ends with the error of ctx, also while r waits for more.
func readerOf(ctx context.Context, r io.Reader) io.Reader {
	type result struct {
		text []byte
		err  error
	}
	results := make(chan result)
	go func() { // ends after r, or after ctx and one more result of r
		for {
			text := make([]byte, parquetBuffer)
			n, err := r.Read(text)
			select {
			case results <- result{text[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var last result
	return reading(func(p []byte) (int, error) {
		if len(last.text) == 0 && last.err == nil {
			select {
			case last = <-results:
			case <-ctx.Done():
				last.err = ctx.Err()
			}
		}
		n := copy(p, last.text)
		if last.text = last.text[n:]; len(last.text) > 0 {
			return n, nil
		}
		return n, last.err
	})
}

type reading func(p []byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }
