//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"example.com/sorter"
)

// The first sorts of a process, which the planner gives to the CPU or to the device while that is
// opened and measured. Each row is a process of its own.

var (
	first      = flag.Bool("first", false, "time the first sorts of fresh processes instead, by the planner's choice, beside those of either engine")
	firstN     = flag.String("first-n", "1000000,4000000,24000000", "comma-separated sizes of -first")
	firstSorts = flag.Int("first-sorts", 20, "sorts of a process of -first")
	firstPause = flag.Duration("first-pause", 0, "pause between sorts of -first")
	firstRow   = flag.String("first-row", "", "the kind of the one row of this process, for -first")
)

// firstKinds are the sorts of -first, by name.
var firstKinds = []struct {
	name string
	run  func(n int) error
}{
	{"keys u32", func(n int) error {
		return firstOf(n, (*rand.Rand).Uint32, func(s []uint32, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) })
	}},
	{"order f32", func(n int) error {
		return firstOf(n, (*rand.Rand).Float32, func(s []float32, opts ...sorter.Option) error {
			_, err := sorter.OrderKeys(s, opts...)
			return err
		})
	}},
	{"24 B by f32", func(n int) error {
		of := func(r *rand.Rand) record24 { return record24{key: r.Float32(), id: r.Int64()} }
		return firstOf(n, of, sorted(func(r record24) float32 { return r.key }))
	}},
	{"64 B by i64", func(n int) error {
		of := func(r *rand.Rand) record64 { return record64{key: r.Int64()} }
		return firstOf(n, of, sorted(func(r record64) int64 { return r.key }))
	}},
}

// firstRows prints all rows, or that of the flag.
func firstRows() error {
	if *firstRow != "" {
		for _, k := range firstKinds {
			if k.name == *firstRow {
				return k.run(ints(*firstN)[0])
			}
		}
		return errors.New("no such kind")
	}
	fmt.Printf("The first %d sorts of a process, %v apart, ms; d: on the device. Then medians of five on each engine.\n\n", *firstSorts, *firstPause)
	fmt.Println("| kind | n | sorts | CPU | device |")
	fmt.Println("|---|---|---|---|---|")
	var failed error
	for _, k := range firstKinds {
		for _, n := range ints(*firstN) {
			c := exec.Command(os.Args[0], "-first", "-first-row", k.name, "-first-n", strconv.Itoa(n),
				"-first-sorts", strconv.Itoa(*firstSorts), "-first-pause", firstPause.String())
			c.Stderr = os.Stderr
			row, err := c.Output()
			failed = errors.Join(failed, err)
			fmt.Printf("| %s | %d | %s |\n", k.name, n, strings.TrimSpace(string(row)))
		}
	}
	return failed
}

// firstOf prints the times of the first sorts of this process, and those of both engines after
// them.
func firstOf[E any](n int, of func(r *rand.Rand) E, sort func([]E, ...sorter.Option) error) error {
	in, s := drawn(n, of), make([]E, n)
	restore := func() { each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], in[lo:hi]) }) }
	var text []string
	for range *firstSorts {
		restore()
		time.Sleep(*firstPause)
		var st sorter.Stats
		start := time.Now()
		if err := sort(s, sorter.Report(&st)); err != nil {
			return err
		}
		took := ms(time.Since(start))
		mark := ""
		if st.Engine != sorter.CPU().Name() {
			mark = "d"
		}
		text = append(text, fmt.Sprintf("%.3g%s", took, mark))
	}
	fmt.Print(strings.Join(text, " "))
	for _, b := range sorter.Backends()[:2] {
		times, err := repeated(e2eWarm, e2eReps, restore, func() error { return sort(s, sorter.On(b)) })
		if err != nil {
			return err
		}
		fmt.Printf(" | %.3g", median(times))
	}
	return nil
}
