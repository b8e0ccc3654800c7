package main

import (
	"encoding/binary"
	"strings"
)

// versionKey returns a key whose bytewise order is that of sort -V, which is that of Debian
// versions with rules for file names: nothing, "." and ".." come first, then hidden files, and
// suffixes such as .tar.gz count only between names that tie without them.
func versionKey(s string) string {
	key, _ := versionText(s)
	return key
}

var versionText = keyText(appendName)

// appendVersionKey appends such a key, whose bytes say where it ends. A name without a suffix comes before
// those that tie with it and have one.
func appendVersionKey(key []byte, s string) []byte {
	switch s {
	case "":
		return append(key, 0)
	case ".":
		return append(key, 1)
	case "..":
		return append(key, 2)
	}
	if s[0] == '.' {
		key = append(key, 3)
	} else {
		key = append(key, 4)
	}
	start := suffixStart(s)
	key = appendVersion(key, s[:start])
	if start == len(s) {
		return append(key, noSuffix)
	}
	return appendVersion(append(key, hasSuffix), s)
}

// Parts of a version in a key. Letters are themselves, and all other bytes come after them.
const (
	tilde     = 1
	textEnd   = 2
	otherByte = 0x80

	noSuffix, hasSuffix = 0, 1

	longNumber = 0xff // 4 bytes with the number of digits follow
)

// appendVersion appends text and numbers by turns. The end of s is a number without digits, as
// a zero is.
func appendVersion(key []byte, s string) []byte {
	for pos := 0; ; {
		for ; pos < len(s) && !isDigit(s[pos]); pos++ {
			switch c := s[pos]; {
			case c == '~':
				key = append(key, tilde)
			case isLetter(c):
				key = append(key, c)
			default:
				key = append(key, otherByte, c)
			}
		}
		end := pos
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		digits := strings.TrimLeft(s[pos:end], "0")
		key = append(appendLength(append(key, textEnd), len(digits)), digits...)
		if pos = end; pos == len(s) {
			return append(key, textEnd)
		}
	}
}

// appendLength appends the number of digits of a number, which decides before them.
func appendLength(key []byte, n int) []byte {
	if n < longNumber {
		return append(key, byte(n))
	}
	return binary.BigEndian.AppendUint32(append(key, longNumber), uint32(n))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// suffixStart returns where the longest suffix of the form (.[A-Za-z~][A-Za-z0-9~]*)* begins.
func suffixStart(s string) int {
	start := len(s)
	for pos := len(s); pos > 0; {
		pos--
		switch c := s[pos]; {
		case c == '.':
			if pos+1 == start || !isLetter(s[pos+1]) && s[pos+1] != '~' {
				return start
			}
			start = pos
		case !isLetter(c) && !isDigit(c) && c != '~':
			return start
		}
	}
	return start
}
