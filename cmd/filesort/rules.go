package main

import (
	"fmt"
	"slices"
	"strings"
)

// rule says what an option goes with, beside what is of lines, records or columns only.
type rule struct {
	option   string
	needs    []string // other options, one of which is enough
	excludes []string // other options
	because  string
}

// rules are checked in their order. Those of -c and -C are said once, of -c.
var rules = []rule{
	{option: "-z", excludes: []string{"-by"}, because: "rows of CSV, TSV and JSON end with line ends; -t and -k name fields of lines that end with NUL"},
	{option: "-keep", needs: []string{"-u"}, because: "it says which of the rows stays that tie"},
	{option: "-count", needs: []string{"-u"}, because: "it counts the rows that tie with one that stays"},
	{option: "-per", needs: []string{"-top"}, because: "it says of what -top rows are wanted each"},
	{option: "-c", excludes: []string{"-keep", "-count", "-top"}, because: "a check writes no rows"},
	{option: "-shuffle", excludes: []string{"-by", "-u", "-c", "-C", "-m", "-s", "-k", "-b", "-d", "-f", "-g", "-h", "-i", "-M", "-n", "-r", "-V", "-R", "-locale"},
		because: "it is an order of its own"},
	{option: "-record", excludes: []string{"-skip", "-comment"}, because: "records are no lines"},
	{option: "-debug", excludes: []string{"-o", "-c", "-C", "-by", "-record", "-locale", "-count", "-shuffle"}, because: "it shows the keys of lines, compared by their bytes, on standard output"},
	{option: "-to", excludes: []string{"-c", "-C"}, because: "a check writes no rows"},
	{option: "-split", needs: []string{"-o"}, because: "it writes files"},
	{option: "-split", excludes: []string{"-c", "-C"}, because: "a check writes no rows"},
	{option: "-seed", needs: []string{"-shuffle", "-R", "-k"}, excludes: []string{"-random-source"}, because: "it says which order of all is taken"},
	{option: "-count", excludes: []string{"-record"}, because: "a record has no place for a number"},
}

// checkRules returns an error if options are given that do not go together.
func (cl *commandLine) checkRules() error {
	for _, r := range rules {
		if !cl.given[r.option] && !(r.option == "-c" && cl.given["-C"]) {
			continue
		}
		given := func(other string) bool { return cl.given[other] }
		if len(r.needs) > 0 && !slices.ContainsFunc(r.needs, given) {
			return fmt.Errorf("%s is missing: %s goes with it, because %s", strings.Join(r.needs, " or "), r.option, r.because)
		}
		if i := slices.IndexFunc(r.excludes, given); i >= 0 {
			return fmt.Errorf("%s and %s exclude each other: %s", r.option, r.excludes[i], r.because)
		}
	}
	return nil
}

// finishGroups puts the columns of -per before those of -by. One that both name has the words that -by or -per gives it.
func (cl *commandLine) finishGroups() error {
	if len(cl.per) == 0 {
		return nil
	}
	cl.groups = len(cl.per)
	for i, s := range cl.per {
		at := slices.IndexFunc(cl.by, func(b spec) bool { return b.name == s.name && b.quoted == s.quoted })
		if at < 0 {
			continue
		}
		b := cl.by[at]
		switch plain := (spec{name: s.name}).String(); {
		case s.String() == plain:
			cl.per[i] = b
		case b.String() != plain && b.String() != s.String():
			return fmt.Errorf("column %q is %v in -per and %v in -by", s.name, s, b)
		}
		cl.by = slices.Delete(slices.Clone(cl.by), at, at+1)
	}
	cl.by = append(slices.Clip(cl.per), cl.by...)
	return nil
}
