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

func (r row) lead() float64      { return r[1].median / r[0].median }
func (r row) leadLeast() float64 { return r[1].least / r[0].least }
func (r row) leadCPU() float64   { return r[1].cpu / r[0].cpu }

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
		slices.SortStableFunc(r[1:], func(a, b measured) int { return cmp.Compare(a.median, b.median) })
	}
	return all, err
}

func printTables(w io.Writer, path string) error {
	all, err := rows(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "## The ten smallest leads\n\n")
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.lead(), b.lead()) })
	printRows(w, all[:min(10, len(all))], true)
	behind := slices.IndexFunc(all, func(r row) bool { return r.lead() >= 1 })
	if behind < 0 {
		behind = len(all)
	}
	fmt.Fprintf(w, "\nA peer is ahead in %d of %d rows.\n", behind, len(all))

	slices.SortStableFunc(all, func(a, b row) int {
		return cmp.Or(strings.Compare(a[0].op, b[0].op), strings.Compare(a[0].threads, b[0].threads),
			strings.Compare(a[0].kind, b[0].kind), strings.Compare(a[0].dist, b[0].dist), cmp.Compare(a[0].n, b[0].n))
	})
	for len(all) > 0 {
		op, threads := all[0][0].op, all[0][0].threads
		end := slices.IndexFunc(all, func(r row) bool { return r[0].op != op || r[0].threads != threads })
		if end < 0 {
			end = len(all)
		}
		fmt.Fprintf(w, "\n## %s, threads: %s\n\n", op, threads)
		printRows(w, all[:end], false)
		all = all[end:]
	}
	return nil
}

// printRows prints a table. With full, rows name their operation.
func printRows(w io.Writer, all []row, full bool) {
	head := []string{"keys", "n", "sorter", "strongest peer", "", "lead", "of the least", "of processor time", "others"}
	table.Row(w, head...)
	table.Rule(w, len(head))
	for _, r := range all {
		what := r[0].kind + ", " + r[0].dist
		if full {
			what = r[0].op + " " + what + ", threads: " + r[0].threads
		}
		var others []string
		for _, m := range r[2:] {
			others = append(others, m.name+" "+table.Short(m.median))
		}
		table.Row(w, what, table.Power(r[0].n), times(r[0]), r[1].name, times(r[1]), table.Times(r.lead()),
			table.Times(r.leadLeast()), table.Times(r.leadCPU()), strings.Join(others, ", "))
	}
}

func times(m measured) string {
	return fmt.Sprintf("%s (%s; %s)", table.Short(m.median), table.Short(m.least), table.Short(m.cpu))
}
