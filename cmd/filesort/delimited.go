package main

import "strings"

// delimited is CSV and TSV.
type delimited struct {
	comma string // between fields
	quote quoting
	nul   bool  // rows have escapes of nulReader
	slots []int // for each field of a row: its sort column, or -1; none before a row is found

	needed int // fields up to the last that is a sort column
}

// isAt reports whether a delimiter stands at a place of a text.
func (d *delimited) isAt(text string, pos int) bool {
	return pos < len(text) && text[pos] == d.comma[0] && (len(d.comma) == 1 || strings.HasPrefix(text[pos:], d.comma))
}

// plain returns the value of a field.
func (d *delimited) plain(text string) string {
	if d.nul {
		return plainNUL(text)
	}
	return text
}

// next returns the place of the first delimiter in a text, or -1.
func (d *delimited) next(text string) int {
	if len(d.comma) == 1 {
		return strings.IndexByte(text, d.comma[0])
	}
	return strings.Index(text, d.comma)
}

// use sets the sort columns of the fields.
func (d *delimited) use(slots []int) {
	d.slots, d.needed = slots, len(slots)
	for d.needed > 0 && d.slots[d.needed-1] < 0 {
		d.needed--
	}
}

// quoting is the meaning of a double quote.
type quoting uint8

const (
	strict quoting = iota // RFC 4180: around a field, and doubled inside it
	lazy                  // as strict where that makes sense, text elsewhere
	none                  // text
)

var quotings = map[string]quoting{"strict": strict, "lazy": lazy, "none": none}

func (d *delimited) quoted() bool { return d.quote != none }

// openQuote is the fault of a quoted field without an end.
const openQuote = "the quote before this field is never closed"

// loneReturn is the fault of a line end of classic Mac OS, or of two systems one after the other.
const loneReturn = "a carriage return that no newline follows; if lines end with it, convert them first (tr '\\r' '\\n')"

// isLone reports whether the carriage return at pos is part of no line end. One at the end of the
// text is.
func isLone(text string, pos int) bool { return pos+1 < len(text) && text[pos+1] != '\n' }

// findLone returns the place of the first carriage return in a row that is part of no line end and
// that no quotes hide, or -1.
func findLone(row string, quoted bool) int {
	hidden := false
	for i := range len(row) {
		switch {
		case row[i] == '"':
			hidden = quoted && !hidden
		case row[i] == '\r' && !hidden && isLone(row, i):
			return i
		}
	}
	return -1
}

// blank: an empty line is a row, of one empty field, only where rows have one
// field.
func (d *delimited) blank(text string, pos int) int {
	if len(d.slots) == 1 {
		return 0
	}
	return blankLine(text, pos)
}

// blankLine returns the length of the empty line at pos, its line end included,
// and 0 if there is none. A carriage return alone is one at the end of text.
func blankLine(text string, pos int) int {
	switch rest := text[pos:]; {
	case strings.HasPrefix(rest, "\n"), rest == "\r":
		return 1
	case strings.HasPrefix(rest, "\r\n"):
		return 2
	}
	return 0
}

