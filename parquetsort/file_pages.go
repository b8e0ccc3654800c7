package parquetsort

import (
	"bytes"
	"context"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// page is a data page of a column.
type page struct {
	chunk       *sourceChunk
	definitions []byte // empty if the column has one level only
	repetitions []byte // empty without lists
	levels      int    // values and nulls
	count       int    // values
	ids         []int32
	dictionary  *values // in which ids are looked up; nil without one
	distinct    int     // values of the dictionary
	values      values  // without a dictionary
}

// value returns a value.
func (p *page) value(c *column, i int) []byte {
	if p.dictionary != nil {
		return p.dictionary.at(c, int(p.ids[i]))
	}
	return p.values.at(c, i)
}

// isNull reports whether there is no value at a level.
func (p *page) isNull(c *column, level int) bool {
	return c.definition > 0 && p.definitions[level] != c.definition
}

func count(levels []byte, level byte) int { return bytes.Count(levels, []byte{level}) }

// eachPage calls each with the pages of a column in order, and checks that they have all rows. The memory of a page is
// used again after the call. Errors name the file.
func (c *column) eachPage(ctx context.Context, each func(*page) error) error {
	r := pageReader{c: c}
	for i := range c.chunks {
		if err := r.eachOf(ctx, &c.chunks[i], each); err != nil {
			return err
		}
	}
	return nil
}

func (r *pageReader) eachOf(ctx context.Context, chunk *sourceChunk, each func(*page) error) error {
	damaged := func(err error) error { return fmt.Errorf("%s: column %s: %w", chunk.of.path, r.c, err) }
	rows, levels := 0, int64(0)
	if chunk.meta.NumValues == 0 {
		if chunk.rows > 0 {
			return damaged(fmt.Errorf("%w: no values for %d rows", parquet.ErrCorrupted, chunk.rows))
		}
		return nil
	}
	r.begin(chunk)
	for levels < chunk.meta.NumValues {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var p page
		begun := 0
		err := guarded(func() (err error) {
			if err = r.next(&p); err == nil {
				begun, err = p.check(r.c, rows)
			}
			return err
		})
		if err != nil {
			return damaged(err)
		}
		rows, levels = rows+begun, levels+int64(p.levels)
		if rows > chunk.rows {
			break
		}
		if err = each(&p); err != nil {
			return err
		}
	}
	if rows != chunk.rows || levels != chunk.meta.NumValues {
		return damaged(fmt.Errorf("%w: %d rows and %d values instead of %d and %d", parquet.ErrCorrupted, rows, levels, chunk.rows, chunk.meta.NumValues))
	}
	return nil
}

// unpack appends n bits, each as a byte.
func unpack(dst, bits []byte, n int) []byte {
	for i := range n {
		dst = append(dst, bits[i/8]>>(i%8)&1)
	}
	return dst
}

// check checks a page. It is given how many rows of the chunk began before, and returns how many begin in it.
func (p *page) check(c *column, rows int) (begun int, err error) {
	corrupted := func(what string) (int, error) { return 0, fmt.Errorf("%w: %s", parquet.ErrCorrupted, what) }
	begun = p.levels
	if c.definition > 0 && !atMost(p.definitions, c.definition) {
		return corrupted("definition levels")
	}
	if c.nested() {
		if !atMost(p.repetitions, c.repetition) {
			return corrupted("repetition levels")
		}
		begun = count(p.repetitions, 0)
		if rows == 0 && p.levels > 0 && p.repetitions[0] != 0 {
			return corrupted("a list that begins in no row")
		}
	}
	if p.dictionary != nil {
		for _, id := range p.ids {
			if uint32(id) >= uint32(p.distinct) {
				return corrupted("an index past the dictionary")
			}
		}
	}
	return begun, nil
}

func atMost(levels []byte, most byte) bool {
	if most == 1 {
		return count(levels, 0)+count(levels, 1) == len(levels)
	}
	for _, l := range levels {
		if l > most {
			return false
		}
	}
	return true
}
