package main

import (
	"encoding/binary"
	"math"
	"math/bits"

	"example.com/sorter"
)

// Rows that go to disk are strings:
//
//	a varint  length of the key
//	the key   values of the sort columns, parsed once, as bytes that compare as the rows do; with -R each after a digest of it
//	a varint  length of the front of the key that makes groups, or parts of the output, if there are any
//	a varint  how many rows tie with it, itself included, if rows are combined
//	the row   with its line end
//
// The bytes of a value say where it ends, so no key is the front of another.

// packing makes packed rows.
type packing struct {
	specs  []spec // none of kind auto
	groups int    // of them, those that make groups
	front  int    // of them, those at the front of the key whose length a row has: those of groups, or of parts
	random []byte // what follows the groups in the key of the next row
	salt   *salt  // of the places of values in a random order; nil: they are in order
	texts  []int  // columns whose texts are in the key, too: at the end, or at that of its front which makes groups

	counted bool // rows are combined
}

// pack appends a packed row to dst. bad is the first column whose value is not of its kind, or
// -1. key is memory for a key, which is returned to be used again.
func (p *packing) pack(dst, key []byte, row, eol string, values []field, nulls []bool) (packed, used []byte, bad int) {
	key = key[:0]
	front := 0
	for c := 0; ; c++ {
		if c == p.front {
			key = p.appendTexts(key, values, nulls, 0, p.groups)
			front = len(key)
		}
		if c == len(p.specs) {
			break
		}
		s := &p.specs[c]
		from, ok := len(key), true
		if nulls[c] {
			key = s.appendNull(key)
		} else if key, ok = s.appendValue(key, values[c].text); !ok {
			return dst, key, c
		}
		switch {
		case p.salt != nil && nulls[c]:
			key = p.salt.scatter(key, from, "")
		case p.salt != nil && s.kind == text && s.key == nil: // as sort does
			key = p.salt.scatter(key, from, values[c].text)
		case p.salt != nil:
			key = p.salt.scatter(key, from, string(key[from:]))
		case s.desc:
			invert(key[from:])
		}
	}
	key = append(p.appendTexts(key, values, nulls, p.groups, len(p.specs)), p.random...)
	dst = append(binary.AppendUvarint(dst, uint64(len(key))), key...)
	if p.front > 0 {
		dst = binary.AppendUvarint(dst, uint64(front))
	}
	if p.counted {
		dst = append(dst, 1)
	}
	return append(append(dst, row...), eol...), key, -1
}

// appendTexts appends the texts of columns [lo, hi).
func (p *packing) appendTexts(key []byte, values []field, nulls []bool, lo, hi int) []byte {
	for _, c := range p.texts {
		if lo <= c && c < hi && !nulls[c] {
			key = appendText(key, values[c].text)
		}
	}
	return key
}

// group returns the group of a packed row, and row its row.
func (p *packing) group(packed string) string {
	n, at := prefixOf(packed)
	front, _ := prefixOf(packed[at+n:])
	return packed[at : at+front]
}

func (p *packing) row(packed string) string {
	row := p.countedRow(packed)
	if p.counted {
		_, row = cutCount(row)
	}
	return row
}

// countedRow returns the row of a packed one, after the count if it has one.
func (p *packing) countedRow(packed string) string {
	rest := rowOf(packed)
	if p.front > 0 {
		_, at := prefixOf(rest)
		rest = rest[at:]
	}
	return rest
}