// afterBlank returns where the first line begins that is not empty.
func (src *source) afterBlank() int {
	at := src.bom
	for at < len(src.text) {
		n := blankLine(src.text, at)
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

func (d *delimited) row(text string, pos int, out []field) (next int, err error) {
	if next := d.plainRow(text, pos, out); next > 0 {
		return next, nil
	}
	for i := 0; ; i++ {
		value, end, err := d.field(text, pos)
		if err != nil {
			return 0, err
		}
		if i == len(d.slots) {
			return 0, faultAt(pos, "this row has more than %d fields, unlike the first row%s", i, d.hint(text, pos))
		}
		if slot := d.slots[i]; slot >= 0 {
			out[slot] = field{text: d.plain(value), off: pos}
		}
		if d.isAt(text, end) {
			pos = end + len(d.comma)
			continue
		}
		if i+1 < len(d.slots) {
			return 0, faultAt(end, "this row has %d of the %d fields of the first row%s", i+1, len(d.slots), d.hint(text, pos))
		}
		return min(end+1, len(text)), nil
	}
}

// plainRow is row for a line without quotes that has as many fields as it should; it returns 0
// for others. Fields after the last sort column are only counted.
func (d *delimited) plainRow(text string, pos int, out []field) (next int) {
	line := text[pos:]
	next = len(text)
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line, next = line[:n], pos+n+1
	}
	line = strings.TrimSuffix(line, "\r")
	if d.quote != none && strings.IndexByte(line, '"') >= 0 || d.quote == strict && strings.IndexByte(line, '\r') >= 0 {
		return 0
	}
	at := 0
	for i, slot := range d.slots[:d.needed] {
		n := d.next(line[at:])
		if last := i == len(d.slots)-1; last != (n < 0) {
			return 0
		}
		if n < 0 {
			n = len(line) - at
		}
		if slot >= 0 {
			out[slot] = field{text: d.plain(line[at : at+n]), off: pos + at}
		}
		at += n + len(d.comma)
	}
	if more := len(d.slots) - d.needed; more > 0 && strings.Count(line[at:], d.comma) != more-1 {
		return 0
	}
	return next
}

// hint suggests the cause of a wrong number of fields.
func (d *delimited) hint(text string, pos int) string {
	line := text[strings.LastIndexByte(text[:pos], '\n')+1:]
	line, _, _ = strings.Cut(line, "\n")
	switch {
	case d.quote == none && strings.Contains(line, `"`):
		return " (-quotes strict, if the file has quoted fields)"
	case strings.Contains(strings.TrimSuffix(line, "\r"), "\r"):
		return "; it has " + loneReturn
	}
	return ""
}

// all returns every field of the row at pos.
func (d *delimited) all(text string, pos int) (values []string, next int, err error) {
	for {
		value, end, err := d.field(text, pos)
		if err != nil {
			return nil, 0, err
		}
		values = append(values, d.plain(value))
		if end == len(text) || text[end] == '\n' {
			return values, min(end+1, len(text)), nil
		}
		pos = end + len(d.comma)
	}
}

// field returns the value at pos and where it ends: at a delimiter, at the
// newline after a row (a carriage return before it is part of the line end)
// or at the end of text.
func (d *delimited) field(text string, pos int) (value string, end int, err error) {
	if d.quote != none && pos < len(text) && text[pos] == '"' {
		return d.quotedField(text, pos)
	}
	end = pos
	for end < len(text) && !d.isAt(text, end) && text[end] != '\n' {
		switch {
		case d.quote != strict:
		case text[end] == '"':
			return "", 0, faultAt(end, "a quote inside a field that does not start with one (-quotes lazy takes it for text)")
		case text[end] == '\r' && isLone(text, end):
			return "", 0, faultAt(end, loneReturn)
		}
		end++
	}
	value = text[pos:end]
	if end == len(text) || text[end] == '\n' {
		value = strings.TrimSuffix(value, "\r")
	}
	return value, end, nil
}

// quotedField is field for a field that starts with a quote.
func (d *delimited) quotedField(text string, pos int) (value string, end int, err error) {
	doubled := false
	for end = pos + 1; ; end++ {
		i := strings.IndexByte(text[end:], '"')
		if i < 0 {
			return "", 0, faultAt(pos, openQuote)
		}
		end += i
		rest := text[end+1:]
		switch {
		case strings.HasPrefix(rest, `"`):
			doubled = true
			end++
		case rest == "" || d.isAt(rest, 0) || rest[0] == '\n' || rest == "\r" || strings.HasPrefix(rest, "\r\n"):
			value = text[pos+1 : end]
			if doubled {
				value = strings.ReplaceAll(value, `""`, `"`)
			}
			end++
			if strings.HasPrefix(rest, "\r") {
				end++
			}
			return value, end, nil
		case d.quote == strict && rest[0] == '\r':
			return "", 0, faultAt(end+1, loneReturn)
		case d.quote == strict:
			return "", 0, faultAt(end+1, "text between the closing quote of a field and the next delimiter (-quotes lazy takes the quote for text)")
		}
	}
}
