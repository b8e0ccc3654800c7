package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/sorter/extsort"
)

// sortColumnsOnDisk sorts rows that memory does not hold, or those of several files. The input
// is read twice, unless -by names all types: first for the types of the columns, then for the
// rows. If rest is not nil, it is the text of the only file.
func (cmd *command) sortColumnsOnDisk(stdin, rest io.Reader, stdout io.Writer, m *meter) (r *report, err error) {
	d := &columnSort{command: cmd, m: m, specs: slices.Clone(cmd.by), found: make([]int, len(cmd.by)), nulls: make([]int, len(cmd.by))}
	d.open = func(name string) (*input, error) {
		if rest != nil {
			return &input{Reader: rest, name: nameOf(name)}, nil
		}
		return openInput(name, stdin, cmd.compress)
	}
	if slices.ContainsFunc(cmd.by, func(s spec) bool { return s.kind == auto }) {
		stream := "-"
		if rest != nil {
			stream = cmd.files[0]
		}
		if slices.Contains(cmd.files, stream) {
			f, err := d.spool(stream)
			if err != nil {
				return nil, err
			}
			defer f.remove()
		}
		m.stage("types", "bytes", d.total())
		if err := d.findKinds(); err != nil {
			return nil, err
		}
	}
	r = &report{disk: new(extsort.Stats)}
	p := newPacking(d.specs)
	s, err := cmd.newDiskSorter(p.order(), cmd.memory-d.reading(), r.disk)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m.stage("read", "bytes", d.total())
	head, err := d.appendRows(s, p)
	if err != nil {
		return nil, err
	}
	r.what = fmt.Sprintf("%d rows by %s", s.Len(), strings.Join(d.describe(), ", "))
	m.stage("merge", "rows", s.Len())
	ctx, stop := interrupts()
	defer stop()
	err = cmd.writeTo(stdout, func(w io.Writer) error { return d.write(ctx, s, p, head, w) })
	return r, errors.Join(err, s.Close())
}

// columnSort is the state of a sort by columns on disk.
type columnSort struct {
	*command
	m     *meter
	open  func(name string) (*input, error)
	specs []spec // with the kinds found
	found []int  // rows that have the column
	nulls []int
	rows  int
	eol   string
}

func (d *columnSort) total() int64 { return (&files{names: d.files}).total() }

// chunkSize is the size of a chunk, of which several, and what is found in them, are in memory.
func (d *columnSort) chunkSize() int { return int(min(max(d.memory/128, leastChunk), int64(d.chunk))) }

// reading bounds the memory of chunks and of what is found in them.
func (d *columnSort) reading() int64 { return d.memory / 4 }

func (d *columnSort) reader() *rowReader {
	return &rowReader{cmd: d.command, names: d.files, open: d.open, size: d.chunkSize(), most: d.memory / 16, m: d.m}
}

func (d *columnSort) scanner(f format) *scanner {
	s := &scanner{format: f, width: len(d.by), nulls: d.command.nulls}
	if _, ok := f.(*delimited); ok {
		s.nulls = append(s.nulls[:len(s.nulls):len(s.nulls)], "")
	}
	return s
}

// findKinds reads all rows and sets the kinds of columns that -by leaves open.
func (d *columnSort) findKinds() error {
	kinds := slices.Repeat([]kindSet{anyKind}, len(d.specs))
	r := d.reader()
	err := pipeline(d.workers, r.next, func(c rowChunk) (part, error) {
		p := d.scanner(r.format).part(c.text, c.start)
		return p, c.explain(p.err)
	}, func(p part) error {
		for i := range kinds {
			kinds[i] &= p.cells[i].kinds
		}
		return nil
	})
	for i := range d.specs {
		if d.specs[i].kind == auto {
			d.specs[i].kind = kinds[i].first()
		}
	}
	return err
}

// packedRows are the rows of a chunk.
type packedRows struct {
	part part
	all  []string
}

// appendRows appends all rows to s, and returns what stays on top.
func (d *columnSort) appendRows(s *extsort.Sorter[string], p *packing) (head string, err error) {
	r := d.reader()
	err = pipeline(d.workers, r.next, func(c rowChunk) (packedRows, error) {
		rows, err := d.packRows(c, r.format, p)
		return rows, c.explain(err)
	}, func(rows packedRows) error {
		for i, c := range rows.part.cells {
			d.found[i] += c.found
			d.nulls[i] += c.nulls
		}
		d.rows += len(rows.all)
		return s.Append(rows.all...)
	})
	if err != nil {
		return "", err
	}
	d.eol = r.eol
	for i, n := range d.found {
		if n == 0 && d.rows > 0 {
			return "", fmt.Errorf("no row has a column %s", d.by[i].name)
		}
	}
	return strings.Clone(r.head), nil
}

// packRows finds the rows of a chunk and packs them.
func (d *columnSort) packRows(c rowChunk, f format, p *packing) (packedRows, error) {
	s := d.scanner(f)
	found := s.part(c.text, c.start)
	rows := packedRows{part: found}
	buf := make([]byte, 0, len(c.text)+len(found.rows)*p.row)
	values, nulls := make([]string, s.width), make([]bool, s.width)
	for i, at := range found.rows {
		for k := range values {
			values[k], nulls[k] = found.cells[k].text[i], found.cells[k].null[i]
		}
		row := c.text[at.off : at.off+int(at.size)]
		from := len(buf)
		var bad int
		if buf, bad = p.pack(buf, row, values, nulls); bad >= 0 {
			fields := make([]field, s.width)
			f.row(c.text, at.off, fields)
			return rows, wrongKind(fields[bad].off, values[bad], d.specs[bad])
		}
		rows.all = append(rows.all, stringOf(buf[from:]))
	}
	return rows, found.err
}

// describe returns the columns with what was found about them.
func (d *columnSort) describe() (found []string) {
	for i, s := range d.specs {
		found = append(found, described(s, d.nulls[i]))
	}
	return found
}

// write writes the rows in order.
func (d *columnSort) write(ctx context.Context, s *extsort.Sorter[string], p *packing, head string, w io.Writer) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	out := newLineWriter(w, shape{record: 1}) // rows have their line ends
	return writeBatches(ctx, s, out, func(e string) error {
		row := p.rowOf(e)
		err := out.write(row)
		if err == nil && !strings.HasSuffix(row, "\n") {
			err = out.write(d.eol)
		}
		return err
	}, d.m)
}

// spooled is a copy of a stream, which can be read again.
type spooled struct{ *os.File }

// spool copies a stream to a file in the first of the folders of -T, and lets open return that.
func (d *columnSort) spool(name string) (*spooled, error) {
	in, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	dir := "" // $TMPDIR or /tmp
	if len(d.dirs) > 0 {
		dir = d.dirs[0]
	}
	f, err := os.CreateTemp(dir, ".filesort-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // where the system allows it, an interrupt leaves nothing
	s := &spooled{f}
	if _, err := io.Copy(f, in); err != nil {
		s.remove()
		return nil, fmt.Errorf("copying %s to %s: %w", in.name, filepath.Dir(f.Name()), err)
	}
	others := d.open
	d.open = func(other string) (*input, error) {
		if other != name {
			return others(other)
		}
		_, err := f.Seek(0, io.SeekStart)
		return &input{Reader: f, name: in.name}, err
	}
	return s, nil
}

func (s *spooled) remove() {
	s.Close()
	os.Remove(s.Name())
}
