package main

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"example.com/sorter/bench/internal/machine"
)

// report holds all results of a run of the command.
type report struct {
	Machine machine.Machine
	Rules   rules
	Sizes   []int // ascending
	Dists   []string
	Results []result
	index   map[cell]int
}

// cell names one result.
type cell struct {
	Case, Dist string
	N          int
	Contender  string
}

func (r *report) add(results []result) {
	if r.index == nil {
		r.index = map[cell]int{}
	}
	for _, x := range results {
		r.index[cell{x.Case, x.Dist, x.N, x.Contender}] = len(r.Results)
		r.Results = append(r.Results, x)
	}
}

// at returns one result; measured is false where there is none or only a note.
func (r *report) at(at cell) (x result, measured bool) {
	i, ok := r.index[at]
	if !ok {
		return result{}, false
	}
	return r.Results[i], r.Results[i].Note == ""
}

// group returns the results of one case, distribution and size, in the order
// of the contenders.
func (r *report) group(c, d string, n int) []result {
	var group []result
	for _, x := range r.Results {
		if x.Case == c && x.Dist == d && x.N == n {
			group = append(group, x)
		}
	}
	return group
}

// best returns the fastest result of a group that has one of the kinds.
func best(group []result, kinds ...kind) (fastest result, found bool) {
	for _, x := range group {
		if x.Note == "" && slices.Contains(kinds, x.Kind) && (!found || x.Median < fastest.Median) {
			fastest, found = x, true
		}
	}
	return fastest, found
}

// cases returns those that were measured.
func (r *report) cases() []benchCase {
	return slices.DeleteFunc(slices.Clone(cases), func(c benchCase) bool {
		return !slices.ContainsFunc(r.Results, func(x result) bool { return x.Case == c.Name })
	})
}

// sizes returns the sizes at which a case was measured on a distribution.
func (r *report) sizes(c, d string) []int {
	return slices.DeleteFunc(slices.Clone(r.Sizes), func(n int) bool { return len(r.group(c, d, n)) == 0 })
}

// ratio is how many times longer a takes than b; NaN where either is missing.
func (r *report) ratio(a, b cell) float64 {
	slow, ok := r.at(a)
	fast, also := r.at(b)
	if !ok || !also {
		return math.NaN()
	}
	return slow.Median / fast.Median
}

// writeCSV writes every result, one a line.
func (r *report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"case", "distribution", "n", "contender", "kind", "repetitions",
		"ns/element", "min ns/element", "max ns/element", "scratch bytes/element",
		"allocations/sort", "times as fast as baseline", "baseline", "sorter is times as fast", "note"}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, x := range r.Results {
		if err := out.Write(r.record(x)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (r *report) record(x result) []string {
	at := cell{x.Case, x.Dist, x.N, x.Contender}
	baseline, mine := at, at
	baseline.Contender, mine.Contender = caseNamed(x.Case).Baseline, ours
	record := []string{x.Case, x.Dist, strconv.Itoa(x.N), x.Contender, string(x.Kind), strconv.Itoa(x.Reps)}
	for _, v := range []float64{x.Median, x.Min, x.Max, x.Scratch, x.Allocs, r.ratio(baseline, at)} {
		record = append(record, number(v, x.Note == ""))
	}
	return append(record, baseline.Contender, number(r.ratio(at, mine), x.Note == ""), x.Note)
}

// number formats a value for the CSV file, as nothing if it was not measured.
func number(v float64, measured bool) string {
	if !measured || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func caseNamed(name string) benchCase {
	i := slices.IndexFunc(cases, func(c benchCase) bool { return c.Name == name })
	return cases[i]
}
