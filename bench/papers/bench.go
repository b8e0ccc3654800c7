package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/sorter/bench/internal/machine"
)

// paper is a paper, and what of it is repeated.
type paper struct {
	name    string // with which its slugs begin
	short   string // for pictures
	title   string
	inputs  string // the inputs, and how they differ from the paper's
	figures []figure
	claims  []claim
}

// figure measures one figure of a paper, or several that show the same sorts.
type figure struct {
	slug    string
	measure func(b *bench) error
}

// claim is a claim of a paper, and today's result.
type claim struct {
	where, machine string // in the paper, and the paper's
	they           string
	here           func(b *bench) []string // sentences; none where it was not measured
}

var papers = []paper{chen, tutorial, zurek, dehne}

// paperOf is the paper that a panel is of.
func paperOf(p *panel) paper {
	i := slices.IndexFunc(papers, func(paper paper) bool { return strings.HasPrefix(p.slug, paper.name) })
	return papers[i]
}

// slugs lists the figures for the flag that chooses them.
func slugs() string {
	var all []string
	for _, p := range papers {
		for _, f := range p.figures {
			all = append(all, f.slug)
		}
	}
	return strings.Join(all, " ")
}

// bench is one run of the command.
type bench struct {
	settings
	machine  machine.Machine
	gpu      *device // nil: there is none
	noGPU    string  // why
	std      stdSorts
	noStd    string // why std is nil
	panels   []*panel
	log      io.Writer
	started  time.Time
	failures []error
}

func newBench(s settings, log io.Writer) (*bench, error) {
	b := &bench{settings: s, machine: machine.This(), log: log, started: time.Now()}
	var err error
	if b.gpu, b.noGPU, err = openDevice(); err != nil {
		return nil, err
	}
	if b.std, err = compileStdSort(); err != nil {
		b.noStd = err.Error()
	}
	return b, nil
}

func (b *bench) close() {
	if b.gpu != nil {
		b.gpu.close()
	}
}

// standard is the sort that ratios refer to: C++'s, or Go's where there is none.
func (b *bench) standard(goes string) string {
	if b.std == nil {
		return goes
	}
	return stdSort
}

// add measures an input and puts the results at x of the panel.
func (b *bench) add(p *panel, x int, in input) error {
	fmt.Fprintf(b.log, "%5.0f s: %s, n = %d\n", time.Since(b.started).Seconds(), p.title, in.n)
	results, err := b.measure(in)
	for _, r := range results {
		r.x = x
		b.put(p, r)
	}
	return err
}

func (b *bench) put(p *panel, r result) {
	p.results = append(p.results, r)
	if r.note != "" {
		b.failures = append(b.failures, fmt.Errorf("%s, %s, n = %d: %s", p.title, r.contender, r.n, r.note))
	}
}

// failure is an error if sorts failed.
func (b *bench) failure() error { return errors.Join(b.failures...) }
