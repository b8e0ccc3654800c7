package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Formats whose values are stored by column. A file of Arrow is arrow, a stream arrows.
const (
	parquetFormat = "parquet"
	arrowFile     = "arrow"
	arrowStream   = "arrows"
)

func isColumnar(format string) bool {
	return format == parquetFormat || format == arrowFile || format == arrowStream
}

// needsFile reports whether a format is read from its end.
func needsFile(format string) bool { return format == parquetFormat || format == arrowFile }

// columnarNames are formats as messages have them.
var columnarNames = map[string]string{parquetFormat: "Parquet", arrowFile: "Arrow", arrowStream: "Arrow"}

// columnarSuffixes are the ends of names of files that are stored by column.
var columnarSuffixes = map[string]string{
	".parquet": parquetFormat, ".pq": parquetFormat, ".arrow": arrowFile, ".feather": arrowFile, ".ipc": arrowFile, ".arrows": arrowStream,
}

// magicBytes are as many as tell formats apart.
const magicBytes = 8

// columnarOf returns the format of a file by its first bytes, or "".
func columnarOf(head string) string {
	switch {
	case strings.HasPrefix(head, "PAR1"), strings.HasPrefix(head, "PARE"):
		return parquetFormat
	case strings.HasPrefix(head, "ARROW1\x00\x00"):
		return arrowFile
	case strings.HasPrefix(head, "\xff\xff\xff\xff") && len(head) == magicBytes: // then the length of a schema
		return arrowStream
	}
	return ""
}

// outputFormat returns the format of the output: that of -to, or by the name of the file. "" is that of the input.
func (cmd *command) outputFormat() string {
	if cmd.to != "" {
		return cmd.to
	}
	if format := columnarSuffixes[strings.ToLower(filepath.Ext(cmd.output))]; format != "" {
		return format
	}
	return extensionOf(cmd.output)
}

// inputFormat returns the format of inputs that are stored by column, "" for texts, and standard input, from which
// nothing is missing.
func (cmd *command) inputFormat(stdin io.Reader) (format string, _ io.Reader, err error) {
	if cmd.format != "auto" {
		if !isColumnar(cmd.format) {
			return "", stdin, nil
		}
		return cmd.format, stdin, nil
	}
	for i, name := range cmd.files {
		var found string
		if name == "-" && i > 0 && format == "" { // a text, as the first file: it is not read before its turn
			continue
		}
		if name == "-" {
			found, stdin, err = peekFormat(stdin)
		} else {
			found, err = fileFormat(name)
		}
		switch {
		case err != nil:
			return "", nil, err
		case i > 0 && (found == parquetFormat) != (format == parquetFormat), i > 0 && isColumnar(found) != isColumnar(format):
			return "", nil, fmt.Errorf("%s is not of the format of %s", nameOf(name), nameOf(cmd.files[0]))
		case i == 0:
			format = found
		}
	}
	return format, stdin, nil
}

// fileFormat returns the format of a file: by its first bytes, or by its name if it can be opened once only.
func fileFormat(name string) (string, error) {
	byName := columnarSuffixes[strings.ToLower(filepath.Ext(name))]
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || !stored(info) {
		return byName, nil // whoever opens it has the error
	}
	f, err := os.Open(name)
	if err != nil {
		return byName, nil
	}
	defer f.Close()
	head := make([]byte, magicBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if found := columnarOf(string(head[:n])); found != "" || byName == "" {
		return found, nil
	}
	return "", fmt.Errorf("%s is no %s file", name, columnarNames[byName])
}

// peeked is a file of which the first bytes were read ahead.
type peeked struct {
	io.Reader
	of *os.File
}

func (p peeked) Stat() (fs.FileInfo, error) { return p.of.Stat() }

// peekFormat returns the format of standard input, which has not lost the bytes that show it.
func peekFormat(stdin io.Reader) (string, io.Reader, error) {
	r := bufio.NewReader(stdin)
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return "", nil, fmt.Errorf("reading stdin: %w", err)
	}
	format := columnarOf(string(head))
	if f, ok := stdin.(*os.File); ok {
		return format, peeked{r, f}, nil
	}
	return format, r, nil
}

// recognized returns an error if an input that was taken for text is stored by column.
func recognized(in *input, head string) error {
	format := columnarOf(head[:min(len(head), magicBytes)])
	if format == "" {
		return nil
	}
	return fmt.Errorf("this is %s: -format %s says so of what can be opened once only; it may not be compressed", columnarNames[format], format)
}
