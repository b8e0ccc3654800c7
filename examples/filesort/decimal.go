package main

import (
	"encoding/binary"
	"strings"
)

// The numbers of -n are decimal, of any length: blanks, a minus sign, digits, a point, digits.
// Text after the number is ignored, and no number at all is zero. They are ordered by two keys:
//
//	decimalCode  sign, exponent, 16 digits, and a bit that says that there are more
//	decimalRest  all digits, if that bit is set
//
// The bit keeps a number with more digits apart from the one that ends there, so the second
// key decides only between numbers that both have more.

const (
	codeDigits   = 16
	exponentBias = 128
	zeroCode     = 1 << 63
)

// decimal is a number that is not zero: 0.DIGITS times ten to the exponent.
type decimal struct {
	negative bool
	exponent int
	mantissa uint64 // the first codeDigits digits
	more     bool   // digits other than zero follow
	digits   string // with the point, from the first digit that is not zero
}

// parseDecimal returns the number that s begins with; ok is false for zero.
func parseDecimal(s string) (d decimal, ok bool) {
	pos := skipBlanks(s, 0)
	if pos < len(s) && s[pos] == '-' {
		d.negative = true
		pos++
	}
	n, start, point := 0, -1, false
	for ; pos < len(s); pos++ {
		c := s[pos]
		if c == '.' && !point {
			point = true
			continue
		}
		if !isDigit(c) {
			break
		}
		if start < 0 {
			if c == '0' {
				if point {
					d.exponent--
				}
				continue
			}
			start = pos
		}
		if !point {
			d.exponent++
		}
		if n < codeDigits {
			d.mantissa = d.mantissa*10 + uint64(c-'0')
			n++
		} else if c != '0' {
			d.more = true
		}
	}
	if start < 0 {
		return d, false
	}
	d.mantissa *= powersOfTen[codeDigits-n]
	d.digits = s[start:pos]
	return d, true
}

var powersOfTen = func() (p [codeDigits]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// code returns the first key: one bit for the sign, 8 for the exponent, 54 for the digits and
// one for more. A number whose exponent does not fit has only more.
func (d decimal) code() uint64 {
	e, m, more := d.exponent+exponentBias, d.mantissa, d.more
	switch {
	case e <= 0:
		e, m, more = 0, 0, true
	case e >= 255:
		e, m, more = 255, 0, true
	}
	v := uint64(e)<<55 | m<<1
	if more {
		v |= 1
	}
	if d.negative {
		return zeroCode - v
	}
	return zeroCode + v
}

func decimalCode(s string) uint64 {
	d, ok := parseDecimal(s)
	if !ok {
		return zeroCode
	}
	return d.code()
}

// decimalRest returns the second key: the exponent and all digits, and for a negative number
// their complement, ended by a byte above all others.
func decimalRest(s string) string {
	d, ok := parseDecimal(s)
	if !ok || d.code()&1 == 0 {
		return ""
	}
	key := binary.BigEndian.AppendUint64(nil, uint64(int64(d.exponent))+1<<63)
	key = append(key, strings.TrimRight(strings.Replace(d.digits, ".", "", 1), "0")...)
	if d.negative {
		for i := range key {
			key[i] = ^key[i]
		}
		key = append(key, 0xff)
	}
	return string(key)
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
