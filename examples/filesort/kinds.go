package main

import (
	"strconv"
	"strings"
	"time"
)

// kind is the type of a column's values.
type kind uint8

const (
	auto kind = iota // to be detected
	integer
	float
	boolean
	instant
	text
)

var kindNames = [...]string{auto: "auto", integer: "int", float: "float", boolean: "bool", instant: "time", text: "string"}

func (k kind) String() string { return kindNames[k] }

// kindNamed returns auto for a word that names no kind.
func kindNamed(word string) kind {
	for k := integer; k <= text; k++ {
		if kindNames[k] == word {
			return k
		}
	}
	return auto
}

// kindSet is the set of kinds that all values seen so far can be. Text is
// always among them.
type kindSet uint8

const anyKind kindSet = 1<<integer | 1<<float | 1<<boolean | 1<<instant | 1<<text

func (set kindSet) has(k kind) bool { return set>>k&1 != 0 }

// without drops the kinds that value is not. An integer is a float too, so
// floats are tried only once an integer has failed.
func (set kindSet) without(value string) kindSet {
	if set.has(integer) {
		if _, ok := parseInt(value); ok {
			return set & (1<<integer | 1<<float | 1<<text)
		}
		set &^= 1 << integer
	}
	if set.has(float) {
		if _, ok := parseFloat(value); !ok {
			set &^= 1 << float
		}
	}
	if set.has(boolean) && !isTrueOrFalse(value) {
		set &^= 1 << boolean
	}
	if set.has(instant) {
		if _, ok := parseTime(value); !ok {
			set &^= 1 << instant
		}
	}
	return set
}

// first returns the most special kind of the set; text if there was no value
// to tell.
func (set kindSet) first() kind {
	if set == anyKind {
		return text
	}
	k := integer
	for !set.has(k) {
		k++
	}
	return k
}

func parseInt(s string) (int64, bool) {
	v, err := strconv.ParseInt(strings.Trim(s, " "), 10, 64)
	return v, err == nil
}

// parseFloat takes decimal notation, NaN and Inf. The hexadecimal floats of Go and its underscores
// between digits are no numbers in a data file.
func parseFloat(s string) (float64, bool) {
	if v, ok := parseShort(s); ok {
		return v, true
	}
	v, err := strconv.ParseFloat(strings.Trim(s, " "), 64)
	return v, err == nil && !strings.ContainsAny(s, "xX_")
}

// powers are powers of ten, which a float64 has exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseShort parses up to 15 digits, with a point and a minus sign or without them. These digits
// and the power of ten are exact as floats, so their quotient is rounded once.
func parseShort(s string) (v float64, ok bool) {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) > len(powers) {
		return 0, false
	}
	all, point := uint64(0), -1
	for i := range len(digits) {
		switch d := digits[i] - '0'; {
		case d <= 9:
			all = 10*all + uint64(d)
		case digits[i] == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	n, decimals := len(digits), 0
	if point >= 0 {
		n, decimals = n-1, n-1-point
	}
	if n == 0 || n > 15 {
		return 0, false
	}
	v = float64(all) / powers[decimals]
	if len(digits) < len(s) {
		v = -v
	}
	return v, true
}

// parseBool takes more than detection does: a column of 0 and 1 is a column of
// integers unless the user says otherwise.
func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.Trim(s, " ")) {
	case "true", "t", "yes", "y", "1":
		return true, true
	case "false", "f", "no", "n", "0":
		return false, true
	}
	return false, false
}

func isTrueOrFalse(s string) bool {
	s = strings.Trim(s, " ")
	return strings.EqualFold(s, "true") || strings.EqualFold(s, "false")
}

// parseTime takes RFC 3339, its form with a space, either without a zone, and
// a date alone. Fractions of a second need no layout of their own.
func parseTime(s string) (time.Time, bool) {
	s = strings.Trim(s, " ")
	if len(s) < len(time.DateOnly) || s[4] != '-' {
		return time.Time{}, false
	}
	if len(s) == len(time.DateOnly) {
		return parseLayout(time.DateOnly, s)
	}
	layout := time.RFC3339
	if s[len(time.DateOnly)] == ' ' {
		layout = "2006-01-02 15:04:05Z07:00"
	}
	if t, ok := parseLayout(layout, s); ok {
		return t, true
	}
	return parseLayout(strings.TrimSuffix(layout, "Z07:00"), s)
}

// parseLayout returns UTC: a zone per value would be an allocation per row
// kept alive.
func parseLayout(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	return t.UTC(), err == nil
}

func parseText(s string) (string, bool) { return s, true }
