package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"
)

// parsedLine is a line and the keys of it as bytes, which are made once and compare as the keys do.
type parsedLine struct {
	text string
	key  []byte
	code uint64 // the first bytes of the key, or of the line where that alone decides
}

// parse sets p to a line. The memory of its key is used again.
func (o *lineOrder) parse(p *parsedLine, line string) {
	p.text = line
	if len(o.keys) > 0 {
		p.key = o.appendKeys(p.key[:0], line)
		p.code = firstBytes(stringOf(p.key))
		return
	}
	p.code = firstBytes(line)
	if o.desc {
		p.code = ^p.code
	}
}

// firstBytes returns the first 8 bytes of a text as a number. A shorter one has zeros after it.
func firstBytes(text string) uint64 {
	if len(text) < 8 {
		var all [8]byte
		copy(all[:], text)
		return binary.BigEndian.Uint64(all[:])
	}
	b := text[:8]
	return uint64(b[0])<<56 | uint64(b[1])<<48 | uint64(b[2])<<40 | uint64(b[3])<<32 |
		uint64(b[4])<<24 | uint64(b[5])<<16 | uint64(b[6])<<8 | uint64(b[7])
}

// compare compares two lines as orderLines does.
func (o *lineOrder) compare(a, b *parsedLine) int {
	if a.code != b.code {
		return cmp.Compare(a.code, b.code)
	}
	c := bytes.Compare(a.key, b.key)
	if c != 0 || !o.last {
		return c
	}
	if c = strings.Compare(a.text, b.text); o.desc {
		return -c
	}
	return c
}

// keep makes p a copy of a line that is used again: of its text only if that decides.
func (o *lineOrder) keep(p, line *parsedLine, memory []byte) []byte {
	if p.code, p.key = line.code, append(p.key[:0], line.key...); o.last {
		memory = append(memory[:0], line.text...)
		p.text = stringOf(memory)
	}
	return memory
}

// appendKeys appends the keys of a line. The bytes of a key say where it ends.
func (o *lineOrder) appendKeys(dst []byte, line string) []byte {
	for i := range o.keys {
		k := &o.keys[i]
		from := len(dst)
		if dst = o.appendKey(dst, k, k.find(line, o.tab)); k.opts&reverse != 0 {
			invert(dst[from:])
		}
	}
	return dst
}

// appendKey appends one key, as keyColumns has it.
func (o *lineOrder) appendKey(dst []byte, k *lineKey, text string) []byte {
	if k.table != nil && k.opts&(human|version|random) != 0 { // upper case makes a unit of a letter
		text = k.table.apply(text)
	}
	if l := k.locale; l != nil {
		if text = l.plain(text, k.opts); k.isText() {
			if dst = append(l.texts.AppendKey(dst, text), 0); k.decided {
				return dst
			}
			return appendText(dst, text) // so that only the same texts tie
		}
	}
	switch {
	case k.opts&numeric != 0:
		return appendDecimal(dst, text)
	case k.opts&human != 0:
		return appendDecimal(append(dst, byte(unitOf(text))+0x80), text)
	case k.opts&general != 0:
		e := generalOf(text)
		return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(dst, e.high), e.low)
	case k.opts&month != 0:
		return append(dst, monthOf(text))
	case k.opts&random != 0:
		digest := k.salt.digest(text)
		return appendText(append(dst, digest[:]...), text)
	case k.opts&version != 0:
		return appendVersionKey(dst, text)
	}
	if k.table != nil {
		return k.table.appendText(dst, text)
	}
	return appendText(dst, text)
}

// appendDecimal appends the two keys of a number.
func appendDecimal(dst []byte, text string) []byte {
	d := parseDecimal(text)
	code := d.code()
	dst = binary.BigEndian.AppendUint64(dst, code)
	if !hasMore(code) {
		return dst
	}
	return d.appendRest(dst)
}

// Bytes of a key in a locale for each byte of its text. In memory keys have no copy of the text. One of ASCII takes a byte, and
// a capital letter two more, or any letter under -f; others take up to five, but a few ligatures more.
const (
	localeCopies = 7 // itself with an escape included
	asciiCopies  = 3
)

// inLocale returns the number of keys that are texts in a locale.
func (o *lineOrder) inLocale() (n int64) {
	for i := range o.keys {
		if o.keys[i].localeText() {
			n++
		}
	}
	return n
}

// copies bounds the memory of keys that are no part of their lines, in bytes for each byte of a line. In one of
// -V, a digit and a byte that is no letter take 5, twice if there is a suffix.
func (o *lineOrder) copies() int64 {
	sum := int64(0)
	for _, k := range o.keys {
		if k.table != nil {
			sum++
		}
		switch {
		case k.opts&version != 0:
			sum += 5
		case k.opts&(numeric|human|random) != 0: // of a number of many digits, of -R
			sum++
		}
	}
	return sum + localeCopies*o.inLocale()
}
