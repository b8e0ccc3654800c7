package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Values of options.

func into(p *string) func(string) error {
	return func(value string) error {
		*p = value
		return nil
	}
}

func yes(p *bool) func(string) error {
	return func(string) error {
		*p = true
		return nil
	}
}

// yesOrNo is a value that is true or false, and true if there is none.
func yesOrNo(p *bool) func(string) error {
	return func(value string) (err error) {
		*p = true
		if value != "" {
			*p, err = strconv.ParseBool(value)
		}
		if err != nil {
			return errors.New("must be true or false")
		}
		return nil
	}
}

func ignore(string) error { return nil }

var errEmpty = errors.New("it is empty")

// filled is a value that may not be empty, as one of a variable that is not set is.
func filled(set func(string) error) func(string) error {
	return func(value string) error {
		if value == "" {
			return errEmpty
		}
		return set(value)
	}
}

// once is a value that may be given again, but no other.
func once(set func(string) error) func(string) error {
	given, before := false, ""
	return func(value string) error {
		if given && value != before {
			return fmt.Errorf("it was %q before", before)
		}
		given, before = true, value
		return set(value)
	}
}

// checkBatch checks a number of files to merge at a time, which does not matter here.
func checkBatch(value string) error {
	if n, rest, ok := cutNumber(value); !ok || rest != "" || n < 2 {
		return errors.New("must be a number of files, 2 or more")
	}
	return nil
}

func oneOf(p *string, words ...string) func(string) error {
	return func(value string) error {
		word, err := wordOf(value, words...)
		if err == nil {
			*p = word
		}
		return err
	}
}

// wordOf returns the word that value is, or that it alone is the beginning of.
func wordOf(value string, words ...string) (string, error) {
	if !slices.Contains(words, value) {
		begins := func(word string) bool { return value != "" && strings.HasPrefix(word, value) }
		i := slices.IndexFunc(words, begins)
		if i < 0 || slices.ContainsFunc(words[i+1:], begins) {
			return "", fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		value = words[i]
	}
	return value, nil
}

func count(p *int, unit string) func(string) error {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("must be a number of %s, 1 or more", unit)
		}
		*p = n
		return nil
	}
}

func (cl *commandLine) setPer(value string) (err error) {
	cl.per, err = parseBy(value)
	return err
}

func (cl *commandLine) setCounts(value string) error {
	if strings.ContainsAny(value, "\"\r\n") {
		return errors.New("must be a name without quotes and line ends")
	}
	if cl.counts = value; value == "" {
		cl.counts = "count"
	}
	return nil
}

func (cl *commandLine) setBy(value string) (err error) {
	cl.by, err = parseBy(value)
	return err
}

func (cl *commandLine) setNulls(value string) error {
	cl.nulls = strings.Split(value, ",")
	return nil
}

func (cl *commandLine) setDelimiter(value string) error {
	if value == `\t` {
		value = "\t"
	}
	if value == "" || strings.ContainsAny(value, "\"\r\n") {
		return errors.New("must be one character or more, none of them a quote or a line end")
	}
	cl.delimiter = value
	return nil
}

// setStats takes a format, or true or false for whether to print a text.
func (cl *commandLine) setStats(value string) error {
	print := false
	switch {
	case value == "text" || value == "json":
		cl.stats = value
	case yesOrNo(&print)(value) != nil:
		return errors.New("must be text, json, true or false")
	case print:
		cl.stats = "text"
	default:
		cl.stats = ""
	}
	return nil
}

func (cl *commandLine) setStable(value string) error {
	cl.stability = true
	return yesOrNo(&cl.stable)(value)
}

func (cl *commandLine) setCheck(value string) error {
	check := "diagnose"
	if value != "" {
		word, err := wordOf(value, "diagnose-first", "quiet", "silent")
		if err != nil {
			return err
		}
		if word != "diagnose-first" {
			check = "quiet"
		}
	}
	if cl.check != "" && cl.check != check {
		return errors.New("options '-cC' are incompatible")
	}
	cl.check = check
	return nil
}

func (cl *commandLine) setLocale(name string) (err error) {
	cl.locale, err = localeNamed(name)
	return err
}

func (cl *commandLine) addKey(value string) error {
	cl.keys = append(cl.keys, value)
	return nil
}

func (cl *commandLine) addDir(value string) error {
	if value == "" {
		return errEmpty
	}
	cl.dirs = append(cl.dirs, value)
	return nil
}

func (cl *commandLine) setTab(value string) error {
	if value == `\0` {
		value = "\x00"
	}
	if len(value) != 1 {
		return errors.New("must be one byte")
	}
	cl.tab = int(value[0])
	return nil
}

// setMemory takes the largest of several sizes, as sort does.
func (cl *commandLine) setMemory(value string) error {
	n, ok := parseMemory(value)
	if !ok {
		return fmt.Errorf("must be a number with at most one of %%, b, %s", strings.Join(strings.Split(memoryUnits, ""), ", "))
	}
	cl.memory = max(cl.memory, n, 1)
	return nil
}
