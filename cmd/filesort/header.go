package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// openDelimited reads the first row, decides whether it is a header, and
// returns the format with the columns of -by found, and where rows start.
func (cmd *command) openDelimited(src *source, d *delimited) (start int, err error) {
	first := src.afterBlank()
	if first == len(src.text) {
		return first, nil // no row, and no header to miss a column in
	}
	names, next, err := d.all(src.text, first)
	if err != nil {
		return 0, err
	}
	if at := findLone(src.text[first:next], d.quoted()); at >= 0 {
		return 0, faultAt(first+at, loneReturn)
	}
	start = next
	slots := slices.Repeat([]int{-1}, len(names))
	if cmd.headed = cmd.hasHeader(names); !cmd.headed {
		names, start = nil, src.bom
	}
	for i, s := range cmd.by {
		at, err := s.find(names, len(slots))
		if err != nil {
			return 0, fmt.Errorf("%s %w", src.name, err)
		}
		if other := slots[at]; other >= 0 {
			return 0, fmt.Errorf("%s column %d twice: %s, %s", cmd.namers(), at+1, cmd.by[other].name, s.name)
		}
		slots[at] = i
	}
	if cmd.counts != "" {
		if err := d.checkCount(src, names, cmd.counts); err != nil {
			return 0, err
		}
	}
	d.use(slots)
	return start, nil
}

// namers says which options name columns.
func (cmd *command) namers() string {
	if cmd.groups > 0 {
		return "-per and -by name"
	}
	return "-by names"
}

// hasHeader reports whether the first row is a header. A name in -by needs
// one; failing that, data gives itself away by a number, a date, a boolean or
// a value said twice.
func (cmd *command) hasHeader(first []string) bool {
	if cmd.header != "auto" {
		return cmd.header == "yes"
	}
	if slices.ContainsFunc(cmd.by, func(s spec) bool { return s.number() == 0 }) {
		return true
	}
	seen := map[string]bool{}
	for _, value := range first {
		if seen[value] || kindOf(value) != text {
			return false
		}
		seen[value] = true
	}
	return true
}

// number returns the number that the name is, counted from 1, or 0.
func (s spec) number() int {
	n, err := strconv.Atoi(s.name)
	if err != nil || n < 1 || s.quoted {
		return 0
	}
	return n
}

// find returns the index of the column that s names: by its name, by its
// number, or by its name regardless of case, if that is one column.
// names is nil without a header.
func (s spec) find(names []string, width int) (int, error) {
	if at := slices.Index(names, s.name); at >= 0 {
		if again := slices.Index(names[at+1:], s.name); again >= 0 {
			return 0, fmt.Errorf("has two columns %s, which -by names as %d and %d", s.name, at+1, at+again+2)
		}
		return at, nil
	}
	if n := s.number(); n > 0 && n <= width {
		return n - 1, nil
	}
	same := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), s.name) }
	at := slices.IndexFunc(names, same)
	if at >= 0 && !slices.ContainsFunc(names[at+1:], same) {
		return at, nil
	}
	if names == nil {
		return 0, fmt.Errorf("has no column %s: it has no header and %d columns", s.name, width)
	}
	return 0, fmt.Errorf("has no column %s; its columns are: %s", s.name, list(names))
}

// list joins names in a way that a terminal can bear.
func list(names []string) string {
	const most = 40
	names = slices.Clone(names)
	for i, name := range names {
		if strings.ContainsFunc(name, unicode.IsControl) {
			names[i] = strconv.Quote(name)
		}
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
