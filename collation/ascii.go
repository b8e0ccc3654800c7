package collation

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ascii has the weights of ASCII characters, from which packed keys of ASCII texts are made without a collator. They are
// learned from its keys: those of all characters, and those of all pairs, of which some are contractions.
type ascii struct {
	*packing
	characters [128]character
	weights    [][128]uint32  // on the other levels
	slow       [128][2]uint64 // by a character, those after it with which it, or they, have other weights than alone
}

// character is the weights of an ASCII character.
type character struct {
	first  uint32 // packed weights of the first level, the first byte the lowest
	n      uint8  // bytes of them
	known  bool
	paired bool  // after some characters weights change
	weighs uint8 // 1 if it has a weight on each other level, and 0 if on none
	odd    uint8 // by bits, levels on which that is not the common one
}

// firstBytes is the room for weights of the first level that a character may have.
const firstBytes = 4

// learn returns the weights that a collator gives ASCII characters, or nil if most depend on others.
func (k *keyer) learn(p *packing) *ascii {
	a := &ascii{packing: p, weights: make([][128]uint32, len(p.others))}
	for c := range byte(len(a.characters)) {
		if c == '\t' || ' ' <= c && c < 0x7f {
			a.split(c, k.keyOf(string(rune(c)), false))
		}
	}
	var made, packed []byte
	pairs, slow := 0, 0
	for first := range byte(len(a.characters)) {
		for second := range byte(len(a.characters)) {
			if !a.characters[first].known || !a.characters[second].known {
				continue
			}
			pair := string([]byte{first, second})
			made, _ = a.append(made[:0], pair)
			packed = p.append(packed[:0], k.keyOf(pair, false))
			if pairs++; !bytes.Equal(made, packed) {
				a.slow[first][second/64] |= 1 << (second % 64)
				a.characters[second].paired = true
				slow++
			}
		}
	}
	if slow > pairs/8 || pairs == 0 {
		return nil
	}
	return a
}

// split takes the key of a character apart. The character is known if it has room.
func (a *ascii) split(c byte, key []byte) {
	ch := &a.characters[c]
	var packed []byte
	for len(key) > 0 && !bytes.HasPrefix(key, between) {
		var w uint32
		w, key = firstWeight(key)
		packed = a.appendFirst(packed, w)
	}
	if len(packed) > firstBytes {
		return
	}
	for i, b := range packed {
		ch.first |= uint32(b) << (8 * i)
	}
	ch.n = uint8(len(packed))
	weights := 0
	for i := range a.others {
		for key = key[len(between):]; len(key) > 0 && !bytes.HasPrefix(key, between); weights++ {
			w := &a.weights[i][c]
			if *w, key = a.others[i].weight(key); *w != a.others[i].common {
				ch.odd |= 1 << i
			}
			ch.weighs = 1
		}
	}
	ch.known = weights == int(ch.weighs)*len(a.others)
}

// append appends the key of a text. It reports whether the weights of all its characters are known.
func (a *ascii) append(dst []byte, text string) ([]byte, bool) {
	from := len(dst)
	dst = slices.Grow(dst, firstBytes*(len(text)+1))
	out, at := dst[from:cap(dst)], 0
	weighed, odd, end := 0, uint8(0), 0 // end: of the characters that have other weights than common ones
	for i := range len(text) {
		c := text[i]
		if c >= byte(len(a.characters)) {
			return dst, false
		}
		ch := &a.characters[c]
		if !ch.known || ch.paired && i > 0 && a.slow[text[i-1]][c/64]>>(c%64)&1 != 0 {
			return dst, false
		}
		binary.LittleEndian.PutUint32(out[at:], ch.first) // the next weights overwrite what is none
		at += int(ch.n)
		weighed += int(ch.weighs)
		if ch.odd != 0 {
			odd, end = odd|ch.odd, i+1
		}
	}
	dst = dst[:from+at]
	for i := range a.others {
		if dst = append(dst, 0); odd>>i&1 == 0 {
			dst = appendRun(dst, weighed, false)
		} else {
			dst = a.appendLevel(dst, i, text[:end], weighed)
		}
	}
	return dst, true
}

// appendLevel appends a level but the first, of a text with a number of weights, of which those after the given ones are
// common.
func (a *ascii) appendLevel(dst []byte, i int, text string, weighed int) []byte {
	l, weights, run := &a.others[i], &a.weights[i], 0
	for j := range len(text) {
		switch w := weights[text[j]&0x7f]; w {
		case 0:
			continue
		case l.common:
			run++
		default:
			dst, run = l.appendWeight(dst, run, w), 0
		}
		weighed--
	}
	return appendRun(dst, run+weighed, false)
}
