package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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
	zero      bool
	stability bool   // -s or -stable was given
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
		{'u', "unique", noArgument, yes(&cl.unique)},
		{'m', "merge", noArgument, yes(&cl.merge)},
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
		{'z', "zero-terminated", noArgument, yes(&cl.zero)},
	})...)
	return optionSet{sorts: cl.noting(sorts), own: cl.noting(own), key: cl.addOldKey}
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

// finish checks what goes together, and reads what depends on other options.
func (cl *commandLine) finish() error {
	var err error
	if cl.filesFrom != "" {
		if len(cl.files) > 0 {
			return fmt.Errorf("extra operand %q: --files0-from names all files", cl.files[0])
		}
		if cl.files, err = filesFrom(cl.filesFrom); err != nil {
			return err
		}
	}
	if len(cl.files) == 0 {
		cl.files = []string{"-"}
	}
	if cl.memory == 0 {
		cl.memory = freeMemory() / 2
	}
	cl.memory = max(cl.memory, leastMemory)
	cl.workers = min(cl.workers, 4*max(runtime.NumCPU(), runtime.GOMAXPROCS(0))) // each of which takes memory
	if cl.shuffle && cl.onlyBy != "" && cl.by == nil {
		cl.by = []spec{} // rows, by no column
	}
	if cl.shuffle && !cl.given["-seed"] {
		cl.seed = randomSeed()
	}
	if err := cl.checkRules(); err != nil {
		return err
	}
	switch {
	case cl.check != "" && len(cl.files) > 1:
		return fmt.Errorf("extra operand %q not allowed with -c", cl.files[1])
	case cl.check != "" && cl.output != "":
		return errors.New("options '-co' are incompatible")
	case cl.by != nil && cl.onlyLines != "":
		return fmt.Errorf("%s and -by exclude each other: -by sorts columns, %s lines or records", cl.onlyLines, cl.onlyLines)
	}
	cl.last = cl.keep == "last"
	if err := cl.split.check(cl); err != nil {
		return err
	}
	if cl.aside.eol = '\n'; cl.zero {
		cl.aside.eol = 0
	}
	cl.aside.quotes = cl.quotesHide
	if cl.aside.comment != "" && cl.quotes == "lazy" {
		return errors.New("-comment and -quotes lazy exclude each other: no one knows which quotes hide a line end")
	}
	if strings.ContainsRune(cl.aside.comment, rune(cl.aside.eol)) {
		return inOption("-comment", cl.aside.comment, errors.New("no line begins with it"))
	}
	switch {
	case cl.by != nil:
		return cl.finishColumns()
	case cl.onlyBy != "":
		return fmt.Errorf("-by is missing: %s is for files that are sorted by columns", cl.onlyBy)
	}
	if !cl.stability {
		cl.stable = false
	}
	return cl.finishLines()
}

// finishColumns does so for columns.
func (cl *commandLine) finishColumns() (err error) {
	if err := cl.finishGroups(); err != nil || cl.global&random == 0 {
		return err
	}
	if i := slices.IndexFunc(cl.by, func(s spec) bool { return s.desc || s.nullsFirst }); i >= 0 {
		return fmt.Errorf("column %q: -R leaves no meaning to desc and nullsfirst", cl.by[i].name)
	}
	cl.salt, err = cl.newSalt()
	return err
}

// finishLines does so for lines and records.
func (cl *commandLine) finishLines() (err error) {
	if cl.shape.record > 0 {
		return cl.finishRecords()
	}
	cl.shape.eol = '\n'
	if cl.zero {
		cl.shape.eol = 0
	}
	var keys []lineKey
	for _, text := range cl.keys {
		k, err := parseKey(text)
		if err != nil {
			return inOption("-k", text, err)
		}
		keys = append(keys, k)
	}
	cl.order, err = newLineOrder(keys, cl.global, cl.tab, !cl.stable && !cl.unique, cl.locale, cl.newSalt)
	if cl.debug {
		cl.notes = append(cl.notes, cl.debugNotes()...)
	}
	return err
}

// leastMemory is what -S is raised to, if it is less.
const leastMemory = 8 << 20
