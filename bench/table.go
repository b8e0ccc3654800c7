package main

import (
	"fmt"
	"io"

	"example.com/sorter/bench/internal/table"
)

// writeTable writes the whole report as Markdown.
func (r *report) writeTable(w io.Writer) {
	fmt.Fprintf(w, "# Sorting on %s, %d cores\n\n", r.Machine.CPU, r.Machine.Cores)
	r.writeHeader(w)
	r.writeSummary(w)
	for _, c := range r.cases() {
		r.writeCase(w, c)
	}
}

func (r *report) writeHeader(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "%s, GOMAXPROCS %d, %s. Uniform values where nothing else is said.\n\n", m.Go, m.Procs, m.Date)
	fmt.Fprintf(w, "Numbers are ns per element: the median of %d repetitions after a warm-up, all contenders\n"+
		"in one process and taking turns. † marks a contender that takes longer than %v a sort: it has\n"+
		"%d repetitions, the first of which is the warm-up. Smallest and largest times are in results.csv.\n",
		r.Rules.Reps, r.Rules.Slow, min(slowReps, r.Rules.Reps))
	fmt.Fprintf(w, "Scratch is bytes per element at the largest size: as the library reports it; of others, the\n"+
		"allocations of their first sort. \"Left out\" says why a contender was not measured.\n")
	if !withPeers {
		fmt.Fprintf(w, "Built without the tag peers: %s, %s and the sorts composed of them are missing.\n", zermeloName, sortsName)
	}
	fmt.Fprintln(w)
}

// writeSummary shows the largest size alone: ours, the standard library's, the best peer's.
func (r *report) writeSummary(w io.Writer) {
	n := r.Sizes[len(r.Sizes)-1]
	d := r.Dists[0]
	fmt.Fprintf(w, "## n = %s, %s\n\n", table.Power(n), d)
	table.Row(w, "case", ours, oursSerial, "standard library", "ratio", "best peer", "ratio")
	table.Rule(w, 7)
	for _, c := range r.cases() {
		group := r.group(c.Name, d, n)
		mine, ok := r.at(cell{c.Name, d, n, ours})
		if !ok {
			continue
		}
		serial, _ := r.at(cell{c.Name, d, n, oursSerial})
		base, _ := r.at(cell{c.Name, d, n, c.Baseline})
		rival, _ := best(group, peer)
		table.Row(w, c.Name, r.time(mine), r.time(serial),
			r.time(base)+" "+base.Contender, table.Times(base.Median/mine.Median),
			r.time(rival)+" "+rival.Contender, table.Times(rival.Median/mine.Median))
	}
	fmt.Fprintln(w)
}

// writeCase shows a case, one table for each distribution.
func (r *report) writeCase(w io.Writer, c benchCase) {
	fmt.Fprintf(w, "## %s\n\nIn parentheses: times as fast as %s.\n\n", c.Name, c.Baseline)
	for _, d := range r.Dists {
		sizes := r.sizes(c.Name, d)
		if len(sizes) == 0 {
			continue
		}
		fmt.Fprintf(w, "### %s, %s\n\n", c.Name, d)
		head := []string{"contender"}
		for _, n := range sizes {
			head = append(head, table.Power(n))
		}
		table.Row(w, append(head, "sorter's lead", "scratch")...)
		table.Rule(w, len(head)+2)
		for _, x := range r.group(c.Name, d, sizes[len(sizes)-1]) {
			r.writeContender(w, c, x, sizes)
		}
		fmt.Fprintln(w)
	}
}

// writeContender is a row over the sizes; last is its result at the largest.
func (r *report) writeContender(w io.Writer, c benchCase, last result, sizes []int) {
	line := []string{last.Contender}
	for _, n := range sizes {
		at := cell{c.Name, last.Dist, n, last.Contender}
		baseline := at
		baseline.Contender = c.Baseline
		x, ok := r.at(at)
		switch {
		case !ok:
			line = append(line, x.Note)
		case last.Contender == c.Baseline:
			line = append(line, r.time(x))
		default:
			line = append(line, r.time(x)+" ("+table.Times(r.ratio(baseline, at))+")")
		}
	}
	at := cell{c.Name, last.Dist, last.N, last.Contender}
	mine := at
	mine.Contender = ours
	scratch := "–"
	if last.Note == "" {
		scratch = table.Short(last.Scratch)
	}
	table.Row(w, append(line, table.Times(r.ratio(at, mine)), scratch)...)
}

// time shows a result's median, marked where it has fewer repetitions.
func (r *report) time(x result) string {
	if x.Contender == "" || x.Note != "" {
		return "–"
	}
	mark := ""
	if x.Reps < r.Rules.Reps {
		mark = "†"
	}
	return table.Short(x.Median) + mark
}
