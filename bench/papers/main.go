// Command papers repeats, on this machine and in one run, the tables and figures
// of the papers that the library takes its algorithms from, and writes them as
// Markdown, CSV and pictures (SVG and PNG) beside the figures of the papers.
//
// Without a GPU what needs one is missing, without a C++ compiler std::sort is,
// and the text says so.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(2)
	}
	if err := s.run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "papers:", err)
		os.Exit(1)
	}
}

// run measures and writes everything; progress goes to log. A paper is written after
// every figure, so that a run that is cut short leaves the papers done so far. Sorts that fail
// leave their reason in the tables and an error at the end.
func (s settings) run(out, log io.Writer) error {
	b, err := newBench(s, log)
	if err != nil {
		return err
	}
	defer b.close()
	if b.out == "" {
		b.out = filepath.Join("results", b.machine.Folder(), "papers")
	}
	for _, p := range papers {
		if err := b.repeat(p); err != nil {
			return err
		}
		if len(b.panelsOf(p)) > 0 {
			b.writePaper(out, p)
		}
	}
	if len(b.panels) == 0 {
		return fmt.Errorf("no figure matches %q", b.only)
	}
	fmt.Fprintln(log, "written to", b.out)
	return b.failure()
}

// repeat measures and writes the figures of a paper that were asked for.
func (b *bench) repeat(p paper) error {
	for _, f := range p.figures {
		if !b.only.MatchString(f.slug) {
			continue
		}
		if err := errors.Join(f.measure(b), b.writeFolder(p)); err != nil {
			return fmt.Errorf("%s: %w", f.slug, err)
		}
	}
	return nil
}
