package main

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// column returns the column of a place, or of a name that is not empty.
func (t *tabulation) column(at int, name string) *columnTypes {
	if name != "" {
		var ok bool
		if at, ok = t.index[name]; !ok {
			at = len(t.columns)
			t.index[name] = at
		}
	}
	for at >= len(t.columns) {
		t.columns = append(t.columns, &columnTypes{name: name, are: allTypes})
	}
	return t.columns[at]
}

// name gives columns the names of the header.
func (t *tabulation) name(d *delimited, header string) error {
	names, _, err := d.all(header, 0)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			return fmt.Errorf("two columns have the name %q, which files that are stored by column do not have", name)
		}
		seen[name] = true
		t.column(i, "").name = name
	}
	return t.give(names)
}

func (t *tabulation) names() (names []string) {
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	return names
}

// give gives columns the types that -by has. Members of members are no columns.
func (t *tabulation) give(names []string) error {
	for _, s := range t.by {
		if s.kind == auto {
			continue
		}
		if t.command.format == "ndjson" {
			if at, ok := t.index[s.name]; ok && len(s.path()) == 1 {
				t.columns[at].given = s.kind
			}
			continue
		}
		at, err := s.find(names, len(t.columns))
		if err != nil {
			return err
		}
		t.columns[at].given = s.kind
	}
	return nil
}

// schema returns the schema of the columns.
func (t *tabulation) schema() (*arrow.Schema, error) {
	if len(t.columns) == 0 {
		return nil, errors.New("the input has no column to store")
	}
	var fields []arrow.Field
	for _, c := range t.columns {
		c.choose()
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil), nil
}

// doubts returns messages about columns of text most of whose values are of another type.
func (t *tabulation) doubts() (all []string) {
	for _, c := range t.columns {
		if d := c.doubt(); d != "" {
			all = append(all, d)
		}
	}
	return all
}
