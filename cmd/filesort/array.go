package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// jsonArray is a file that is one JSON array. Its elements are read as the lines of NDJSON, each with the space before it,
// and written as an array again.
//
// In a line that was an element, escapes stand for line ends: JSON has them between its words only, as space.
type jsonArray struct {
	is      bool // the input is one
	decided bool
	head    string // of the first file, [ included
	tail    string // of it: what follows the last element
}

// Escapes of line ends. Both are space.
const (
	escapedNewline = "\r "
	escapedReturn  = "\r\t"
)

// plainJSON undoes escapes.
func plainJSON(text string) string { return unescapeJSON.Replace(text) }

var unescapeJSON = strings.NewReplacer(escapedNewline, "\n", escapedReturn, "\r")

// startsArray reports whether a file is a JSON array by its format, or by its name and its first bytes. Only that of an
// object or an empty one is found.
func startsArray(format, name, text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, bomUTF8), jsonSpace)
	switch rest, found := strings.CutPrefix(text, "["); {
	case format == "json":
		return true
	case format != "auto" || !found:
		return false
	default:
		rest = strings.TrimLeft(rest, jsonSpace)
		return extensionOf(name) == "" && rest != "" && (rest[0] == '{' || rest[0] == ']')
	}
}

// extensionOf returns the format that the name of a file says, csv, tsv or ndjson, or "".
func extensionOf(name string) string {
	name = strings.ToLower(name)
	if _, ok := suffixes[filepath.Ext(name)]; ok {
		name = name[:len(name)-len(filepath.Ext(name))]
	}
	return map[string]string{".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".ndjson": "ndjson", ".jsonl": "ndjson"}[filepath.Ext(name)]
}

const jsonSpace = " \t\r\n"

// mostSpace bounds the space between elements, in bytes.
const mostSpace = 1 << 20

// of makes an input that is an array one of lines. The first input decides for all.
func (a *jsonArray) of(in *input, format string) error {
	r := bufio.NewReaderSize(in.Reader, 64<<10)
	if !a.decided {
		begin, err := r.Peek(4 << 10)
		if err != nil && err != io.EOF {
			return err
		}
		if err := recognized(in, string(begin)); err != nil {
			return err
		}
		a.decided = true
		a.is = startsArray(format, in.name, string(begin))
		in.Reader = r
	}
	if !a.is {
		return nil
	}
	in.Reader, in.file, in.size, in.elements = &arrayReader{a: a, in: r}, nil, 0, true
	return nil
}

// arrayReader reads the elements of an array as lines.
type arrayReader struct {
	a     *jsonArray
	in    *bufio.Reader
	state arrayState
	depth int  // of the element, brackets that are open
	word  bool // it is a number, true, false or null
	text  bool // within a string
	back  bool // after a backslash
	comma bool // a comma was read, and no element after it

	out   []byte // lines, to be returned
	space []byte // before an element, or the tail
	err   error
}

type arrayState uint8

const (
	beforeArray arrayState = iota
	beforeElement
	inElement
	afterElement
	afterArray
)

func (r *arrayReader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.out = r.out[:0]
		if _, r.err = r.in.Peek(1); r.err != nil {
			r.err = r.end(r.err)
			continue
		}
		text, _ := r.in.Peek(r.in.Buffered())
		for i := 0; i < len(text) && r.err == nil; i++ {
			r.err = r.add(text[i])
		}
		r.in.Discard(len(text))
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// end returns the error at the end of the file.
func (r *arrayReader) end(err error) error {
	switch {
	case err != io.EOF:
		return err
	case r.state == beforeArray && len(r.space) == 0: // an empty file has no array, and no rows
		return err
	case r.state == beforeArray:
		return errors.New("it has no JSON array")
	case r.state != afterArray:
		return errors.New("its JSON array is never closed")
	}
	if r.a.tail == "" {
		r.a.tail = string(r.space)
	}
	return err
}

// add takes the next byte.
func (r *arrayReader) add(b byte) error {
	if r.state == inElement && r.element(b) {
		return nil
	}
	switch {
	case r.state == beforeArray && len(r.space) < len(bomUTF8) && b == bomUTF8[len(r.space)]:
		r.space = append(r.space, b)
	case strings.IndexByte(jsonSpace, b) >= 0:
		if r.space = append(r.space, b); len(r.space) > mostSpace {
			return fmt.Errorf("more than %d bytes of space in its JSON array", mostSpace)
		}
	case r.state == afterArray:
		return fmt.Errorf("%q follows its JSON array", b)
	case r.state == beforeArray && b != '[':
		return fmt.Errorf("%q stands where its JSON array would begin", b)
	case r.state == beforeArray:
		if r.space = append(r.space, b); r.a.head == "" {
			r.a.head = string(r.space)
		}
		r.state, r.space = beforeElement, r.space[:0]
	case b == ']' && !r.comma:
		r.state, r.space = afterArray, append(r.space, b)
	case r.state == afterElement && b == ',':
		r.state, r.space, r.comma = beforeElement, r.space[:0], true
	case r.state == afterElement:
		return fmt.Errorf("%q follows an element of its JSON array", b)
	case b == ']' || b == ',':
		return fmt.Errorf("an element is missing before a %q of its JSON array", b)
	default:
		for _, s := range r.space {
			r.put(s)
		}
		r.state, r.space, r.depth, r.comma = inElement, r.space[:0], 0, false
		r.word = strings.IndexByte(`{["`, b) < 0
		r.element(b)
	}
	return nil
}

// element takes a byte of an element, and returns false for the one after a word.
func (r *arrayReader) element(b byte) bool {
	if r.word && strings.IndexByte(",]"+jsonSpace, b) >= 0 {
		r.ends()
		return false
	}
	r.put(b)
	switch {
	case r.text:
		r.text = r.back || b != '"'
		r.back = !r.back && b == '\\'
	case r.word:
		return true
	case b == '"':
		r.text = true
	case b == '{' || b == '[':
		r.depth++
	case b == '}' || b == ']':
		r.depth--
	}
	if r.depth == 0 && !r.text {
		r.ends()
	}
	return true
}

// ends ends an element.
func (r *arrayReader) ends() {
	r.state, r.out = afterElement, append(r.out, '\n')
}

// put puts a byte of an element.
func (r *arrayReader) put(b byte) {
	switch b {
	case '\n':
		r.out = append(r.out, escapedNewline...)
	case '\r':
		r.out = append(r.out, escapedReturn...)
	default:
		r.out = append(r.out, b)
	}
}

// arrayWriter writes lines as the elements of an array.
type arrayWriter struct {
	w     io.Writer
	a     *jsonArray
	begun bool   // an element was written
	start bool   // the next byte begins one
	rest  []byte // an escape that is not complete
	out   []byte
}

func (w *arrayWriter) Write(p []byte) (int, error) {
	w.out = w.out[:0]
	for _, b := range p {
		switch {
		case len(w.rest) > 0:
			w.rest = w.rest[:0]
			w.out = append(w.out, map[byte]byte{escapedNewline[1]: '\n', escapedReturn[1]: '\r'}[b])
		case b == '\n':
			w.start = true
			continue
		case b == '\r':
			w.before()
			w.rest = append(w.rest, b)
		default:
			w.before()
			w.out = append(w.out, b)
		}
	}
	if _, err := w.w.Write(w.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// before puts what stands before an element, where one begins.
func (w *arrayWriter) before() {
	switch {
	case !w.begun:
		w.out = append(w.out, w.a.head...)
	case w.start:
		w.out = append(w.out, ',')
	}
	w.begun, w.start = true, false
}

// end writes what follows the last element.
func (w *arrayWriter) end() error {
	text := w.a.tail
	if !w.begun {
		text = w.a.head + text
	}
	_, err := io.WriteString(w.w, text)
	return err
}
