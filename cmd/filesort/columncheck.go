package main

import (
	"errors"
	"io"
	"strings"
)

// checkColumns returns a disorder if a row does not come after the one before it: with -u, also if it ties with it.
func (cmd *command) checkColumns(stdin io.Reader, m *meter) error {
	d, err := cmd.openColumns(stdin, nil, m)
	defer d.close()
	if err != nil {
		return err
	}
	m.stage("check", "bytes", d.total)
	r := d.reader(d.open)
	defer r.close()
	last, memory := "", []byte(nil)
	err = pipeline(d.workers, r.next, func(c rowChunk) (*checkedRows, error) {
		rows := new(checkedRows)
		if err := d.packRows(&rows.packedRows, c, r); err != nil {
			return nil, c.explain(err)
		}
		for i := 1; i < len(rows.all) && rows.found == nil; i++ {
			if d.disordered(rows.all[i-1], rows.all[i]) {
				rows.found = d.disorderAt(c, r, i, rows.all[i])
			}
		}
		if len(rows.all) > 0 {
			rows.first = d.disorderAt(c, r, 0, rows.all[0])
		}
		r.done(c)
		return rows, nil
	}, func(rows *checkedRows) error {
		d.note(&rows.packedRows)
		n := len(rows.all)
		switch {
		case n > 0 && last != "" && d.disordered(last, rows.all[0]):
			return rows.first
		case rows.found != nil:
			return rows.found
		case n > 0:
			memory = append(memory[:0], rows.all[n-1]...)
			last = stringOf(memory)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.allFound()
}

// checkedRows are the rows of a chunk, and what is to be said if the first is out of order, or another.
type checkedRows struct {
	packedRows
	first *disorder
	found *disorder // nil: the others are in order
}

// disordered reports whether packed row b may not follow a.
func (d *columnSort) disordered(a, b string) bool {
	c := strings.Compare(keyOf(a), keyOf(b))
	return c > 0 || c == 0 && d.unique
}

// disorderAt returns the disorder of row i of a chunk, which is packed.
func (d *columnSort) disorderAt(c rowChunk, r *rowReader, i int, packed string) *disorder {
	found := errors.New("found")
	place := ""
	d.scanner(r.format, d.specs).each(c.text, c.start, func(at, _ int, _ []field, _ []bool) error {
		if i--; i >= 0 {
			return nil
		}
		place = c.place(at)
		return found
	})
	text := strings.TrimRight(rowOf(packed), "\r\n")
	if c.elements {
		text = plainJSON(text)
	}
	end := byte('\n')
	if d.nulRows {
		text, end = plainNUL(text), 0
	}
	return &disorder{place[:strings.LastIndexByte(place, ':')], text, end}
}
