package main

import (
	"crypto/md5"
	"slices"
	"strings"

	"example.com/sorter"
)

// orderLines returns the order o of elements that have a line.
func orderLines[E any](o lineOrder, line func(E) string) sorter.Ordering[E] {
	return sorter.By(lineColumns(o, line)...)
}

// lineColumns returns the columns of the order o.
func lineColumns[E any](o lineOrder, line func(E) string) (columns []sorter.Column[E]) {
	for _, k := range o.keys {
		columns = append(columns, keyColumns(k, o.tab, line)...)
	}
	if o.last {
		columns = append(columns, directed(line, o.desc))
	}
	return columns
}

// sameLines returns an order in which those lines tie that tie in o. It makes no keys of a locale.
func sameLines[E any](o lineOrder, line func(E) string) sorter.Ordering[E] {
	if o.last {
		return sorter.By(sorter.Asc(line))
	}
	var columns []sorter.Column[E]
	for _, k := range o.keys {
		if k.localeText() {
			columns = append(columns, sorter.Asc(textOfKey(k, o.tab, line)))
		} else {
			columns = append(columns, keyColumns(k, o.tab, line)...)
		}
	}
	return sorter.By(columns...)
}

// keyColumns returns the columns that order by one key.
func keyColumns[E any](k lineKey, tab int, line func(E) string) []sorter.Column[E] {
	desc := k.opts&reverse != 0
	text := textOfKey(k, tab, line)
	var code []sorter.Column[E]
	if t := k.table; t != nil {
		whole := text
		text = func(e E) string { return t.apply(whole(e)) }
		code = append(code, directed(func(e E) uint64 { return t.code(whole(e)) }, desc))
	}
	switch {
	case k.localeText():
		return append([]sorter.Column[E]{prefixColumn(k, text)}, wholeKeyColumns(k, text)...)
	case k.opts&numeric != 0:
		return decimalColumns(text, desc)
	case k.opts&human != 0:
		unit := directed(func(e E) int8 { return unitOf(text(e)) }, desc)
		return append([]sorter.Column[E]{unit}, decimalColumns(text, desc)...)
	case k.opts&general != 0:
		return []sorter.Column[E]{
			directed(func(e E) uint64 { return generalOf(text(e)).high }, desc),
			directed(func(e E) uint16 { return generalOf(text(e)).low }, desc),
		}
	case k.opts&month != 0:
		return []sorter.Column[E]{directed(func(e E) uint8 { return monthOf(text(e)) }, desc)}
	case k.opts&random != 0:
		digest := directed(func(e E) [md5.Size]byte { return k.salt.digest(text(e)) }, desc)
		return []sorter.Column[E]{digest, directed(text, desc)}
	case k.opts&version != 0:
		return []sorter.Column[E]{directed(func(e E) string { return versionKey(text(e)) }, desc)}
	}
	return append(code, directed(text, desc))
}

// textOfKey returns the text of a key, in a locale as its notation without one.
func textOfKey[E any](k lineKey, tab int, line func(E) string) func(E) string {
	text := func(e E) string { return k.find(line(e), tab) }
	if k.field == wholeStart && k.endField == toEnd && k.opts&blanksAtStart == 0 && k.char == 0 {
		text = line
	}
	if k.locale == nil {
		return text
	}
	return func(e E) string { return k.locale.plain(text(e), k.opts) }
}

// prefixColumn returns the column of the first bytes of a key that is text in a locale.
func prefixColumn[E any](k lineKey, text func(E) string) sorter.Column[E] {
	return directed(func(e E) [16]byte { return k.locale.texts.Prefix(text(e)) }, k.opts&reverse != 0)
}

// wholeKeyColumns returns the columns that decide where prefixes tie.
func wholeKeyColumns[E any](k lineKey, text func(E) string) []sorter.Column[E] {
	key := func(dst []byte, e E) []byte { return k.locale.texts.AppendKey(dst, text(e)) }
	desc := k.opts&reverse != 0
	column := sorter.AscEncoded(key)
	if desc {
		column = sorter.DescEncoded(key)
	}
	if k.decided {
		return []sorter.Column[E]{column}
	}
	return []sorter.Column[E]{column, directed(text, desc)} // so that only the same texts tie
}

// localeText reports whether a key is text in a locale.
func (k *lineKey) localeText() bool { return k.locale != nil && k.isText() }

// isText reports whether a key is text, and none of numbers, months, versions and random places.
func (k *lineKey) isText() bool { return k.opts&(numeric|human|general|month|version|random) == 0 }

func decimalColumns[E any](text func(E) string, desc bool) []sorter.Column[E] {
	return []sorter.Column[E]{
		directed(func(e E) uint64 { return decimalCode(text(e)) }, desc),
		directed(func(e E) string { return decimalRest(text(e)) }, desc),
	}
}

func directed[E any, K sorter.Key](key func(E) K, desc bool) sorter.Column[E] {
	if desc {
		return sorter.Desc(key)
	}
	return sorter.Asc(key)
}

// byteTable is what becomes of each byte of a key. ignored bytes are left out.
type byteTable [256]int16

const ignored = -1

// translation returns the table of the options d, f and i.
func translation(o keyOptions) *byteTable {
	t := new(byteTable)
	for i := range t {
		c := byte(i)
		letter := isLetter(c)
		t[i] = int16(c)
		switch {
		case o&dictionary != 0 && !letter && !isDigit(c) && !isBlank(c),
			o&(dictionary|printable) == printable && (c < ' ' || c > '~'):
			t[i] = ignored
		case o&fold != 0 && letter:
			t[i] = int16(c &^ 0x20)
		}
	}
	return t
}

// apply returns s translated: s itself, if nothing changes.
func (t *byteTable) apply(s string) string {
	i := 0
	for i < len(s) && t[s[i]] == int16(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		if c := t[s[i]]; c != ignored {
			b.WriteByte(byte(c))
		}
	}
	return b.String()
}

// appendText appends s translated, as appendText has texts.
func (t *byteTable) appendText(dst []byte, s string) []byte {
	at := len(dst)
	dst = slices.Grow(dst, 2*len(s)+1)[:at+2*len(s)+1]
	for i := range len(s) {
		c := t[s[i]]
		if c <= lowEscape || c >= highEscape {
			if c == ignored {
				continue
			}
			dst[at] = escapeOf(byte(c))
			at++
		}
		dst[at] = byte(c)
		at++
	}
	dst[at] = endOfText
	return dst[:at+1]
}

// code returns the first 8 bytes of s translated, without memory of their own.
func (t *byteTable) code(s string) (code uint64) {
	n := 0
	for i := 0; i < len(s) && n < 8; i++ {
		if c := t[s[i]]; c != ignored {
			code = code<<8 | uint64(c)
			n++
		}
	}
	return code << (64 - 8*n)
}

// monthOf returns 1 to 12 for a text that begins with a month's first three letters, 0 for any
// other.
func monthOf(s string) uint8 {
	const names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	s = s[skipBlanks(s, 0):]
	if len(s) < 3 {
		return 0
	}
	name := strings.ToUpper(s[:3])
	for i := 0; i < len(names); i += 3 {
		if names[i:i+3] == name {
			return uint8(i/3 + 1)
		}
	}
	return 0
}
