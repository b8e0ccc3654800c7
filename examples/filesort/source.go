package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
)

// source is a file in memory.
type source struct {
	name string // as errors show it
	text string // all of it
	bom  int    // bytes of a byte order mark at the front
}

// readSource reads the file called name, or stdin for "-".
func readSource(name string, stdin io.Reader, compress string, workers int, m *meter) (*source, error) {
	in, err := openInput(name, stdin, compress)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src := &source{name: in.name}
	m.stage("read", "bytes", in.size)
	if in.file != nil && in.size > 0 && in.size <= math.MaxInt {
		text := make([]byte, in.size)
		adviseHuge(text)
		err = readWhole(context.Background(), in, text, workers, m, func(int, int, int) {})
		src.text = stringOf(text)
	} else {
		err = src.read(in, m)
	}
	if err == nil {
		err = src.encoding()
	}
	if err != nil {
		return nil, in.failed(err)
	}
	return src, nil
}

// read fills src.text from a file of unknown size. A string, because its substrings are the rows and the
// fields, and a strings.Builder, because it hands its buffer over uncopied.
func (src *source) read(in io.Reader, m *meter) error {
	var b strings.Builder
	buf := make([]byte, 1<<20)
	for {
		n, err := in.Read(buf)
		b.Write(buf[:n])
		m.add(n)
		if err == io.EOF {
			src.text = b.String()
			return nil
		}
		if err != nil {
			return err
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
	switch strings.ToLower(filepath.Ext(src.name)) {
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
func (src *source) explain(err error) error {
	var e *rowError
	if !errors.As(err, &e) {
		return err
	}
	before := src.text[src.bom:max(e.off, src.bom)]
	line := 1 + strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %s", src.name, line, column, e.msg)
}
