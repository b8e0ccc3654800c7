package main

import (
	"crypto/md5"
	"strings"
)

// packedRows are the rows of a chunk.
type packedRows struct {
	text    []byte
	ends    []int // of rows in text
	all     []string
	columns []tally
	memory  int64 // of the budget
}

// packedShare is the part of a chunk in the memory for it and for its packed rows.
const packedShare = 8

// packedBytes bounds the memory of a chunk and of its packed rows: a text may have an escape for each byte, and with
// -u it may stand in the key of its value, too.
func (d *columnSort) packedBytes(text string) int64 {
	const row, value = 16 + 8 + 4, 2*shortKey + 1 + md5.Size // a reference, a place, a length and a count; the longest value that is no text
	growth := int64(0)
	for _, s := range d.specs {
		growth += 2 * s.growth
	}
	return (6+growth)*int64(len(text)) + int64(1+strings.Count(text, "\n"))*(row+value*int64(len(d.specs)))
}

func (d *columnSort) packing() *packing {
	return &packing{specs: d.specs, groups: d.groups, front: max(d.groups, d.split.keys), texts: d.texts, counted: d.combines(), salt: d.salt}
}

// packRows packs the rows of a chunk. They are valid as long as the memory of rows is not used
// again.
func (d *columnSort) packRows(rows *packedRows, c rowChunk, r *rowReader) error {
	text, ends, key := rows.text[:0], rows.ends[:0], []byte(nil)
	rows.columns = make([]tally, len(d.specs))
	s, p := d.scanner(r.format, d.specs), d.packing()
	_, err := s.each(c.text, c.start, func(at, next int, fields []field, nulls []bool) error {
		for k := range fields {
			rows.columns[k].note(fields[k], nulls[k], false)
		}
		row, bad := c.text[at:next], -1
		if d.shuffle {
			p.random = shuffled(p.random[:0], d.seed, c.input, c.offset+int64(at))
		}
		if text, key, bad = p.pack(text, key, row, missingEnd(row, c.eol), fields, nulls); bad >= 0 {
			return wrongKind(fields[bad].off, fields[bad].text, d.specs[bad])
		}
		ends = append(ends, len(text))
		return nil
	})
	rows.text, rows.ends, rows.all = text, ends, rows.all[:0]
	from := 0
	for _, end := range ends {
		rows.all = append(rows.all, stringOf(text[from:end]))
		from = end
	}
	return err
}
