package main

import (
	"fmt"
	"io"
	"math"
	"strings"
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
	fmt.Fprintf(w, "Scratch is bytes per element at the largest size: what the library says it holds, what others\n"+
		"allocate in their first sort. \"Left out\" says why a contender was not measured.\n")
	if !withPeers {
		fmt.Fprintf(w, "Built without the tag peers: %s, %s and what is composed of them are missing.\n", zermeloName, sortsName)
	}
	fmt.Fprintln(w)
}

// writeSummary shows the largest size alone: ours, the standard library's, the best peer's.
func (r *report) writeSummary(w io.Writer) {
	n := r.Sizes[len(r.Sizes)-1]
	d := r.Dists[0]
	fmt.Fprintf(w, "## n = %s, %s\n\n", power(n), d)
	row(w, "case", ours, oursSerial, "standard library", "ratio", "best peer", "ratio")
	rule(w, 7)
	for _, c := range r.cases() {
		group := r.group(c.Name, d, n)
		mine, ok := r.at(cell{c.Name, d, n, ours})
		if !ok {
			continue
		}
		serial, _ := r.at(cell{c.Name, d, n, oursSerial})
		base, _ := r.at(cell{c.Name, d, n, c.Baseline})
		rival, _ := best(group, peer)
		row(w, c.Name, r.time(mine), r.time(serial),
			r.time(base)+" "+base.Contender, times(base.Median/mine.Median),
			r.time(rival)+" "+rival.Contender, times(rival.Median/mine.Median))
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
			head = append(head, power(n))
		}
		row(w, append(head, "sorter's lead", "scratch")...)
		rule(w, len(head)+2)
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
			line = append(line, r.time(x)+" ("+times(r.ratio(baseline, at))+")")
		}
	}
	at := cell{c.Name, last.Dist, last.N, last.Contender}
	mine := at
	mine.Contender = ours
	scratch := "–"
	if last.Note == "" {
		scratch = short(last.Scratch)
	}
	row(w, append(line, times(r.ratio(at, mine)), scratch)...)
}

func row(w io.Writer, columns ...string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(columns, " | "))
}

// rule separates the head of a table; columns after the first are numbers.
func rule(w io.Writer, columns int) {
	fmt.Fprintf(w, "|---|%s\n", strings.Repeat("---:|", columns-1))
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
	return short(x.Median) + mark
}

func times(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return "–"
	}
	return short(ratio) + "×"
}

// short keeps two or three digits, as many as the measurement is worth.
func short(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// power writes a size as 10⁷ or 5·10⁷ where it is one.
func power(n int) string {
	exponent, lead := 0, n
	for lead >= 10 && lead%10 == 0 {
		lead /= 10
		exponent++
	}
	if exponent < 3 || lead >= 10 {
		return fmt.Sprint(n)
	}
	text := "10" + strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(fmt.Sprint(exponent))
	if lead == 1 {
		return text
	}
	return fmt.Sprintf("%d·%s", lead, text)
}
