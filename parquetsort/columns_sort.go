package parquetsort

import (
	"iter"
	"math"

	"example.com/sorter"
	"example.com/sorter/perm"
	"github.com/parquet-go/parquet-go"
)

// columnSort sorts rows that are taken apart into columns: rows in memory, and runs in a buffer of the pool. It is the
// second path of a Writer, as [engine] is the first.
type columnSort struct {
	runSet
	schema *parquet.Schema
	leaves []leaf // sorting columns
	drop   bool   // duplicates
	rows   *table // in the order in which they were written
	row    parquet.Row
}

func newColumnSort(schema *parquet.Schema, config *parquet.WriterConfig, limit int) *columnSort {
	return &columnSort{
		runSet: newRunSet(config, min(limit, math.MaxInt32)),
		schema: schema,
		leaves: leavesOf(schema, config.Sorting.SortingColumns),
		drop:   config.Sorting.DropDuplicatedRows,
		rows:   newTable(schema),
	}
}

// add copies rows, and writes runs where memory is full. It returns how many it has taken.
func (s *columnSort) add(rows []parquet.Row) (int, error) {
	for i, row := range rows {
		if err := s.addRow(row); err != nil {
			return i, err
		}
	}
	return len(rows), nil
}

func (s *columnSort) addRow(row parquet.Row) error {
	if s.rows.rows >= s.limit {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.rows.add(row)
}

// addValues is add of Go values, of which it gets pointers.
func (s *columnSort) addValues(pointers iter.Seq[any]) (n int, err error) {
	return s.deconstruct(pointers, s.addRow)
}

// deconstruct calls add with the rows of Go values, and returns how many it has taken.
func (s *columnSort) deconstruct(pointers iter.Seq[any], add func(parquet.Row) error) (n int, err error) {
	defer func() { clear(s.row[:cap(s.row)]) }()
	for p := range pointers {
		s.row = s.schema.Deconstruct(s.row[:0], p)
		if err := add(s.row); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// addSorted appends Go values that are in order to a run.
func (s *columnSort) addSorted(pointers iter.Seq[any], to *runWriter) error {
	defer s.rows.reset()
	n, err := s.deconstruct(pointers, s.rows.add)
	if err != nil {
		return err
	}
	o := ordered{s.rows, make([]uint32, n)}
	for i := range o.rows {
		o.rows[i] = uint32(i)
	}
	return to.write(n, o.encode)
}

// ordered is rows of a table in order.
type ordered struct {
	of   *table
	rows []uint32
}

// encode returns the function that encodes some of the rows, for a run.
func (o ordered) encode(dst []byte, lo, hi int) []byte { return o.of.encode(dst, o.rows[lo:hi]) }

// order returns the rows of a table in order, stable. Of rows that tie the first is left, if duplicates are dropped, and
// none that tie with row 0 if that is merged already.
func (s *columnSort) order(t *table, merged bool) (ordered, error) {
	opts := []sorter.Option{sorter.Stable()}
	var ties perm.Runs
	if s.drop {
		opts = append(opts, sorter.MarkRuns(&ties))
	}
	rows, err := t.by(s.leaves, t.rows).Order(opts...)
	if err != nil || !s.drop {
		return ordered{t, rows}, err
	}
	kept := rows[:0]
	for lo := range ties.All() {
		if !merged || lo > 0 {
			kept = append(kept, rows[lo])
		}
	}
	return ordered{t, kept}, nil
}

// flush writes the rows in memory as a run.
func (s *columnSort) flush() error {
	if s.rows.rows == 0 {
		return nil
	}
	o, err := s.order(s.rows, false)
	if err == nil {
		err = s.addRun(len(o.rows), o.encode)
	}
	s.rows.reset()
	return err
}

// finish hands all rows in order to write.
func (s *columnSort) finish(write func(ordered) error) error {
	if len(s.runs) == 0 {
		o, err := s.order(s.rows, false)
		if err != nil {
			return err
		}
		return write(o)
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.rows = newTable(s.schema) // the merge has the memory
	err := s.reduce(func(from []run, out *runWriter) error {
		return s.merge(from, func(o ordered) error { return out.write(len(o.rows), o.encode) })
	})
	if err != nil {
		return err
	}
	return s.merge(s.runs, write)
}

// reset drops all rows and runs. It keeps the memory of rows.
func (s *columnSort) reset() {
	s.rows.reset()
	s.dropRuns()
}

// columnMerger merges runs in rounds. A round orders all rows in memory that come before all rows that are not. So each run
// is read in order, as far ahead as its share of the memory.
type columnMerger struct {
	s       *columnSort
	cursors []columnCursor
	share   int    // rows of a cursor
	spare   *table // for the rows that a cursor has left
	ends    *table // the last rows in memory of cursors
	last    *table // the row that the round before ended with, if duplicates are dropped
}

// columnCursor is the place in a run.
type columnCursor struct {
	from *store
	left []block // that are not in memory
	rows *table  // in memory
	next int     // the first of them that is not merged
}

// merge hands the rows of runs to write, in order; ties in the order of runs.
func (s *columnSort) merge(runs []run, write func(ordered) error) error {
	m := &columnMerger{s: s, share: s.share(len(runs)), spare: newTable(s.schema), ends: newTable(s.schema), last: newTable(s.schema)}
	for _, r := range runs {
		m.cursors = append(m.cursors, columnCursor{from: r.from, left: r.blocks, rows: newTable(s.schema)})
	}
	return ahead(m.round, write)
}

// round returns the rows of a round, in memory if there is some, and false after the last.
func (m *columnMerger) round(memory ordered) (ordered, bool, error) {
	t := memory.of
	if t == nil {
		t = newTable(m.s.schema)
	}
	for {
		t.reset()
		t.addRows(m.last, 0, m.last.rows)
		merged := t.rows
		if err := m.take(t); err != nil || t.rows == merged {
			return ordered{}, false, err
		}
		o, err := m.s.order(t, merged > 0)
		if err != nil {
			return ordered{}, false, err
		}
		if len(o.rows) == 0 {
			continue // all tie with the last row
		}
		if m.s.drop {
			m.last.reset()
			last := int(o.rows[len(o.rows)-1])
			m.last.addRows(t, last, last+1)
		}
		return o, true, nil
	}
}

// take appends the rows of a round to t: of all cursors those up to the bound, the end of the cursor that ends first. Rows
// that tie with the bound are in the round if its run comes after theirs.
func (m *columnMerger) take(t *table) error {
	m.ends.reset()
	var unfinished []int
	for i := range m.cursors {
		c := &m.cursors[i]
		if err := m.fill(c); err != nil {
			return err
		}
		if len(c.left) > 0 {
			m.ends.addRows(c.rows, c.rows.rows-1, c.rows.rows)
			unfinished = append(unfinished, i)
		}
	}
	bound, first := -1, -1
	if len(unfinished) > 0 {
		ends, err := m.ends.by(m.s.leaves, m.ends.rows).Top(1, sorter.Stable())
		if err != nil {
			return err
		}
		first = int(ends[0])
		bound = unfinished[first]
	}
	for i := range m.cursors {
		c := &m.cursors[i]
		end := c.rows.rows
		if bound >= 0 && i != bound {
			c.rows.addRows(m.ends, first, first+1)
			lo, hi := c.rows.by(m.s.leaves, end).SearchRange(end)
			c.rows.cut(end)
			if end = max(lo, c.next); i < bound {
				end = max(hi, c.next)
			}
		}
		t.addRows(c.rows, c.next, end)
		c.next = end
	}
	return nil
}

// fill reads blocks once half of the share is merged.
func (m *columnMerger) fill(c *columnCursor) (err error) {
	if len(c.left) == 0 || c.rows.rows-c.next > m.share/2 {
		return nil
	}
	m.spare.reset()
	m.spare.addRows(c.rows, c.next, c.rows.rows)
	c.rows, m.spare, c.next = m.spare, c.rows, 0
	c.left, err = nextBlocks(c.from, c.left, m.share-c.rows.rows, func(rows int, encoded []byte) { c.rows.decode(encoded, rows) })
	return err
}

// columnOutput writes rows of a table to a parquet file.
type columnOutput struct {
	to     parquetFile
	most   int64 // rows of a row group
	rows   int64 // in the row group that is written
	values []parquet.Value
}

// parquetFile is a writer of package parquet.
type parquetFile interface {
	ColumnWriters() []*parquet.ColumnWriter
	Flush() error
}

// writtenRows is the most rows that a column is given at a time: a page may end after them, as in Writers of package parquet.
const writtenRows = 64

func (o *columnOutput) write(b ordered) error {
	defer func() { clear(o.values[:cap(o.values)]) }()
	for rows := b.rows; len(rows) > 0; {
		n := min(len(rows), int(min(o.most-o.rows, writtenRows)))
		for i, to := range o.to.ColumnWriters() {
			o.values = b.of.columns[i].appendValues(o.values[:0], i, rows[:n])
			if _, err := to.WriteRowValues(o.values); err != nil {
				return err
			}
		}
		rows = rows[n:]
		if o.rows += int64(n); o.rows == o.most {
			if err := o.to.Flush(); err != nil {
				return err
			}
			o.rows = 0
		}
	}
	return nil
}
