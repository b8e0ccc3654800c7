package main

import (
	"fmt"
	"io"
	"math"

	"example.com/sorter/bench/internal/table"
)

// target is one claim about the largest measured size: row is at least a given
// number of times as fast as versus.
type target struct {
	Case, Row, Versus string
	AtLeast           float64
}

// Rivals that are not one contender.
const (
	bestPeer  = "the best peer"
	bestOther = "the best other"
)

const atUniform = "uniform"

// targets are the numbers that the library was built to reach on two cores at
// n = 10⁷, uniform.
var targets = []target{
	{"24-byte struct by float32", ours, sortFunc, 15},
	{"24-byte struct by float32", ours, bestPeer, 3.5},
	{"24-byte struct by float32, stable", ours, sortStableFunc, 35},
	{"24-byte struct by a comparison", ours, bestPeer, 1.2},
	{"24-byte struct by a comparison", oursSerial, sortStableFunc, 1.25},
	{"24-byte struct by a comparison", oursSerial, sortFunc, 1},
	{"24-byte struct by a comparison of strings", ours, bestPeer, 1.2},
	{"24-byte struct by a comparison of strings", oursSerial, sortStableFunc, 1.25},
	{"24-byte struct by a comparison of strings", oursSerial, sortFunc, 1},
	{"float4 by first component", ours, sortFunc, 28},
	{"float4 by first component", ours, bestPeer, 4.5},
	{"64-byte struct by int64", ours, sortFunc, 18},
	{"64-byte struct by int64", ours, sortyName, 9},
	{"64-byte struct by int64", ours, sortsName, 4.5},
	{"argsort by float32", ours, sortFunc, 35},
	{"argsort by float32", ours, bestOther, 4},
	{"u32", ours, zermeloName, 1.8},
	{"f32", ours, zermeloName, 2.5},
	{"u64", ours, zermeloName, 4},
	{"f64", ours, zermeloName, 4.5},
	{"u32", oursSerial, zermeloName, 1},
	{"f32", oursSerial, zermeloName, 1},
	{"u64", oursSerial, zermeloName, 1},
	{"f64", oursSerial, zermeloName, 1},
	{"string", ours, slicesSort, 6},
	{"string", ours, sortyName, 3},
	{"string, then float64 descending", ours, sortFunc, 7},
	{"string, then float64 descending", ours, bestOther, 3.5},
	{"top 100 of 24-byte structs", ours, sortFunc, 60},
}

// writeTargets writes the results beside the targets.
func (r *report) writeTargets(w io.Writer) {
	n := r.Sizes[len(r.Sizes)-1]
	for _, size := range r.Sizes {
		if size <= 1e7 { // the size that the targets are about, or the one next below
			n = size
		}
	}
	fmt.Fprintf(w, "# Targets\n\n%s, %s, %s\n\n", r.Machine.CPU, r.Machine.Go, r.Machine.Date)
	if n != 1e7 {
		fmt.Fprintf(w, "**The targets are about n = 10⁷, these are the ratios at n = %s.**\n\n", table.Power(n))
	}
	r.writeRatios(w, n)
	r.writeFloors(w, n)
	r.writeSmall(w)
	r.writeScratch(w, n)
}

func (r *report) writeRatios(w io.Writer, n int) {
	fmt.Fprintf(w, "## Times as fast, n = %s, uniform\n\n", table.Power(n))
	table.Row(w, "case", "row", "against", "target", "measured", "met")
	fmt.Fprintln(w, "|---|---|---|---:|---:|---|")
	for _, t := range targets {
		if len(r.sizes(t.Case, atUniform)) == 0 {
			continue
		}
		mine := cell{t.Case, atUniform, n, t.Row}
		rival := t.Versus
		switch t.Versus {
		case bestPeer:
			rival = r.rival(t.Case, atUniform, n, peer)
		case bestOther:
			rival = r.rival(t.Case, atUniform, n, peer, standard)
		}
		ratio := r.ratio(cell{t.Case, atUniform, n, rival}, mine)
		against := rival
		if rival != t.Versus {
			against = fmt.Sprintf("%s, %s", t.Versus, rival)
		}
		table.Row(w, t.Case, t.Row, against, table.Times(t.AtLeast), table.Times(ratio), verdict(ratio, t.AtLeast))
	}
	fmt.Fprintln(w)
}

