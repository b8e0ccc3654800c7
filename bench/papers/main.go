// Command papers repeats, on this machine and in one run, the tables and figures
// of the papers that the library takes its algorithms from, and writes them as
// Markdown, CSV and pictures (SVG and PNG) beside what the papers say.
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

// run measures and writes everything; progress goes to log. Sorts that fail leave
// their reason in the tables and an error at the end.
func (s settings) run(out, log io.Writer) error {
	b, err := newBench(s, log)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.measureAll(); err != nil {
		return err
	}
	b.writeMarkdown(out)
	folder := s.out
	if folder == "" {
		folder = filepath.Join("results", b.machine.Folder(), "papers")
	}
	fmt.Fprintln(log, "writing", folder)
	return errors.Join(b.writeFolder(folder), b.failure())
}

// measureAll measures the figures that were asked for, paper by paper.
func (b *bench) measureAll() error {
	for _, p := range papers {
		for _, f := range p.figures {
			if !b.only.MatchString(f.slug) {
				continue
			}
			if err := f.measure(b); err != nil {
				return fmt.Errorf("%s: %w", f.slug, err)
			}
		}
	}
	if len(b.panels) == 0 {
		return fmt.Errorf("no figure matches %q", b.only)
	}
	return nil
}
