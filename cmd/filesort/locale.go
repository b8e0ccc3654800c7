package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/sorter/collation"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	numbers "golang.org/x/text/number"
)

// locale is the order of texts and the notation of numbers of a language, those of CLDR, and its months.
type locale struct {
	texts  *collation.Collation
	point  string   // in numbers
	groups []string // between their thousands: several for spaces that do not break a line
	months []string // in capital letters
}

// localeNamed returns a locale by its name, such as de_DE.UTF-8, or by a tag, such as de-u-co-phonebk. In those of a name, as
// in the C library, spaces and punctuation matter only where all else is the same; in those of a tag they are
// characters as CLDR has them. "env" is the locale of the environment. It is nil for C and POSIX.
func localeNamed(name string) (*locale, error) {
	if name == "env" {
		name = cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_COLLATE"), os.Getenv("LANG"), "C")
	}
	tag, err := localeTag(name)
	if err != nil || tag == language.Und {
		return nil, err
	}
	l := &locale{texts: collation.New(tag), months: monthsOf(tag)}
	l.point, l.groups = separators(message.NewPrinter(tag).Sprint(numbers.Decimal(1234567.5)))
	return l, nil
}

// localeTag returns the tag of a locale, or Und for C and POSIX.
func localeTag(name string) (language.Tag, error) {
	lang, charset, _ := strings.Cut(name, ".")
	switch charset := strings.ToLower(strings.ReplaceAll(charset, "-", "")); {
	case lang == "C" || lang == "POSIX":
		return language.Und, nil
	case charset != "" && charset != "utf8":
		return language.Und, errors.New("its characters are not UTF-8")
	case strings.Contains(name, "@"):
		return language.Und, errors.New("modifiers after @ are not supported")
	}
	tag, err := language.Parse(strings.ReplaceAll(lang, "_", "-"))
	switch {
	case err != nil:
		return tag, err
	case tag == language.Und:
		return tag, errors.New("it is no language")
	case lang != name || strings.Contains(name, "_"):
		return tag.SetTypeForKey("ka", "shifted")
	}
	return tag, nil
}

// separators returns those of 1234567.5 in its notation: that of the fraction, and that of thousands.
func separators(text string) (point string, groups []string) {
	digit := func(r rune) bool { return unicode.IsDigit(r) }
	var between []string
	for rest := strings.TrimFunc(text, func(r rune) bool { return !digit(r) }); ; {
		start := strings.IndexFunc(rest, func(r rune) bool { return !digit(r) })
		if start < 0 {
			break
		}
		rest = rest[start:]
		end := strings.IndexFunc(rest, digit)
		between, rest = append(between, rest[:end]), rest[end:]
	}
	n := len(between)
	switch {
	case n == 0:
		return ".", nil
	case n == 1:
		return between[0], nil
	case between[0] == "\u00a0" || between[0] == "\u202f":
		return between[n-1], []string{"\u00a0", "\u202f"}
	}
	return between[n-1], between[:1]
}

// group returns the length of a separator of thousands that s begins with, or 0.
func (l *locale) group(s string) int {
	for _, g := range l.groups {
		if strings.HasPrefix(s, g) {
			return len(g)
		}
	}
	return 0
}

// plain returns the text of a key in the notation that its options have without a locale.
func (l *locale) plain(s string, o keyOptions) string {
	switch {
	case o&(numeric|human) != 0:
		return l.number(s)
	case o&general != 0:
		return l.general(s)
	case o&month != 0:
		return l.month(s)
	}
	return l.text(s, o)
}

// number returns a number of -n and -h in the notation that these have without a locale. Text after the number stays.
func (l *locale) number(s string) string {
	if l.point == "." && !slices.ContainsFunc(l.groups, func(g string) bool { return strings.Contains(s, g) }) {
		return s
	}
	var b strings.Builder
	at := skipBlanks(s, 0)
	if at < len(s) && s[at] == '-' {
		b.WriteByte('-')
		at++
	}
	for point := false; at < len(s); {
		rest := s[at:]
		switch {
		case isDigit(rest[0]):
			b.WriteByte(rest[0])
			at++
		case !point && strings.HasPrefix(rest, l.point):
			b.WriteByte('.')
			point = true
			at += len(l.point)
		case !point && l.group(rest) > 0:
			at += l.group(rest)
		case rest[0] == '.': // ends the number
			return b.String()
		default:
			return b.String() + rest
		}
	}
	return b.String()
}

// general returns a number of -g in the notation that it has without a locale.
func (l *locale) general(s string) string {
	if l.point == "." {
		return s
	}
	point := strings.Index(s, l.point)
	if dot := strings.IndexByte(s, '.'); dot >= 0 && (point < 0 || dot < point) {
		return s[:dot]
	}
	if point < 0 {
		return s
	}
	return s[:point] + "." + s[point+len(l.point):]
}

// text returns a text as the options d, f and i have it: they are about the characters of all languages. Bytes that are no
// character are neither letters nor printable, and stay as they are otherwise.
func (l *locale) text(s string, o keyOptions) string {
	if o&(dictionary|printable|fold) == 0 {
		return s
	}
	to := make([]byte, 0, len(s))
	for at, size := 0, 0; at < len(s); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[at:])
		broken := r == utf8.RuneError && size == 1
		switch {
		case o&dictionary != 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '\t',
			o&(dictionary|printable) == printable && (broken || !unicode.IsPrint(r)):
		case o&fold != 0 && !broken:
			to = utf8.AppendRune(to, unicode.ToUpper(r))
		default:
			to = append(to, s[at:at+size]...)
		}
	}
	return string(to)
}
