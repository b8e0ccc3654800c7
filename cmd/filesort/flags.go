package main

import (
	"context"
	"errors"
	"runtime"
	"syscall"
)

// command is a command line that makes sense.
type command struct {
	files    []string // "-" is standard input
	output   string   // "" or "-" is standard output
	compress string   // auto, none, gzip or zstd
	memory   int64    // bytes
	dirs     []string // of temporary files
	workers  int
	top      int // 0: all
	unique   bool
	byValue  bool // for it, the values of a type that was found decide, not their texts
	stable   bool
	stats    string // "", "text" or "json"
	quiet    bool
	help     bool
	version  bool
	man      bool
	shell    string          // whose completions are wanted
	heeded   context.Context // done when an interrupt was caught; nil: none is
	caught   syscall.Signal  // an interrupt
	given    map[string]bool // the options, as rules name them
	notes    []string        // messages that are no errors
	check    string          // "", diagnose or quiet
	merge    bool
	nulRows  bool // rows of columns end with NUL
	selection
	aside aside
	array jsonArray

	// Lines and records.
	shape shape
	order lineOrder

	// Columns.
	by        []spec
	format    string
	to        string // format of the output; "": see outputFormat
	opened    string // format of the rows that were read
	headed    bool   // their first is a header
	delimiter string
	quotes    string // strict, lazy, none, or "" for the format's default
	header    string
	nulls     []string
	chunk     int // bytes that one worker parses at a time
}

// commandLine is a command line that is being read.
type commandLine struct {
	*command
	keys      []string // of -k and -key, read when all options are known
	global    keyOptions
	tab       int
	stability bool   // -s or -stable was given
	zero      bool   // lines and rows end with NUL
	onlyLines string // an option that goes without -by only, "" if there was none
	onlyBy    string // an option that goes with -by only
	per       []spec
	keep      string
	source    string // of random bytes
	filesFrom string
	locale    *locale // nil: that of C
}

// errHelp says that the help text is wanted.
var errHelp = errors.New("help is wanted")

func parseArgs(args []string) (*command, error) {
	cl := &commandLine{tab: noTab, command: &command{
		given: map[string]bool{}, chunk: 4 << 20, workers: runtime.GOMAXPROCS(0), stable: true,
		compress: "auto", format: "auto", header: "auto",
	}}
	if len(args) == 1 && args[0] == "-h" {
		return nil, errHelp
	}
	var err error
	if cl.files, err = parseOptions(cl.options(), args); err != nil {
		return nil, err
	}
	if cl.help {
		return nil, errHelp
	}
	if err := cl.finish(); err != nil {
		return nil, err
	}
	return cl.command, nil
}

