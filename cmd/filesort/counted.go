package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// counted appends a row with one more field.
func (d *delimited) counted(dst []byte, row, _ string, count int) ([]byte, error) {
	text, eol := cutEnd(row)
	dst = append(append(dst, text...), d.comma...)
	return append(strconv.AppendInt(dst, int64(count), 10), eol...), nil
}

// countedHead returns the top of a file whose last line is the header, with one more name in it.
func (d *delimited) countedHead(head, name string) string {
	text, eol := cutEnd(head)
	return text + d.comma + name + eol
}

// checkCount returns an error if a file cannot have a column of counts of that name.
func (d *delimited) checkCount(src *source, names []string, name string) error {
	if slices.Contains(names, name) {
		return fmt.Errorf("%s has a column %s already: -count=NAME gives the counts another name", src.name, name)
	}
	if strings.Contains(name, d.comma) {
		return fmt.Errorf("invalid value %q of -count: it holds the delimiter", name)
	}
	return nil
}

// cutEnd cuts the line end off a row, if there is one.
func cutEnd(row string) (text, eol string) {
	text = strings.TrimSuffix(row, "\n")
	if len(text) < len(row) {
		text = strings.TrimSuffix(text, "\r")
	}
	return text, row[len(text):]
}

// counted appends an object with one more member, the last.
func (*ndjson) counted(dst []byte, row, name string, count int) ([]byte, error) {
	var at [1]field
	j := newNDJSON([]spec{{name: name, quoted: true}})
	at[0].missing = true
	j.root.walk(row, skipSpace(row, 0), at[:])
	if !at[0].missing {
		return nil, fmt.Errorf("a row has a member %s already, %.60s: -count=NAME gives the counts another name", name, strings.TrimSpace(row))
	}
	end := strings.LastIndexByte(row, '}')
	front := strings.TrimRight(row[:end], " \t\r\n")
	if dst = append(dst, row[:end]...); !strings.HasSuffix(front, "{") {
		dst = append(dst, ',')
	}
	text, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, text...), ':')
	return append(strconv.AppendInt(dst, int64(count), 10), row[end:]...), nil
}
