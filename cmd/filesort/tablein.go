package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
