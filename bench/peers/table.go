package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"example.com/sorter/bench/internal/table"
)

// measured is a line of the results, in ns per element.
type measured struct {
	threads, op, kind, dist string
	n                       int
	name                    string
	median, least, cpu      float64
}

// row has the contenders of one case, ours first, then the fastest.
type row []measured

// The lead is that of the least times: medians are those of other programs of the machine, too.
func (r row) lead() float64       { return r[1].least / r[0].least }
func (r row) leadMedian() float64 { return r[1].median / r[0].median }
func (r row) leadCPU() float64    { return r[1].cpu / r[0].cpu }

func (r row) key() string {
	return strings.Join([]string{r[0].op, r[0].threads, r[0].kind, r[0].dist, strconv.Itoa(r[0].n)}, ",")
}

// rows reads results. Of a case that was measured twice the later measurement counts.
func rows(path string) (all []row, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		c := strings.Split(lines.Text(), ",")
		if len(c) != 12 {
			return nil, fmt.Errorf("%s: no result: %s", path, lines.Text())
		}
		number := func(i int) float64 {
			v, e := strconv.ParseFloat(c[i], 64)
			err = cmp.Or(err, e)
			return v
		}
		m := measured{c[0], c[1], c[2], c[3], int(number(4)), c[5], number(7), number(8), number(11)}
		key := row{m}.key()
		if i, ok := at[key]; ok && m.name != "sorter" {
			all[i] = append(all[i], m)
		} else if ok {
			all[i] = row{m}
		} else {
			at[key] = len(all)
			all = append(all, row{m})
		}
	}
	all = slices.DeleteFunc(all, func(r row) bool { return len(r) < 2 })
	for _, r := range all {
		slices.SortStableFunc(r[1:], func(a, b measured) int { return cmp.Compare(a.least, b.least) })
	}
	return all, err
}

// kinds of work have a table each, in this order.
var kinds = []string{"sort", "order", "pairs", "top", "nth", "structs", "columns"}

func (r row) work() string {
	switch {
	case r[0].kind == "columns":
		return "columns"
	case strings.HasPrefix(r[0].op, "struct"):
		return "structs"
	}
	return r[0].op
}

// what names the row in the table of its kind.
func (r row) what() string {
	switch r.work() {
	case "columns":
		return r[0].op
	case "structs":
		return r[0].op + ", " + r[0].dist
	}
	return r[0].kind + ", " + r[0].dist
}

func printTables(w io.Writer, path string) error {
	all, err := rows(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "## The ten smallest leads\n\n")
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.lead(), b.lead()) })
	printRows(w, all[:min(10, len(all))], true)
	for _, kind := range kinds {
		for _, threads := range []string{"2", "1"} {
			part := slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r.work() != kind || r[0].threads != threads })
			if len(part) == 0 {
				continue
			}
			ahead := len(slices.DeleteFunc(slices.Clone(part), func(r row) bool { return r.lead() < 1 }))
			fmt.Fprintf(w, "\n## %s, threads: %s\n\nThis library leads in %d of %d rows.\n\n", kind, threads, ahead, len(part))
			slices.SortStableFunc(part, func(a, b row) int {
				return cmp.Or(strings.Compare(a.what(), b.what()), cmp.Compare(a[0].n, b[0].n))
			})
			printRows(w, part, false)
		}
	}
	return nil
}

// printRows prints a table. With full, rows name their kind of work.
func printRows(w io.Writer, all []row, full bool) {
	head := []string{"row", "n", "sorter", "strongest peer", "", "lead", "of medians", "of processor time", "others"}
	table.Row(w, head...)
	table.Rule(w, len(head))
	for _, r := range all {
		what := r.what()
		if full {
			what = r.work() + " " + what + ", threads: " + r[0].threads
		}
		var others []string
		for _, m := range r[2:] {
			others = append(others, m.name+" "+table.Short(m.least))
		}
		table.Row(w, what, table.Power(r[0].n), times(r[0]), r[1].name, times(r[1]), table.Times(r.lead()),
			table.Times(r.leadMedian()), table.Times(r.leadCPU()), strings.Join(others, ", "))
	}
}

// times are the least, the median and the processor time, which may be below its unit.
func times(m measured) string {
	cpu := "–"
	if m.cpu > 0 {
		cpu = table.Short(m.cpu)
	}
	return fmt.Sprintf("%s (%s; %s)", table.Short(m.least), table.Short(m.median), cpu)
}
