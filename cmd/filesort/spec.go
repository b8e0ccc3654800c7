package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// spec is one column of -by.
type spec struct {
	name       string
	quoted     bool // the name stands in quotes: no number and no path
	kind       kind
	desc       bool
	nullsFirst bool
}

// String is the spec with its defaults said, for -stats and errors.
func (s spec) String() string {
	text := s.name + ":" + s.kind.String()
	if s.desc {
		text += ":desc"
	}
	if s.nullsFirst {
		text += ":nullsfirst"
	}
	return text
}

// parseBy parses a list of NAME[:WORD]... separated by commas.
func parseBy(text string) ([]spec, error) {
	var specs []spec
	for rest, more := text, true; more; {
		var s spec
		var err error
		s.name, s.quoted, rest, err = cutName(rest)
		if err != nil {
			return nil, err
		}
		words := ""
		words, rest, more = strings.Cut(rest, ",")
		if err := s.modify(words); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(specs, func(t spec) bool { return t.name == s.name && t.quoted == s.quoted }) {
			return nil, fmt.Errorf("column %q twice", s.name)
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// cutName takes a name, in double quotes or not, off the front of text.
func cutName(text string) (name string, quoted bool, rest string, err error) {
	text = strings.TrimLeft(text, " ")
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ":,")
		if end < 0 {
			end = len(text)
		}
		name = strings.TrimSpace(text[:end])
		if name == "" {
			err = errors.New("a column has no name")
		}
		return name, false, text[end:], err
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '"' { // a doubled quote is a quote
			i++
			continue
		}
		rest = strings.TrimLeft(text[i+1:], " ")
		if rest != "" && rest[0] != ':' && rest[0] != ',' {
			return "", true, "", fmt.Errorf("neither : nor , after %s", text[:i+1])
		}
		return strings.ReplaceAll(text[1:i], `""`, `"`), true, rest, nil
	}
	return "", true, "", fmt.Errorf("no closing quote in %s", text)
}

// modify applies the words after a name, which are empty or start with a colon.
func (s *spec) modify(words string) error {
	var direction, nulls, kinds int
	for word := range strings.SplitSeq(strings.TrimPrefix(words, ":"), ":") {
		switch word = strings.ToLower(strings.TrimSpace(word)); word {
		case "":
			if words != "" {
				return fmt.Errorf("column %q: nothing after a colon", s.name)
			}
		case "asc", "desc":
			s.desc = word == "desc"
			direction++
		case "nullsfirst", "nullslast":
			s.nullsFirst = word == "nullsfirst"
			nulls++
		default:
			if s.kind = kindNamed(word); s.kind == auto {
				return fmt.Errorf("column %q: %q is none of %s (a name that holds a colon is written in double quotes)",
					s.name, word, "asc, desc, nullsfirst, nullslast, int, float, bool, time, string")
			}
			kinds++
		}
	}
	if direction > 1 || nulls > 1 || kinds > 1 {
		return fmt.Errorf("column %q: words that exclude each other in %q", s.name, words)
	}
	return nil
}
