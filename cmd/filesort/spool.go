package main

import (
	"io"
	"os"
	"strings"
)

// spool takes a text, which can then be read more than once: in memory up to a bound, and in a file beyond it.
type spool struct {
	most int64 // bytes in memory
	dirs []string
	text strings.Builder
	file *os.File
	size int64
}

// spoolShare is the part of -S that a spool may take.
const spoolShare = 16

func (s *spool) Write(b []byte) (n int, err error) {
	if s.file == nil && s.size+int64(len(b)) > s.most {
		if s.file, err = tempFile(s.dirs); err != nil {
			return 0, err
		}
		if _, err := io.WriteString(s.file, s.text.String()); err != nil {
			return 0, err
		}
		s.text.Reset()
	}
	s.size += int64(len(b))
	if s.file == nil {
		return s.text.Write(b)
	}
	return s.file.Write(b)
}

// open returns a function that opens the text once.
func (s *spool) open() func() (*input, error) {
	var in *input
	return func() (*input, error) {
		if in != nil {
			return nil, nil
		}
		in = &input{Reader: strings.NewReader(s.text.String()), name: "output"}
		if s.file != nil {
			in.Reader = io.NewSectionReader(s.file, 0, s.size)
		}
		return in, nil
	}
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name()) // where the system does not remove files that are open
	}
}

// firstOf returns the first of some folders, or "" for $TMPDIR or /tmp.
func firstOf(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	return dirs[0]
}

// tempFile creates a file in the first of some folders, or in $TMPDIR or /tmp. Where the system allows it, it has no
// name, so that an interrupt leaves nothing.
func tempFile(dirs []string) (*os.File, error) {
	f, err := os.CreateTemp(firstOf(dirs), ".filesort-*")
	if err == nil {
		os.Remove(f.Name())
	}
	return f, err
}
