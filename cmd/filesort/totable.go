package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

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

// column returns the column of a place, or of a name that is not empty.
func (t *tabulation) column(at int, name string) *columnTypes {
	if name != "" {
		var ok bool
		if at, ok = t.index[name]; !ok {
			at = len(t.columns)
			t.index[name] = at
		}
	}
	for at >= len(t.columns) {
		t.columns = append(t.columns, &columnTypes{name: name, are: allTypes})
	}
	return t.columns[at]
}

// name gives columns the names of the header.
func (t *tabulation) name(d *delimited, header string) error {
	names, _, err := d.all(header, 0)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			return fmt.Errorf("two columns have the name %q, which files that are stored by column do not have", name)
		}
		seen[name] = true
		t.column(i, "").name = name
	}
	return t.give(names)
}

func (t *tabulation) names() (names []string) {
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return names
}

// give gives columns the types that -by has. Members of members are no columns.
func (t *tabulation) give(names []string) error {
	for _, s := range t.by {
		if s.kind == auto {
			continue
		}
		if t.command.format == "ndjson" {
			if at, ok := t.index[s.name]; ok && len(s.path()) == 1 {
				t.columns[at].given = s.kind
			}
			continue
		}
		at, err := s.find(names, len(t.columns))
		if err != nil {
			return err
		}
		t.columns[at].given = s.kind
	}
	return nil
}

// storedValue is a value of a row.
type storedValue struct {
	text string
	null bool
	word bool // in quotes of JSON: no number
}

// each calls begin before each row, and value with each of its fields. A member that a row does not have
// is left out.
func (t *tabulation) each(c rowChunk, f format, begin func(), value func(at int, v storedValue) error) error {
	d, ok := f.(*delimited)
	if !ok {
		return t.eachMember(c, begin, value)
	}
	all := &delimited{comma: d.comma, quote: d.quote}
	slots := make([]int, len(d.slots))
	for i := range slots {
		slots[i] = i
		t.column(i, "")
	}
	all.use(slots)
	s := t.scanner(all, make([]spec, len(slots)))
	_, err := s.each(c.text, c.start, func(_, _ int, fields []field, nulls []bool) error {
		begin()
		for i, f := range fields {
			if err := value(i, storedValue{text: f.text, null: nulls[i]}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// eachMember is each for rows of JSON.
func (t *tabulation) eachMember(c rowChunk, begin func(), value func(at int, v storedValue) error) (err error) {
	s := scanner{nulls: t.nulls}
	for line := range strings.SplitSeq(c.text[c.start:], "\n") {
		from := skipSpace(line, 0)
		if from == len(line) {
			continue
		}
		begin()
		eachMember(line, from, func(name, raw string) {
			if name == "" {
				err = errors.Join(err, errors.New("a member without a name makes no column"))
				return
			}
			t.column(0, name)
			v := storedValue{text: raw, null: raw[0] == 'n'}
			if raw[0] == '"' {
				v.text, v.word = unquote(raw), true
				v.null = s.isNull(v.text)
			}
			err = errors.Join(err, value(t.index[name], v))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachMember calls found with the members of an object, the syntax of which was checked.
func eachMember(s string, pos int, found func(name, raw string)) {
	for pos++; ; {
		pos = skipSpace(s, pos)
		if s[pos] == ',' {
			pos = skipSpace(s, pos+1)
		}
		if s[pos] == '}' {
			return
		}
		end := skipValue(s, pos)
		name := unquote(s[pos:end])
		pos = skipSpace(s, skipSpace(s, end)+len(":"))
		end = skipValue(s, pos)
		found(name, s[pos:end])
		pos = end
	}
}

// schema returns the schema of the columns.
func (t *tabulation) schema() (*arrow.Schema, error) {
	if len(t.columns) == 0 {
		return nil, errors.New("the input has no column to store")
	}
	var fields []arrow.Field
	for _, c := range t.columns {
		c.choose()
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil), nil
}

// doubts returns messages about columns of text most of whose values are of another type.
func (t *tabulation) doubts() (all []string) {
	for _, c := range t.columns {
		if d := c.doubt(); d != "" {
			all = append(all, d)
		}
	}
	return all
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