// tying is that of packed rows: their keys are the same.
func (p *packing) tying() tying {
	return tying{func(a, b string) bool { return keyOf(a) == keyOf(b) }, hashOf(keyOf), p.countedRow}
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// appendNull appends a null: bytes 0x00 or 0xFF, which no value begins with, and for a float as
// many as its code has. It keeps its place where a descending column is inverted.
func (s *spec) appendNull(dst []byte) []byte {
	null := "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
	if s.nullsFirst != s.desc {
		null = "\x00\x00\x00\x00\x00\x00\x00\x00"
	}
	if s.kind != float {
		null = null[:1]
	}
	return append(dst, null...)
}

// appendValue appends a value as bytes that compare as values of its kind do.
func (s *spec) appendValue(dst []byte, value string) (_ []byte, ok bool) {
	if s.key != nil {
		var memory [2 * shortKey]byte
		key, ok := s.key(memory[:0], value)
		return appendText(dst, stringOf(key)), ok
	}
	switch s.kind {
	case integer:
		if v, ok := parseInt(value); ok {
			return appendInt(dst, v), true
		}
		var n number
		k := n.parse(value)
		return appendLong(dst, &n), k == integer
	case float:
		return appendNumber(dst, value, s.desc)
	case boolean:
		v, ok := parseBool(value)
		if v {
			return append(dst, 2), ok
		}
		return append(dst, 1), ok
	case instant:
		v, ok := parseTime(value)
		return binary.BigEndian.AppendUint32(appendInt(dst, v.Hi), uint32(v.Lo)), ok
	}
	return appendText(dst, value), true
}

// appendInt appends the number of bytes that v takes, added to 0x80 or, of a negative v, taken
// from 0x7F, and these bytes.
func appendInt(dst []byte, v int64) []byte {
	size, head := uint64(v), 0x80
	if v < 0 {
		size = ^size
	}
	n := (bits.Len64(size) + 7) / 8
	if head += n; v < 0 {
		head = 0x7F - n
	}
	dst = append(dst, byte(head))
	for n--; n >= 0; n-- {
		dst = append(dst, byte(v>>(8*n)))
	}
	return dst
}

// appendLong appends an integer of more than 64 bits: a byte beyond those of other integers, and
// its digits.
func appendLong(dst []byte, n *number) []byte {
	head := byte(0x80 + 9)
	if n.negative {
		head = 0x7F - 9
	}
	return n.appendRest(append(dst, head))
}

// appendMore appends the keys of a number that decide after the first.
func appendMore(dst []byte, value string) []byte {
	second := secondCode(value)
	dst = binary.BigEndian.AppendUint64(dst, second)
	if hasMore(second) {
		dst = append(dst, restOf(value)...)
	}
	return dst
}

// Bytes of texts. Those up to lowEscape and those from highEscape on stand after an escape, so
// that the end of a text is before all of its bytes, and no byte is that of a null.
const (
	endOfText  = 0x01
	lowEscape  = 0x02
	highEscape = 0xFE
)

// appendText appends a text and its end.
func appendText(dst []byte, text string) []byte {
	plain := 0 // where bytes begin that have no escape
	for i := range len(text) {
		if b := text[i]; b <= lowEscape || b >= highEscape {
			dst = append(append(dst, text[plain:i]...), escapeOf(b))
			plain = i
		}
	}
	return append(append(dst, text[plain:]...), endOfText)
}

// escapeOf returns the escape before a byte that needs one.
func escapeOf(b byte) byte {
	if b <= lowEscape {
		return lowEscape
	}
	return highEscape
}

// keyOf returns the key of a packed row.
func keyOf(packed string) string {
	n, at := prefixOf(packed)
	return packed[at : at+n]
}

// rowOf returns the row of a packed one.
func rowOf(packed string) string {
	n, at := prefixOf(packed)
	return packed[at+n:]
}

// prefixOf returns the length of the key of a packed row and the place where it begins.
func prefixOf(packed string) (n, at int) {
	for shift := 0; ; shift += 7 {
		b := packed[at]
		at++
		n |= int(b&0x7F) << shift
		if b < 0x80 {
			return n, at
		}
	}
}

// orderPacked is the order of packed rows: by the first bytes of their keys as one number, then
// by their other bytes.
var orderPacked = sorter.By(packedColumns...)

var packedColumns = []sorter.Column[string]{sorter.Asc(func(e string) uint64 {
	n, at := prefixOf(e)
	code := firstBytes(e[at:])
	if n < 8 { // bytes of the row follow
		code &= math.MaxUint64 << (64 - 8*n)
	}
	return code
}), sorter.Asc(func(e string) string {
	key := keyOf(e)
	return key[min(8, len(key)):]
})}
