package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// source is a file in memory.
type source struct {
	name string // as errors show it
	text string // all of it
	bom  int    // bytes of a byte order mark at the front
}

// readSource reads the file called name, or stdin for "-". If it has more than most bytes, it
// returns the bytes read, and rest with all of them again.
func (cmd *command) readSource(name string, stdin io.Reader, most int64, m *meter) (src *source, rest io.Reader, err error) {
	in, err := openInput(name, stdin, cmd.compress, false)
	if err != nil {
		return nil, nil, err
	}
	src = &source{name: in.name}
	m.stage("read", "bytes", in.size)
	if in.file != nil && in.size > 0 && in.size <= most {
		text := make([]byte, in.size)
		adviseHuge(text)
		err = readWhole(context.Background(), in, text, cmd.workers, m, func(int, int, int) {})
		src.text = stringOf(text)
	} else {
		rest, err = src.read(in, most, m)
	}
	if err == nil {
		err = src.encoding()
	}
	if err != nil {
		err = in.failed(err)
	}
	if rest == nil {
		in.Close()
	}
	return src, rest, err
}

// read fills src.text from a file of unknown size. A string, because its substrings are the
// rows and the fields, and a strings.Builder, because it hands its buffer over uncopied.
func (src *source) read(in io.Reader, most int64, m *meter) (rest io.Reader, err error) {
	var b strings.Builder
	buf := make([]byte, 1<<20)
	for {
		n, err := in.Read(buf)
		b.Write(buf[:n])
		m.add(n)
		switch {
		case err == io.EOF:
			src.text = b.String()
			return nil, nil
		case err != nil:
			return nil, err
		case int64(b.Len()) > most:
			return io.MultiReader(strings.NewReader(b.String()), in), nil
		}
	}
}

// encoding finds a byte order mark.
func (src *source) encoding() error {
	switch {
	case strings.HasPrefix(src.text, "\xef\xbb\xbf"):
		src.bom = 3
	case strings.HasPrefix(src.text, "\xff\xfe"), strings.HasPrefix(src.text, "\xfe\xff"):
		return errors.New("this is UTF-16, which has to be converted to UTF-8 first (iconv -f UTF-16 -t UTF-8)")
	}
	return nil
}

// format returns csv, tsv or ndjson: by the name, or else by the first line.
func (src *source) format() string {
	name := strings.ToLower(src.name)
	if _, ok := suffixes[filepath.Ext(name)]; ok {
		name = name[:len(name)-len(filepath.Ext(name))]
	}
	switch filepath.Ext(name) {
	case ".csv":
		return "csv"
	case ".tsv", ".tab":
		return "tsv"
	case ".ndjson", ".jsonl":
		return "ndjson"
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
	column := len(before) - strings.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", src.name, line, column)
}
