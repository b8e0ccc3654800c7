package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

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
	texts   []sorter.Column[row] // of those whose types were found, for -u
	found   []string             // the columns with their types, for -stats
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
	tally
}

// gather collects column i of all parts.
func gather(parts []part, i int) *column {
	c := &column{}
	start := 0
	for _, p := range parts {
		cells := p.cells[i]
		c.parts = append(c.parts, cells)
		c.starts = append(c.starts, start)
		c.add(&cells.tally)
		start += len(p.rows)
	}
	return c
}

// addColumn converts the values of a column and appends them to the columns of the order.
func (job conversion) addColumn() error {
	if job.s.key != nil {
		return addValues(job, keyText(job.s.key))
	}
	switch job.s.kind {
	case integer:
		return job.addIntegers()
	case float:
		return job.addNumbers(false)
	case boolean:
		return addValues(job, parseBool)
	case instant:
		return addValues(job, parseTime)
	}
	return addValues(job, parseText)
}

// addIntegers makes integers of 64 bits, if all are.
func (job conversion) addIntegers() error {
	err := addValues(job, parseInt)
	var fault *rowError
	if errors.As(err, &fault) {
		return job.addNumbers(true)
	}
	return err
}

// addNumbers makes columns of numbers: their first keys, and if these do not suffice the others,
// of which the last are made when two numbers tie.
func (job conversion) addNumbers(whole bool) error {
	more, err := job.addCodes(func(value string) (uint64, bool) {
		code, k := numberCode(value, job.s.desc)
		return code, k == integer || k == float && !whole
	})
	if err != nil || !more {
		return err
	}
	more, err = job.addCodes(func(value string) (uint64, bool) { return secondCode(value), true })
	if err != nil || !more {
		return err
	}
	values, nulls, err := valuesOf(job, parseText)
	job.t.columns = append(job.t.columns, ordered(job.s, nulls, func(r row) string { return restOf(values[r.id]) }))
	return err
}

// addCodes is addValues for a key of numbers. It reports whether any has more digits.
func (job conversion) addCodes(code func(value string) (uint64, bool)) (more bool, err error) {
	var any atomic.Bool
	err = addValues(job, func(value string) (uint64, bool) {
		v, ok := code(value)
		if hasMore(v) && !any.Load() {
			any.Store(true)
		}
		return v, ok
	})
	return any.Load(), err
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
	at  int // of the columns of -by
	s   spec
	c   *column
	m   *meter
}

// addValues appends the column whose values parse makes.
func addValues[K sorter.Key](job conversion, parse func(string) (K, bool)) error {
	by, err := convert(job, parse)
	if err == nil {
		job.t.columns = append(job.t.columns, by)
	}
	return err
}

// convert returns the column whose values parse makes. Key functions look values up by the row's
// id, so that a row stays a span of 16 bytes whatever it is sorted by.
func convert[K sorter.Key](job conversion, parse func(string) (K, bool)) (by sorter.Column[row], err error) {
	values, nulls, err := valuesOf(job, parse)
	return ordered(job.s, nulls, func(r row) K { return values[r.id] }), err
}

// valuesOf returns the values of a column by the rows' ids, and which of them are null, if any is.
func valuesOf[K any](job conversion, parse func(string) (K, bool)) (values []K, nulls []bool, err error) {
	values = make([]K, len(job.t.rows))
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
	return values, nulls, cmp.Or(err, cmp.Or(faults...))
}

// fill parses the values of one part, whose first row has the id start.
func fill[K any](job conversion, values []K, c cells, parse func(string) (K, bool), start int) error {
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
	return wrongKind(fields[job.at].off, value, job.s)
}

func wrongKind(off int, value string, s spec) error {
	return faultAt(off, "%.40q is not of type %v, which -by says that %s has", value, s.typeName(), s.name)
}

// ordered returns a column with its direction and the place of its nulls.
func ordered[K sorter.Key](s spec, nulls []bool, key func(r row) K) sorter.Column[row] {
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
