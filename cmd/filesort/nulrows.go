package main

import (
	"bytes"
	"io"
	"strings"
)

// Rows that end with NUL, for -z with -by, are read as lines: a newline stands for NUL, and escapes for line ends within a
// row. No row has a NUL of its own, so escapes begin with one. Values are those of the file, and so is the output.
const (
	nulNewline = "\x00n"
	nulReturn  = "\x00r"
)

var nulRows = strings.NewReplacer("\n", nulNewline, "\r", nulReturn, "\x00", "\n")

// plainNUL undoes escapes within a row. A newline there is a NUL that quotes hide.
func plainNUL(text string) string {
	if strings.IndexByte(text, 0) < 0 && strings.IndexByte(text, '\n') < 0 {
		return text
	}
	return unescapeNUL.Replace(text)
}

var unescapeNUL = strings.NewReplacer(nulNewline, "\n", nulReturn, "\r", "\n", "\x00")

// nulReader reads rows that end with NUL as lines.
type nulReader struct {
	in   io.Reader
	text []byte
	out  string // lines, to be returned
	err  error
}

func (r *nulReader) Read(p []byte) (int, error) {
	for r.out == "" {
		if r.err != nil {
			return 0, r.err
		}
		if r.text == nil {
			r.text = make([]byte, 256<<10)
		}
		var n int
		n, r.err = r.in.Read(r.text)
		r.out = nulRows.Replace(string(r.text[:n]))
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// nulWriter writes lines as rows that end with NUL. An escape may be cut between two calls.
type nulWriter struct {
	w   io.Writer
	out []byte
	cut bool // the last byte began an escape
}

func (w *nulWriter) Write(p []byte) (int, error) {
	w.out = w.out[:0]
	for rest := p; len(rest) > 0; {
		if w.cut {
			w.out = append(w.out, map[byte]byte{nulNewline[1]: '\n', nulReturn[1]: '\r'}[rest[0]])
			rest, w.cut = rest[1:], false
			continue
		}
		n := bytes.IndexAny(rest, "\x00\n")
		if n < 0 {
			n = len(rest)
		}
		if w.out = append(w.out, rest[:n]...); n == len(rest) {
			break
		}
		if w.cut = rest[n] == 0; !w.cut {
			w.out = append(w.out, 0)
		}
		rest = rest[n+1:]
	}
	if _, err := w.w.Write(w.out); err != nil {
		return 0, err
	}
	return len(p), nil
}
