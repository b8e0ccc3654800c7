package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// storedValue is a value of a row.
type storedValue struct {
	text string
	null bool
	word bool // in quotes of JSON: no number
}

// each calls begin before each row, and value with each of its fields. A member that a row does not have
// is left out.
func (t *tabulation) each(c rowChunk, f format, begin func(), value func(at int, v storedValue) error) error {
	d, ok := f.(*delimited)
	if !ok {
		return t.eachMember(c, begin, value)
	}
	all := &delimited{comma: d.comma, quote: d.quote, nul: d.nul}
	slots := make([]int, len(d.slots))
	for i := range slots {
		slots[i] = i
		t.column(i, "")
	}
	all.use(slots)
	s := t.scanner(all, make([]spec, len(slots)))
	_, err := s.each(c.text, c.start, func(_, _ int, fields []field, nulls []bool) error {
		begin()
		for i, f := range fields {
			if err := value(i, storedValue{text: f.text, null: nulls[i]}); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// eachMember is each for rows of JSON.
func (t *tabulation) eachMember(c rowChunk, begin func(), value func(at int, v storedValue) error) (err error) {
	s := scanner{nulls: t.nulls}
	for line := range strings.SplitSeq(c.text[c.start:], "\n") {
		from := skipSpace(line, 0)
		if from == len(line) {
			continue
		}
		begin()
		eachMember(line, from, func(name, raw string) {
			if name == "" {
				err = errors.Join(err, errors.New("a member without a name makes no column"))
				return
			}
			t.column(0, name)
			v := storedValue{text: raw, null: raw[0] == 'n'}
			if raw[0] == '"' {
				v.text, v.word = unquote(raw), true
				v.null = s.isNull(v.text)
			}
			err = errors.Join(err, value(t.index[name], v))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachMember calls found with the members of an object, the syntax of which was checked.
func eachMember(s string, pos int, found func(name, raw string)) {
	for pos++; ; {
		pos = skipSpace(s, pos)
		if s[pos] == ',' {
			pos = skipSpace(s, pos+1)
		}
		if s[pos] == '}' {
			return
		}
		end := skipValue(s, pos)
		name := unquote(s[pos:end])
		pos = skipSpace(s, skipSpace(s, end)+len(":"))
		end = skipValue(s, pos)
		found(name, s[pos:end])
		pos = end
	}
}

// append appends a value to the column.
func (c *columnTypes) append(b array.Builder, v storedValue) error {
	if v.null {
		b.AppendNull()
		return nil
	}
	ok := true
	s := strings.Trim(v.text, " ")
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(v.text)
	case *array.BooleanBuilder:
		var is bool
		is, ok = parseBool(s)
		b.Append(is)
	case *array.Int64Builder:
		var n int64
		n, ok = parseInt(s)
		b.Append(n)
	case *array.Float64Builder:
		n, err := strconv.ParseFloat(s, 64)
		ok = err == nil
		b.Append(n)
	case *array.Date32Builder:
		t, is := parseTime(s)
		ok = is
		b.Append(arrow.Date32(floorDiv(t.Hi, secondsOfDay)))
	case *array.TimestampBuilder:
		n, is := timestamp(s, b.Type().(*arrow.TimestampType).Unit)
		ok = is
		b.Append(n)
	}
	if !ok {
		return fmt.Errorf("column %s: %.40q does not fit the type %v, which -by gives it", c.name, v.text, c.typ)
	}
	return nil
}

// timestamp returns a time in a unit, if the unit has it.
func timestamp(s string, unit arrow.TimeUnit) (arrow.Timestamp, bool) {
	t, ok := parseTime(s)
	if !ok || t.Lo >= 1e9 || t.Hi < -1e12 || t.Hi > 1e12 {
		return 0, false
	}
	if unit == arrow.Microsecond {
		return arrow.Timestamp(t.Hi*1e6 + int64(t.Lo/1000)), t.Lo%1000 == 0
	}
	return arrow.Timestamp(t.Hi*1e9 + int64(t.Lo)), true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
