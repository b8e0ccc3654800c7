package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// valueTypes are types that a value may be stored as, so that no more than its notation is lost. Every value may be
// stored as text.
type valueTypes uint16

const (
	storesBool valueTypes = 1 << iota
	storesInt
	storesFloat
	storesDate
	storesMicros // a time without a zone
	storesNanos
	storesZonedMicros // a time with one
	storesZonedNanos
	endOfTypes

	allTypes  = endOfTypes - 1
	timeTypes = allTypes &^ (storesDate - 1)
)

// storedTypes are types of Arrow.
var storedTypes = map[valueTypes]arrow.DataType{
	storesBool: arrow.FixedWidthTypes.Boolean, storesInt: arrow.PrimitiveTypes.Int64, storesFloat: arrow.PrimitiveTypes.Float64,
	storesDate: arrow.FixedWidthTypes.Date32, storesMicros: &arrow.TimestampType{Unit: arrow.Microsecond},
	storesNanos: &arrow.TimestampType{Unit: arrow.Nanosecond}, storesZonedMicros: arrow.FixedWidthTypes.Timestamp_us,
	storesZonedNanos: arrow.FixedWidthTypes.Timestamp_ns, 0: arrow.BinaryTypes.String,
}

// typesOf returns the types that a value may have, of those that are asked for at least.
func typesOf(v storedValue, asked valueTypes) valueTypes {
	s := strings.Trim(v.text, " ")
	if v.word {
		return timesOf(s)
	}
	if t, sure := quickTypes(s); sure {
		return t
	}
	if isTrueOrFalse(s) {
		return storesBool
	}
	t := valueTypes(0)
	if asked&timeTypes != 0 {
		t = timesOf(s)
	}
	if asked&storesInt != 0 {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
			t |= storesInt
		}
	}
	if asked&storesFloat != 0 {
		if _, ok := exactFloat(s); ok {
			t |= storesFloat
		}
	}
	return t
}

// floatDigits are as many decimal digits as every float of 64 bits keeps.
const floatDigits = 15

// quickTypes returns the types of most values: texts whose first byte no other value has, and numbers of few digits. sure
// is false for all that takes a closer look.
func quickTypes(s string) (t valueTypes, sure bool) {
	if s == "" || strings.IndexByte("tTfFnNiI+-.0123456789", s[0]) < 0 {
		return 0, true
	}
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == 0 || len(digits) > floatDigits || digits[0] == '0' || !isDigit(digits[0]) {
		return 0, false
	}
	t = storesInt | storesFloat
	for i := range len(digits) {
		switch c := digits[i]; {
		case isDigit(c):
		case c == '.' && t&storesInt != 0:
			t = storesFloat
		default:
			return 0, false
		}
	}
	return t, true
}

// exactFloat takes a number that a float of 64 bits keeps: of up to 15 digits, or written as the shortest that is read as
// the float. One that begins with more zeros than needed, as codes do, is none.
func exactFloat(s string) (v float64, ok bool) {
	if word := strings.TrimPrefix(s, "-"); strings.EqualFold(word, "inf") || strings.EqualFold(word, "infinity") || strings.EqualFold(s, "nan") {
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil
	}
	if strings.Trim(s, "0123456789.eE+-") != "" || strings.HasPrefix(s, "+") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	whole := strings.TrimPrefix(s, "-")
	if len(whole) > 1 && whole[0] == '0' && isDigit(whole[1]) {
		return 0, false
	}
	digits := significant(s)
	const least = 1e-300 // smaller ones may have fewer digits
	if len(digits) <= floatDigits && (digits == "" || math.Abs(v) >= least) {
		return v, true
	}
	return v, digits == significant(strconv.FormatFloat(v, 'e', -1, 64))
}

// significant returns the digits of a number without zeros at both ends.
func significant(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	s = strings.ReplaceAll(strings.TrimPrefix(s, "-"), ".", "")
	return strings.Trim(s, "0")
}

// timesOf returns the types of a date or a time. Of a time without a zone nobody knows the moment. A date may stand
// among times.
func timesOf(s string) (t valueTypes) {
	const date = len("2006-01-02")
	if len(s) < date || s[len("2006")] != '-' || !isDigit(s[0]) {
		return 0
	}
	at, ok := parseTime(s)
	if !ok || at.Lo >= 1e9 || at.Hi < -1e12 || at.Hi > 1e12 || strings.HasSuffix(s, "BC") {
		return 0
	}
	const most = math.MaxInt64/1_000_000_000 - 1
	if at.Lo%1000 == 0 {
		t |= storesMicros
	}
	if -most <= at.Hi && at.Hi <= most {
		t |= storesNanos
	}
	clock := s[date:]
	if i := strings.IndexAny(clock, ".,"); i >= 0 {
		digits := clock[i+1:]
		if n := len(digits) - len(strings.TrimLeft(digits, "0123456789")); n > 9 {
			return 0
		}
	}
	switch {
	case clock == "":
		return t | storesDate
	case strings.ContainsAny(clock, "Zz+-UG"):
		return t * (storesZonedMicros / storesMicros)
	}
	return t
}

// columnTypes is a column that is to be stored.
type columnTypes struct {
	name  string
	given kind // by -by; auto: the type is found
	are   valueTypes
	typ   arrow.DataType

	values int    // that are not null
	typed  int    // of them, those that are no plain text
	odd    string // the first value that is one, if there is any
	hasOdd bool
}

// note takes account of a value.
func (c *columnTypes) note(v storedValue) {
	if v.null {
		return
	}
	c.values++
	t := valueTypes(0)
	if c.are != 0 {
		t = typesOf(v, c.are)
	}
	if t&c.are == 0 {
		t = typesOf(v, allTypes) // it may be of another type than all values before
	}
	if t != 0 {
		c.typed++
	} else if !c.hasOdd {
		c.odd, c.hasOdd = v.text, true
	}
	c.are &= t
}

// settle keeps no memory of the text in which values stand, and the front of long ones.
func (c *columnTypes) settle() {
	const most = 160
	c.odd = strings.Clone(c.odd[:min(len(c.odd), most)])
	c.name = strings.Clone(c.name)
}

// add takes account of values that follow.
func (c *columnTypes) add(next *columnTypes) {
	if !c.hasOdd {
		c.odd, c.hasOdd = next.odd, next.hasOdd
	}
	c.are &= next.are
	c.values += next.values
	c.typed += next.typed
}

// choose chooses the type: that of -by, or the first that all values have.
func (c *columnTypes) choose() {
	t := valueTypes(0)
	switch c.given {
	case auto:
		if c.values > 0 {
			t = c.are & -c.are
		}
	case integer:
		t = storesInt
	case float:
		t = storesFloat
	case boolean:
		t = storesBool
	case instant:
		if t = c.are & timeTypes; t == 0 || c.values == 0 {
			t = storesZonedMicros
		}
		t &= -t
	}
	c.typ = storedTypes[t]
}

// doubt returns a message about a column of text most of whose values are of another type, "" for any other.
func (c *columnTypes) doubt() string {
	if c.given != auto || c.values == 0 || c.are != 0 || 2*c.typed <= c.values {
		return ""
	}
	if c.hasOdd {
		return fmt.Sprintf("column %s is stored as text because of %.40q; %d of its %d values are numbers, times or booleans that a type stores exactly", c.name, c.odd, c.typed, c.values)
	}
	return fmt.Sprintf("column %s is stored as text: its values have no type in common", c.name)
}
