package main

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"example.com/sorter/collation"
	"github.com/ncruces/go-strftime"
	"golang.org/x/text/language"
)

func appendNatural(dst []byte, value string) ([]byte, bool) {
	return append(dst, collation.NaturalKey(value)...), true
}

func appendName(dst []byte, value string) ([]byte, bool) { return appendVersionKey(dst, value), true }

// textIn makes keys of texts in the order of a language. Its name is a tag, such as de or zh-u-co-stroke, or that of a
// locale, such as de_DE.UTF-8.
func textIn(name string) (keyMaker, error) {
	tag, err := localeTag(name)
	switch {
	case err != nil:
		return nil, err
	case tag == language.Und:
		return nil, errors.New("string has the order of bytes")
	}
	c := collation.New(tag)
	return func(dst []byte, value string) ([]byte, bool) { return c.AppendKey(dst, value), true }, nil
}

// datesAs makes keys of dates that are written by the directives of strftime.
func datesAs(format string) (keyMaker, error) {
	if !strings.Contains(format, "%") {
		return nil, errors.New("no directive such as %Y")
	}
	layout, err := strftime.Layout(format)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, value string) ([]byte, bool) {
		t, err := time.Parse(layout, strings.Trim(value, " "))
		return binary.BigEndian.AppendUint32(appendInt(dst, t.Unix()), uint32(t.Nanosecond())), err == nil
	}, nil
}

// appendQuantity takes a number with a unit or none: one of k, K, M, G, T, P, E, Z, Y, R and Q is a power of 1000, with an i
// after it a power of 1024. A B may follow. Quantities are compared exactly.
func appendQuantity(dst []byte, value string) ([]byte, bool) {
	number := strings.TrimSuffix(strings.Trim(value, " "), "B")
	bare := strings.TrimSuffix(number, "i")
	power := 0
	if bare != "" {
		power = strings.IndexByte("KMGTPEZYRQ", strings.ToUpper(bare[len(bare)-1:])[0]) + 1
	}
	if power == 0 {
		return appendNumber(dst, number, false) // inf may end with an i
	}
	digits, ok := cutDigits(strings.TrimRight(bare[:len(bare)-1], " "))
	if !ok {
		return dst, false
	}
	if bare == number {
		digits.exponent += 3 * power
	} else {
		digits.n.Lsh(&digits.n, uint(10*power))
	}
	return appendNumber(dst, fmt.Sprintf("%ve%d", &digits.n, digits.exponent), false)
}

// digits is a decimal: a whole number times a power of ten.
type digits struct {
	n        big.Int
	exponent int
}

// cutDigits parses a sign or none, digits, and a point or none among them.
func cutDigits(s string) (d digits, ok bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	unsigned := strings.TrimLeft(whole, "+-")
	if len(whole)-len(unsigned) > 1 || unsigned+fraction == "" || strings.Trim(unsigned+fraction, "0123456789") != "" {
		return d, false
	}
	d.exponent = -len(fraction)
	_, ok = d.n.SetString(whole+fraction, 10)
	return d, ok
}

// appendNumber appends the key of a number of a column, that of NaN after all others, or before them in a column whose keys are
// inverted.
func appendNumber(dst []byte, number string, desc bool) ([]byte, bool) {
	code, k := numberCode(number, desc)
	dst = binary.BigEndian.AppendUint64(dst, code)
	if hasMore(code) {
		dst = appendMore(dst, number)
	}
	return dst, k != text
}

// appendMonth takes the English names of months, whole or their first three letters, and 1 to 12.
func appendMonth(dst []byte, value string) ([]byte, bool) {
	value = strings.TrimRight(strings.Trim(value, " "), ".")
	for m := time.January; m <= time.December; m++ {
		name := m.String()
		if strings.EqualFold(value, name) || strings.EqualFold(value, name[:3]) || strings.TrimPrefix(value, "0") == fmt.Sprint(int(m)) {
			return append(dst, byte(m)), true
		}
	}
	return dst, false
}

// appendAddress takes addresses of IPv4 and IPv6, with a zone or none, and prefixes such as 10.0.0.0/8. Those of IPv4 come
// first. An address comes before prefixes with the same bits, and a short prefix before a long one.
func appendAddress(dst []byte, value string) ([]byte, bool) {
	value = strings.Trim(value, " ")
	address, _, isPrefix := strings.Cut(value, "/")
	a, err := netip.ParseAddr(address)
	if err != nil {
		return dst, false
	}
	bits := 0
	if isPrefix {
		p, err := netip.ParsePrefix(value)
		if err != nil {
			return dst, false
		}
		bits = p.Bits() + 1
	}
	dst = append(append(dst, byte(a.BitLen())), a.AsSlice()...)
	return append(append(dst, a.Zone()...), 0, byte(bits)), true
}

