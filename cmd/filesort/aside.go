package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// aside is lines that are not sorted: the first ones of each file, which have to be the same in all, and comments.
// They are written before all rows.
type aside struct {
	skip    int
	comment string // begins a comment; "": there are none
	eol     byte
	most    int64 // bytes of all lines in memory
	quotes  func(name, first string) (hide bool)

	bom     string
	first   strings.Builder // lines that were skipped in the first file
	others  strings.Builder // comments, and what precedes the first line that is skipped
	files   int
	decided bool
	hide    bool // quotes may hide a line end, so that the next line is none
}

// any reports whether lines are to be set aside.
func (a *aside) any() bool { return a.skip > 0 || a.comment != "" }

// reset forgets lines, before files are read from the first.
func (a *aside) reset() {
	a.bom, a.files, a.decided = "", 0, false
	a.first.Reset()
	a.others.Reset()
}

// top returns the lines.
func (a *aside) top() string { return a.bom + a.first.String() + a.others.String() }

// of makes an input one without such lines, which are kept unless it is read again.
func (a *aside) of(in *input, again bool) {
	s := &sideReader{a: a, in: bufio.NewReaderSize(in.Reader, 64<<10), name: in.name, again: again, number: a.files, lines: new(lineNumbers)}
	if !again {
		a.files++
	}
	in.Reader, in.lines, in.file, in.size = s, s.lines, nil, 0
}

// sideReader reads a file without the lines that are set aside.
type sideReader struct {
	a      *aside
	in     *bufio.Reader
	name   string
	number int // of the file
	again  bool
	lines  *lineNumbers

	ready   []byte // to be returned; in the memory of in
	err     error  // after that
	begun   bool   // a line was read
	middle  bool   // the next bytes are of the line that was begun
	taken   bool   // which is set aside
	hidden  bool   // it begins within quotes
	skipped int
	text    []byte // of what was skipped, to be compared with the first file
}

func (s *sideReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(s.ready) == 0 {
			if n > 0 && (s.err != nil || s.in.Buffered() == 0) {
				break
			}
			if s.err != nil {
				return 0, s.err
			}
			s.err = s.next()
			continue
		}
		copied := copy(p[n:], s.ready)
		s.ready, n = s.ready[copied:], n+copied
	}
	return n, nil
}

// next reads a line, or a part of a long one, and leaves it in ready or sets it aside.
func (s *sideReader) next() error {
	text, err := s.in.ReadSlice(s.a.eol)
	part := errors.Is(err, bufio.ErrBufferFull)
	if part {
		err = nil
	}
	if !s.begun {
		s.begun = true
		if rest, ok := bytes.CutPrefix(text, []byte(bomUTF8)); ok {
			if text = rest; s.number == 0 && !s.again {
				s.a.bom = bomUTF8
			}
		}
	}
	if !s.middle {
		s.taken = len(text) > 0 && !s.hidden && (s.skipped < s.a.skip || s.a.comment != "" && bytes.HasPrefix(text, []byte(s.a.comment)))
	}
	s.middle = part
	if s.taken {
		if fault := s.setAside(text, !part); fault != nil {
			return fault
		}
	} else if len(text) > 0 {
		s.pass(text, !part)
	}
	if err == io.EOF && s.skipped > 0 && s.skipped < s.a.skip { // a short file
		if fault := s.compare(); fault != nil {
			return fault
		}
	}
	return err
}

// pass hands out a line, or a part of one.
func (s *sideReader) pass(text []byte, whole bool) {
	s.ready = text
	if !s.a.decided {
		s.a.decided = true
		s.a.hide = s.a.comment != "" && s.a.quotes != nil && s.a.quotes(s.name, string(text))
	}
	if s.a.hide && bytes.Count(text, []byte{'"'})%2 == 1 {
		s.hidden = !s.hidden
	}
	if whole {
		s.lines.passed++
	}
}

// setAside keeps a line, or a part of one.
func (s *sideReader) setAside(text []byte, whole bool) error {
	skipping := s.skipped < s.a.skip
	if whole {
		s.lines.remove()
		if text[len(text)-1] != s.a.eol { // the last of its file
			text = append(bytes.Clone(text), s.a.eol)
		}
	}
	if skipping && whole {
		s.skipped++
	}
	switch {
	case s.again:
		return nil
	case skipping && s.number > 0:
		s.text = append(s.text, text...)
	case skipping:
		s.a.first.Write(text)
	default:
		s.a.others.Write(text)
	}
	const number = 16 // bytes of a lineNumber
	if held := int64(s.a.first.Len() + s.a.others.Len() + len(s.text) + number*len(s.lines.all)); held > s.a.most {
		return fmt.Errorf("lines that -skip and -comment set aside exceed %d bytes; -S %dK has room for twice as many", s.a.most, 2*s.a.most*asideShare>>10)
	}
	if skipping && s.skipped == s.a.skip {
		return s.compare()
	}
	return nil
}

// compare returns an error if the lines that were skipped are not those of the first file.
func (s *sideReader) compare() error {
	if s.again || s.number == 0 || string(s.text) == s.a.first.String() {
		return nil
	}
	return fmt.Errorf("its first lines, of which -skip names %d, are not those of the first file", s.a.skip)
}

// asideShare is the part of the memory that lines set aside may have.
const asideShare = 16

const bomUTF8 = "\xef\xbb\xbf"

// lineNumbers has the numbers of the lines of a file of which some are set aside.
type lineNumbers struct {
	mu     sync.Mutex
	passed int // lines that are not
	all    []lineNumber
}

// lineNumber says how many lines were set aside before a line that was not.
type lineNumber struct{ passed, removed int }

// remove counts a line that is set aside.
func (l *lineNumbers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.all); n == 0 || l.all[n-1].passed < l.passed {
		removed := 0
		if n > 0 {
			removed = l.all[n-1].removed
		}
		l.all = append(l.all, lineNumber{l.passed, removed})
	}
	l.all[len(l.all)-1].removed++
}

// of returns the number in the file of a line, counted from 1 without those set aside.
func (l *lineNumbers) of(line int) int {
	if l == nil {
		return line
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.all) - 1; i >= 0; i-- {
		if l.all[i].passed < line {
			return line + l.all[i].removed
		}
	}
	return line
}
