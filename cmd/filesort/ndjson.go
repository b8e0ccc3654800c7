package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unsafe"
)

// ndjson is one JSON object per line.
type ndjson struct {
	root  *node
	array bool // lines were the elements of an array
}

// node is a place in a JSON value that a path of -by leads to or through.
type node struct {
	slot int // sort column, or -1
	kids map[string]*node
}

func newNDJSON(specs []spec) *ndjson {
	root := &node{slot: -1}
	for i, s := range specs {
		n := root
		for _, name := range s.path() {
			if n.kids == nil {
				n.kids = map[string]*node{}
			}
			if n.kids[name] == nil {
				n.kids[name] = &node{slot: -1}
			}
			n = n.kids[name]
		}
		n.slot = i
	}
	return &ndjson{root: root}
}

// path splits a name at its dots, unless it is quoted.
func (s spec) path() []string {
	if s.quoted {
		return []string{s.name}
	}
	return strings.Split(s.name, ".")
}

// quoted: JSON has no raw line end inside a string.
func (*ndjson) quoted() bool { return false }

func (*ndjson) blank(text string, pos int) int {
	end := skipSpace(text, pos)
	if n := blankLine(text, min(end, len(text))); n > 0 || end == len(text) {
		return end + n - pos
	}
	return 0
}

func (j *ndjson) row(text string, pos int, out []field) (next int, err error) {
	line := text[pos:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n+1]
	}
	if err := j.check(line, pos); err != nil {
		return 0, err
	}
	for i := range out {
		out[i] = field{off: pos, null: true, missing: true}
	}
	j.root.walk(text, skipSpace(text, pos), out)
	return pos + len(line), nil
}

// check makes sure that line is one JSON object, so that everything after it
// may trust the syntax.
func (j *ndjson) check(line string, pos int) error {
	// Sound: package json only reads the bytes, and drops them on return.
	raw := unsafe.Slice(unsafe.StringData(line), len(line))
	if json.Valid(raw) {
		if first := skipSpace(line, 0); line[first] != '{' {
			return faultAt(pos+first, "this row is valid JSON but no object")
		}
		return nil
	}
	var value any
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, &value); !errors.As(err, &syntax) {
		return faultAt(pos, "%v", err)
	}
	bad := int(syntax.Offset) - 1 // Offset counts the byte at fault
	if strings.Contains(syntax.Error(), "unexpected end") {
		bad = len(strings.TrimRight(line, "\r\n"))
	}
	if !j.array && strings.Contains(line[:bad], "\r") {
		return faultAt(pos+bad, "%v; it follows %s", syntax, loneReturn)
	}
	return faultAt(pos+bad, "%v", syntax)
}

// walk sets the fields that lie in the value at pos and returns its end.
func (n *node) walk(s string, pos int, out []field) int {
	start := pos
	switch {
	case n.kids != nil && (s[pos] == '{' || s[pos] == '['):
		pos = n.members(s, pos, out)
	default:
		pos = skipValue(s, pos)
	}
	if n.slot >= 0 {
		out[n.slot] = fieldOf(s[start:pos], start)
	}
	return pos
}

// members walks the members of an object, or the elements of an array, whose
// names are their indices.
func (n *node) members(s string, pos int, out []field) int {
	object := s[pos] == '{'
	pos++
	for i := 0; ; i++ {
		pos = skipSpace(s, pos)
		if s[pos] == ',' {
			pos = skipSpace(s, pos+1)
		}
		if s[pos] == '}' || s[pos] == ']' {
			return pos + 1
		}
		name := ""
		if object {
			end := skipValue(s, pos)
			name = unquote(s[pos:end])
			pos = skipSpace(s, skipSpace(s, end)+len(":"))
		} else {
			name = strconv.Itoa(i)
		}
		if kid := n.kids[name]; kid != nil {
			kid.forget(out)
			pos = kid.walk(s, pos, out)
		} else {
			pos = skipValue(s, pos)
		}
	}
}

// forget drops the value of an earlier member of the same name: the last one
// counts, as in package json.
func (n *node) forget(out []field) {
	if n.slot >= 0 {
		out[n.slot] = field{off: out[n.slot].off, null: true, missing: true}
	}
	for _, kid := range n.kids {
		kid.forget(out)
	}
}

// fieldOf returns the field of a JSON value: strings unquoted, everything else
// as it stands.
func fieldOf(value string, off int) field {
	switch value[0] {
	case '"':
		return field{text: unquote(value), off: off}
	case 'n':
		return field{off: off, null: true}
	}
	return field{text: value, off: off}
}

func unquote(s string) string {
	if !strings.Contains(s, `\`) {
		return s[1 : len(s)-1]
	}
	var v string
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(err) // check has seen the whole row
	}
	return v
}

func skipSpace(s string, pos int) int {
	for pos < len(s) && (s[pos] == ' ' || s[pos] == '\t' || s[pos] == '\r') {
		pos++
	}
	return pos
}

// skipValue returns the end of the value at pos.
func skipValue(s string, pos int) int {
	for depth := 0; ; {
		switch s[pos] {
		case '"':
			pos = skipString(s, pos)
		case '{', '[':
			depth++
			pos++
		case '}', ']':
			depth--
			pos++
		case ',', ':', ' ', '\t', '\r':
			pos++
			continue
		default:
			pos = skipWord(s, pos)
		}
		if depth == 0 {
			return pos
		}
	}
}

// skipWord returns the end of a number, true, false or null.
func skipWord(s string, pos int) int {
	for {
		switch s[pos] {
		case ',', ']', '}', ' ', '\t', '\r':
			return pos
		}
		pos++
	}
}

func skipString(s string, pos int) int {
	for pos++; s[pos] != '"'; pos++ {
		if s[pos] == '\\' {
			pos++
		}
	}
	return pos + 1
}
