package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/sorter/internal/floats"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// textWriter writes record batches as rows of text.
type textWriter struct {
	w      io.Writer
	comma  string   // "": NDJSON
	quotes bool     // there are quotes of CSV
	names  []string // of NDJSON, each quoted and with its colon
	schema *arrow.Schema
	rows   int64 // that were written
	text   []byte
}

func (cmd *command) newTextWriter(w io.Writer, format string, schema *arrow.Schema) (*textWriter, error) {
	t := &textWriter{w: w, schema: schema}
	switch format {
	case "csv":
		t.comma, t.quotes = ",", true
		if cmd.delimiter != "" {
			t.comma = cmd.delimiter
		}
	case "tsv":
		t.comma = "\t"
	default:
		return t, t.nameMembers()
	}
	for i, f := range schema.Fields() {
		if err := t.field(f.Name, i); err != nil {
			return nil, err
		}
	}
	t.text = append(t.text, '\n')
	return t, nil
}

// nameMembers quotes names. Two that are the same would make one member.
func (t *textWriter) nameMembers() error {
	seen := map[string]bool{}
	for _, f := range t.schema.Fields() {
		name, err := json.Marshal(f.Name)
		if err != nil {
			return err
		}
		if seen[f.Name] {
			return fmt.Errorf("there are two columns %s, which NDJSON does not have", f.Name)
		}
		seen[f.Name] = true
		t.names = append(t.names, string(name)+":")
	}
	return nil
}

// flushBytes are written at a time.
const flushBytes = 1 << 20

func (t *textWriter) Write(batch arrow.RecordBatch) error {
	row := t.delimited
	if t.comma == "" {
		row = t.object
	}
	columns := batch.Columns()
	for i := range int(batch.NumRows()) {
		if err := row(columns, i); err != nil {
			return err
		}
		t.text = append(t.text, '\n')
		t.rows++
		if len(t.text) >= flushBytes {
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *textWriter) flush() error {
	_, err := t.w.Write(t.text)
	t.text = t.text[:0]
	return err
}

func (t *textWriter) Close() error { return t.flush() }

// delimited appends a row of CSV or TSV. In CSV an empty text has quotes, unlike a null.
func (t *textWriter) delimited(columns []arrow.Array, i int) error {
	for c, column := range columns {
		value, null := "", isNull(column, i)
		if !null {
			var err error
			if value, err = textOf(column, i); err != nil {
				return t.at(c, err)
			}
		}
		if err := t.field(value, c); err != nil {
			return err
		}
		if t.quotes && value == "" && !null {
			t.text = append(t.text, `""`...)
		}
	}
	return nil
}

// at names the place of an error.
func (t *textWriter) at(c int, err error) error {
	return fmt.Errorf("row %d, column %s: %w", t.rows+1, t.schema.Field(c).Name, err)
}

// isNull reports whether a value is null, also where the bits of its column do not say so.
func isNull(column arrow.Array, i int) bool {
	switch column := column.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return column.IsNull(i) || isNull(column.Dictionary(), column.GetValueIndex(i))
	case *array.RunEndEncoded:
		return isNull(column.Values(), column.GetPhysicalIndex(i))
	case array.Union:
		return column.GetOneForMarshal(i) == nil
	case array.ExtensionArray:
		return isNull(column.Storage(), i)
	}
	return column.IsNull(i)
}

// textOf returns a value that is not null as arrow-go has it. The commonest types are quicker here.
func textOf(column arrow.Array, i int) (string, error) {
	switch column := column.(type) {
	case *array.String:
		return column.Value(i), nil
	case *array.Int64:
		return strconv.FormatInt(column.Value(i), 10), nil
	case *array.Float64:
		return strconv.FormatFloat(column.Value(i), 'g', -1, 64), nil
	case *array.Float16:
		return strconv.FormatFloat(half(column, i), 'g', -1, 32), nil
	case *array.Dictionary:
		return textOf(column.Dictionary(), column.GetValueIndex(i))
	case *array.RunEndEncoded:
		return textOf(column.Values(), column.GetPhysicalIndex(i))
	case *array.Struct, array.ListLike:
		text, err := appendJSON(nil, column, i)
		return string(text), err
	}
	return column.ValueStr(i), nil
}

// half returns a half. arrow-go v18.8.0 returns others for those of the smallest exponent.
func half(column *array.Float16, i int) float64 {
	return float64(floats.Half(column.Value(i).Uint16()))
}

// holdsComma reports whether a delimiter is found in a value that one follows: of "a:::b" it is the first two.
func (t *textWriter) holdsComma(value string) bool {
	if len(t.comma) == 1 {
		return strings.Contains(value, t.comma)
	}
	return strings.Index(value+t.comma, t.comma) < len(value)
}

// field appends a field.
func (t *textWriter) field(value string, c int) error {
	if c > 0 {
		t.text = append(t.text, t.comma...)
	}
	switch {
	case t.quotes && (strings.ContainsAny(value, "\"\r\n") || t.holdsComma(value)):
		t.text = append(append(append(t.text, '"'), strings.ReplaceAll(value, `"`, `""`)...), '"')
		return nil
	case !t.quotes && strings.ContainsAny(value, "\t\r\n"):
		return t.at(c, fmt.Errorf("%.40q holds a tab or a line end, which TSV has no quotes for; CSV has", value))
	}
	t.text = append(t.text, value...)
	return nil
}

// object appends a row of NDJSON.
func (t *textWriter) object(columns []arrow.Array, i int) error {
	t.text = append(t.text, '{')
	for c, column := range columns {
		if c > 0 {
			t.text = append(t.text, ',')
		}
		t.text = append(t.text, t.names[c]...)
		var err error
		if t.text, err = appendJSON(t.text, column, i); err != nil {
			return t.at(c, err)
		}
	}
	t.text = append(t.text, '}')
	return nil
}
