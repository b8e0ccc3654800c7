package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// row is a span of the file, line end included. The sort moves rows.
type row struct {
	off  int
	size uint32
	id   uint32 // place in the file, and index of the row's values
}

// field is the value of one sort column in one row.
type field struct {
	text    string // quotes undone
	off     int    // where it stands in the file
	null    bool   // the format says so; words that mean null are not its business
	missing bool   // NDJSON: the row has no such member
}

// format knows where rows and fields begin and end.
type format interface {
	// row reads the row at text[pos:], sets out[i] to the field of sort column
	// i, and returns where the next row starts.
	row(text string, pos int, out []field) (next int, err error)
	// blank returns the length of the line at text[pos:] if it is blank and
	// therefore no row, and 0 otherwise.
	blank(text string, pos int) int
	// quoted reports whether quotes may hide a line end.
	quoted() bool
	// counted appends a row with its line end, and a count in it that has a name.
	counted(dst []byte, row, name string, count int) ([]byte, error)
}

// part is what one worker found in one stretch of the file.
type part struct {
	rows  []row // ids count from 0
	cells []cells
	next  int   // where it stopped: the start of a row
	err   error // why it stopped before the end
}

// cells are the values of one sort column.
type cells struct {
	text []string
	null []bool
	tally
}

// scanner reads rows in parallel.
type scanner struct {
	format  format
	width   int      // sort columns
	open    []bool   // of them, those whose kind is to be found
	nulls   []string // words that mean null
	chunk   int      // bytes of one part
	workers int
}

// scanner returns a scanner of the columns of specs.
func (cmd *command) scanner(f format, specs []spec) *scanner {
	s := &scanner{format: f, width: len(specs), nulls: cmd.nulls, chunk: cmd.chunk, workers: cmd.workers}
	for _, spec := range specs {
		s.open = append(s.open, spec.kind == auto)
	}
	if _, ok := f.(*delimited); ok {
		s.nulls = append(s.nulls[:len(s.nulls):len(s.nulls)], "")
	}
	return s
}

// scan returns the parts of text[start:] in their order.
//
// A cut between two parts is only a guess where quotes stand at odd places. A
// part whose start is right and which ends exactly at its cut proves the next
// start right; the first that does not is continued to the end of the text.
// Every byte is therefore read at most twice.
func (s *scanner) scan(ctx context.Context, text string, start int, m *meter) ([]part, error) {
	cuts := cutRows(text, start, s.chunk, s.format.quoted())
	parts := make([]part, len(cuts)-1)
	err := forEach(ctx, s.workers, len(parts), func(i int) {
		parts[i] = s.part(text[:cuts[i+1]], cuts[i])
		m.add(cuts[i+1] - cuts[i])
	})
	if err != nil {
		return nil, err
	}
	for i := range parts {
		if parts[i].next != cuts[i+1] {
			rest := s.part(text, parts[i].next)
			return append(parts[:i+1], rest), rest.err
		}
	}
	return parts, nil
}

// cutRows returns start, the starts of rows about size bytes apart, and
// len(text). Quotes are counted, a pair hiding the line ends between its two.
func cutRows(text string, start, size int, quoted bool) []int {
	cuts := []int{start}
	hidden := false
	for at := start; len(text)-at > size; {
		if quoted && strings.Count(text[at:at+size], `"`)%2 == 1 {
			hidden = !hidden
		}
		at += size
		// A start beyond the next target is left to that one, so that no
		// byte is read again and again.
		if n := nextLine(text[at:min(at+size, len(text))], quoted, hidden); n >= 0 && at+n < len(text) {
			cuts = append(cuts, at+n)
		}
	}
	return append(cuts, len(text))
}

// nextLine returns the offset after the first line end that no quotes hide,
// or -1.
func nextLine(text string, quoted, hidden bool) int {
	if !quoted {
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			return i + 1
		}
		return -1
	}
	for i := range len(text) {
		switch {
		case text[i] == '"':
			hidden = !hidden
		case text[i] == '\n' && !hidden:
			return i + 1
		}
	}
	return -1
}

// part reads rows from pos to the end of text.
func (s *scanner) part(text string, pos int) part {
	most := 1 + strings.Count(text[pos:], "\n") // quoted line ends included
	p := part{rows: make([]row, 0, most), cells: make([]cells, s.width)}
	for c := range p.cells {
		p.cells[c] = cells{text: make([]string, 0, most), null: make([]bool, 0, most)}
	}
	p.next, p.err = s.each(text, pos, func(at, next int, fields []field, nulls []bool) error {
		p.rows = append(p.rows, row{off: at, size: uint32(next - at)})
		for c, f := range fields {
			p.cells[c].put(f, nulls[c], s.open[c])
		}
		return nil
	})
	return p
}

// each calls found with the place of each row from pos to the end of text, and its fields, of
// which some are null. It returns where it stopped: the start of a row.
func (s *scanner) each(text string, pos int, found func(at, next int, fields []field, nulls []bool) error) (int, error) {
	fields, nulls := make([]field, s.width), make([]bool, s.width)
	for pos < len(text) {
		if n := s.format.blank(text, pos); n > 0 {
			pos += n
			continue
		}
		next, err := s.format.row(text, pos, fields)
		if err == nil && uint64(next-pos) > math.MaxUint32 {
			err = faultAt(pos, "a row of more than 4 GiB")
		}
		if err != nil {
			return pos, err
		}
		for c, f := range fields {
			nulls[c] = f.null || s.isNull(f.text)
		}
		if err := found(pos, next, fields, nulls); err != nil {
			return pos, err
		}
		pos = next
	}
	return pos, nil
}

// put appends a field. If the kind of its column is open, it is one of those that it may have.
func (c *cells) put(f field, null, open bool) {
	c.note(f, null, open)
	if null {
		f.text = ""
	}
	c.text = append(c.text, f.text)
	c.null = append(c.null, null)
}

func (s *scanner) isNull(value string) bool {
	return len(s.nulls) > 0 && slices.Contains(s.nulls, strings.Trim(value, " "))
}

// forEach calls do(0) … do(n-1) from workers goroutines, until ctx is cancelled.
func forEach(ctx context.Context, workers, n int, do func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
