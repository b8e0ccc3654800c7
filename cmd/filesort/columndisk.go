package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/sorter/extsort"
)

// sortColumnsOnDisk sorts rows that memory does not hold, or those of several files. The input
// is read twice, unless -by names all types: first for the types of the columns, then for the
// rows. If opened is not nil, it is the first file, of whose text memory may have the textShare.
func (cmd *command) sortColumnsOnDisk(stdin io.Reader, opened *input, stdout io.Writer, m *meter) (r *report, err error) {
	defer moreProcessors()()
	d, err := cmd.openColumns(stdin, opened, m)
	defer d.close()
	if err != nil {
		return nil, err
	}
	r = &report{disk: new(extsort.Stats)}
	limit := cmd.memory - d.reading()
	if opened != nil && (d.twice == nil || opened.text != "") { // otherwise its text is on disk
		limit -= cmd.memory / textShare
	}
	s, err := cmd.newDiskSorter(orderPacked, d.packing().tying(), limit, r.disk)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m.stage("read", "bytes", d.total)
	head, err := d.appendRows(s, d.open)
	if err != nil {
		return nil, err
	}
	r.what = fmt.Sprintf("%d rows by %s", s.Len(), strings.Join(d.describe(), ", "))
	switch {
	case d.shuffle:
		r.what = fmt.Sprintf("%d rows by chance", s.Len())
	case d.salt != nil:
		r.what += " by chance"
	}
	m.stage("merge", "rows", s.Sorter.Len())
	ctx, stop := cmd.interrupts()
	defer stop()
	err = cmd.writeLines(stdout, head, shape{record: 1}, func(out *lineWriter) error { return d.write(ctx, s.Sorter, out) })
	return r, errors.Join(err, s.Close())
}

// columnSort is the state of a sort by columns on disk.
type columnSort struct {
	*command
	m       *meter
	specs   []spec // with the kinds found
	texts   []int  // columns whose texts differ for -u, too
	columns []tally
	rows    int
	open    func() (*input, error) // the next file, whose rows are wanted
	total   int64                  // bytes of all
	twice   *replay                // nil if files are read once
	format  format                 // of the rows; nil: there are none
}

// openColumns returns the state of a sort or a check whose kinds are known: if -by does not name them all, files are read
// for them first. The caller closes it.
func (cmd *command) openColumns(stdin io.Reader, opened *input, m *meter) (*columnSort, error) {
	var in *files
	if opened == nil {
		in = cmd.inputs(stdin)
	} else {
		in = &files{names: cmd.files, opened: opened}
	}
	in.large = true
	d := &columnSort{command: cmd, m: m, specs: slices.Clone(cmd.by), columns: make([]tally, len(cmd.by)), open: in.open, total: in.total()}
	if !slices.ContainsFunc(cmd.by, func(s spec) bool { return s.kind == auto }) {
		return d, nil
	}
	d.twice = &replay{files: in, dirs: cmd.dirs}
	d.open = d.twice.second
	m.stage("types", "bytes", d.total)
	return d, d.findKinds(d.twice.first)
}

func (d *columnSort) close() {
	if d.twice != nil {
		d.twice.close()
	}
}

// chunkSize is the size of a chunk. Workers read as many as they write rows of, and as many wait.
func (d *columnSort) chunkSize() int {
	return min(max(int(min(d.reading()/packedShare, 1<<30))/d.chunks(), leastChunk), 1<<20, d.chunk)
}

func (d *columnSort) chunks() int { return 2*d.workers + 3 }

// reading is the memory of chunks and of their packed rows.
func (d *columnSort) reading() int64 { return d.memory / 8 }

func (d *columnSort) reader(open func() (*input, error)) *rowReader {
	r := &rowReader{cmd: d.command, open: open, size: d.chunkSize(), most: longestRow(d.memory), free: make(chan []byte, d.chunks()), m: d.m}
	for _, memory := range pastBuffersOf(cap(r.free), r.size+2*pageSize) {
		r.free <- memory
	}
	return r
}

