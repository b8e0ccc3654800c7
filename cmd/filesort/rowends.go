package main

import (
	"bytes"
	"errors"
	"strings"
)

// cut returns the length of the whole rows at the front of text, which begins with a row.
func (r *rowReader) cut(text []byte) int {
	whole := bytes.LastIndexByte(text, '\n') + 1
	f := r.format
	if f == nil { // the last line may be the begin of the header
		src := r.source(stringOf(text[:whole]))
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
		case !hasRow(f):
			return whole // the lines so far are empty
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

// hasRow reports whether a format was opened by the first row of a file, not by empty lines.
func hasRow(f format) bool {
	d, ok := f.(*delimited)
	return !ok || d.slots != nil
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

// missingEnd returns the part of a line end that a row is to be given: a file may end within one.
func missingEnd(row, eol string) string {
	switch {
	case strings.HasSuffix(row, "\n"):
		return ""
	case strings.HasSuffix(row, "\r"):
		return "\n"
	}
	return eol
}

// eolOf returns the first line end that no quotes hide, or "".
func eolOf(text string, quoted bool) string {
	end := nextLine(text, quoted, false)
	if end < 0 { // a quote at an odd place
		end = nextLine(text, false, false)
	}
	switch {
	case end < 0:
		return ""
	case strings.HasSuffix(text[:end], "\r\n"):
		return "\r\n"
	}
	return "\n"
}
