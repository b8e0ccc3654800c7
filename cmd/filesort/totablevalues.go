package main

import (
	"errors"
	"strings"
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
	all := &delimited{comma: d.comma, quote: d.quote}
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
