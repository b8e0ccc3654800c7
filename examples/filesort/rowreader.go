package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// rowReader cuts files into chunks of whole rows.
type rowReader struct {
	cmd   *command
	names []string // files to come
	open  func(name string) (*input, error)
	size  int   // bytes of a chunk
	most  int64 // bytes of a row
	m     *meter

	in     *chunks // the open file
	name   string  // of it, for errors
	rest   []byte  // the begin of a row
	lines  int     // of the open file, before the next chunk
	first  bool    // the next chunk is the first of its file
	format format  // nil before the first file
	head   string  // of the first file: byte order mark and header
	header string  // without mark and line end
	eol    string
}

// rowChunk is rows of one file.
type rowChunk struct {
	*source
	start int // of the rows, after the header
	lines int // of the file, before the chunk
}

// explain says where a fault is, see source.
func (c rowChunk) explain(err error) error { return c.explainFrom(err, c.lines) }

// next returns the next chunk.
func (r *rowReader) next() (c rowChunk, more bool, err error) {
	for {
		if r.in == nil {
			if len(r.names) == 0 {
				return c, false, nil
			}
			r.openNext()
		}
		text, err := r.in.next(nil)
		if err != nil {
			return c, false, err
		}
		if text == nil { // the end of the file
			text, r.rest = r.rest, nil
			r.in = nil
		} else {
			text = append(r.rest, text...)
			cut := r.cut(text)
			text, r.rest = text[:cut:cut], text[cut:]
		}
		if int64(len(r.rest)) > r.most {
			return c, false, fmt.Errorf("%s:%d: a row of more than %d bytes, or a quote that is never closed", r.name, r.lines+1, r.most)
		}
		if len(text) == 0 {
			continue
		}
		c, err = r.chunk(text)
		return c, err == nil, err
	}
}

func (r *rowReader) openNext() {
	name := r.names[0]
	r.names = r.names[1:]
	r.in = &chunks{files: &files{names: []string{name}, custom: r.open}, shape: shape{eol: '\n'}, size: r.size, m: r.m}
	r.name, r.lines, r.first = nameOf(name), 0, true
}

// chunk makes a chunk of text, and reads the header if it is the first.
func (r *rowReader) chunk(text []byte) (c rowChunk, err error) {
	c = rowChunk{source: &source{name: r.name, text: stringOf(text)}, lines: r.lines}
	r.lines += bytes.Count(text, []byte{'\n'})
	if !r.first {
		return c, nil
	}
	r.first = false
	if err := c.encoding(); err != nil {
		return c, fmt.Errorf("reading %s: %w", r.name, err)
	}
	if r.format == nil {
		if r.format, c.start, err = r.cmd.open(c.source); err != nil {
			return c, c.explain(err)
		}
		r.head, r.eol = c.text[:c.start], eolOf(c.text)
		r.header = strings.TrimRight(c.text[c.bom:c.start], "\r\n")
		return c, nil
	}
	c.start = c.bom
	if r.header == "" {
		return c, nil
	}
	for c.start < len(c.text) && blankLine(c.text, c.start) > 0 {
		c.start += blankLine(c.text, c.start)
	}
	rest, ok := strings.CutPrefix(c.text[c.start:], r.header)
	end := blankLine(rest, 0)
	if !ok || end == 0 && rest != "" {
		return c, fmt.Errorf("%s: its header is not that of the first file", r.name)
	}
	c.start = len(c.text) - len(rest) + end
	return c, nil
}

// cut returns the length of the whole rows at the front of text, which begins with a row.
func (r *rowReader) cut(text []byte) int {
	whole := bytes.LastIndexByte(text, '\n') + 1
	f := r.format
	if f == nil {
		src := &source{name: r.name, text: stringOf(text)}
		err := src.encoding()
		if err == nil {
			f, _, err = r.cmd.open(src)
		}
		var fault *rowError
		switch {
		case errors.As(err, &fault) && fault.msg == openQuote:
			return 0 // the header may go on
		case err != nil:
			return whole // chunk reports it
		}
	}
	d, ok := f.(*delimited)
	switch {
	case !ok || d.quote == none:
		return whole
	case d.quote == lazy:
		return wholeRows(d, stringOf(text[:whole]))
	}
	// In a file without faults, quotes hide a line end if there is an odd number before it.
	hidden := bytes.Count(text[:whole], []byte{'"'})%2 == 1
	for hidden && whole > 0 {
		before := bytes.LastIndexByte(text[:whole-1], '\n') + 1
		hidden = bytes.Count(text[before:whole], []byte{'"'})%2 == 0
		whole = before
	}
	return whole
}

// wholeRows reads rows up to the first that does not end in text.
func wholeRows(d *delimited, text string) int {
	at := 0
	for at < len(text) {
		if n := blankLine(text, at); n > 0 {
			at += n
			continue
		}
		_, next, err := d.all(text, at)
		if err != nil {
			return at
		}
		at = next
	}
	return at
}

func eolOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
