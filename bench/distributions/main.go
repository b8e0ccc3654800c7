// Command distributions sorts keys that programs have by the CPU engine: keys alone, their order, and
// structs of 24 bytes. It prints the least times per element, and their ratios to those of uniform keys
// of the same type, which take turns with them. Results are checked.
//
//	cd bench && go run ./distributions
//	cd bench && go run ./distributions -n 1000000 -dists 'prices|hashed' -calls order -workers 1
//	cd bench && go run ./distributions -dists 'held back'
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"example.com/sorter/bench/internal/machine"
	"example.com/sorter/bench/internal/table"
	"example.com/sorter/internal/dist"
)

// settings are the flags.
type settings struct {
	sizes, workers []int
	dists, calls   *regexp.Regexp
	bits           int // 0: all
	reps, again    int
	bound          float64
	processor      bool
}

func main() {
	s := settings{}
	sizes := flag.String("n", "1000000,10000000", "sizes")
	workers := flag.String("workers", workersOf(runtime.GOMAXPROCS(0)), "numbers of workers")
	dists := flag.String("dists", "", "regexp of distributions; those that are held back are 'held back', too")
	calls := flag.String("calls", "", "regexp of calls: "+strings.Join(calls, ", "))
	flag.IntVar(&s.bits, "bits", 0, "width of keys; all by default")
	flag.IntVar(&s.reps, "reps", 5, "repetitions, of which the least time is taken")
	flag.IntVar(&s.again, "again", 3, "times that a row above the bound is measured again")
	flag.Float64Var(&s.bound, "bound", 1.3, "ratio above which rows are in bold and count")
	flag.BoolVar(&s.processor, "processor", false, "take the time of the processors, of all workers together, instead of the clock's: for busy machines")
	name := flag.String("name", "", "folder of the results; none are written without")
	flag.Parse()
	s.sizes, s.workers = ints(*sizes), ints(*workers)
	s.dists, s.calls = regexp.MustCompile(*dists), regexp.MustCompile(*calls)
	if err := s.run(*name); err != nil {
		log.Fatal(err)
	}
}

func workersOf(processors int) string {
	if processors == 1 {
		return "1"
	}
	return "1," + strconv.Itoa(processors)
}

func ints(list string) (all []int) {
	for _, text := range strings.Split(list, ",") {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 {
			log.Fatalf("%q is not a positive number", text)
		}
		all = append(all, v)
	}
	return all
}

// run prints the table, and writes it if it has a name.
func (s settings) run(name string) error {
	out := io.Writer(os.Stdout)
	var kept strings.Builder
	if name != "" {
		out = io.MultiWriter(out, &kept)
	}
	fmt.Fprintf(out, "# Keys that programs have\n\n%s: [distributions](../../distributions).\n\nCPU engine, ns per element%s, least of %d, and in brackets times as long as uniform\nkeys of the type; in bold above %g.\n\n", machine.This(), s.clock(), s.reps, s.bound)
	above, err := s.table(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d above %g.\n", above, s.bound)
	if name == "" {
		return nil
	}
	return table.WriteFile(filepath.Join("results", name, "distributions.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, kept.String())
		return err
	})
}

// clock is the kind of time, for the heading.
func (s settings) clock() string {
	if s.processor {
		return " of all processors together"
	}
	return ""
}

// table measures all rows and counts the cells above the bound.
func (s settings) table(out io.Writer) (above int, err error) {
	columns := s.columns()
	heads := []string{"keys", "distribution", "n"}
	for _, c := range columns {
		heads = append(heads, fmt.Sprintf("%s, %d", c.call, c.workers))
	}
	table.Row(out, heads...)
	table.Rule(out, len(heads))
	for _, n := range s.sizes {
		for _, t := range types {
			if s.bits != 0 && t.bits != s.bits {
				continue
			}
			for group := range slices.Chunk(s.chosen(t), groupOf) {
				rows, err := t.measure(s, group, n)
				if err != nil {
					return above, err
				}
				for _, r := range rows {
					above += r.print(out, s.bound)
				}
			}
		}
	}
	return above, nil
}

// column is a call by a number of workers.
type column struct {
	call    string
	workers int
}

func (s settings) columns() (all []column) {
	for _, c := range calls {
		for _, w := range s.workers {
			if s.calls.MatchString(c) {
				all = append(all, column{c, w})
			}
		}
	}
	return all
}

// chosen returns the distributions of a type.
func (s settings) chosen(t keyType) (all []dist.Codes) {
	for _, d := range slices.Concat(dist.Shapes, dist.Users, dist.HeldBack) {
		wanted := s.dists.MatchString(d.Name)
		if d.Untuned != "" {
			wanted = s.dists.String() != "" && (wanted || s.dists.MatchString("held back"))
		}
		if wanted && d.Of == t.of && d.Has(t.bits) {
			all = append(all, d)
		}
	}
	return all
}

// result is a row: the least times of its columns, and those of uniform keys.
type result struct {
	keys, dist    string
	n             int
	took, uniform []float64 // ns per element
}

// print prints the row and counts the cells above the bound.
func (r result) print(w io.Writer, bound float64) (above int) {
	cells := []string{r.keys, r.dist, table.Power(r.n)}
	for i, took := range r.took {
		cell := fmt.Sprintf("%s (%.2f)", table.Short(took), took/r.uniform[i])
		if took > bound*r.uniform[i] {
			cell = "**" + cell + "**"
			above++
		}
		cells = append(cells, cell)
	}
	table.Row(w, cells...)
	return above
}
