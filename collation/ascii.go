package collation

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ascii has the weights of ASCII characters in the keys of a collator, from which keys of ASCII texts are made without
// it. They are learned from its keys: those of all characters, and those of all pairs, of which some are contractions.
//
// A key has the weights of the first level, of two or three bytes each, and those of others, each after two zero bytes: of
// the second, of two bytes each, and of the third, of one byte each. Under options there is one of these, or none.
type ascii struct {
	known  [128]bool
	levels [][128]weights
	sizes  [128]int       // of the weights of all levels
	slow   [128][2]uint64 // by a character, those after which it, or they, have other weights than alone
}

// weights are those of a character on one level: n bytes, the first the lowest of word.
type weights struct {
	word uint64
	n    int
}

const wordBytes = 8

// learn returns the weights that a collator gives ASCII characters, or nil if most depend on others.
func (k *keyer) learn() *ascii {
	a := new(ascii)
	empty := k.keyOf("", false)
	a.levels = make([][128]weights, 1+len(empty)/len(between))
	if !bytes.Equal(empty, bytes.Repeat(between, len(a.levels)-1)) {
		return nil
	}
	for c := range byte(len(a.known)) {
		if c == '\t' || ' ' <= c && c < 0x7f {
			if a.known[c] = a.split(c, k.keyOf(string(rune(c)), false)); !a.known[c] {
				return nil
			}
			for level := range a.levels {
				a.sizes[c] += a.levels[level][c].n
			}
		}
	}
	var made []byte
	pairs, slow := 0, 0
	for first := range byte(len(a.known)) {
		for second := range byte(len(a.known)) {
			if !a.known[first] || !a.known[second] {
				continue
			}
			pair := string([]byte{first, second})
			made, _ = a.append(made[:0], pair)
			if pairs++; !bytes.Equal(made, k.keyOf(pair, false)) {
				a.slow[first][second/64] |= 1 << (second % 64)
				slow++
			}
		}
	}
	if slow > pairs/8 {
		return nil
	}
	return a
}

// between are the bytes between two levels.
var between = []byte{0, 0}

// split takes the key of a character apart. It reports whether the key has all levels.
func (a *ascii) split(c byte, key []byte) bool {
	level, last := 0, len(a.levels)-1
	for level < last && len(key) > 1 {
		n := 2
		switch {
		case bytes.HasPrefix(key, between):
			key = key[len(between):]
			level++
			continue
		case level == 0 && key[0] >= 0x80:
			n = 3
		}
		if n > len(key) || !a.levels[level][c].add(key[:n]) {
			return false
		}
		key = key[n:]
	}
	return level == last && a.levels[level][c].add(key)
}

// add appends weights, if there is room.
func (w *weights) add(more []byte) bool {
	if w.n+len(more) > wordBytes {
		return false
	}
	for _, b := range more {
		w.word |= uint64(b) << (8 * w.n)
		w.n++
	}
	return true
}

// append appends the key of a text. It reports whether the weights of all its characters are known.
func (a *ascii) append(dst []byte, text string) ([]byte, bool) {
	size := len(between) * len(a.levels)
	for i := range len(text) {
		c := text[i]
		if c >= byte(len(a.known)) || !a.known[c] || i > 0 && a.slow[text[i-1]][c/64]>>(c%64)&1 != 0 {
			return dst, false
		}
		size += a.sizes[c]
	}
	at := len(dst)
	dst = slices.Grow(dst, size+wordBytes)
	out := dst[:cap(dst)]
	for level := range a.levels {
		if level > 0 {
			at += copy(out[at:], between)
		}
		all := &a.levels[level]
		for i := range len(text) {
			w := &all[text[i]&0x7f]
			binary.LittleEndian.PutUint64(out[at:], w.word) // the next weights overwrite what is none
			at += w.n
		}
	}
	return out[:at], true
}
