package main

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// extended is a number of -g in the order of sort: a float with 64 bits of precision and 15 of
// exponent, as C has it on amd64. Text that is no number comes first, then NaN.
type extended struct {
	high uint64 // zero bit, sign, exponent, and the upper bits of the mantissa
	low  uint16 // its lower 16 bits
}

var noNumber, notANumber = extended{}, extended{high: 1}

// generalOf returns the number that s begins with.
func generalOf(s string) extended {
	s = numberPrefix(strings.TrimLeft(s, " \t\n\v\f\r"))
	if s == "" {
		return noNumber
	}
	unsigned := strings.TrimLeft(s, "+-")
	negative := s[0] == '-'
	switch lower := strings.ToLower(unsigned); {
	case strings.HasPrefix(lower, "inf"):
		return encode(negative, 0x7fff, 1<<63)
	case strings.HasPrefix(lower, "nan"):
		return notANumber
	}
	if digits, decimals, ok := shortDecimal(unsigned); ok {
		exponent, mantissa := quotient(digits, decimals)
		return encode(negative, exponent, mantissa)
	}
	return encodeBig(negative, parseBig(unsigned))
}

// shortDecimal returns the digits of a number as one integer, and how many of them follow the point. ok is
// false if there are more than fit, or an exponent.
func shortDecimal(s string) (digits uint64, decimals int, ok bool) {
	const most = 19 // digits that always fit
	point := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits = digits*10 + uint64(c-'0')
		case c == '.' && point == len(s):
			point = i
		default:
			return 0, 0, false
		}
	}
	return digits, max(len(s)-point-1, 0), len(s) <= most
}

// quotient returns the exponent and the mantissa of an integer divided by ten to the decimals, rounded once:
// both are below 2 to the 64, and so are exact.
func quotient(digits uint64, decimals int) (exponent, mantissa uint64) {
	if digits == 0 {
		return 0, 0
	}
	divisor := uint64(1)
	for range decimals {
		divisor *= 10
	}
	shift, divisorShift := bits.LeadingZeros64(digits), bits.LeadingZeros64(divisor)
	digits, divisor = digits<<shift, divisor<<divisorShift
	exponent = uint64(exponentOfHalf + divisorShift - shift)
	high, low := digits, uint64(0) // the dividend, less than divisor times two to the 64
	if digits >= divisor {
		high, low = digits>>1, digits<<63
		exponent++
	}
	mantissa, rest := bits.Div64(high, low, divisor)
	if up := divisor - rest; rest > up || rest == up && mantissa&1 == 1 {
		if mantissa++; mantissa == 0 {
			return exponent + 1, 1 << 63
		}
	}
	return exponent, mantissa
}

// exponentOfHalf is the exponent that goes with a mantissa in [1/2, 1).
const exponentOfHalf = 16382

// parseBig returns a number rounded to 64 bits. Exponents beyond those of C are infinite or
// zero; digits alone cannot make package big take much memory.
func parseBig(s string) *big.Float {
	v := new(big.Float).SetPrec(64)
	digits, exponent := s, ""
	hex := strings.HasPrefix(strings.ToLower(s), "0x")
	if i := strings.IndexAny(s, map[bool]string{false: "eE", true: "pP"}[hex]); i >= 0 {
		digits, exponent = s[:i], s[i+1:]
	}
	if e, err := strconv.Atoi(exponent); err == nil && max(e, -e) > 1<<20 || err != nil && exponent != "" {
		if strings.Trim(digits, "0xX.") == "" || strings.HasPrefix(exponent, "-") {
			return v
		}
		return v.SetInf(false)
	}
	if hex && exponent == "" {
		s += "p0"
	}
	v.Parse(s, 0)
	return v
}

func encodeBig(negative bool, v *big.Float) extended {
	var mantissa big.Float
	switch e := v.MantExp(&mantissa) + exponentOfHalf; {
	case v.Sign() == 0:
		return encode(negative, 0, 0)
	case v.IsInf() || e >= 0x7fff:
		return encode(negative, 0x7fff, 1<<63)
	case e <= 0: // denormal: fewer bits
		n, _ := roundTo(&mantissa, 63+e).Uint64()
		return encode(negative, n>>63, n)
	default:
		n, _ := mantissa.SetMantExp(&mantissa, 64).Uint64()
		return encode(negative, uint64(e), n)
	}
}

// roundTo returns v times two to the bits, an integer.
func roundTo(v *big.Float, bits int) *big.Float {
	if bits < 0 {
		return new(big.Float)
	}
	scaled := new(big.Float).SetMantExp(v, bits)
	whole, _ := scaled.Int(nil)
	rest := new(big.Float).Sub(scaled, new(big.Float).SetInt(whole))
	if half := rest.Cmp(big.NewFloat(0.5)); half > 0 || half == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Float).SetPrec(64).SetInt(whole)
}

// encode puts negative numbers before positive ones, and ties zeros.
func encode(negative bool, exponent, mantissa uint64) extended {
	const zero = 1 << 63
	e := extended{high: zero | exponent<<48 | mantissa>>16, low: uint16(mantissa)}
	if negative && exponent|mantissa != 0 {
		e.high, e.low = zero-1-(e.high-zero), math.MaxUint16-e.low
	}
	return e
}

// numberPrefix returns the part of s that strtold takes.
func numberPrefix(s string) string {
	pos := 0
	if s != "" && (s[0] == '+' || s[0] == '-') {
		pos = 1
	}
	rest := strings.ToLower(s[pos:min(len(s), pos+8)])
	for _, word := range []string{"infinity", "inf", "nan"} {
		if strings.HasPrefix(rest, word) {
			return s[:pos+len(word)]
		}
	}
	if strings.HasPrefix(rest, "0x") {
		if end := mantissaEnd(s, pos+2, isHex); end > 0 {
			return s[:exponentEnd(s, end, 'p')]
		}
	}
	end := mantissaEnd(s, pos, isDigit)
	if end == 0 {
		return ""
	}
	return s[:exponentEnd(s, end, 'e')]
}

// mantissaEnd returns where digits with at most one point end, and 0 if there is no digit.
func mantissaEnd(s string, pos int, isDigit func(byte) bool) int {
	digits, point := 0, false
	for ; pos < len(s) && (isDigit(s[pos]) || s[pos] == '.' && !point); pos++ {
		if s[pos] == '.' {
			point = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	return pos
}

// exponentEnd returns where the exponent at pos ends: pos, if there is none.
func exponentEnd(s string, pos int, letter byte) int {
	if pos == len(s) || s[pos]|0x20 != letter {
		return pos
	}
	end := pos + 1
	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		end++
	}
	if end == len(s) || !isDigit(s[end]) {
		return pos
	}
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return end
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
