package main

import (
	"errors"
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

// rules are checked in their order. Those of -c and -C are said once, of -c. Some are of an option with one of its values,
// see noteValues.
var rules = []rule{
	{option: "-keep", needs: []string{"-u"}, because: "it says which of the rows stays that tie"},
	{option: "-count", needs: []string{"-u"}, because: "it counts the rows that tie with one that stays"},
	{option: "-per", needs: []string{"-top"}, because: "it says of what -top rows are wanted each"},
	{option: "-c", excludes: []string{"-keep", "-count", "-top", "-o", "-to", "-split"}, because: "a check writes no rows"},
	{option: "-shuffle", excludes: []string{"-by", "-u", "-c", "-C", "-m", "-s", "-k", "-b", "-d", "-f", "-g", "-h", "-i", "-M", "-n", "-r", "-V", "-R", "-locale"},
		because: "it is an order of its own"},
	{option: "-record", excludes: []string{"-skip", "-comment", "-t", "-z"}, because: "records are no lines"},
	{option: "-record", excludes: []string{"-locale", "-b", "-d", "-f", "-g", "-h", "-i", "-M", "-n", "-V", "-R"}, because: "the bytes of records are compared as they are"},
	{option: "-debug", excludes: []string{"-o", "-c", "-C", "-by", "-record", "-locale", "-count", "-shuffle"}, because: "it shows the keys of lines, compared by their bytes, on standard output"},
	{option: "-split", needs: []string{"-o"}, because: "it writes files"},
	{option: "-split key", excludes: []string{"-shuffle"}, because: "rows that tie are not together"},
	{option: "-split key=N", excludes: []string{"-per"}, because: "with -per, -split key writes a file for each group"},
	{option: "-comment", excludes: []string{"-quotes lazy"}, because: "no one knows which quotes hide a line end"},
	{option: "-seed", needs: []string{"-shuffle", "-R", "-k"}, excludes: []string{"-random-source"}, because: "it says which order of all is taken"},
	{option: "-u=value", needs: []string{"-by"}, because: "keys of lines and records are compared by their values anyway"},
	{option: "-count", excludes: []string{"-record"}, because: "a record has no place for a number"},
}

// noteValues notes options with values that rules name.
func (cl *commandLine) noteValues() {
	cl.given["-split key"] = cl.split.keys > 0
	cl.given["-split key=N"] = cl.split.keys > 1
	cl.given["-quotes lazy"] = cl.quotes == "lazy"
}

// checkRules returns an error if options are given that do not go together.
func (cl *commandLine) checkRules() error {
	cl.noteValues()
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
	switch {
	case cl.by != nil && cl.onlyLines != "":
		return fmt.Errorf("%s and -by exclude each other: -by sorts columns, %s lines or records", cl.onlyLines, cl.onlyLines)
	case cl.by == nil && cl.onlyBy != "":
		return fmt.Errorf("-by is missing: %s is for files that are sorted by columns", cl.onlyBy)
	}
	return nil
}

// Options that go with texts only.
var textOptions = []string{"-z", "-count", "-keep", "-per", "-shuffle", "-R", "-skip", "-comment", "-header", "-no-header", "-quotes", "-null"}

// checkFormats returns an error if there is an option that does not go with the formats of the input and of the output. Those
// of texts are "", that of an input, or have names, that of an output.
func (cmd *command) checkFormats(in, out string) error {
	if in == "" && !isColumnar(out) {
		if cmd.to != "" {
			return fmt.Errorf("-to %s does not go with texts, which come out as they went in: it goes with Parquet and Arrow", cmd.to)
		}
		return nil
	}
	given := func(o string) bool { return cmd.given[o] }
	refused := func(option, because string) error {
		return fmt.Errorf("%s does not go with %s: %s", option, columnarNames[in], because)
	}
	if in == "" {
		for _, o := range []string{"-split", "-skip", "-comment"} {
			if given(o) {
				return fmt.Errorf("%s does not go with %s that is made of text", o, columnarNames[out])
			}
		}
		return cmd.checkCodec(out)
	}
	if i := slices.IndexFunc(textOptions, given); i >= 0 {
		return refused(textOptions[i], "it is for texts")
	}
	for _, s := range cmd.by {
		if s.kind != auto {
			return fmt.Errorf("column %s: %s knows the types of its columns; only asc, desc, nullsfirst and nullslast go with it", s.name, columnarNames[in])
		}
	}
	switch {
	case given("-delimiter") && out != "csv":
		return refused("-delimiter", "it is for an output of CSV")
	case cmd.split.any() && (in != parquetFormat || out != parquetFormat || cmd.split.keys > 0):
		return errors.New("-split by size and by rows goes with Parquet that is sorted to Parquet, and with texts")
	case given("-compress") && cmd.compress == "none" && !isColumnar(out):
		return nil
	}
	return cmd.checkCodec(out)
}

// checkCodec returns an error if a format has no place for the compression.
func (cmd *command) checkCodec(out string) error {
	if (out == arrowFile || out == arrowStream) && cmd.compress == "gzip" {
		return errors.New("--compress gzip does not go with Arrow, which has zstd")
	}
	return nil
}
