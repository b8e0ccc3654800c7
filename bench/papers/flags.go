package main

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"time"
)

// settings are the flags.
type settings struct {
	only  *regexp.Regexp
	most  int // elements
	rules rules
	out   string
	note  string
}

func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("papers", flag.ExitOnError)
	only := f.String("only", "", "regexp of the figures to repeat, such as 000 or 004-fig3 (default all): "+slugs())
	most := f.Float64("n", 1<<29, "largest number of elements; figures that begin above it have a quarter and all of it")
	f.IntVar(&s.rules.reps, "reps", 5, "repetitions after a warm-up, of which the median is taken")
	f.DurationVar(&s.rules.spend, "spend", 2*time.Second, "a contender that has sorted one list for so long is not repeated; if its warm-up took that long, that is its time")
	f.StringVar(&s.out, "out", "", "folder to write to (default results/<machine>/papers)")
	f.StringVar(&s.note, "note", "", "a sentence about the machine, for the head of the tables")
	_ = f.Parse(args) // exits on errors
	if *most < 1 || *most > math.MaxUint32 || *most != math.Trunc(*most) || s.rules.reps < 1 {
		return s, fmt.Errorf("-n must be a whole number from 1 to 2^32-1, -reps at least 1")
	}
	s.most = int(*most)
	var err error
	s.only, err = regexp.Compile(*only)
	return s, err
}

// sizes are those of a figure up to the largest that was asked for; a quarter of
// that and that itself where fewer than two are left, so that there is a line.
func (s settings) sizes(all ...int) []int {
	var sizes []int
	for _, n := range all {
		if n <= s.most {
			sizes = append(sizes, n)
		}
	}
	if len(sizes) >= min(2, len(all)) {
		return sizes
	}
	if len(all) == 1 || s.most < 4 {
		return []int{s.most}
	}
	return []int{s.most / 4, s.most}
}

// doubling are the powers of two from one to another.
func doubling(from, to int) (sizes []int) {
	for n := from; n <= to; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}
