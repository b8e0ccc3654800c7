package main

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The oracle reads texts by the rules of the README, slowly: patterns, fractions of any length,
// and one sort. It is given texts that nobody made from values.

// known is the value of a text as one kind.
type known struct {
	rank  int // -1 and 1 for infinite, 2 for NaN
	value *big.Rat
	text  string
}

var (
	integerText = regexp.MustCompile(`^[+-]?\d+$`)
	numberText  = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	timeText    = regexp.MustCompile(`^([+-]?\d{4,9})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d(?::?\d\d)?)?))?)?( BC)?$`)
)

func knownAs(k kind, s string) (v known, ok bool) {
	v.text = s
	if k == text {
		return v, true
	}
	s = strings.Trim(s, " ")
	v.value = new(big.Rat)
	switch k {
	case integer:
		ok = integerText.MatchString(s)
		if ok {
			v.value.SetString(s)
		}
		return v, ok
	case float:
		return knownNumber(s)
	case boolean:
		v.rank, ok = map[string]int{"true": 1, "false": 0}[strings.ToLower(s)]
		return v, ok
	}
	switch s {
	case "infinity":
		v.rank = 1
		return v, true
	case "-infinity":
		v.rank = -1
		return v, true
	}
	return knownTime(s)
}

func knownNumber(s string) (v known, ok bool) {
	v.value = new(big.Rat)
	switch word := strings.TrimLeft(s, "+-"); {
	case strings.EqualFold(s, "nan"):
		v.rank = 2
		return v, true
	case strings.EqualFold(word, "inf") || strings.EqualFold(word, "infinity"):
		v.rank = 1
		if s[0] == '-' {
			v.rank = -1
		}
		return v, len(s)-len(word) < 2
	case !numberText.MatchString(s):
		return v, false
	}
	if _, ok = v.value.SetString(s); !ok { // an exponent that package big does not take
		v.value = new(big.Rat)
	}
	return v, true
}

// knownTime counts days one by one from month to month, and seconds as fractions.
func knownTime(s string) (v known, ok bool) {
	v.value = new(big.Rat)
	m := timeText.FindStringSubmatch(s)
	if m == nil {
		return v, false
	}
	n := make([]int, len(m))
	for i := 1; i < 7; i++ {
		n[i], _ = strconv.Atoi(m[i])
	}
	if m[9] != "" {
		if n[1] <= 0 || m[1][0] == '-' {
			return v, false
		}
		n[1] = 1 - n[1]
	}
	day := time.Date(n[1], time.Month(n[2]), n[3], 0, 0, 0, 0, time.UTC)
	second := n[4]*3600 + n[5]*60 + n[6]
	if int(day.Month()) != n[2] || day.Day() != n[3] || n[5] > 59 || n[6] > 60 || second > 86400 && n[4] >= 24 || second == 86400 && n[4] == 24 && strings.Trim(m[7], "0") != "" {
		return v, false
	}
	ahead := 0
	if digits := strings.ReplaceAll(strings.Trim(m[8], "+-"), ":", ""); digits != "" && isDigit(digits[0]) {
		for i, unit := 0, 3600; i < len(digits); i, unit = i+2, unit/60 {
			part, _ := strconv.Atoi(digits[i : i+2])
			if part > 59 || i == 0 && part > 23 {
				return v, false
			}
			ahead += part * unit
		}
		if m[8][0] == '-' {
			ahead = -ahead
		}
	}
	fraction := "0." + (m[7] + "000000000")[:9]
	if n[6] == 60 { // between the last second of a day and the next day
		if (second-ahead)%86400 != 0 {
			return v, false
		}
		f, _ := new(big.Rat).SetString(fraction)
		fraction = new(big.Rat).Sub(new(big.Rat).Quo(f, big.NewRat(2e9, 1)), big.NewRat(1, 2e9)).RatString()
	}
	v.value.SetString(fraction)
	return v, v.value.Add(v.value, new(big.Rat).SetInt64(day.Unix()+int64(second-ahead))) != nil
}

func (a known) compare(b known, s spec) int {
	c := cmp.Compare(a.rank, b.rank)
	switch {
	case s.kind == text:
		c = strings.Compare(a.text, b.text)
	case c == 0:
		c = a.value.Cmp(b.value)
	case a.rank == 2 || b.rank == 2: // NaN
		return c
	}
	if s.desc {
		return -c
	}
	return c
}

// oracle is rows of texts.
type oracle struct {
	specs []spec
	given []bool // the kind of the column
	texts [][]string
	nulls [][]bool
	lines []string
	notes int
}

// find finds the kinds of columns, and counts those that are text although most of their values
// are something else.
func (o *oracle) find() {
	for c := range o.specs {
		if o.given[c] {
			continue
		}
		counts, values := map[kind]int{}, 0
		for r := range o.texts {
			if o.nulls[r][c] {
				continue
			}
			values++
			for _, k := range []kind{integer, float, boolean, instant} {
				if _, ok := knownAs(k, o.texts[r][c]); ok {
					counts[k]++
				}
			}
		}
		o.specs[c].kind = text
		for _, k := range []kind{instant, boolean, float, integer} {
			if values > 0 && counts[k] == values {
				o.specs[c].kind = k
			}
		}
		if o.specs[c].kind == text && 2*max(counts[float], counts[boolean], counts[instant]) > values {
			o.notes++
		}
	}
}

// comparing returns the order of rows by columns [lo, hi), and, if texts is set, then by those texts whose kinds are found.
func (o *oracle) comparing(lo, hi int, texts bool) func(a, b int) int {
	values := make([][]known, len(o.texts))
	for r := range o.texts {
		for c, s := range o.specs {
			v, _ := knownAs(s.kind, o.texts[r][c])
			values[r] = append(values[r], v)
		}
	}
	return func(a, b int) int {
		for c, s := range o.specs[:hi] {
			x := 0
			switch nullA, nullB := o.nulls[a][c], o.nulls[b][c]; {
			case c < lo:
			case nullA || nullB:
				if x = truth(nullA) - truth(nullB); s.nullsFirst {
					x = -x
				}
			default:
				x = values[a][c].compare(values[b][c], s)
			}
			if x != 0 {
				return x
			}
		}
		for c := lo; texts && c < hi; c++ {
			if !o.given[c] && !o.nulls[a][c] {
				if x := strings.Compare(o.texts[a][c], o.texts[b][c]); x != 0 {
					return x
				}
			}
		}
		return 0
	}
}

// inOrder returns the numbers of rows in an order that keeps ties.
func (o *oracle) inOrder(compare func(a, b int) int) []int {
	order := make([]int, len(o.texts))
	for r := range order {
		order[r] = r
	}
	slices.SortStableFunc(order, compare)
	return order
}

// sorted returns the lines in order.
func (o *oracle) sorted(unique bool) string {
	o.find()
	compare := o.comparing(0, len(o.specs), unique)
	order := o.inOrder(compare)
	if unique {
		order = slices.CompactFunc(order, func(a, b int) bool { return compare(a, b) == 0 })
	}
	var b strings.Builder
	for _, r := range order {
		b.WriteString(o.lines[r])
	}
	return b.String()
}
