package main

import "strings"

// kind is the type of a column's values.
type kind uint8

const (
	auto kind = iota // to be detected
	integer
	float
	boolean
	instant
	text

	// Those that follow are never found, see keyKinds.
	natural
	versionName
	localText
	quantity
	monthName
	ipAddress
	uniqueID
	duration
	dated
)

var kindNames = [...]string{
	auto: "auto", integer: "int", float: "float", boolean: "bool", instant: "time", text: "string",
	natural: "natural", versionName: "version", localText: "lang", quantity: "human", monthName: "month", ipAddress: "ip",
	uniqueID: "uuid", duration: "duration", dated: "date",
}

func (k kind) String() string { return kindNames[k] }

// kindsByName has the words of kinds, and others that mean the same: numbers are decimal and exact.
var kindsByName = func() map[string]kind {
	all := map[string]kind{"text": text, "decimal": float, "epoch": float}
	for k, name := range kindNames[integer:] {
		all[name] = integer + kind(k)
	}
	return all
}()

// kindOf returns the most special kind of a value: integer, float, boolean, instant or text. It
// is auto for infinity, which is a float among numbers and a time among times. Of most texts the
// first byte decides.
func kindOf(value string) kind {
	if value == "" {
		return text
	}
	switch value[0] {
	case ' ':
		return kindOf(strings.TrimLeft(value, " "))
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '-', '.', 'i', 'I', 'n', 'N':
		return numberOrTime(value)
	case 't', 'T', 'f', 'F':
		if isTrueOrFalse(value) {
			return boolean
		}
	}
	return text
}

func numberOrTime(value string) kind {
	if _, k := shortNumber(value); k != text {
		return k
	}
	if len(value) >= len("2006-01-02") && value[len("2006")] == '-' { // as most times are
		if _, ok := parseTime(value); ok {
			return instant
		}
	}
	var n number
	k := n.parse(value)
	if k != text && !n.infinite {
		return k
	}
	switch _, ok := parseTime(value); {
	case !ok:
		return k
	case n.infinite:
		return auto
	}
	return instant
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
	s = strings.TrimRight(s, " ")
	return strings.EqualFold(s, "true") || strings.EqualFold(s, "false")
}

func parseText(s string) (string, bool) { return s, true }
