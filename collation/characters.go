package collation

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// characters has the weights of common characters, from which packed keys of texts are made without a collator. They are
// learned from its keys: those of all characters at once, and those of pairs, of which some are contractions, when a text
// has them; of ASCII at once, too. Contractions of more characters have such a pair within: TestContractions.
type characters struct {
	*packing
	all     [places]character
	weights [][places][mostWeights]uint32 // on the other levels
	pairs   [places]atomic.Pointer[pairs] // by the first character
}

// character is the weights of a character.
type character struct {
	first  uint32 // packed weights of the first level, the first byte the lowest
	n      uint8  // bytes of them
	known  bool
	paired bool  // after some characters weights change, or may change
	weighs uint8 // weights on each other level
	odd    uint8 // by bits, levels on which one is not the common one
}

// pairs are those of one character and each after it, as far as a text had them.
type pairs struct {
	plain [places / 64]atomic.Uint64 // those with the weights of their characters
	slow  [places / 64]atomic.Uint64 // those with others
}

// Characters that have places: those of one and two bytes in UTF-8, of which those of ASCII come first, and from U+1E00 to
// U+20FF, letters with marks and punctuation.
const (
	twoBytes = 0x800 // places of characters of one and two bytes
	lowest   = 0x1e00
	places   = twoBytes + 0x2100 - lowest
)

const (
	firstBytes  = 4 // room for the packed weights of the first level of a character
	mostWeights = 3 // on each other level
)

// placeOf returns the place of the character that begins at text[i], which is not ASCII, and its length. That is 0 if there
// is none.
func placeOf(text string, i int) (place, length int) {
	if i+1 < len(text) {
		if place = placeOfTwo(text[i], text[i+1]); place != 0 {
			return place, 2
		}
	}
	if r, length := utf8.DecodeRuneInString(text[i:]); length == 3 && lowest <= r && r < lowest+places-twoBytes {
		return int(r) - lowest + twoBytes, length
	}
	return 0, 0
}

// placeOfTwo returns the place of a character of two bytes, or 0 if they are none.
func placeOfTwo(first, second byte) int {
	if first-0xc2 > 0xdf-0xc2 || second&0xc0 != 0x80 {
		return 0
	}
	return int(first&0x1f)<<6 | int(second&0x3f)
}

// runeAt returns the character of a place.
func runeAt(place int) rune {
	if place < twoBytes {
		return rune(place)
	}
	return rune(place - twoBytes + lowest)
}

// learn returns the weights that a collator gives characters, or nil if most of ASCII depend on others.
func (k *keyer) learn(p *packing) *characters {
	a := &characters{packing: p, weights: make([][places][mostWeights]uint32, len(p.others))}
	for c := range places {
		switch r := runeAt(c); {
		case r == '\t', ' ' <= r && r < 0x7f:
			a.split(c, k.keyOf(string(r), false))
		case r >= 0xa0 && !unicode.Is(unicode.M, r): // marks change places with each other
			a.split(c, k.keyOf(string(r), false))
			a.all[c].paired = true
		}
	}
	count, slow := 0, 0
	for first := range utf8.RuneSelf {
		for second := range utf8.RuneSelf {
			if !a.all[first].known || !a.all[second].known {
				continue
			}
			if count++; !a.plain(k, first, second) {
				a.all[second].paired = true
				slow++
			}
		}
	}
	if slow > count/8 || count == 0 {
		return nil
	}
	if !a.forward(k) {
		clear(a.all[utf8.RuneSelf:])
	}
	return a
}

// forward reports whether weights of the other levels come in the order of the text. Under the setting kb those of
// marks come from its end.
func (a *characters) forward(k *keyer) bool {
	tried := false
	for _, text := range []string{"éaa", "éqq", "üqq"} { // aa is a letter in Danish
		key, plain := a.append(nil, text, k)
		if plain && !bytes.Equal(key, a.packing.append(nil, k.keyOf(text, false))) {
			return false
		}
		tried = tried || plain
	}
	return tried
}

// split takes the key of a character apart. The character is known if it has room, and has a weight on the first level or
// none at all: one that has only others may lose them after punctuation.
func (a *characters) split(place int, key []byte) {
	ch := &a.all[place]
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
	for i := range a.others {
		n := 0
		for key = key[len(between):]; len(key) > 0 && (i == len(a.others)-1 || !bytes.HasPrefix(key, between)); n++ {
			if n == mostWeights {
				return
			}
			w := &a.weights[i][place][n]
			if *w, key = a.others[i].weight(key); *w != a.others[i].common {
				ch.odd |= 1 << i
			}
		}
		if i > 0 && n != int(ch.weighs) {
			return
		}
		ch.weighs = uint8(n)
	}
	ch.known = ch.n > 0 || ch.weighs == 0
}

