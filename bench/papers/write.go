package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"example.com/sorter/bench/internal/table"
)

// writeFolder writes the tables, the numbers and the pictures of a paper.
func (b *bench) writeFolder(p paper) error {
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return err
	}
	markdown := func(w io.Writer) error { b.writePaper(w, p); return nil }
	if err := table.WriteFile(filepath.Join(b.out, p.name+".md"), markdown); err != nil {
		return err
	}
	panels := b.panelsOf(p)
	numbers := func(w io.Writer) error { return writeCSV(w, panels) }
	if err := table.WriteFile(filepath.Join(b.out, p.name+".csv"), numbers); err != nil {
		return err
	}
	for _, panel := range panels {
		if err := b.draw(panel, filepath.Join(b.out, panel.slug)); err != nil {
			return fmt.Errorf("%s: %w", panel.slug, err)
		}
	}
	return nil
}

// writePaper writes the measurements for a paper, and its claims.
func (b *bench) writePaper(w io.Writer, p paper) {
	fmt.Fprintf(w, "# %s\n\nIts tables and figures on %s, %d cores", p.title, b.machine.CPU, b.machine.Cores)
	if b.gpu != nil {
		fmt.Fprintf(w, ", and %s", b.gpu.Name)
	}
	b.writeHead(w)
	fmt.Fprintf(w, "\n%s\n\n", p.inputs)
	b.writeClaims(w, p)
	for _, panel := range b.panelsOf(p) {
		b.writePanel(w, panel)
	}
}

// panelsOf are the panels of a paper.
func (b *bench) panelsOf(p paper) (panels []*panel) {
	for _, panel := range b.panels {
		if paperOf(panel).name == p.name {
			panels = append(panels, panel)
		}
	}
	return panels
}

func (b *bench) writeHead(w io.Writer) {
	fmt.Fprintf(w, "; %s, GOMAXPROCS %d, %s, in one run.\n\n", b.machine.Go, b.machine.Procs, b.machine.Date)
	if b.note != "" {
		fmt.Fprintf(w, "%s\n\n", b.note)
	}
	fmt.Fprintf(w, "Times are ms by the clock of the host: the median of %d repetitions after a warm-up, and in parentheses\n"+
		"the least and the most. † marks fewer repetitions, because all of them took %v, or a single one that did.\n"+
		"Contenders of a row take turns; inputs are restored outside of the timing, and everyone's first result is\n"+
		"checked. × is how many times as fast a column is as the one without it. What has GPU in its name sorts on\n"+
		"the device, everything else on all cores unless it says otherwise; std::sort, slices.Sort and\n"+
		"slices.SortFunc use one.\n",
		b.rules.reps, b.rules.spend)
	if b.gpu == nil {
		fmt.Fprintf(w, "\n**Measured without a GPU, since %s: what needs one is missing.**\n", b.noGPU)
	}
	if b.std == nil {
		fmt.Fprintf(w, "\n**Measured without std::sort: %s.**\n", b.noStd)
	}
}

// writeClaims puts the claims of the paper beside the measurements.
func (b *bench) writeClaims(w io.Writer, p paper) {
	fmt.Fprintf(w, "## What it says, and what these numbers say\n\n")
	for _, c := range p.claims {
		fmt.Fprintf(w, "- %s, on %s: %s.\n", c.where, c.machine, c.they)
		says := c.here(b)
		if len(says) == 0 {
			says = []string{"Not measured."}
		}
		for _, sentence := range says {
			fmt.Fprintf(w, "  - %s\n", sentence)
		}
	}
	fmt.Fprintln(w)
}

func (b *bench) writePanel(w io.Writer, p *panel) {
	fmt.Fprintf(w, "## %s\n\n", p.title)
	if p.note != "" {
		fmt.Fprintf(w, "%s\n\n", p.note)
	}
	if p.theirs != nil {
		b.writeBeside(w, p)
	} else {
		b.writeOver(w, p)
	}
	fmt.Fprintf(w, "\n![%s](%s.svg)\n\n", p.title, p.slug)
}

// writeOver is a row for every place on the axis.
func (b *bench) writeOver(w io.Writer, p *panel) {
	names := p.contenders()
	table.Row(w, append([]string{p.axis.name}, names...)...)
	table.Rule(w, len(names)+1)
	for _, x := range p.places() {
		line := []string{p.axis.label(x)}
		for _, name := range names {
			line = append(line, b.cell(p, x, name))
		}
		table.Row(w, line...)
	}
}

func (b *bench) cell(p *panel, x int, name string) string {
	r, measured := p.at(x, name)
	switch {
	case r.note != "":
		return r.note
	case !measured:
		return "–"
	}
	text := r.spread(b.rules.reps)
	if ratio := p.ratio(x, p.baseline, name); name != p.baseline && !math.IsNaN(ratio) {
		text += " " + table.Times(ratio)
	}
	return text
}

// writeBeside is a row for every contender, beside its figure in the paper.
func (b *bench) writeBeside(w io.Writer, p *panel) {
	table.Row(w, "", "ms here", "× "+p.baseline, "ms in the paper", "× its "+stdSort)
	table.Rule(w, 5)
	x := p.places()[0]
	for _, name := range p.contenders() {
		r, measured := p.at(x, name)
		line := []string{name, r.note, "", "", ""}
		if measured {
			if name == autoName {
				line[0] += ", " + r.ran
			}
			line[1], line[2] = r.spread(b.rules.reps), table.Times(p.ratio(x, p.baseline, name))
		}
		if theirs, ok := p.theirs[name]; ok {
			line[3], line[4] = number(theirs), table.Times(p.theirs[stdSort]/theirs)
		}
		table.Row(w, line...)
	}
}

// writeCSV writes every result, one a line, and its stages one a line each.
func writeCSV(w io.Writer, panels []*panel) error {
	out := csv.NewWriter(w)
	head := []string{"panel", "title", "axis", "x", "n", "contender", "ran", "stage", "repetitions", "ms", "least ms", "most ms", "ns/element", "note"}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, p := range panels {
		for _, r := range p.results {
			line := func(stage string, median, least, most float64) []string {
				return []string{p.slug, p.title, p.axis.name, strconv.Itoa(r.x), strconv.Itoa(r.n), r.contender, r.ran, stage, strconv.Itoa(r.reps),
					plain(median, r), plain(least, r), plain(most, r), plain(median*1e6/float64(r.n), r), r.note}
			}
			lines := [][]string{line("", r.median, r.least, r.most)}
			for _, part := range r.parts {
				lines = append(lines, line(part.name, part.time, math.NaN(), math.NaN()))
			}
			if err := out.WriteAll(lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain writes a number of a result, nothing if it was not measured.
func plain(v float64, r result) string {
	if math.IsNaN(v) || r.note != "" {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}
