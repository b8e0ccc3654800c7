package main

import (
	"encoding/binary"
	"strings"
)

// Numbers are decimal, of any length. They are ordered by three keys:
//
//	code  sign, exponent, 16 digits, and a bit that says that there are more
//	next  18 digits, and such a bit, if there are more
//	rest  exponent and all digits, if there are more still
//
// The bit keeps a number with more digits apart from the one that ends there, so a key decides
// only between numbers that both have more. Numbers of -n have no second key.

const (
	codeDigits   = 16
	nextDigits   = 18
	exponentBias = 128
	zeroCode     = 1 << 63
)

// decimal is a number: 0.DIGITS times ten to the exponent.
type decimal struct {
	negative bool
	exponent int64
	mantissa uint64 // the first codeDigits digits; 0 for zero
	next     uint64 // nextDigits after them
	more     bool   // digits other than zero follow
	digits   string // all, with the point and zeros in front
}

// parseDecimal returns the number of -n that s begins with: blanks, a minus sign, digits, a
// point, digits. Text after it is ignored, and no number at all is zero.
func parseDecimal(s string) (d decimal) {
	pos := skipBlanks(s, 0)
	if pos < len(s) && s[pos] == '-' {
		d.negative = true
		pos++
	}
	d.scan(s, pos)
	return d
}

// scan reads digits with at most one point. It returns where they end, and whether there was a
// point.
func (d *decimal) scan(s string, pos int) (end int, point bool) {
	n := 0
	for end = pos; end < len(s); end++ {
		c := s[end]
		if c == '.' && !point {
			point = true
			continue
		}
		if !isDigit(c) {
			break
		}
		if c == '0' && n == 0 { // in front
			if point {
				d.exponent--
			}
			continue
		}
		if !point {
			d.exponent++
		}
		switch {
		case n < codeDigits:
			d.mantissa = d.mantissa*10 + uint64(c-'0')
		case n < codeDigits+nextDigits:
			d.next = d.next*10 + uint64(c-'0')
		case c != '0':
			d.more = true
		}
		n++
	}
	d.mantissa *= powersOfTen[max(codeDigits-n, 0)]
	d.next *= powersOfTen[min(max(codeDigits+nextDigits-n, 0), nextDigits)]
	d.digits = s[pos:end]
	return end, point
}

var powersOfTen = func() (p [nextDigits + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// code returns the first key: one bit for the sign, 8 for the exponent, 54 for the digits and
// one for more. A number whose exponent does not fit has only more.
func (d *decimal) code() uint64 {
	e, m := d.exponent+exponentBias, d.mantissa
	switch {
	case m == 0:
		return zeroCode
	case e <= 0:
		e, m = 0, 0
	case e >= 255:
		e, m = 255, 0
	}
	v := uint64(e)<<55 | m<<1
	if m == 0 || d.next > 0 || d.more {
		v |= 1
	}
	if d.negative {
		return zeroCode - v
	}
	return zeroCode + v
}

// hasMore reports whether the number of a key has more digits, so that the next key decides.
func hasMore(key uint64) bool { return key&1 != 0 }

// second returns the second key of a number whose first has more.
func (d *decimal) second() uint64 {
	v := d.next << 1
	if e := d.exponent + exponentBias; e <= 0 || e >= 255 {
		v = 1
	} else if d.more {
		v |= 1
	}
	if d.negative {
		return -v
	}
	return v
}

// appendRest appends the last key: the exponent, all digits, and a byte below them. Those of a
// negative number are inverted.
func (d *decimal) appendRest(key []byte) []byte {
	from := len(key)
	key = binary.BigEndian.AppendUint64(key, uint64(d.exponent)+1<<63)
	key = append(key, strings.Trim(strings.Replace(d.digits, ".", "", 1), "0")...)
	key = append(key, 0)
	if d.negative {
		invert(key[from:])
	}
	return key
}

func decimalCode(s string) uint64 {
	d := parseDecimal(s)
	return d.code()
}

// decimalRest returns the last key, "" if the first suffices.
func decimalRest(s string) string {
	d := parseDecimal(s)
	if !hasMore(d.code()) {
		return ""
	}
	return string(d.appendRest(nil))
}

// unitOf returns the order of the unit after the number of -h, negative for a negative number.
func unitOf(s string) int8 {
	pos := skipBlanks(s, 0)
	negative := pos < len(s) && s[pos] == '-'
	if negative {
		pos++
	}
	zero, point := true, false
	for ; pos < len(s) && (isDigit(s[pos]) || s[pos] == '.' && !point); pos++ {
		point = point || s[pos] == '.'
		zero = zero && (s[pos] == '0' || s[pos] == '.')
	}
	if zero || pos == len(s) {
		return 0
	}
	unit := int8(strings.IndexByte("KMGTPEZY", s[pos]) + 1)
	if s[pos] == 'k' {
		unit = 1
	}
	if negative {
		return -unit
	}
	return unit
}
