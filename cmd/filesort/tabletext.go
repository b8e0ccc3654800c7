package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

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
		value := ""
		if column.IsValid(i) {
			value = textOf(column, i)
		}
		if err := t.field(value, c); err != nil {
			return err
		}
		if t.quotes && value == "" && column.IsValid(i) {
			t.text = append(t.text, `""`...)
		}
	}
	return nil
}

// textOf returns a value as arrow-go has it. The commonest types are quicker here.
func textOf(column arrow.Array, i int) string {
	switch column := column.(type) {
	case *array.String:
		return column.Value(i)
	case *array.Int64:
		return strconv.FormatInt(column.Value(i), 10)
	case *array.Float64:
		return strconv.FormatFloat(column.Value(i), 'g', -1, 64)
	}
	return column.ValueStr(i)
}

// field appends a field.
func (t *textWriter) field(value string, c int) error {
	if c > 0 {
		t.text = append(t.text, t.comma...)
	}
	switch {
	case t.quotes && (strings.ContainsAny(value, "\"\r\n") || strings.Contains(value, t.comma)):
		t.text = append(append(append(t.text, '"'), strings.ReplaceAll(value, `"`, `""`)...), '"')
		return nil
	case !t.quotes && strings.ContainsAny(value, "\t\r\n"):
		return fmt.Errorf("row %d, column %s: %.40q holds a tab or a line end, which TSV has no quotes for; CSV has", t.rows+1, t.schema.Field(c).Name, value)
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
		if column.IsNull(i) {
			t.text = append(t.text, "null"...)
			continue
		}
		value, err := jsonOf(column, i)
		if err != nil {
			return fmt.Errorf("row %d, column %s: %w", t.rows+1, t.schema.Field(c).Name, err)
		}
		t.text = append(t.text, value...)
	}
	t.text = append(t.text, '}')
	return nil
}

// jsonOf returns a value as JSON. Numbers that JSON does not have are texts.
func jsonOf(column arrow.Array, i int) ([]byte, error) {
	switch column := column.(type) {
	case *array.Float64:
		return json.Marshal(plainFloat(column.Value(i)))
	case *array.Float32:
		if v := column.Value(i); v-v == 0 {
			return json.Marshal(v)
		}
		return json.Marshal(column.ValueStr(i))
	}
	return json.Marshal(column.GetOneForMarshal(i))
}

func plainFloat(v float64) any {
	if v-v == 0 {
		return v
	}
	return fmt.Sprint(v)
}
