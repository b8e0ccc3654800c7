package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// tabulating returns a function that writes the rows of write, which are in order, by column. All rows go to a spool,
// from which they are read twice: for the types of all columns, then for their values.
func (cmd *command) tabulating(format string, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		s := &spool{most: cmd.memory / spoolShare, dirs: cmd.dirs}
		defer s.close()
		if err := write(s); err != nil {
			return err
		}
		t := &tabulation{columnSort: &columnSort{command: cmd.tabulated(), m: newMeter(io.Discard, true)}, spool: s, by: cmd.by}
		if err := t.find(); err != nil {
			return err
		}
		schema, err := t.schema()
		if err != nil {
			return err
		}
		cmd.notes = append(cmd.notes, t.doubts()...)
		return cmd.writeTables(w, format, schema, func(out tableWriter) error { return t.write(schema, out) })
	}
}

// tabulated returns the command that reads rows which are in order, by no column.
func (cmd *command) tabulated() *command {
	c := *cmd
	c.by, c.aside, c.array, c.selection = []spec{}, aside{}, jsonArray{}, selection{}
	if c.header = "no"; cmd.headed {
		c.header = "yes"
	}
	if c.format = cmd.opened; c.format == "json" {
		c.format = "ndjson"
	}
	return &c
}

// tabulation is the state of rows that become columns.
type tabulation struct {
	*columnSort
	spool   *spool
	by      []spec         // of the sort, which may give types
	columns []*columnTypes // in the order of the fields, or in that in which members are found
	index   map[string]int // of members
}

// reader returns a reader of the rows.
func (t *tabulation) reader() *rowReader {
	r := t.columnSort.reader(t.spool.open())
	r.most *= 2 // a count was added to rows
	return r
}

// find finds the columns and their types.
func (t *tabulation) find() error {
	r := t.reader()
	defer r.close()
	t.index = map[string]int{}
	err := pipeline(t.workers, r.next, func(c rowChunk) (found *tabulation, err error) {
		found = &tabulation{columnSort: t.columnSort, index: map[string]int{}}
		err = found.each(c, r.format, func() {}, func(at int, v storedValue) error {
			found.columns[at].note(v)
			return nil
		})
		for _, column := range found.columns {
			column.settle()
		}
		r.done(c)
		return found, err
	}, func(found *tabulation) error {
		if err := t.heeded.Err(); err != nil {
			return err
		}
		for i, column := range found.columns {
			t.column(i, column.name).add(column)
		}
		return nil
	})
	if err != nil {
		return err
	}
	d, ok := r.format.(*delimited)
	switch {
	case ok && r.header != "":
		return t.name(d, r.header)
	case ok:
		for i, column := range t.columns {
			column.name = fmt.Sprintf("column%d", i+1)
		}
		return t.give(nil)
	case len(t.columns) == 0:
		return errors.New("the input has no column to store")
	}
	return t.give(t.names())
}

// write gives out the rows by column.
func (t *tabulation) write(schema *arrow.Schema, out tableWriter) error {
	r := t.reader()
	defer r.close()
	return pipeline(t.workers, r.next, func(c rowChunk) (arrow.RecordBatch, error) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		err := t.build(b, c, r.format)
		r.done(c)
		if err != nil {
			return nil, err
		}
		return b.NewRecordBatch(), nil
	}, func(batch arrow.RecordBatch) error {
		defer batch.Release()
		if err := t.heeded.Err(); err != nil {
			return err
		}
		return out.Write(batch)
	})
}

// build appends the rows of a chunk. A member that a row does not have is null; of those of one name the last counts.
func (t *tabulation) build(b *array.RecordBuilder, c rowChunk, f format) error {
	fields := b.Fields()
	row := make([]storedValue, len(fields))
	end := func() error {
		for i, column := range t.columns {
			if err := column.append(fields[i], row[i]); err != nil {
				return err
			}
			row[i] = storedValue{null: true}
		}
		return nil
	}
	for i := range row {
		row[i].null = true
	}
	var failed error
	rows := 0
	err := t.each(c, f, func() {
		if rows++; rows > 1 && failed == nil {
			failed = end()
		}
	}, func(at int, v storedValue) error {
		row[at] = v
		return failed
	})
	if err == nil && rows > 0 {
		err = end()
	}
	return err
}