// findKinds reads all rows and sets the kinds of columns that -by leaves open.
func (d *columnSort) findKinds(open func() (*input, error)) error {
	all := make([]tally, len(d.specs))
	r := d.reader(open)
	defer r.close()
	err := pipeline(d.workers, r.next, func(c rowChunk) ([]tally, error) {
		columns := make([]tally, len(d.specs))
		s := d.scanner(r.format, d.specs)
		_, err := s.each(c.text, c.start, func(_, _ int, fields []field, nulls []bool) error {
			for k := range columns {
				columns[k].note(fields[k], nulls[k], s.open[k])
			}
			return nil
		})
		if err != nil {
			return nil, c.explain(err)
		}
		for k := range columns {
			columns[k].settle(c.place)
		}
		r.done(c)
		return columns, nil
	}, func(columns []tally) error {
		for k := range columns {
			all[k].add(&columns[k])
		}
		return nil
	})
	if err == nil {
		d.setKinds(all)
	}
	return err
}

func (d *columnSort) setKinds(all []tally) {
	for k := range d.specs {
		s := &d.specs[k]
		if s.kind != auto {
			continue
		}
		s.kind = all[k].kind()
		d.doubt(&all[k], *s)
		if (d.unique && !d.byValue || k < d.groups) && s.kind != text {
			d.texts = append(d.texts, k)
		}
	}
}

// appendRows appends all rows to s, and returns what stays on top.
func (d *columnSort) appendRows(s *combiner, open func() (*input, error)) (head string, err error) {
	r := d.reader(open)
	defer r.close()
	free := make(chan packedRows, d.chunks())
	d.columns = make([]tally, len(d.specs))
	memory := newBudget(d.reading())
	next := func() (rowChunk, bool, error) {
		c, more, err := r.next()
		if more {
			memory.take(d.packedBytes(c.text))
		}
		return c, more, err
	}
	err = pipeline(d.workers, next, func(c rowChunk) (packedRows, error) {
		rows := receive(free)
		rows.memory = d.packedBytes(c.text)
		if err := d.packRows(&rows, c, r); err != nil {
			memory.end()
			return rows, c.explain(err)
		}
		r.done(c)
		return rows, nil
	}, func(rows packedRows) error {
		d.note(&rows)
		err := d.explainLength(s.Append(rows.all...), s.Len()+1)
		if err != nil {
			memory.end()
		}
		memory.give(rows.memory)
		if cap(rows.text)+16*cap(rows.all)+8*cap(rows.ends) <= packedShare*r.size { // neither long rows nor short ones
			offer(free, rows)
		}
		return err
	})
	if err == nil {
		err = s.Flush()
	}
	if err != nil {
		return "", err
	}
	d.format = r.format
	if head = r.onTop(); d.counts != "" && r.header != "" {
		head = r.format.(*delimited).countedHead(head, d.counts)
	}
	return head, d.allFound()
}

// note counts the rows of a chunk and their values.
func (d *columnSort) note(rows *packedRows) {
	for k, c := range rows.columns {
		d.columns[k].add(&c)
	}
	d.rows += len(rows.all)
}

// allFound returns an error if there are rows, and none has one of the columns.
func (d *columnSort) allFound() error {
	for k, c := range d.columns {
		if c.found == 0 && d.rows > 0 {
			return fmt.Errorf("no row has a column %s", d.by[k].name)
		}
	}
	return nil
}

// describe returns the columns with their types.
func (d *columnSort) describe() (found []string) {
	for k, s := range d.specs {
		found = append(found, described(s, d.columns[k].nulls))
	}
	return found
}

// write writes the rows in order. They have their line ends.
func (d *columnSort) write(ctx context.Context, s *extsort.Sorter[string], out *lineWriter) error {
	p := d.packing()
	key := &splitKey{of: func(dst []byte, e string) []byte { return append(dst, p.group(e)...) }}
	put := func(e string) error {
		key.note(out, e)
		return out.write(p.row(e))
	}
	if !d.any() {
		return writeBatches(ctx, s, out, put, nil, d.m)
	}
	var group func(string) string
	if d.groups > 0 {
		group = p.group
	}
	var memory []byte
	rows := d.selecting(p.tying(), group, func(e string, count int) (err error) {
		if d.counts == "" {
			return put(e)
		}
		key.note(out, e)
		if memory, err = d.format.counted(memory[:0], p.row(e), d.counts, count); err != nil {
			return err
		}
		return out.write(stringOf(memory))
	})
	return writeBatches(ctx, s, out, rows.add, rows.end, d.m)
}