// rival names the fastest contender of some kinds.
func (r *report) rival(c, d string, n int, kinds ...kind) string {
	x, _ := best(r.group(c, d, n), kinds...)
	return x.Contender
}

func verdict(ratio, atLeast float64) string {
	switch {
	case math.IsNaN(ratio):
		return "not measured"
	case ratio >= atLeast:
		return "yes"
	}
	return "**no**"
}

// writeFloors compares with the fastest other contender, whoever it is, on
// every distribution: nowhere may the ratio be below 1.
func (r *report) writeFloors(w io.Writer, n int) {
	fmt.Fprintf(w, "## Times as fast as the fastest other contender, n = %s; at least 1\n\n", table.Power(n))
	table.Row(w, append([]string{"case"}, r.Dists...)...)
	table.Rule(w, len(r.Dists)+1)
	for _, c := range r.cases() {
		line := []string{c.Name}
		for _, d := range r.Dists {
			name := r.rival(c.Name, d, n, peer, standard)
			ratio := r.ratio(cell{c.Name, d, n, name}, cell{c.Name, d, n, ours})
			line = append(line, floor(ratio)+" "+name)
		}
		table.Row(w, line...)
	}
	fmt.Fprintln(w)
}

// floor marks a ratio below 1, unless it rounds to 1.00.
func floor(ratio float64) string {
	if ratio < 0.995 {
		return "**" + table.Times(ratio) + "**"
	}
	return table.Times(ratio)
}

// writeSmall compares small inputs with the standard library and counts
// allocations: at most two.
func (r *report) writeSmall(w io.Writer) {
	sizes := []int{10, 100, 1000}
	fmt.Fprintf(w, "## Small inputs, uniform: times as fast as the standard library, at least 1; allocations, at most 2\n\n")
	table.Row(w, "case", "against", "n = 10", "n = 100", "n = 1000")
	table.Rule(w, len(sizes)+2)
	for _, c := range r.cases() {
		line := []string{c.Name, c.Baseline}
		for _, n := range sizes {
			mine := cell{c.Name, atUniform, n, ours}
			x, measured := r.at(mine)
			if !measured {
				line = append(line, "–")
				continue
			}
			ratio := r.ratio(cell{c.Name, atUniform, n, c.Baseline}, mine)
			line = append(line, fmt.Sprintf("%s, %s allocations", floor(ratio), ceiling(x.Allocs, 2)))
		}
		table.Row(w, line...)
	}
	fmt.Fprintln(w)
}

// writeScratch compares the scratch memory with its bound of 2×(code + index)
// + element bytes per element; what one bucket per worker needs comes on top
// and is small at this size.
func (r *report) writeScratch(w io.Writer, n int) {
	const index = 4
	fmt.Fprintf(w, "## Scratch, bytes per element, n = %s, uniform\n\n", table.Power(n))
	table.Row(w, "case", "bound", "measured", "per worker on top: within")
	fmt.Fprintln(w, "|---|---:|---:|---|")
	for _, c := range r.cases() {
		x, measured := r.at(cell{c.Name, atUniform, n, ours})
		if !measured {
			continue
		}
		bound := float64(2*(c.Code+index) + c.Elem)
		table.Row(w, c.Name, table.Short(bound), table.Short(x.Scratch), table.Short(max(x.Scratch-bound, 0)*float64(n)/float64(r.Machine.Procs)/1024)+" KiB")
	}
	fmt.Fprintln(w)
}

// ceiling marks a number above its bound.
func ceiling(v, most float64) string {
	whole := math.Floor(v + 0.1) // the runtime's own allocations add a fraction
	text := fmt.Sprintf("%.0f", whole)
	if whole > most {
		return "**" + text + "**"
	}
	return text
}
