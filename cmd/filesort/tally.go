package main

import (
	"fmt"
	"strings"
)

// tally counts the values of a sort column, and has the first one of each kind.
type tally struct {
	nulls  int
	found  int // rows that have the column at all
	values int // that are not null
	kinds  [text + 1]sighting
}

// sighting is the first value of a kind.
type sighting struct {
	count int
	nth   int    // of all values that are not null
	off   int    // where it stands in the text that it was found in
	value string // after settle, the begin of a long one
	place string // file:line:column, after settle
}

// note counts a field. If the kind of its column is open, it counts the kinds, too.
func (t *tally) note(f field, null, open bool) {
	if !f.missing {
		t.found++
	}
	switch {
	case null:
		t.nulls++
	case open:
		s := &t.kinds[kindOf(f.text)]
		if s.count == 0 {
			s.nth, s.off, s.value = t.values, f.off, f.text
		}
		s.count++
		t.values++
	}
}

// add counts what follows.
func (t *tally) add(next *tally) {
	for k := range t.kinds {
		s, n := &t.kinds[k], next.kinds[k]
		if s.count == 0 {
			n.nth += t.values
			*s = n
			continue
		}
		s.count += n.count
	}
	t.nulls += next.nulls
	t.found += next.found
	t.values += next.values
}

// settle finds the places of values, and keeps no memory of the text that they stand in.
func (t *tally) settle(place func(off int) string) {
	const most = 160 // bytes, of which a message has 40 characters
	for k := range t.kinds {
		if s := &t.kinds[k]; s.count > 0 && s.place == "" {
			s.place = place(s.off)
			s.value = strings.Clone(s.value[:min(most, len(s.value))])
		}
	}
}

// Kinds of values that may be in one column.
var alike = map[kind][]kind{
	integer: {integer},
	float:   {integer, float, auto},
	boolean: {boolean},
	instant: {instant, auto},
}

// count returns how many values may be in a column of a kind.
func (t *tally) count(k kind) (n int) {
	for _, a := range alike[k] {
		n += t.kinds[a].count
	}
	return n
}

// kind returns the first kind that all values have, and text if there is none.
func (t *tally) kind() kind {
	for k := integer; k < text && t.values > 0; k++ {
		if t.count(k) == t.values {
			return k
		}
	}
	return text
}

// doubt returns a message about a column of text most of whose values are numbers, times or
// booleans, and "" for any other.
func (t *tally) doubt(s spec) string {
	if t.kind() != text {
		return ""
	}
	for _, k := range []kind{float, boolean, instant} {
		n := t.count(k)
		if 2*n <= t.values {
			continue
		}
		odd := t.firstOther(k)
		s.kind = k
		given := s.String()
		s.kind = text
		return fmt.Sprintf("%s: %.40q is no %s, so column %s is sorted as text; %d of its %d values are %ss. Give the type: -by %s, or %s, which makes other values errors",
			odd.place, odd.value, nouns[k], s.name, n, t.values, nouns[k], s, given)
	}
	return ""
}

var nouns = map[kind]string{float: "number", boolean: "boolean", instant: "time"}

// firstOther returns the first value that may not be in a column of a kind.
func (t *tally) firstOther(k kind) (first sighting) {
	others := t.kinds
	for _, a := range alike[k] {
		others[a].count = 0
	}
	for _, s := range others {
		if s.count > 0 && (first.count == 0 || s.nth < first.nth) {
			first = s
		}
	}
	return first
}
