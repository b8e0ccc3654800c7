package collation

import (
	"unicode"
	"unicode/utf8"
)

// appendNumeric appends text with its numbers in a form of which golang.org/x/text makes right keys
// under collate.Numeric. A number is a run of decimal digits of any script.
//
// That package drops the leading zeros of a number, 0 as a whole, and then writes its length and its
// digits. So no length stands for 0, and "file1_1" comes before "file0_1"; and where punctuation is ignored
// (ka-shifted), lengths are as well. Here a number becomes a one, which is no leading zero, the count of its
// digits without leading zeros, and these. The count, as digits, is in order as well: nines, and the rest
// below nine.
func appendNumeric(dst []byte, text string) []byte {
	for text != "" {
		n := digits(text)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			dst = append(dst, text[:n]...)
		} else {
			dst = appendNumber(dst, text[:n])
		}
		text = text[n:]
	}
	return dst
}

// appendNumber appends the form of a run of digits.
func appendNumber(dst []byte, run string) []byte {
	for run != "" {
		r, n := utf8.DecodeRuneInString(run)
		if valueOf(r) != 0 {
			break
		}
		run = run[n:]
	}
	dst = append(dst, '1')
	count := utf8.RuneCountInString(run)
	for ; count >= 9; count -= 9 {
		dst = append(dst, '9')
	}
	return append(append(dst, '0'+byte(count)), run...)
}

// digits returns the bytes of the run of decimal digits that text begins with.
func digits(text string) (n int) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if valueOf(r) < 0 {
			break
		}
		n += size
	}
	return n
}

// valueOf returns the value of a decimal digit, -1 of other runes. Unicode has decimal digits in blocks of
// ten, from zero.
func valueOf(r rune) int {
	if r < utf8.RuneSelf {
		if r < '0' || r > '9' {
			return -1
		}
		return int(r - '0')
	}
	before := -1
	for unicode.Is(unicode.Nd, r) {
		before++
		r--
	}
	if before < 0 {
		return -1
	}
	return before % 10
}