// plain reports whether two adjacent characters have the weights that each has alone.
func (a *characters) plain(k *keyer, first, second int) bool {
	return a.pairs[first].Load().has(second) || a.compare(k, first, second)
}

// has reports whether a pair is known to be plain; p may be nil.
func (p *pairs) has(second int) bool {
	return p != nil && p.plain[second/64].Load()>>(second%64)&1 != 0
}

// compare is plain of a pair that is slow, or that no text had yet.
func (a *characters) compare(k *keyer, first, second int) bool {
	row := a.pairs[first].Load()
	if row == nil {
		a.pairs[first].CompareAndSwap(nil, new(pairs))
		row = a.pairs[first].Load()
	}
	word, bit := second/64, uint64(1)<<(second%64)
	if row.slow[word].Load()&bit != 0 {
		return false
	}
	same := a.same(k, string([]rune{runeAt(first), runeAt(second)}))
	if same {
		row.plain[word].Or(bit)
	} else {
		row.slow[word].Or(bit)
	}
	return same
}

// same reports whether a text of known characters has the key that is made of their weights.
func (a *characters) same(k *keyer, text string) bool {
	var made, packed [64]byte
	key, _ := a.append(made[:0], text, nil)
	return bytes.Equal(key, a.packing.append(packed[:0], k.keyOf(text, false)))
}

// append appends the key of a text. It reports whether the weights of all its characters are known. k makes the keys of
// pairs that no text had yet; without it pairs are taken for plain.
func (a *characters) append(dst []byte, text string, k *keyer) ([]byte, bool) {
	from := len(dst)
	dst = slices.Grow(dst, len(text)+2*firstBytes)
	out, at := dst[from:cap(dst)], 0
	weighed, odd, end := 0, uint8(0), 0 // end: of the characters that have other weights than common ones
	for i, last := 0, 0; i < len(text); {
		c, n := int(text[i]), 1
		if c >= utf8.RuneSelf {
			if c, n = placeOf(text, i); n == 0 {
				return dst, false
			}
		}
		ch := &a.all[c]
		if !ch.known || (ch.paired || last >= utf8.RuneSelf) && i > 0 && k != nil && !a.plain(k, last, c) {
			return dst, false
		}
		if len(out)-at < firstBytes {
			dst = slices.Grow(dst[:from+at], len(text)+firstBytes)
			out = dst[from:cap(dst)]
		}
		binary.LittleEndian.PutUint32(out[at:], ch.first) // the next weights overwrite what is none
		at += int(ch.n)
		weighed += int(ch.weighs)
		last, i = c, i+n
		if ch.odd != 0 {
			odd, end = odd|ch.odd, i
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
func (a *characters) appendLevel(dst []byte, i int, text string, weighed int) []byte {
	l, weights, run := &a.others[i], &a.weights[i], 0
	for j := 0; j < len(text); {
		c, n := int(text[j]), 1
		if c >= utf8.RuneSelf {
			c, n = placeOf(text, j)
		}
		j += n
		for _, w := range weights[c][:a.all[c].weighs] {
			if weighed--; w == l.common {
				run++
			} else {
				dst, run = l.appendWeight(dst, run, w), 0
			}
		}
	}
	return appendRun(dst, run+weighed, false)
}

// prefixBytes is the length of prefixes.
const prefixBytes = 16

// ahead is the number of characters that prefix reads after those whose weights it returns: no contraction is longer.
const ahead = 4

// prefix returns the first bytes of the key of a text. It reports whether the weights of the characters that it read are
// known, and fill them.
func (a *characters) prefix(text string, k *keyer) (key [prefixBytes]byte, ok bool) {
	var out [prefixBytes + firstBytes]byte
	at, after := 0, 0
	for i, last := 0, 0; i < len(text) && after < ahead; {
		c, n := int(text[i]), 1
		if c >= utf8.RuneSelf { // placeOf, without a call for most
			c, n = 0, 2
			if i+1 < len(text) {
				c = placeOfTwo(text[i], text[i+1])
			}
			if c == 0 {
				if c, n = placeOf(text, i); n == 0 {
					return key, false
				}
			}
		}
		ch := &a.all[c]
		if !ch.known || (ch.paired || last >= utf8.RuneSelf) && i > 0 && !a.pairs[last].Load().has(c) && !a.compare(k, last, c) {
			return key, false
		}
		if last, i = c, i+n; at >= prefixBytes {
			after++
			continue
		}
		binary.LittleEndian.PutUint32(out[at:], ch.first)
		at += int(ch.n)
	}
	return [prefixBytes]byte(out[:]), at >= prefixBytes
}
