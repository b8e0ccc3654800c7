package main

import (
	_ "embed"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// monthNames has the months of languages, and of languages in countries where they differ: the abbreviations of glibc 2.36,
// which claims no copyright in them, without points and spaces. Languages that it lacks have those of English.
//
//go:embed months.txt
var monthNames string

// englishMonths are those of -M without a locale.
var englishMonths = strings.Fields("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC")

// monthsOf returns the months of a locale in capital letters.
func monthsOf(tag language.Tag) []string {
	lang, _ := tag.Base()
	region, _ := tag.Region()
	months := englishMonths
	for line := range strings.Lines(monthNames) {
		name, names, _ := strings.Cut(line, " ")
		if name == lang.String() || name == lang.String()+"-"+region.String() { // the country's come later
			months = strings.Fields(strings.ToUpper(names))
		}
	}
	return months
}

// month returns the English name of the month that a text begins with, the longest if several fit, or "".
func (l *locale) month(s string) string {
	s = s[skipBlanks(s, 0):]
	s = strings.ToUpper(s[:min(len(s), longestMonth)])
	best := -1
	for i, m := range l.months {
		if strings.HasPrefix(s, m) && (best < 0 || len(m) > len(l.months[best])) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return englishMonths[best]
}

// longestMonth bounds the bytes of a name, in letters of either case.
var longestMonth = func() int {
	return 2 * len(slices.MaxFunc(strings.Fields(monthNames), func(a, b string) int { return len(a) - len(b) }))
}()
