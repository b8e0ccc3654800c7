package main

import (
	"errors"
	"fmt"
	"slices"
)

// selection is what is wanted of rows in order, beyond the first of rows that tie and the first of all.
type selection struct {
	last   bool   // of rows that tie, the last one
	counts string // the name of the number of rows that tie; "": none
	groups int    // columns at the front of -by whose values make groups, of each of which -top rows are wanted

	shuffle bool // rows are in a random order
	seed    uint64
	salt    *salt // of columns whose values are in a random order; nil: they are in order

	debug bool // lines are shown with their keys
	split splitting
}

// any reports whether rows go through a selector.
func (s *selection) any() bool { return s.last || s.counts != "" || s.groups > 0 }

// byRuns reports whether rows of any number are sorted as runs are: after their keys.
func (s *selection) byRuns() bool {
	return s.any() || s.shuffle || s.salt != nil || s.debug || s.split.any()
}

// selector takes rows in order, and puts those that are wanted.
type selector struct {
	*command
	tying
	group func(row string) string           // nil: all rows are one group
	put   func(row string, count int) error // count: how many rows tie with it, itself included

	held  []byte // a row that others may follow which tie with it
	count int    // of rows that tie with it; 0: none is held
	of    []byte // the group of the rows that were put last
	taken int    // of the group; -1: there is no group yet
}

// errEnough is returned when no more rows are wanted.
var errEnough = errors.New("no more rows are wanted")

// add takes a row, which may change after the call.
func (s *selector) add(row string) error {
	n := 1
	if s.combines() {
		n, _ = cutCount(s.counted(row))
	}
	if s.unique && s.count > 0 && s.same(stringOf(s.held), row) {
		if s.count += n; s.last {
			s.held = append(s.held[:0], row...)
		}
		return nil
	}
	if err := s.end(); err != nil {
		return err
	}
	s.held, s.count = append(s.held[:0], row...), n
	return nil
}

// end puts the row that is held.
func (s *selector) end() error {
	if s.count == 0 {
		return nil
	}
	row, count := stringOf(s.held), s.count
	s.count = 0
	if s.group != nil {
		if group := s.group(row); s.taken < 0 || group != string(s.of) {
			s.of, s.taken = append(s.of[:0], group...), 0
		}
	}
	s.taken = max(s.taken, 0)
	switch {
	case s.top == 0 || s.taken < s.top:
		s.taken++
		return s.put(row, count)
	case s.group == nil:
		return errEnough
	}
	return nil
}

// selecting returns a selector of rows in order, for its add, and its end after the last.
func (cmd *command) selecting(t tying, group func(row string) string, put func(row string, count int) error) *selector {
	return &selector{command: cmd, tying: t, group: group, put: put, taken: -1}
}

// countedLine returns a line after its count, as uniq -c has it.
func countedLine(dst []byte, count int, line string) []byte {
	return append(fmt.Appendf(dst, "%7d ", count), line...)
}

// finishGroups puts the columns of -per before those of -by. One that both name has the words that -by or -per gives it.
func (cl *commandLine) finishGroups() error {
	if len(cl.per) == 0 {
		return nil
	}
	cl.groups = len(cl.per)
	for i, s := range cl.per {
		at := slices.IndexFunc(cl.by, func(b spec) bool { return b.name == s.name && b.quoted == s.quoted })
		if at < 0 {
			continue
		}
		b := cl.by[at]
		switch plain := (spec{name: s.name}).String(); {
		case s.String() == plain:
			cl.per[i] = b
		case b.String() != plain && b.String() != s.String():
			return fmt.Errorf("column %q is %v in -per and %v in -by", s.name, s, b)
		}
		cl.by = slices.Delete(slices.Clone(cl.by), at, at+1)
	}
	cl.by = append(slices.Clip(cl.per), cl.by...)
	return nil
}
