package main

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// number is a number of a column: a decimal, an infinite one, or NaN.
type number struct {
	decimal
	infinite, nan bool
}

// parseInt takes the integers of 64 bits.
func parseInt(s string) (int64, bool) {
	v, err := strconv.ParseInt(strings.Trim(s, " "), 10, 64)
	return v, err == nil
}

// parse takes decimal notation, NaN and Inf, with spaces around them. The kind is integer or
// float, and text for no number. n is zero before.
func (n *number) parse(s string) (k kind) {
	s = strings.Trim(s, " ")
	pos := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		n.negative = s[0] == '-'
		pos = 1
	}
	end, point := n.scan(s, pos)
	k = integer
	if point {
		k = float
	}
	if end < len(s) || end-pos < 2 && (end == pos || point) {
		k = n.special(s, pos, end)
	}
	return k
}

// special reads a number that is a word or has an exponent, after its sign, digits and point.
func (n *number) special(s string, pos, end int) kind {
	word := s[pos:]
	switch digits := strings.Trim(s[pos:end], "."); {
	case digits != "":
		return n.scale(s[end:])
	case strings.EqualFold(word, "nan") && pos == 0:
		n.nan = true
		return float
	case strings.EqualFold(word, "inf"), strings.EqualFold(word, "infinity"):
		n.infinite = true
		return float
	}
	return text
}

// scale applies an exponent: e, a sign or none, digits. One of more than 18 digits is beyond
// what anything measures, and is taken for 18 nines.
func (n *number) scale(s string) kind {
	digits := s[1:]
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if s[0]|0x20 != 'e' || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return text
	}
	exponent := int64(1e18 - 1)
	if digits = strings.TrimLeft(digits, "0"); len(digits) <= 18 {
		exponent, _ = strconv.ParseInt("0"+digits, 10, 64)
	}
	if s[1] == '-' {
		exponent = -exponent
	}
	n.exponent += exponent
	return float
}

// Codes of what is no decimal. NaN is after all numbers, in descending order before them: so it
// is last there, too. None has more.
const (
	infiniteCode = 255<<55 | 1<<54 // from zero, beyond the exponents that do not fit
	nanCode      = math.MaxUint64 - 1
	nanCodeDesc  = 2
)

// code returns the first key of a column of numbers.
func (n *number) code(desc bool) uint64 {
	switch {
	case n.nan && desc:
		return nanCodeDesc
	case n.nan:
		return nanCode
	case n.infinite && n.negative:
		return zeroCode - infiniteCode
	case n.infinite:
		return zeroCode + infiniteCode
	}
	return n.decimal.code()
}

// numberCode returns the first key of a text, and the kind of number that it is, or text.
func numberCode(s string, desc bool) (code uint64, k kind) {
	if code, k = shortNumber(s); k == text {
		var n number
		k = n.parse(s)
		code = n.code(desc)
	}
	return code, k
}

// shortNumber is numberCode for up to codeDigits digits, with a point and a minus sign or without
// them, and text for others. It takes a third of the time.
func shortNumber(s string) (code uint64, k kind) {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) > codeDigits {
		return 0, text
	}
	all, point := uint64(0), len(digits)
	k = integer
	for i := range len(digits) {
		switch c := digits[i] - '0'; {
		case c <= 9:
			all = 10*all + uint64(c)
		case digits[i] == '.' && k == integer:
			k, point = float, i+1
		default:
			return 0, text
		}
	}
	switch {
	case len(digits) == 0 || len(digits) == 1 && k == float:
		return 0, text
	case all == 0:
		return zeroCode, k
	}
	n := digitsOf(all)
	code = uint64(n-len(digits)+point+exponentBias)<<55 | all*powersOfTen[codeDigits-n]<<1
	if len(digits) < len(s) {
		return zeroCode - code, k
	}
	return zeroCode + code, k
}

// digitsOf returns the number of decimal digits of v, which has at most codeDigits.
func digitsOf(v uint64) int {
	n := bits.Len64(v) * 1233 >> 12 // times log 2
	if v >= powersOfTen[n] {
		n++
	}
	return n
}

// secondCode returns the second key of a number, 0 if the first suffices.
func secondCode(s string) uint64 {
	var n number
	if n.parse(s); hasMore(n.code(false)) {
		return n.second()
	}
	return 0
}

// restOf returns the last key of a number, "" if the others suffice.
func restOf(s string) string {
	var n number
	if n.parse(s); hasMore(n.code(false)) && hasMore(n.second()) {
		return string(n.appendRest(nil))
	}
	return ""
}
