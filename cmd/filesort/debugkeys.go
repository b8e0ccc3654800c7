package main

import (
	"fmt"
	"strings"
)

// debugLine appends a line as --debug shows it: tabs as >, and under it a line for each key that marks its place. Where
// the whole line breaks ties, it is marked last.
func (o *lineOrder) debugLine(dst []byte, line string) []byte {
	for i := range len(line) {
		c := line[i]
		if c == '\t' {
			c = '>'
		}
		dst = append(dst, c)
	}
	dst = append(dst, '\n')
	for i := range o.keys {
		at, end := o.keys[i].marked(line, o.tab)
		dst = appendMark(dst, line, at, end)
	}
	if o.last {
		dst = appendMark(dst, line, 0, len(line))
	}
	return dst
}

// marked returns the place of the part of a key that decides.
func (k *lineKey) marked(line string, tab int) (at, end int) {
	at, end = k.bounds(line, tab)
	if k.opts&(general|human|month|numeric) == 0 && (k.opts&blanksAtStart == 0 || k.field != wholeStart) {
		return at, end
	}
	for at < end && isBlank(line[at]) {
		at++
	}
	switch text := line[at:end]; {
	case k.opts&month != 0:
		if monthOf(text) == 0 {
			return at, at
		}
		return at, at + len("JAN")
	case k.opts&general != 0:
		number := strings.TrimLeft(text, " \t\n\v\f\r")
		if n := len(numberPrefix(number)); n > 0 {
			return at, end - len(number) + n
		}
		return at, at
	case k.opts&(numeric|human) != 0:
		return at, at + numberLength(text, k.opts&human != 0)
	}
	return at, end
}

// numberLength returns the length of the number that a text begins with, its unit included; 0: there is none.
func numberLength(text string, units bool) int {
	n, digits := 0, false
	skip := func() {
		for n < len(text) && isDigit(text[n]) {
			n, digits = n+1, true
		}
	}
	if strings.HasPrefix(text, "-") {
		n++
	}
	if skip(); strings.HasPrefix(text[n:], ".") {
		n++
		skip()
	}
	switch {
	case !digits:
		return 0
	case units && n < len(text) && strings.IndexByte("KMGTPEZYk", text[n]) >= 0:
		n++
	}
	return n
}

// appendMark appends a line that marks bytes [at, end) of the one above it, as a terminal shows it.
func appendMark(dst []byte, line string, at, end int) []byte {
	dst = append(dst, strings.Repeat(" ", width(line[:at]))...)
	if n := width(line[at:end]); n > 0 {
		return append(append(dst, strings.Repeat("_", n)...), '\n')
	}
	return append(dst, "^ no match for key\n"...)
}

// width returns the columns that a text takes: none for control characters other than a tab, which is shown as >.
func width(text string) (n int) {
	for i := range len(text) {
		if c := text[i]; c == '\t' || c >= ' ' && c != 0x7F {
			n++
		}
	}
	return n
}

// debugNotes returns messages for --debug: about the order, and about keys that may not be those that are meant.
func (cl *commandLine) debugNotes() []string {
	notes := []string{"texts are compared byte by byte"}
	for i, k := range cl.order.keys {
		if len(cl.keys) == 0 { // the whole line, by the options of the command line
			break
		}
		counted := k.opts&(general|human|numeric|month) != 0
		inFirst := k.endField == 0 && k.endChar != 0
		switch {
		case k.field >= 0 && k.endField < k.field:
			notes = append(notes, fmt.Sprintf("key %d ends before it begins, so it decides nothing", i+1))
		case cl.tab == noTab && !inFirst && (k.opts&blanksAtStart == 0 && (!counted || k.char > 0) || k.opts&blanksAtEnd == 0 && k.endChar > 0):
			notes = append(notes, fmt.Sprintf("key %d has the blanks before its field in it: b leaves them out", i+1))
		}
		if first := max(k.field, 0); k.opts&(general|human|numeric) != 0 && (k.endField == toEnd || k.endField > first) {
			notes = append(notes, fmt.Sprintf("key %d is a number and goes on after its field: end it with -k%d,%d", i+1, first+1, first+1))
		}
	}
	return append(notes, cl.idleNotes()...)
}

// idleNotes is about options of the command line that no key inherits.
func (cl *commandLine) idleNotes() []string {
	if len(cl.keys) == 0 {
		return nil
	}
	idle := cl.global
	for _, text := range cl.keys {
		if k, err := parseKey(text); err == nil && k.opts == 0 {
			idle = 0
		}
	}
	var notes []string
	if rest := idle &^ reverse; rest != 0 {
		notes = append(notes, fmt.Sprintf("'-%s' has no effect: each key has options of its own", rest.letters()))
	}
	if idle&reverse != 0 && cl.order.last {
		notes = append(notes, "'-r' is for lines whose keys tie alone: each key has options of its own")
	}
	return notes
}
