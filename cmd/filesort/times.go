package main

import (
	"math"
	"strings"

	"example.com/sorter"
)

// parseTime takes a date, and a date with a time of day: hours and minutes after a T or a space,
// seconds or none, a fraction of them or none, and a zone or none, which is UTC then. Zones are
// Z, UTC, GMT, +02, +0200, +02:00 and +02:00:00, also after a space. Years have 4 to 9 digits,
// and a sign or none. As PostgreSQL has them, " BC" may follow, and there are infinity and
// -infinity.
//
// Hi of the result is seconds, Lo nanoseconds: 1e9 and more in a leap second.
func parseTime(s string) (t sorter.Int128, ok bool) {
	s = strings.Trim(s, " ")
	if strings.HasSuffix(s, "infinity") {
		return infiniteTime(s)
	}
	s, bc := strings.CutSuffix(s, " BC")
	p := timeParser{rest: s}
	t.Hi = p.date(bc)
	if p.bad {
		return t, false
	}
	if p.rest != "" {
		t.Hi += p.clock(&t.Lo)
		t.Hi -= p.zone()
	}
	if p.leap {
		t.Lo += 1e9
		p.bad = p.bad || (t.Hi+1)%secondsOfDay != 0
	}
	return t, !p.bad && p.rest == ""
}

const secondsOfDay = 24 * 60 * 60

func infiniteTime(s string) (t sorter.Int128, ok bool) {
	switch s {
	case "infinity":
		return sorter.Int128{Hi: math.MaxInt64}, true
	case "-infinity":
		return sorter.Int128{Hi: math.MinInt64}, true
	}
	return t, false
}

// timeParser takes a time apart from its front.
type timeParser struct {
	rest string
	bad  bool // this is no time
	leap bool // the second is 60, and was taken for 59
}

// take takes a byte off the front if it is one of two.
func (p *timeParser) take(one, other byte) bool {
	if p.rest == "" || p.rest[0] != one && p.rest[0] != other {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// need takes a byte that has to be there.
func (p *timeParser) need(c byte) {
	if !p.take(c, c) {
		p.bad = true
	}
}

// two takes a number of two digits up to most.
func (p *timeParser) two(most int) int {
	if len(p.rest) < 2 {
		p.bad = true
		return 0
	}
	tens, ones := p.rest[0]-'0', p.rest[1]-'0'
	v := int(tens)*10 + int(ones)
	p.bad = p.bad || tens > 9 || ones > 9 || v > most
	p.rest = p.rest[2:]
	return v
}

// year takes a year with its sign.
func (p *timeParser) year(bc bool) (v int64) {
	negative := strings.HasPrefix(p.rest, "-")
	p.take('-', '+')
	n := strings.IndexByte(p.rest, '-')
	if n < 4 || n > 9 {
		p.bad = true
		return 0
	}
	for i := range n {
		p.bad = p.bad || !isDigit(p.rest[i])
		v = 10*v + int64(p.rest[i]-'0')
	}
	p.rest = p.rest[n:]
	switch {
	case bc:
		p.bad = p.bad || v == 0 || negative
		return 1 - v
	case negative:
		return -v
	}
	return v
}

// date takes a date and returns its first second.
func (p *timeParser) date(bc bool) int64 {
	year := p.year(bc)
	p.need('-')
	month := p.two(12)
	p.need('-')
	day := p.two(31)
	if p.bad || month == 0 || day == 0 || day > daysIn(month, year) {
		p.bad = true
		return 0
	}
	return daysTo(year, month, day) * secondsOfDay
}

func daysIn(month int, year int64) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysTo returns the days from 1970 to a day. Years begin in March there, so that the day of a
// leap year is the last; and some periods of 400 years earlier, so that no number is negative.
func daysTo(year int64, month, day int) int64 {
	const (
		period  = 365*400 + 97
		periods = 3_000_000
		to1970  = periods*period + 719_468
	)
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	year += periods * 400
	return 365*year + year/4 - year/100 + year/400 + int64((153*month+2)/5+day-1) - to1970
}

// clock takes a time of day, and returns its seconds, and their fraction in nanoseconds. 24:00 is
// the end of the day.
func (p *timeParser) clock(nanos *uint64) int64 {
	if !p.take('T', ' ') {
		p.need('t')
	}
	hours := p.two(24)
	p.need(':')
	rest := p.two(59) * 60
	if p.take(':', ':') {
		seconds := p.two(60)
		if p.leap = seconds == 60; p.leap {
			seconds = 59
		}
		rest += seconds
		if p.take('.', ',') {
			*nanos = p.fraction()
		}
	}
	p.bad = p.bad || hours == 24 && (rest > 0 || *nanos > 0)
	return int64(hours*3600 + rest)
}

// fraction takes the digits after the point, and returns its nanoseconds.
func (p *timeParser) fraction() (v uint64) {
	n := 0
	for ; n < len(p.rest) && isDigit(p.rest[n]); n++ {
		if n < 9 {
			v = 10*v + uint64(p.rest[n]-'0')
		}
	}
	p.bad = p.bad || n == 0
	p.rest = p.rest[n:]
	for ; n < 9; n++ {
		v *= 10
	}
	return v
}

// zone takes a zone, and returns the seconds that it is ahead of UTC.
func (p *timeParser) zone() int64 {
	if p.rest == "" {
		return 0
	}
	p.take(' ', ' ')
	switch p.rest {
	case "Z", "z", "UTC", "GMT":
		p.rest = ""
		return 0
	}
	negative := strings.HasPrefix(p.rest, "-")
	if !p.take('-', '+') {
		p.bad = true
	}
	ahead := int64(p.two(23)) * 3600
	for unit := int64(60); unit > 0 && p.rest != ""; unit /= 60 {
		p.take(':', ':')
		ahead += int64(p.two(59)) * unit
	}
	if negative {
		return -ahead
	}
	return ahead
}