// options returns the options, each of which changes cl.
func (cl *commandLine) options() optionSet {
	sorts := []option{
		{'o', "output", needsArgument, once(filled(into(&cl.output)))},
		{'s', "stable", optionalArgument, cl.setStable},
		{'u', "unique", optionalArgument, cl.setUnique},
		{'m', "merge", noArgument, yes(&cl.merge)},
		{'z', "zero-terminated", noArgument, yes(&cl.zero)},
		{'c', "check", optionalArgument, cl.setCheck},
		{'C', "", noArgument, func(string) error { return cl.setCheck("quiet") }},
		{'S', "buffer-size", needsArgument, cl.setMemory},
		{'T', "temporary-directory", needsArgument, cl.addDir},
		{0, "parallel", needsArgument, count(&cl.workers, "workers")},
		{0, "files0-from", needsArgument, filled(into(&cl.filesFrom))},
		{0, "help", noArgument, yes(&cl.help)},
		{0, "version", noArgument, yes(&cl.version)},
		{0, "batch-size", needsArgument, checkBatch},
		{0, "compress-program", needsArgument, once(ignore)},
		{0, "random-source", needsArgument, once(into(&cl.source))},
		{0, "debug", noArgument, yes(&cl.debug)},
		{'y', "", digitsArgument, ignore},
	}
	own := []option{
		{0, "top", needsArgument, once(count(&cl.top, "rows"))},
		{0, "keep", needsArgument, once(oneOf(&cl.keep, "first", "last"))},
		{0, "man", noArgument, yes(&cl.man)},
		{0, "completion", needsArgument, once(oneOf(&cl.shell, "bash", "zsh", "fish"))},
		{0, "split", needsArgument, once(cl.split.set)},
		{0, "skip", needsArgument, once(count(&cl.aside.skip, "lines"))},
		{0, "comment", needsArgument, once(filled(into(&cl.aside.comment)))},
		{0, "shuffle", noArgument, yes(&cl.shuffle)},
		{0, "seed", needsArgument, once(cl.setSeed)},
		{0, "count", optionalArgument, once(cl.setCounts)},
		{0, "compress", needsArgument, once(oneOf(&cl.compress, "auto", "none", "gzip", "zstd"))},
		{0, "stats", optionalArgument, cl.setStats},
		{0, "quiet", optionalArgument, yesOrNo(&cl.quiet)},
	}
	header := once(oneOf(&cl.header, "auto", "yes", "no"))
	own = append(own, mark(&cl.onlyBy, []option{
		{0, "by", needsArgument, once(cl.setBy)},
		{0, "format", needsArgument, once(oneOf(&cl.format, "auto", "csv", "tsv", "ndjson", "json", parquetFormat, arrowFile, arrowStream))},
		{0, "to", needsArgument, once(oneOf(&cl.to, "csv", "tsv", "ndjson", parquetFormat, arrowFile, arrowStream))},
		{0, "quotes", needsArgument, once(oneOf(&cl.quotes, "strict", "lazy", "none"))},
		{0, "header", needsArgument, header},
		{0, "no-header", noArgument, func(string) error { return header("no") }},
		{0, "delimiter", needsArgument, once(cl.setDelimiter)},
		{0, "null", needsArgument, once(cl.setNulls)},
		{0, "per", needsArgument, once(cl.setPer)},
	})...)
	own = append(own, mark(&cl.onlyLines, []option{
		{0, "record", needsArgument, once(count(&cl.shape.record, "bytes"))},
		{0, "locale", needsArgument, once(cl.setLocale)},
	})...)
	sorts = append(append(sorts, cl.orderOptions()...), mark(&cl.onlyLines, []option{
		{'k', "key", needsArgument, cl.addKey},
		{'t', "field-separator", needsArgument, once(cl.setTab)},
	})...)
	return optionSet{sorts: cl.noting(sorts), own: cl.noting(own), key: cl.addOldKey}
}

// setUnique takes -u and -u=value.
func (cl *commandLine) setUnique(value string) error {
	if cl.unique = true; value == "" {
		return nil
	}
	cl.byValue, cl.given["-u=value"] = true, true
	_, err := wordOf(value, "value")
	return err
}

// orderOptions returns the options that are those of -k, too.
func (cl *commandLine) orderOptions() []option {
	names := map[byte]string{
		'b': "ignore-leading-blanks", 'd': "dictionary-order", 'f': "ignore-case", 'g': "general-numeric-sort",
		'h': "human-numeric-sort", 'i': "ignore-nonprinting", 'M': "month-sort", 'n': "numeric-sort",
		'r': "reverse", 'V': "version-sort", 'R': "random-sort",
	}
	var all []option
	for _, letter := range []byte(optionLetters) {
		all = append(all, option{letter, names[letter], noArgument, func(string) error { return cl.addOrder(letter) }})
	}
	return append(all, option{0, "sort", needsArgument, func(value string) error {
		word, err := wordOf(value, "general-numeric", "human-numeric", "month", "numeric", "random", "version")
		for letter, name := range names {
			if err == nil && name == word+"-sort" {
				return cl.addOrder(letter)
			}
		}
		return err
	}})
}

func (cl *commandLine) addOrder(letter byte) error {
	o, err := optionOf(letter, bothBlanks)
	cl.global |= o
	if cl.given["-"+string(letter)] = true; o != random {
		cl.onlyLines = "-" + string(letter)
	}
	return err
}

// mark makes options leave their name in given.
func mark(given *string, options []option) []option {
	for i, o := range options {
		options[i].set = func(value string) error {
			*given = o.name()
			return o.set(value)
		}
	}
	return options
}

// name is the option as messages have it.
func (o option) name() string {
	if o.short != 0 {
		return "-" + string(o.short)
	}
	return "-" + o.long
}

// noting makes options note that they are given.
func (cl *commandLine) noting(options []option) []option {
	for i, o := range options {
		options[i].set = func(value string) error {
			cl.given[o.name()] = true
			return o.set(value)
		}
	}
	return options
}
