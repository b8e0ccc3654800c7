package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// rowReader cuts files into chunks of whole rows.
type rowReader struct {
	cmd  *command
	open func() (*input, error) // opens the next file, nil after the last
	size int                    // bytes of a chunk
	most int64                  // bytes of a row
	free chan []byte            // memory of chunks that are done with
	m    *meter

	in     *input    // the open file
	name   string    // of it, for errors
	marks  source    // of it: where its lines are
	rest   []byte    // the begin of a row
	lines  int       // of the open file, before the next chunk
	input  int       // number of the open file; 0: none
	offset int64     // of the next chunk in it
	first  bool      // the next chunk is the first of its file
	format format    // nil before the first file
	head   string    // of the first file: byte order mark and header
	header string    // without mark and line ends
	eol    string    // of the open file; as long as it has none, of the one before
	empty  []byte    // empty lines before the first row, which are rows if it has one column and is no header
	before int64     // bytes of them that are handed out
	held   *rowChunk // that of the first row, while empty lines come
}

// rowChunk is rows of one file.
type rowChunk struct {
	*source
	memory []byte // of the text
	start  int    // of the rows, after the header
	lines  int    // of the file, before the chunk
	input  int    // number of the file; 0: empty lines before the first row
	offset int64  // of the chunk in it
	eol    string // for a last row that has none
}

// explain says where a fault is, see source.
func (c rowChunk) explain(err error) error { return c.explainFrom(err, c.lines) }

func (c rowChunk) place(off int) string { return c.placeFrom(off, c.lines) }

// next returns the next chunk.
func (r *rowReader) next() (c rowChunk, more bool, err error) {
	for {
		if c, more := r.waiting(); more {
			return c, true, nil
		}
		if err := r.openNext(); r.in == nil || err != nil {
			return c, false, err
		}
		memory, text, err := r.read()
		if err != nil {
			return c, false, err
		}
		if len(text) == 0 { // the file is empty
			continue
		}
		c, err = r.chunk(text)
		c.memory = memory
		switch {
		case err == nil && r.format == nil: // there is no row
			r.done(c)
		case err == nil && len(r.empty) > 0:
			held := c
			r.held = &held
		default:
			return c, err == nil, err
		}
	}
}

// waiting returns a chunk of empty lines that are rows, or the one that they come before.
func (r *rowReader) waiting() (c rowChunk, more bool) {
	if r.held == nil {
		return c, false
	}
	if n := bytes.LastIndexByte(r.empty[:min(r.size, len(r.empty))], '\n') + 1; n > 0 {
		lines := string(r.empty[:n])
		r.empty = r.empty[n:]
		r.before += int64(n)
		return rowChunk{source: r.source(lines), eol: r.eol, offset: r.before}, true
	}
	r.empty = nil
	c, r.held = *r.held, nil
	return c, true
}

// openNext opens the next file, unless one is open or there is none.
func (r *rowReader) openNext() (err error) {
	if r.in != nil {
		return nil
	}
	if r.in, err = r.open(); r.in != nil {
		r.name, r.lines, r.offset, r.first = r.in.name, 0, 0, true
		r.input++
		r.marks = source{name: r.name, lines: r.in.lines, elements: r.in.elements}
	}
	return err
}

// read reads the next chunk of the open file, and returns the memory in which it lies.
func (r *rowReader) read() (memory, text []byte, err error) {
	memory = receive(r.free)
	if need := r.size + len(r.rest) + pageSize; cap(memory) < need {
		memory = make([]byte, need)
	}
	buf := begin(memory, r.rest)
	for {
		n, err := r.in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		r.m.add(n)
		switch {
		case err == io.EOF:
			r.rest = r.rest[:0]
			return memory, buf, r.close()
		case err != nil:
			return nil, nil, r.in.failed(err)
		case len(buf) < cap(buf):
			continue
		}
		if n := r.cut(buf); n > 0 {
			r.rest = append(r.rest[:0], buf[n:]...)
			return memory, buf[:n], nil
		}
		if int64(len(buf)) > r.most {
			return nil, nil, r.tooLong(buf)
		}
		memory = make([]byte, min(2*len(buf), int(r.most)+1)+2*pageSize)
		buf = begin(memory, buf)
	}
}

