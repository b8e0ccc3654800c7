// Command presorted walks over inputs in some order, kinds of elements, sizes and calls of this
// library, and prints where the standard library is faster: its best sort by hand, at the same data,
// in turns. It writes these rows to results/<machine>/presorted.md.
//
//	cd bench && go run ./presorted -name epyc-2cores
//	cd bench && go run ./presorted -n 100,1000 -kinds text -shapes moved -all
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
	"time"

	"example.com/sorter/bench/internal/machine"
	"example.com/sorter/bench/internal/table"
)

// settings are the flags.
type settings struct {
	sizes         []int
	kinds, shapes *regexp.Regexp
	verbs         *regexp.Regexp
	rounds        int
	batch         int // elements that are sorted between two readings of the clock, at least
	share         float64
}

// result has the medians of one row, in ns per element.
type result struct {
	kind, verb, shape string
	n, workers        int
	ours, std         float64
	spread            float64 // of ours: the upper quartile over the lower
}

func (r result) ratio() float64 { return r.std / r.ours }

func main() {
	s := settings{}
	sizes := flag.String("n", "3,10,30,100,1000,10000,100000,1000000", "sizes")
	kinds := flag.String("kinds", "", "regexp of kinds of elements")
	shapes := flag.String("shapes", "", "regexp of shapes")
	verbs := flag.String("verbs", "", "regexp of calls")
	flag.IntVar(&s.rounds, "rounds", 5, "runs of each contender, of which the median is taken")
	flag.IntVar(&s.batch, "batch", 8192, "elements sorted between two readings of the clock, at least")
	flag.Float64Var(&s.share, "share", 0.9, "print rows whose time of the standard library is below this share of ours")
	all := flag.Bool("all", false, "print all rows")
	name := flag.String("name", "", "folder of the results; none are written without")
	flag.Parse()
	if *all {
		s.share = 1e9
	}
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			log.Fatalf("-n: %q is not a size", text)
		}
		s.sizes = append(s.sizes, n)
	}
	s.kinds, s.shapes, s.verbs = regexp.MustCompile(*kinds), regexp.MustCompile(*shapes), regexp.MustCompile(*verbs)
	rows, measured, err := s.walk(func(r result) { r.print(os.Stdout) })
	if err == nil && *name != "" {
		err = table.WriteFile(filepath.Join("results", *name, "presorted.md"), func(w io.Writer) error { s.write(w, rows, measured); return nil })
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d rows\n", len(rows), measured)
}

// walk measures all rows and returns those to be printed, which it also passes to found.
func (s settings) walk(found func(result)) (rows []result, measured int, err error) {
	for _, k := range kinds() {
		for _, shape := range shapes {
			if !s.kinds.MatchString(k.name) || !s.shapes.MatchString(shape.name) {
				continue
			}
			for _, n := range s.sizes {
				for _, c := range k.contests(shape.lists(n, s.batch), n) {
					if !s.verbs.MatchString(c.verb) {
						continue
					}
					for _, workers := range workersOf(n) {
						r := result{kind: k.name, verb: c.verb, shape: shape.name, n: n, workers: workers}
						if err := r.measure(c, s.rounds); err != nil {
							return rows, measured, fmt.Errorf("%+v: %w", r, err)
						}
						if r.ratio() < s.share && s.share < 1 { // once more: it may be noise
							if err := r.measure(c, 3*s.rounds); err != nil {
								return rows, measured, err
							}
						}
						if measured++; r.ratio() < s.share {
							rows = append(rows, r)
							found(r)
						}
					}
				}
			}
		}
	}
	return rows, measured, nil
}

// workersOf returns the numbers of workers to measure.
func workersOf(n int) []int {
	if n <= mostAlone || runtime.GOMAXPROCS(0) == 1 {
		return []int{1}
	}
	return []int{1, runtime.GOMAXPROCS(0)}
}

// measure sorts by all contenders of c in turns.
func (r *result) measure(c contest, rounds int) error {
	var ours []float64
	std := make([][]float64, len(c.std))
	for round := range rounds + 1 {
		took, err := c.time(func() error { return c.ours(r.workers) })
		if err == nil && round == 0 {
			err = c.check()
		}
		if err != nil {
			return err
		}
		ours = append(ours, took)
		for i, sort := range c.std {
			took, _ := c.time(func() error { sort(); return nil })
			std[i] = append(std[i], took)
		}
	}
	slices.Sort(ours[1:]) // the first of each warms up
	r.ours, r.spread = ours[1:][rounds/2], ours[1:][rounds*3/4]/ours[1:][rounds/4]
	for i, all := range std {
		slices.Sort(all[1:])
		if mid := all[1:][rounds/2]; i == 0 || mid < r.std {
			r.std = mid
		}
	}
	return nil
}

// time returns how long a sort of the input takes, in ns per element.
func (c contest) time(sort func() error) (float64, error) {
	c.restore()
	start := time.Now()
	err := sort()
	return float64(time.Since(start).Nanoseconds()) / float64(c.elements), err
}

func (r result) columns() []string {
	return []string{r.kind, r.verb, r.shape, strconv.Itoa(r.n), strconv.Itoa(r.workers), table.Short(r.ours),
		table.Short(r.std), table.Short(r.ratio()), table.Short(r.spread)}
}

func (r result) print(w io.Writer) { table.Row(w, r.columns()...) }

// write writes the table.
func (s settings) write(w io.Writer, rows []result, measured int) {
	fmt.Fprintf(w, "# Inputs in some order, where the standard library is faster\n\n%s: [presorted](../../presorted).\n\n", machine.This())
	fmt.Fprintf(w, "Of %d rows these have the standard library's best sort below %g of this library's time, medians of %d\nruns in turns, ns per element. Spread: the upper quartile of this library's times over the lower.\n\n", measured, s.share, 3*s.rounds)
	table.Row(w, "elements", "call", "shape", "n", "workers", "sorter", "std", "std/sorter", "spread")
	table.Rule(w, 9)
	slices.SortStableFunc(rows, func(a, b result) int {
		if a.ratio() < b.ratio() {
			return -1
		}
		return 1
	})
	for _, r := range rows {
		r.print(w)
	}
}
