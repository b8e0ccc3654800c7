package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"example.com/sorter/extsort"
)

// tooLong returns the error of a row whose begin is in buf, after reading its end: it has its
// length.
func (r *rowReader) tooLong(buf []byte) error {
	quoted := r.format == nil || r.format.quoted()
	begin := r.source(stringOf(buf))
	if d, ok := r.format.(*delimited); r.format == nil || ok && d.quote == strict {
		if at := findLone(begin.text, quoted); at >= 0 {
			return begin.explainFrom(faultAt(at, loneReturn), r.lines)
		}
	}
	size, open, err := r.rowLength(buf, quoted)
	switch {
	case err != nil:
		return err
	case open:
		return fmt.Errorf("%s:%d: a quote in this row of more than %d bytes is never closed", r.name, r.marks.lines.of(r.lines+1), r.most)
	}
	return fmt.Errorf("%s:%d: this row has %d bytes, and -S %dK has room for rows of %d; -S %dK is enough for the row without its keys",
		r.name, r.marks.lines.of(r.lines+1), size, r.cmd.memory>>10, r.most, enough(r.cmd.memory, size, longestRow)>>10+1)
}

// rowLength returns the length of the row that begins with buf, which it reads to its end. open
// says that the file ends within quotes.
func (r *rowReader) rowLength(buf []byte, quoted bool) (size int64, open bool, err error) {
	for more := buf; ; {
		if n := nextLine(stringOf(more), quoted, open); n >= 0 {
			return size + int64(n), false, nil
		}
		size += int64(len(more))
		if quoted && bytes.Count(more, []byte{'"'})%2 == 1 {
			open = !open
		}
		n, err := r.in.Read(buf[:cap(buf)])
		if more = buf[:n]; err == io.EOF && n == 0 {
			return size, open, nil
		}
		if err != nil && err != io.EOF {
			return 0, false, r.in.failed(err)
		}
	}
}

// longestRow returns the bytes of the longest row that a sort on disk takes in some memory.
func longestRow(memory int64) int64 { return memory / 16 }

// enough returns an amount of memory, or some more, that has room for something.
func enough(memory, need int64, room func(memory int64) int64) int64 {
	for memory < math.MaxInt64/4 && room(memory) < need {
		memory += memory / 16
	}
	return memory
}

// explainLength says which -S has room for a row that is too long with its key.
func (d *columnSort) explainLength(err error, number int64) error {
	var long *extsort.LengthError
	if !errors.As(err, &long) {
		return err
	}
	need := enough(d.memory, long.Need, func(memory int64) int64 {
		more := *d.command
		more.memory = memory
		runs := memory - (&columnSort{command: &more}).reading()
		return runs - d.combinerMemory(runs)
	})
	return fmt.Errorf("row %d of the input has %d bytes with its key, and -S %dK has room for %d; -S %dK is enough: %w",
		number, long.Bytes, d.memory>>10, long.Most, need>>10+1, err)
}
