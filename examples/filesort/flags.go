package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const usage = `usage: filesort -by COLUMNS [options] FILE

Sorts the rows of a CSV, TSV or NDJSON file by columns. FILE may be - for
standard input. Rows come out byte for byte as they went in; a header stays on
top.

  -by COLUMNS      what to sort by, the deciding column first (see below)
  -o FILE          write to FILE instead of standard output; it may be the
                   input file, and keeps its content until the sort succeeded
  -top K           only the first K rows of the order
  -format F        csv, tsv, ndjson or auto (default auto: by the file's name,
                   then by its first line)
  -delimiter C     character between the fields of csv (default ,)
  -quotes Q        strict: "..." as in RFC 4180 (default for csv)
                   lazy:   quotes at odd places are text
                   none:   quotes are text (default for tsv)
  -header H        yes, no or auto (default auto: yes if -by names a column,
                   or if the first row has no number, date, boolean or
                   repeated field)
  -no-header       the same as -header no
  -null WORDS      further words that mean null, separated by commas; empty
                   fields always do, in NDJSON null and a missing member do
  -stable          rows that tie keep their order (default true)
  -stats           say on standard error what was found and where time went
  -quiet           no progress bar (there is one only on a terminal and when
                   it takes longer than half a second)
  -h               this text

COLUMNS is a list of NAME[:WORD]... separated by commas. NAME is a name of the
header or a number, the first column being 1; in NDJSON it is a member, where
a.b.0 means element 0 of member b of member a. A name that holds a comma, a
colon or a dot is written in double quotes. WORD is any of

  asc desc                    direction (default asc)
  nullsfirst nullslast        where nulls go, whatever the direction
                              (default nullslast)
  int float bool time string  type (default: the first of these that all values
                              of the column are, nulls aside)

time is RFC 3339, also with a space for the T, without a zone (UTC then), or a
date alone. Strings are ordered bytewise. NaN comes after every number.

Exit codes: 0 done, 1 the file is at fault, 2 the command line is.

  filesort -by 'amount:desc,country' -o sorted.csv data.csv
  filesort -by user.id,time -top 10 events.ndjson
  zcat log.tsv.gz | filesort -format tsv -by 3:float:desc -no-header -
`

// command is a command line that makes sense.
type command struct {
	file      string // "-" is standard input
	output    string // "" or "-" is standard output
	by        []spec
	top       int // 0: all
	format    string
	delimiter byte
	quotes    string // strict, lazy, none, or "" for the format's default
	header    string
	nulls     []string
	stable    bool
	stats     bool
	quiet     bool
	chunk     int // bytes that one worker parses at a time
}

func parseArgs(args []string) (*command, error) {
	cmd := &command{chunk: 4 << 20}
	fs := flag.NewFlagSet("filesort", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run prints errors and usage
	fs.Func("by", "", func(s string) (err error) { cmd.by, err = parseBy(s); return err })
	fs.StringVar(&cmd.output, "o", "", "")
	fs.Func("top", "", func(s string) error { return parseCount(&cmd.top, s) })
	choice(fs, &cmd.format, "format", "auto", "csv", "tsv", "ndjson")
	choice(fs, &cmd.quotes, "quotes", "", "strict", "lazy", "none")
	choice(fs, &cmd.header, "header", "auto", "yes", "no")
	fs.BoolFunc("no-header", "", func(string) error { cmd.header = "no"; return nil })
	fs.Func("delimiter", "", func(s string) error { return parseDelimiter(&cmd.delimiter, s) })
	fs.Func("null", "", func(s string) error { cmd.nulls = strings.Split(s, ","); return nil })
	fs.BoolVar(&cmd.stable, "stable", true, "")
	fs.BoolVar(&cmd.stats, "stats", false, "")
	fs.BoolVar(&cmd.quiet, "quiet", false, "")

	files, err := parseMixed(fs, args)
	switch {
	case err != nil:
		return nil, err
	case len(files) == 0:
		return nil, errors.New("no file to sort (- is standard input)")
	case len(files) > 1:
		return nil, fmt.Errorf("one file at a time, not %d: %s", len(files), strings.Join(files, " "))
	case cmd.by == nil:
		return nil, errors.New("-by is missing: what is the file to be sorted by?")
	}
	cmd.file = files[0]
	return cmd, nil
}

// parseMixed parses flags before and after the file names; package flag alone
// stops at the first name.
func parseMixed(fs *flag.FlagSet, args []string) (names []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return names, nil
		}
		if seen := len(args) - len(rest); seen > 0 && args[seen-1] == "--" {
			return append(names, rest...), nil
		}
		names, args = append(names, rest[0]), rest[1:]
	}
}

// choice defines a flag that is one of a few words, the first by default.
func choice(fs *flag.FlagSet, p *string, name string, words ...string) {
	*p = words[0]
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	fs.Func(name, "", func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		*p = s
		return nil
	})
}

func parseCount(p *int, s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("must be a number of rows, 1 or more")
	}
	*p = n
	return nil
}

func parseDelimiter(p *byte, s string) error {
	if s == `\t` {
		s = "\t"
	}
	if len(s) != 1 || strings.Contains("\"\r\n", s) {
		return errors.New("must be one ASCII character, no quote and no line end")
	}
	*p = s[0]
	return nil
}