// close closes the open file.
func (r *rowReader) close() error {
	in := r.in
	if r.in = nil; in == nil {
		return nil
	}
	if err := in.Close(); err != nil {
		return in.failed(err)
	}
	return nil
}

// done takes the memory of a chunk that no one uses any more, unless it had a long row.
func (r *rowReader) done(c rowChunk) {
	if cap(c.memory) <= 2*r.size && c.memory != nil {
		offer(r.free, c.memory)
	}
}

// chunk makes a chunk of text, and reads the header if it is the first.
func (r *rowReader) chunk(text []byte) (c rowChunk, err error) {
	c = rowChunk{source: r.source(stringOf(text)), lines: r.lines, input: r.input, offset: r.offset}
	r.offset += int64(len(text))
	r.lines += bytes.Count(text, []byte{'\n'})
	if r.first || r.format == nil {
		if err := r.begin(&c); err != nil {
			return c, err
		}
	}
	c.eol = r.eol
	return c, nil
}

// source returns a text of the open file.
func (r *rowReader) source(text string) *source {
	src := r.marks
	src.text = text
	return &src
}

// begin reads the header and the line end of a file, whose first chunk is c.
func (r *rowReader) begin(c *rowChunk) error {
	if r.first {
		if err := c.encoding(); err != nil {
			return fmt.Errorf("reading %s: %w", r.name, err)
		}
	}
	r.first = false
	read := r.skipHeader
	if r.format == nil {
		read = r.readHeader
	}
	if err := read(c); err != nil || r.format == nil {
		return err
	}
	if eol := eolOf(c.text, r.format.quoted()); eol != "" {
		r.eol = eol
		if r.header != "" { // of a file without rows
			r.head += missingEnd(r.head, eol)
		}
	}
	return nil
}

// readHeader reads the first row of all files, if there is one in c.
func (r *rowReader) readHeader(c *rowChunk) error {
	f, start, err := r.cmd.open(c.source)
	if err != nil {
		return c.explain(err)
	}
	if r.head == "" {
		r.head = strings.Clone(c.text[:c.bom])
	}
	if !hasRow(f) {
		r.empty = append(r.empty, c.text[c.bom:]...)
		return nil
	}
	c.start = start
	r.format, r.eol = f, "\n"
	r.header = strings.Clone(strings.TrimRight(c.text[min(c.afterBlank(), start):start], "\r\n"))
	if start > c.bom { // empty lines stay before a header
		r.head += string(r.empty) + strings.Clone(c.text[c.bom:start]) // whose memory is used again
	}
	if d, ok := f.(*delimited); !ok || start > c.bom || len(d.slots) > 1 { // they are no rows
		r.empty = nil
	}
	return nil
}

// onTop returns what stays on top of all rows. Empty lines alone stay.
func (r *rowReader) onTop() string {
	if r.format == nil {
		return r.head + string(r.empty)
	}
	return r.head
}

// skipHeader skips the header, which has to be that of the first file.
func (r *rowReader) skipHeader(c *rowChunk) error {
	c.start = c.bom
	if r.header == "" {
		return nil
	}
	if c.start = c.afterBlank(); c.start == len(c.text) {
		r.first = true // the header is still to come, if the file has one
		return nil
	}
	rest, ok := strings.CutPrefix(c.text[c.start:], r.header)
	end := blankLine(rest, 0)
	if ok && end == 0 && strings.HasPrefix(rest, "\r") {
		return c.explain(faultAt(len(c.text)-len(rest), loneReturn))
	}
	if !ok || end == 0 && rest != "" {
		return fmt.Errorf("%s: its header is not that of the first file", r.name)
	}
	c.start = len(c.text) - len(rest) + end
	return nil
}
