package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// lineKey is a key of -k: a range of a line, and how its text is ordered. Fields and
// characters are counted from 0.
type lineKey struct {
	field, char       int // where the key begins; wholeStart: at the start of the line
	endField, endChar int // where it ends; endChar 0: with that field; toEnd: with the line
	opts              keyOptions
	table             *byteTable // of the options d, f and i; nil: none of them, or there is a locale
	locale            *locale    // nil: that of C
	decided           bool       // in a locale: bytes of the line decide where it ties, so the key has none
	salt              *salt      // of R
}

const (
	wholeStart  = -1
	recordBytes = -2 // field of a key of records, which is bytes char to endChar
	toEnd       = math.MaxInt
)

// keyOptions is a set of the ordering options of sort, each of which is a letter.
type keyOptions uint16

const (
	blanksAtStart keyOptions = 1 << iota // b at the start of a key
	blanksAtEnd                          // b at its end
	dictionary                           // d
	fold                                 // f
	general                              // g
	human                                // h
	printable                            // i
	month                                // M
	numeric                              // n
	reverse                              // r
	version                              // V
	random                               // R

	bothBlanks = blanksAtStart | blanksAtEnd
)

const optionLetters = "bdfghiMnrVR"

// optionOf returns the option of a letter of optionLetters. A b stands for blanks.
func optionOf(letter byte, blanks keyOptions) (keyOptions, error) {
	switch i := strings.IndexByte(optionLetters, letter); {
	case i < 0:
		return 0, fmt.Errorf("%q is none of %s", letter, optionLetters)
	case i == 0:
		return blanks, nil
	default:
		return dictionary << (i - 1), nil
	}
}

// check reports options that exclude each other.
func (o keyOptions) check() error {
	n := 0
	for _, exclusive := range []keyOptions{numeric, general, human, month, version | random | dictionary | printable} {
		if o&exclusive != 0 {
			n++
		}
	}
	if n <= 1 {
		return nil
	}
	return fmt.Errorf("options '-%s' are incompatible", (o &^ (reverse | bothBlanks)).letters())
}

// letters returns the letters of options.
func (o keyOptions) letters() (letters string) {
	for i := range len(optionLetters) {
		if option, _ := optionOf(optionLetters[i], bothBlanks); o&option != 0 {
			letters += optionLetters[i : i+1]
		}
	}
	return letters
}

// parseKey parses F[.C][OPTS][,F[.C][OPTS]].
func parseKey(text string) (k lineKey, err error) {
	start, end, ends := strings.Cut(text, ",")
	k.field, k.char, k.opts, err = parsePosition(start, blanksAtStart)
	if err != nil {
		return k, err
	}
	if k.char == math.MinInt {
		k.char = 1
	}
	if k.char == 0 {
		return k, errors.New("character offset is zero")
	}
	k.field--
	k.char--
	if k.field == 0 && k.char == 0 {
		k.field = wholeStart
	}
	if !ends {
		k.endField = toEnd
		return k, nil
	}
	var opts keyOptions
	k.endField, k.endChar, opts, err = parsePosition(end, blanksAtEnd)
	k.endChar = max(k.endChar, 0)
	k.endField--
	k.opts |= opts
	return k, err
}

// parsePosition parses F[.C][OPTS]. Without C, char is math.MinInt.
func parsePosition(text string, blanks keyOptions) (field, char int, opts keyOptions, err error) {
	field, rest, ok := cutNumber(text)
	switch {
	case !ok:
		return 0, 0, 0, errors.New("a field number is missing")
	case field == 0:
		return 0, 0, 0, errors.New("field number is zero")
	}
	char = math.MinInt
	if strings.HasPrefix(rest, ".") {
		if char, rest, ok = cutNumber(rest[1:]); !ok {
			return 0, 0, 0, errors.New("a number is missing after '.'")
		}
	}
	for i := range len(rest) {
		o, err := optionOf(rest[i], blanks)
		if err != nil {
			return 0, 0, 0, err
		}
		opts |= o
	}
	return field, char, opts, nil
}

// cutNumber takes a number off the front of text, where blanks and a + may stand. What int cannot hold is beyond all
// lines.
func cutNumber(text string) (n int, rest string, ok bool) {
	const most = math.MaxInt / 20
	text = strings.TrimPrefix(strings.TrimLeft(text, " \t\n\v\f\r"), "+")
	i := 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		n = min(n*10+int(text[i]-'0'), most)
	}
	return n, text[i:], i > 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// lineOrder is an order of lines: the keys, then the whole line, unless it is off.
type lineOrder struct {
	keys []lineKey
	tab  int // between fields; noTab: where blanks begin
	last bool
	desc bool // the whole line

	given int // of keys: all but the whole line in a locale
}

const noTab = -1

// newLineOrder returns the order of the keys, which inherit the options of the command line if
// they have none of their own. The whole line breaks ties only if last is set; without keys it
// always decides.
//
// Keys of -R take their order from the same salt.
//
// In a locale the whole line breaks ties as a text of its language, and then by its bytes.
func newLineOrder(keys []lineKey, global keyOptions, tab int, last bool, l *locale, newSalt func() (*salt, error)) (lineOrder, error) {
	o := lineOrder{tab: tab, last: last || len(keys) == 0, desc: global&reverse != 0}
	for _, k := range keys {
		if k.opts == 0 {
			k.opts = global
		}
		o.keys = append(o.keys, k)
	}
	if len(keys) == 0 && global&^reverse != 0 {
		o.keys = []lineKey{{field: wholeStart, endField: toEnd, opts: global}}
		o.last = last
	}
	o.given = len(o.keys)
	if l != nil && o.last {
		o.keys = append(o.keys, lineKey{field: wholeStart, endField: toEnd, opts: global & reverse, decided: true})
	}
	for i := range o.keys {
		k := &o.keys[i]
		if err := k.opts.check(); err != nil {
			return o, err
		}
		if k.locale = l; l == nil && k.opts&(fold|dictionary|printable) != 0 {
			k.table = translation(k.opts)
		}
	}
	return o, o.addSalt(newSalt)
}

// addSalt gives all keys of -R the same salt.
func (o *lineOrder) addSalt(newSalt func() (*salt, error)) (err error) {
	var s *salt
	for i := range o.keys {
		if k := &o.keys[i]; k.opts&random != 0 {
			if s == nil {
				if s, err = newSalt(); err != nil {
					return err
				}
			}
			k.salt = s
		}
	}
	return nil
}
