package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// scanAll returns the rows of text as raw lines and the fields of all sort
// columns, read in parts of chunk bytes.
func scanAll(f format, width int, text string, chunk int) (lines []string, fields [][]string, err error) {
	s := &scanner{format: f, width: width, open: make([]bool, width), chunk: chunk, workers: 2}
	parts, err := s.scan(context.Background(), text, 0, newMeter(io.Discard, true))
	for _, p := range parts {
		for i, r := range p.rows {
			lines = append(lines, text[r.off:r.off+int(r.size)])
			var row []string
			for c := range p.cells {
				row = append(row, p.cells[c].text[i])
			}
			fields = append(fields, row)
		}
	}
	return lines, fields, err
}

// FuzzCSV holds the CSV reader to package csv: the same records, or both an
// error. Cuts may fall anywhere.
func FuzzCSV(f *testing.F) {
	for _, test := range sortTests {
		f.Add(test.in, uint8(3), strings.Contains(test.args, "lazy"))
	}
	f.Add("a,\"\r\n\"\"x\"\"\",b\r\n,,\r", uint8(1), false)
	f.Add("a,\"b\"x,\n\"\"\",\" ,\n", uint8(2), true)
	f.Add("a\"\n\"b\nc\"\n\"d\n", uint8(1), true)
	f.Fuzz(func(t *testing.T, text string, chunk uint8, lazily bool) {
		oracle := csv.NewReader(strings.NewReader(text))
		oracle.LazyQuotes = lazily
		records, wantErr := oracle.ReadAll()
		if wantErr == nil && len(records) == 0 {
			return // package csv has seen no field, so the reader has no width
		}
		d := &delimited{comma: ","}
		if lazily {
			d.quote = lazy
		}
		width := oracle.FieldsPerRecord
		var slots []int
		for i := range max(width, 1) {
			slots = append(slots, i)
		}
		d.use(slots)
		lines, got, err := scanAll(d, len(d.slots), text, 1+int(chunk))
		if lazily && err != nil && strings.Contains(err.Error(), "never closed") {
			return // package csv lets the end of the file close a lazy quote
		}
		if err != nil && strings.HasSuffix(err.Error(), loneReturn) && findLone(text, true) >= 0 {
			return // package csv takes a carriage return alone for text
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: error %v, want %v", text, err, wantErr)
		}
		if err != nil {
			return
		}
		var kept [][]string
		for i, line := range lines {
			if blankLine(line, 0) < len(line) {
				kept = append(kept, got[i])
			}
		}
		compareRecords(t, text, kept, records)
		compareLines(t, text, lines)
	})
}

func compareRecords(t *testing.T, text string, got, want [][]string) {
	t.Helper()
	for _, row := range got {
		for i := range row { // package csv turns line ends inside fields into \n
			row[i] = strings.ReplaceAll(row[i], "\r\n", "\n")
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Fatalf("%q:\ngot  %q\nwant %q", text, got, want)
	}
}

// compareLines checks that rows are all of the text but its blank lines.
func compareLines(t *testing.T, text string, lines []string) {
	t.Helper()
	for _, line := range lines {
		for !strings.HasPrefix(text, line) {
			n := blankLine(text, 0)
			if n == 0 {
				t.Fatalf("row %q is not what stands at %q", line, text)
			}
			text = text[n:]
		}
		text = text[len(line):]
	}
	for text != "" {
		n := blankLine(text, 0)
		if n == 0 {
			t.Fatalf("no row holds %q", text)
		}
		text = text[n:]
	}
}

// FuzzNDJSON holds the path reader to package json.
func FuzzNDJSON(f *testing.F) {
	for _, test := range sortTests {
		if strings.Contains(test.in, "{") {
			f.Add(test.in)
		}
	}
	f.Add(`{"a":[{"b":1},2],"x":{"a":"}"},"a":{"b":-1.5e3,"b":null}}`)
	f.Add(`{"a":{"b":"\ud83d\ude00\\"},"c":[[],[{}],"]"],"x":true}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") || !utf8.ValidString(line) {
			return
		}
		specs := []spec{{name: "a"}, {name: "a.b"}, {name: "x.1"}, {name: "x"}}
		j := newNDJSON(specs)
		if j.blank(line, 0) > 0 || line == "" {
			return
		}
		fields := make([]field, len(specs))
		next, err := j.row(line, 0, fields)

		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var object map[string]any
		valid := json.Valid([]byte(line)) && decoder.Decode(&object) == nil && object != nil
		if valid != (err == nil) {
			t.Fatalf("%q: error %v", line, err)
		}
		if err != nil {
			return
		}
		if next != len(line) {
			t.Fatalf("%q: next row at %d", line, next)
		}
		for i, s := range specs {
			compareField(t, line, s, fields[i], lookUp(object, s.path()))
		}
	})
}

// lookUp follows a path; it returns missing where it ends early.
func lookUp(value any, path []string) any {
	for _, name := range path {
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[name]
			if !ok {
				return missing
			}
			value = inner
		case []any:
			if name != "1" || len(v) < 2 {
				return missing
			}
			value = v[1]
		default:
			return missing
		}
	}
	return value
}

var missing = new(int)

func compareField(t *testing.T, line string, s spec, got field, want any) {
	t.Helper()
	ok := true
	switch v := want.(type) {
	case *int:
		ok = got.missing && got.null
	case nil:
		ok = got.null && !got.missing
	case string:
		ok = got.text == v && !got.null
	case json.Number:
		ok = got.text == v.String()
	case bool:
		ok = got.text == map[bool]string{true: "true", false: "false"}[v]
	default: // an object or an array: as it stands
		ok = json.Valid([]byte(got.text)) && strings.HasPrefix(line[got.off:], got.text)
	}
	if !ok {
		t.Fatalf("%q: %s is %+v, want %v", line, s.name, got, want)
	}
}
