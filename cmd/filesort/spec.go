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
	argument   string // of the kind's word
	fold       bool
	desc       bool
	nullsFirst bool
	key        keyMaker // of values that are compared by keys, or nil
	growth     int64    // see keyKind
}

// String is the spec with its defaults said, for -stats and errors.
func (s spec) String() string {
	text := s.name + ":" + s.typeName()
	if s.desc {
		text += ":desc"
	}
	if s.nullsFirst {
		text += ":nullsfirst"
	}
	return text
}

// typeName is the type as -by has it.
func (s spec) typeName() string {
	name := s.kind.String()
	if s.argument != "" {
		name += "=" + s.argument
	}
	if s.fold {
		name += ":fold"
	}
	return name
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
		var words []word
		if words, rest, more, err = cutWords(rest); err != nil {
			return nil, fmt.Errorf("column %q: %w", s.name, err)
		}
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

// word is what follows a colon: a name in lower case, and an argument after an = or none.
type word struct {
	name, argument string
	given          bool // there is an =
}

// cutWords takes the words of a column off the front of text, up to a comma. An argument may stand in double quotes.
func cutWords(text string) (words []word, rest string, more bool, err error) {
	for strings.HasPrefix(text, ":") {
		text = text[1:]
		end := strings.IndexAny(text, ":,=")
		if end < 0 {
			end = len(text)
		}
		w := word{name: strings.ToLower(strings.TrimSpace(text[:end]))}
		if text = text[end:]; strings.HasPrefix(text, "=") {
			if w.given = true; len(text) == 1 || strings.IndexByte(":,", text[1]) >= 0 {
				return nil, "", false, fmt.Errorf("nothing after %s=", w.name)
			}
			if w.argument, _, text, err = cutName(text[1:]); err != nil {
				return nil, "", false, fmt.Errorf("after %s=: %w", w.name, err)
			}
		}
		words = append(words, w)
	}
	rest, more = strings.CutPrefix(text, ",")
	return words, rest, more, nil
}

// modify applies the words after a name.
func (s *spec) modify(words []word) error {
	var direction, nulls, folds, kinds int
	var kindWord word
	for _, w := range words {
		switch w.name {
		case "":
			return fmt.Errorf("column %q: nothing after a colon", s.name)
		case "asc", "desc":
			s.desc = w.name == "desc"
			direction++
		case "nullsfirst", "nullslast":
			s.nullsFirst = w.name == "nullsfirst"
			nulls++
		case "fold":
			s.fold = true
			folds++
		default:
			var ok bool
			if s.kind, ok = kindsByName[w.name]; !ok {
				return fmt.Errorf("column %q: %q is none of %s (a name that holds a colon is written in double quotes)",
					s.name, w.name, "asc, desc, nullsfirst, nullslast, fold, "+kindWords())
			}
			kindWord = w
			kinds++
			continue
		}
		if w.given {
			return fmt.Errorf("column %q: %s takes no =", s.name, w.name)
		}
	}
	if direction > 1 || nulls > 1 || folds > 1 || kinds > 1 {
		return fmt.Errorf("column %q: words that exclude each other", s.name)
	}
	if s.fold && s.kind == auto {
		s.kind = text
	}
	if s.kind == auto {
		return nil
	}
	return s.setKey(kindWord.argument, kindWord.given)
}
