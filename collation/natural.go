package collation

import "example.com/sorter"

// AscNatural is a column of text in natural order: "v9.txt" comes before "v10.txt". Numbers inside of
// text, runs of ASCII digits of any length, are compared by value and all else bytewise.
// Texts that differ in leading zeros only are not equal: those with fewer at the first such number
// come first. It calls text once per element, from several goroutines at a time; see [sorter.Asc]
// for everything else. For numbers and letters in the order of a language take [Asc] and
// collate.Numeric. It panics if text is nil.
func AscNatural[E any](text func(E) string) sorter.Column[E] {
	checkText(text)
	return sorter.Asc(func(e E) []byte { return NaturalKey(text(e)) })
}

// DescNatural is [AscNatural] in the opposite order.
func DescNatural[E any](text func(E) string) sorter.Column[E] {
	checkText(text)
	return sorter.Desc(func(e E) []byte { return NaturalKey(text(e)) })
}

// NaturalKey returns bytes whose order, by bytes.Compare, is the natural order of texts as
// [AscNatural] has it. Different texts have different keys. A key takes two bytes more than its text,
// and two more for each number.
//
// A number is written as the byte '0', the count of its digits without leading zeros, and these
// digits: a longer number is larger. A zero byte is followed by 0xff, the end of the text by another
// zero byte. The counts of leading zeros follow if one of them is not 0.
func NaturalKey(text string) []byte {
	key := make([]byte, 0, len(text)+8)
	zeros := false
	for rest := text; rest != ""; {
		if c := rest[0]; !isDigit(c) {
			if key = append(key, c); c == 0 {
				key = append(key, 0xff)
			}
			rest = rest[1:]
			continue
		}
		leading, digits, after := number(rest)
		key = appendCount(append(key, '0'), len(digits))
		key = append(key, digits...)
		zeros, rest = zeros || leading > 0, after
	}
	key = append(key, 0, 0)
	for rest := text; zeros && rest != ""; {
		if !isDigit(rest[0]) {
			rest = rest[1:]
			continue
		}
		leading, _, after := number(rest)
		key, rest = appendCount(key, leading), after
	}
	return key
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number cuts the digits that text begins with into leading zeros and the others, at least one.
func number(text string) (leading int, digits, rest string) {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	for leading < n-1 && text[leading] == '0' {
		leading++
	}
	return leading, text[leading:n], text[n:]
}

// appendCount appends bytes that have the order of counts, and of which none begin with others.
func appendCount(key []byte, count int) []byte {
	for ; count >= 0xff; count -= 0xff {
		key = append(key, 0xff)
	}
	return append(key, byte(count))
}
