package main

import (
	"encoding/binary"
	"strings"
)

// versionKey returns a key whose bytewise order is that of sort -V, which is that of Debian
// versions with rules for file names: nothing, "." and ".." come first, then hidden files, and
// suffixes such as .tar.gz count only between names that tie without them.
func versionKey(s string) string {
	var key []byte
	switch s {
	case "":
		return "\x00"
	case ".":
		return "\x01"
	case "..":
		return "\x02"
	}
	name := s[:suffixStart(s)]
	if s[0] == '.' {
		key = append(key, 3)
	} else {
		key = append(key, 4)
	}
	return string(appendVersion(appendVersion(key, name), s))
}

// Parts of a version in a key. Letters are themselves, and all other bytes come after them.
const (
	tilde     = 1
	textEnd   = 2
	otherByte = 0x80
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
		key = binary.BigEndian.AppendUint32(append(key, textEnd), uint32(len(digits)))
		key = append(key, digits...)
		if pos = end; pos == len(s) {
			return append(key, textEnd)
		}
	}
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
