package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"example.com/sorter"
)

// table is a parsed file: spans of its rows, and the columns that order them.
type table struct {
	text    string // the file
	head    string // byte order mark and header, which stay at the top
	eol     string // the file's line end, for a last row that has none
	format  format
	width   int // columns to sort by
	workers int
	rows    []row
	columns []sorter.Column[row]
	found   []string // the columns with their types, for -stats
}

func newTable(text string, start int, s *scanner, parts []part) *table {
	t := &table{text: text, head: text[:start], eol: cmp.Or(eolOf(text, s.format.quoted()), "\n"), format: s.format, width: s.width, workers: s.workers}
	n := 0
	for _, p := range parts {
		n += len(p.rows)
	}
	t.rows = make([]row, 0, n)
	for _, p := range parts {
		t.rows = append(t.rows, p.rows...)
	}
	for i := range t.rows {
		t.rows[i].id = uint32(i)
	}
	return t
}

// describe returns a line about rows and columns.
func (t *table) describe() string {
	return fmt.Sprintf("%d rows by %s", len(t.rows), strings.Join(t.found, ", "))
}

// column is one sort column in the parts of the file.
type column struct {
	parts  []cells
	starts []int // id of each part's first row
	kinds  kindSet
	found  int
	nulls  int
}

// gather collects column i of all parts.
func gather(parts []part, i int) *column {
	c := &column{kinds: anyKind}
	start := 0
	for _, p := range parts {
		cells := p.cells[i]
		c.parts = append(c.parts, cells)
		c.starts = append(c.starts, start)
		c.kinds &= cells.kinds
		c.found += cells.found
		c.nulls += cells.nulls
		start += len(p.rows)
	}
	return c
}

// addColumn converts c to its kind and appends it to the columns of the order.
func (t *table) addColumn(ctx context.Context, s spec, c *column, m *meter) error {
	if s.kind == auto {
		s.kind = c.kinds.first()
	}
	var by sorter.Column[row]
	var err error
	switch job := (conversion{ctx, t, s, c, m}); s.kind {
	case integer:
		by, err = convert(job, parseInt)
	case float:
		by, err = convert(job, parseFloat)
		by = by.NaNsLast()
	case boolean:
		by, err = convert(job, parseBool)
	case instant:
		by, err = convert(job, parseTime)
	default:
		by, err = convert(job, parseText)
	}
	t.columns = append(t.columns, by)
	t.found = append(t.found, described(s, c.nulls))
	return err
}

// described returns a column with its type.
func described(s spec, nulls int) string {
	if nulls == 0 {
		return s.String()
	}
	return fmt.Sprintf("%s (%d null)", s, nulls)
}

// conversion holds the state for making values of a column's text.
type conversion struct {
	ctx context.Context
	t   *table
	s   spec
	c   *column
	m   *meter
}

// convert returns the column whose values parse makes. Key functions look
// values up by the row's id, so that a row stays a span of 16 bytes whatever
// it is sorted by.
func convert[K sorter.Key](job conversion, parse func(string) (K, bool)) (by sorter.Column[row], err error) {
	values := make([]K, len(job.t.rows))
	var nulls []bool
	if job.c.nulls > 0 {
		nulls = make([]bool, len(values))
	}
	faults := make([]error, len(job.c.parts))
	err = forEach(job.ctx, job.t.workers, len(faults), func(i int) {
		cells, start := job.c.parts[i], job.c.starts[i]
		if nulls != nil {
			copy(nulls[start:], cells.null)
		}
		faults[i] = fill(job, values[start:], cells, parse, start)
		job.m.add(len(cells.text))
	})
	if err = cmp.Or(err, cmp.Or(faults...)); err != nil {
		return by, err
	}
	return ordered(job.s, values, nulls), nil
}

// fill parses the values of one part, whose first row has the id start.
func fill[K sorter.Key](job conversion, values []K, c cells, parse func(string) (K, bool), start int) error {
	for i, value := range c.text {
		if c.null[i] {
			continue
		}
		v, ok := parse(value)
		if !ok {
			return job.fault(start+i, value)
		}
		values[i] = v
	}
	return nil
}

// fault says which value of which row has not the type that -by asks for.
// Where the field stands was not kept: its row is read again.
func (job conversion) fault(id int, value string) error {
	t := job.t
	fields := make([]field, t.width)
	t.format.row(t.text, t.rows[id].off, fields)
	return wrongKind(fields[len(t.columns)].off, value, job.s)
}

func wrongKind(off int, value string, s spec) error {
	return faultAt(off, "%q is not of type %v, which -by says that %s has", value, s.kind, s.name)
}

// ordered applies the direction and the place of nulls.
func ordered[K sorter.Key](s spec, values []K, nulls []bool) sorter.Column[row] {
	key := func(r row) K { return values[r.id] }
	by := sorter.Asc(key)
	if s.desc {
		by = sorter.Desc(key)
	}
	if nulls == nil {
		return by
	}
	isNull := func(r row) bool { return nulls[r.id] }
	if s.nullsFirst {
		return by.NullsFirst(isNull)
	}
	return by.NullsLast(isNull)
}
