package collation

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"

	"golang.org/x/text/language"
)

// packing makes the keys of a Collation of those of a collator. They compare in the same way and are shorter: where a
// text is ASCII, by a factor of three to five.
//
// A key of a collator has the weights of the first level, of two or three bytes each, and those of others, each after
// two zero bytes: of the second, of two bytes each, and of the third, of one byte each. Under options there is one of
// these, or none.
//
// On the first level a weight of an ASCII character is one byte here, and one of a letter of the language's script if that is
// another of two bytes. Between these weights, and outside of them, are
// bytes that other weights stand after. On the other levels most weights are the same, and are counted: a run of
// them is a byte (UTS #10, "Run-Length Compression"). A level but the last ends with a zero.
type packing struct {
	first  []uint32 // weights of one byte on the first level, rising: those of ASCII and of a language's own letters
	others []level
}

// level is a level but the first.
type level struct {
	width  int    // bytes of a weight
	common uint32 // the weight that most characters have
}

// between are the bytes between two levels of a collator's key.
var between = []byte{0, 0}

// Bytes of a run of the common weight. A run that the end of the level or a lower weight follows comes before a longer
// one, and one that a higher weight follows comes after it.
const (
	mostRun = 60
	runLow  = 1                 // and up by its length: what follows is lower, or the end
	runFull = runLow + mostRun  // mostRun of them, and what follows counts on
	runHigh = runFull + mostRun // and down by its length: what follows is higher
)

// mostFirst bounds the weights that are one byte.
const mostFirst = 127

// newPacking returns the packing for the keys of a collator, or nil if they are of another form.
func newPacking(k *keyer, tag language.Tag) *packing {
	empty := k.keyOf("", false)
	levels := len(empty) / len(between)
	if !bytes.Equal(empty, bytes.Repeat(between, levels)) {
		return nil
	}
	p := &packing{others: make([]level, levels)}
	key := k.keyOf("a", false)
	_, key = firstWeight(key)
	for i := range p.others {
		l := &p.others[i]
		if key, l.width = key[len(between):], 2; i == levels-1 {
			l.width = len(key)
		}
		if !bytes.HasPrefix(key, between) { // or else no text has weights here
			l.common, key = l.weight(key)
		}
	}
	for c := ' '; c < 0x7f; c++ {
		p.short(k, c)
	}
	if len(p.first) > mostFirst {
		return nil
	}
	script, _ := tag.Script()
	own := scripts[script.String()]
	if own == nil {
		return p
	}
	for _, block := range own.R16 {
		for r := rune(block.Lo); r <= rune(block.Hi) && r < twoBytes && len(p.first) < mostFirst-mostWeights; r++ {
			if block.Stride == 1 && unicode.IsLetter(r) && !unicode.IsUpper(r) { // which has the weight of the small letter
				p.short(k, r)
			}
		}
	}
	return p
}

// scripts are those of letters of two bytes, of which most have a weight of one byte in their languages.
var scripts = map[string]*unicode.RangeTable{"Cyrl": unicode.Cyrillic, "Grek": unicode.Greek, "Hebr": unicode.Hebrew, "Arab": unicode.Arabic, "Armn": unicode.Armenian}

// short makes the weights of a character on the first level one byte each.
func (p *packing) short(k *keyer, r rune) {
	for key := k.keyOf(string(r), false); len(key) > 0 && !bytes.HasPrefix(key, between); {
		var w uint32
		w, key = firstWeight(key)
		if i, known := slices.BinarySearch(p.first, w); !known {
			p.first = slices.Insert(p.first, i, w)
		}
	}
}

// firstWeight returns the weight that a key begins with, of the first level.
func firstWeight(key []byte) (w uint32, rest []byte) {
	n := 2
	if key[0] >= 0x80 {
		n = 3
	}
	for _, b := range key[:n] {
		w = w<<8 | uint32(b)
	}
	return w, key[n:]
}

// weight returns the weight that a key begins with.
func (l *level) weight(key []byte) (w uint32, rest []byte) {
	if l.width == 1 {
		return uint32(key[0]), key[1:]
	}
	return uint32(binary.BigEndian.Uint16(key)), key[2:]
}

// append appends a key of a collator, packed.
func (p *packing) append(dst, key []byte) []byte {
	for len(key) > 0 && !bytes.HasPrefix(key, between) {
		var w uint32
		w, key = firstWeight(key)
		dst = p.appendFirst(dst, w)
	}
	for i := range p.others {
		dst, key = append(dst, 0), key[len(between):]
		l, run := &p.others[i], 0
		for len(key) > 0 && (i == len(p.others)-1 || !bytes.HasPrefix(key, between)) {
			var w uint32
			if w, key = l.weight(key); w == l.common {
				run++
				continue
			}
			dst, run = l.appendWeight(dst, run, w), 0
		}
		dst = appendRun(dst, run, false)
	}
	return dst
}

// appendFirst appends a weight of the first level.
func (p *packing) appendFirst(dst []byte, w uint32) []byte {
	i, known := slices.BinarySearch(p.first, w)
	if known {
		return append(dst, byte(2*i+2))
	}
	if dst = append(dst, byte(2*i+1)); w > 0xffff {
		dst = append(dst, byte(w>>16))
	}
	return append(dst, byte(w>>8), byte(w))
}

// appendWeight appends a weight that is not the common one, and the run before it.
func (l *level) appendWeight(dst []byte, run int, w uint32) []byte {
	if dst = appendRun(dst, run, w > l.common); l.width == 1 {
		return append(dst, byte(w))
	}
	return append(dst, byte(w>>8)+1, byte(w)) // not 0, which would be the end
}

// appendRun appends a run of the common weight. What follows it is higher, or else lower or the end.
func appendRun(dst []byte, run int, higher bool) []byte {
	for ; run >= mostRun; run -= mostRun {
		dst = append(dst, runFull)
	}
	if higher {
		return append(dst, byte(runHigh-run))
	}
	return append(dst, byte(runLow+run))
}
