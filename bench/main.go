// Command bench sorts the same data with this library, with the standard
// library and with other sorting packages, side by side in one process, and
// writes a table (Markdown and CSV), what was reached of the targets, and
// pictures (SVG and PNG).
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/sorter/bench/internal/machine"
	"example.com/sorter/bench/internal/table"
	"example.com/sorter/internal/dist"
	"github.com/jfcg/sorty/v2"
)

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if err := s.run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures and writes everything; progress goes to log.
func (s settings) run(out, log io.Writer) error {
	runtime.GOMAXPROCS(s.workers)
	sorty.MaxGor = sortyGoroutines(s.workers)
	report, wrong := s.measure(log)
	if len(report.Results) == 0 {
		return fmt.Errorf("no case matches %q and %q", s.cases, s.dists)
	}
	report.writeTable(out)
	report.writeTargets(out)
	folder := s.name
	if folder == "" {
		folder = report.Machine.Folder()
	}
	folder = filepath.Join(s.out, folder)
	fmt.Fprintln(log, "writing", folder)
	return errors.Join(append(wrong, report.writeFolder(folder))...)
}

// sortyGoroutines is sorty's default on two processors, 3: the caller waits
// most of the time. With one processor there is one.
func sortyGoroutines(workers int) uint64 {
	if workers == 1 {
		return 1
	}
	return uint64(workers) + 1
}

// measure returns its results, and which contenders sorted wrongly.
func (s settings) measure(log io.Writer) (r *report, wrong []error) {
	r = &report{Machine: machine.This(), Rules: s.rules, Sizes: s.sizes}
	dists := s.chosen()
	for _, d := range dists {
		r.Dists = append(r.Dists, d.Name)
	}
	start := time.Now()
	for _, n := range s.sizes {
		for _, d := range dists {
			if d.Name != atUniform && !s.everyDist && (n < 1e3 || n > 1e7) {
				continue
			}
			fmt.Fprintf(log, "%5.0f s: n = %d, %s\n", time.Since(start).Seconds(), n, d.Name)
			wrong = append(wrong, s.measureCases(r, d, n)...)
		}
	}
	return r, wrong
}

func (s settings) measureCases(r *report, d dist.Dist, n int) (wrong []error) {
	v := values(d, n)
	for _, c := range cases {
		if !s.cases.MatchString(c.Name) && !s.cases.MatchString(c.Slug) {
			continue
		}
		e := entrants{c, d.Name, v, n, r.losers(c, d.Name, n)}
		results, failed := e.measure(s.rules)
		r.add(results)
		wrong = append(wrong, failed...)
	}
	return wrong
}

// losers returns which contenders of a cell not to measure, from the size before.
func (r *report) losers(c benchCase, d string, n int) func(contender) string {
	sizes := r.sizes(c.Name, d)
	if r.Rules.All || n <= raceTo || d == r.Dists[0] || len(sizes) == 0 {
		return func(contender) string { return "" }
	}
	before := sizes[len(sizes)-1]
	fastest, _ := best(r.group(c.Name, d, before), peer, standard)
	return func(x contender) string {
		last, measured := r.at(cell{c.Name, d, before, x.Name})
		switch {
		case x.Kind == own || x.Name == c.Baseline:
			return ""
		case !measured:
			return last.Note
		case last.Median > lostBy*fastest.Median:
			return fmt.Sprintf("left out: %s as slow as the fastest at %s", table.Times(last.Median/fastest.Median), table.Power(before))
		}
		return ""
	}
}

// writeFolder writes the files of a report.
func (r *report) writeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	markdown := func(write func(io.Writer)) func(io.Writer) error {
		return func(w io.Writer) error { write(w); return nil }
	}
	for name, write := range map[string]func(io.Writer) error{
		"table.md":    markdown(r.writeTable),
		"targets.md":  markdown(r.writeTargets),
		"results.csv": r.writeCSV,
	} {
		if err := table.WriteFile(filepath.Join(folder, name), write); err != nil {
			return err
		}
	}
	return r.draw(folder)
}