// appendUUID takes 32 hexadecimal digits, with dashes after the 8th, 12th, 16th and 20th or without any, in braces or after
// urn:uuid: or neither.
func appendUUID(dst []byte, value string) ([]byte, bool) {
	const urn = "urn:uuid:"
	value = strings.Trim(value, " ")
	if len(value) > len(urn) && strings.EqualFold(value[:len(urn)], urn) {
		value = value[len(urn):]
	} else if inner, ok := strings.CutPrefix(value, "{"); ok && strings.HasSuffix(inner, "}") {
		value = inner[:len(inner)-1]
	}
	if parts := strings.Split(value, "-"); len(parts) == 5 && len(parts[0]) == 8 && len(parts[1]) == 4 && len(parts[2]) == 4 && len(parts[3]) == 4 {
		value = strings.Join(parts, "")
	}
	if len(value) != 32 {
		return dst, false
	}
	key, err := hex.AppendDecode(dst, []byte(value))
	return key, err == nil
}

// Units of durations, in nanoseconds. Months and years have no length.
var durationUnits = map[string]int64{
	"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9,
	"d": 86400e9, "day": 86400e9, "days": 86400e9, "w": 7 * 86400e9,
}

// appendDuration takes numbers with units, such as 1h30m, 250ms and 2d 4h; those of ISO 8601, such as P1DT2H; and times such as
// 36:00:00.5, also after days. They are compared exactly.
func appendDuration(dst []byte, value string) ([]byte, bool) {
	value = strings.Trim(value, " ")
	rest, negative := strings.CutPrefix(value, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	var d durationSum
	if iso, ok := strings.CutPrefix(strings.ToUpper(rest), "P"); ok {
		days, clock, isClock := strings.Cut(iso, "T")
		d.add(strings.ToLower(days), "dw")
		if d.add(strings.ToLower(clock), "hms"); isClock && clock == "" {
			return dst, false
		}
	} else {
		d.add(rest, "")
	}
	if d.bad || d.terms == 0 && rest != "0" {
		return dst, false
	}
	if negative {
		d.sum.Neg(&d.sum)
	}
	return appendNumber(dst, fmt.Sprintf("%ve-%d", &d.sum, d.places), false)
}

// durationSum is a sum of durations: a whole number of nanoseconds over a power of ten.
type durationSum struct {
	sum    big.Int
	places int // of the power
	terms  int
	bad    bool
}

// add adds numbers with units, of the given letters or of all if there are none, and a time of day at the end.
func (d *durationSum) add(s, units string) {
	for s = strings.TrimLeft(s, " "); s != "" && !d.bad; s = strings.TrimLeft(s, " ") {
		end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		switch {
		case end <= 0:
			d.bad = s != "0"
			return
		case s[end] == ':':
			d.clock(s)
			return
		}
		number := s[:end]
		s = strings.TrimLeft(s[end:], " ")
		if end = strings.IndexAny(s, "0123456789. "); end < 0 {
			end = len(s)
		}
		unit, known := durationUnits[s[:end]]
		d.bad = d.bad || !known || units != "" && (end != 1 || !strings.Contains(units, s[:end]))
		d.term(number, unit)
		s = s[end:]
	}
}

// clock adds a time: hours and minutes, and seconds or none.
func (d *durationSum) clock(s string) {
	parts := strings.Split(s, ":")
	for i, part := range parts {
		whole, _, fraction := strings.Cut(part, ".")
		d.bad = d.bad || i > 2 || fraction && i < 2 || i > 0 && (len(whole) != 2 || whole > "59")
		d.term(part, []int64{3600e9, 60e9, 1e9, 0}[min(i, 3)])
	}
}

// term adds a number of units.
func (d *durationSum) term(number string, unit int64) {
	n, ok := cutDigits(number)
	if d.bad = d.bad || !ok; d.bad {
		return
	}
	places := -n.exponent
	n.n.Mul(&n.n, big.NewInt(unit))
	for ; d.places < places; d.places++ {
		d.sum.Mul(&d.sum, big.NewInt(10))
	}
	for ; places < d.places; places++ {
		n.n.Mul(&n.n, big.NewInt(10))
	}
	d.sum.Add(&d.sum, &n.n)
	d.terms++
}
