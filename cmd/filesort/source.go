package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// source is a file in memory.
type source struct {
	name string // as errors show it
	text string // all of it
	bom  int    // bytes of a byte order mark at the front

	lines    *lineNumbers // of a file from which lines are set aside
	elements bool         // lines are the elements of an array
}

// readSource reads an input, and closes it. If that has more than most bytes, more is true, and in returns the
// bytes read again, and the others.
func (cmd *command) readSource(in *input, most int64, m *meter) (src *source, more bool, err error) {
	src = &source{name: in.name, lines: in.lines, elements: in.elements}
	m.stage("read", "bytes", in.size)
	more = true
	if in.file != nil && in.size >= pieceSize && in.size <= most {
		more, err = src.readWhole(in, cmd.workers, m)
	}
	if more && err == nil {
		more, err = src.read(in, most, m)
	}
	if err == nil {
		err = src.encoding()
	}
	if err == nil && more {
		in.Reader = io.MultiReader(strings.NewReader(src.text), in.Reader)
		return src, true, nil
	}
	if err = cmp.Or(err, in.Close()); err != nil {
		err = in.failed(err)
	}
	return src, false, err
}

// readWhole reads a file by several workers. more reports that it has grown since it was opened.
func (src *source) readWhole(in *input, workers int, m *meter) (more bool, err error) {
	text := make([]byte, in.size)
	adviseHuge(text)
	src.text = stringOf(text)
	if err := readWhole(context.Background(), in, text, workers, m, func(int) {}); err != nil {
		return false, err
	}
	return in.goesOn(in.size)
}

// read appends a file of unknown size to src.text, until it ends or there are more than most bytes. A string,
// because its substrings are the rows and the fields, and a strings.Builder, because it hands its buffer over uncopied.
func (src *source) read(in io.Reader, most int64, m *meter) (more bool, err error) {
	var b strings.Builder
	b.WriteString(src.text)
	buf := make([]byte, 1<<20)
	for {
		n, err := in.Read(buf)
		b.Write(buf[:n])
		m.add(n)
		src.text = b.String()
		switch {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, err
		case int64(b.Len()) > most:
			return true, nil
		}
	}
}

// encoding finds a byte order mark.
func (src *source) encoding() error {
	switch {
	case strings.HasPrefix(src.text, bomUTF8):
		src.bom = len(bomUTF8)
	case strings.HasPrefix(src.text, "\xff\xfe"), strings.HasPrefix(src.text, "\xfe\xff"), isUTF16(src.text):
		return errors.New("this is UTF-16, which has to be converted to UTF-8 first (iconv -f UTF-16 -t UTF-8)")
	}
	return nil
}

// isUTF16 reports whether a text without a byte order mark begins with ASCII characters in UTF-16: every second byte of
// the first is NUL, and no other.
func isUTF16(text string) bool {
	const least, most = 8, 64
	text = text[:min(len(text)&^1, most)]
	var zeros [2]int
	for i := range len(text) {
		if text[i] == 0 {
			zeros[i%2]++
		}
	}
	half := len(text) / 2
	return len(text) >= least && (zeros == [2]int{0, half} || zeros == [2]int{half, 0})
}

// format returns csv, tsv or ndjson: by the name, or else by the first line.
func (src *source) format() string {
	if known := extensionOf(src.name); known != "" {
		return known
	}
	line, _, _ := strings.Cut(strings.TrimLeft(src.text[src.bom:], " \t\r\n"), "\n")
	switch {
	case strings.HasPrefix(line, "{"):
		return "ndjson"
	case strings.Contains(line, "\t") && strings.Count(line, "\t") >= strings.Count(line, ","):
		return "tsv"
	}
	return "csv"
}

// rowError is a fault at a place of the file.
type rowError struct {
	off int
	msg string
}

func (e *rowError) Error() string { return fmt.Sprintf("offset %d: %s", e.off, e.msg) }

func faultAt(off int, format string, args ...any) error {
	return &rowError{off, fmt.Sprintf(format, args...)}
}

// explain turns the offset of a rowError into file:line:column, both counted
// from 1 and the column in bytes, which editors and compilers understand.
func (src *source) explain(err error) error { return src.explainFrom(err, 0) }

// explainFrom does so for a text that follows on some lines.
func (src *source) explainFrom(err error, lines int) error {
	var e *rowError
	if !errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %s", src.placeFrom(e.off, lines), e.msg)
}

// place returns file:line:column of an offset.
func (src *source) place(off int) string { return src.placeFrom(off, 0) }

func (src *source) placeFrom(off, lines int) string {
	before := src.text[src.bom:max(off, src.bom)]
	line := lines + 1 + strings.Count(before, "\n")
	begin := before[strings.LastIndexByte(before, '\n')+1:]
	column := len(begin) + 1
	if src.elements { // without the space before it
		column = len(strings.TrimLeft(plainJSON(begin), jsonSpace)) + 1
		return fmt.Sprintf("%s:element %d:%d", src.name, line, column)
	}
	return fmt.Sprintf("%s:%d:%d", src.name, src.lines.of(line), column)
}
