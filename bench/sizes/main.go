// Command sizes measures package extsort on inputs from a twentieth of its memory to many times
// that, beside a sort of all in memory. It writes the times to results/<machine>/extsort.md, and
// draws those of epyc-2cores beside the README of extsort.
//
//	cd bench && go run ./sizes -name epyc-2cores
//	cd bench && go run ./sizes -draw
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/machine"
	"example.com/sorter/bench/internal/table"
	"example.com/sorter/extsort"
)

// record is an element: a key, and where it was in the input.
type record struct{ Key, At, Pad uint64 }

func keyOf(r record) uint64 { return r.Key }

const recordBytes = 24

// settings are the options of the measurement.
type settings struct {
	memory  int64 // bytes
	rounds  int
	workers int
	dir     string
	held    float64 // largest multiple of the memory that is also sorted in memory

	multiples []float64 // of the memory: sizes of the input
}

// row has the measurements of one size.
type row struct {
	multiple float64
	n        int
	external []time.Duration // of each round
	inMemory []time.Duration // none if that was not measured
	stats    extsort.Stats
}

func main() {
	s := settings{multiples: []float64{0.05, 0.25, 0.5, 1, 2, 5, 10, 20, 50}}
	memory := flag.Int64("memory", 64, "memory of a sort on disk, in MiB")
	flag.IntVar(&s.rounds, "rounds", 3, "runs of each size")
	flag.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "goroutines of a sort")
	flag.StringVar(&s.dir, "dir", os.TempDir(), "directory of runs")
	flag.Float64Var(&s.held, "held", 20, "multiple of the memory up to which all is sorted in memory, too")
	name := flag.String("name", machine.This().Folder(), "folder of the results")
	drawn := flag.Bool("draw", false, "measure nothing, draw the picture of the results")
	flag.Parse()
	s.memory = *memory << 20
	if !*drawn {
		rows, err := s.measure()
		if err == nil {
			path := filepath.Join("results", *name, "extsort.md")
			err = table.WriteFile(path, func(w io.Writer) error { s.write(w, rows); return nil })
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := drawSizes(".", filepath.Join("..", "extsort")); err != nil {
		log.Fatal(err)
	}
}

// measure sorts each size in turns.
func (s settings) measure() ([]row, error) {
	rows := make([]row, len(s.multiples))
	for round := range s.rounds {
		for i, m := range s.multiples {
			r := &rows[i]
			r.multiple, r.n = m, int(m*float64(s.memory))/recordBytes
			took, err := s.external(r.n, &r.stats)
			if err != nil {
				return nil, err
			}
			r.external = append(r.external, took)
			if m <= s.held {
				if took, err = s.inMemory(r.n); err != nil {
					return nil, err
				}
				r.inMemory = append(r.inMemory, took)
			}
			fmt.Fprintf(os.Stderr, "round %d, %g times memory: %v\n", round+1, m, r.external[round])
			debug.FreeOSMemory()
		}
	}
	return rows, nil
}

// external sorts records from a generator and checks the output.
func (s settings) external(n int, stats *extsort.Stats) (time.Duration, error) {
	start := time.Now()
	in := newGenerator()
	sort, err := extsort.New(sorter.By(sorter.Asc(keyOf)), extsort.MemoryLimit(s.memory), extsort.Workers(s.workers), extsort.TempDir(s.dir), extsort.Report(stats))
	if err != nil {
		return 0, err
	}
	defer sort.Close()
	buf := make([]record, 4096)
	for left := n; left > 0; left -= len(buf) {
		buf = buf[:min(len(buf), left)]
		in.fill(buf)
		if err := sort.Append(buf...); err != nil {
			return 0, err
		}
	}
	out := reader{}
	for batch, err := range sort.Batches() {
		if err != nil {
			return 0, err
		}
		out.take(batch)
	}
	took := time.Since(start)
	return took, out.compare(in)
}

// inMemory sorts the same records in one slice.
func (s settings) inMemory(n int) (time.Duration, error) {
	start := time.Now()
	in := newGenerator()
	all := make([]record, n)
	in.fill(all)
	if err := sorter.Sort(all, keyOf, sorter.Stable(), sorter.Workers(s.workers)); err != nil {
		return 0, err
	}
	out := reader{}
	out.take(all)
	took := time.Since(start)
	return took, out.compare(in)
}

// generator makes records, and sums them.
type generator struct{ state, n, sum uint64 }

func newGenerator() *generator { return &generator{} }

func (g *generator) fill(all []record) {
	for i := range all {
		g.state += 0x9e3779b97f4a7c15 // splitmix64
		key := g.state
		key = (key ^ key>>30) * 0xbf58476d1ce4e5b9
		key = (key ^ key>>27) * 0x94d049bb133111eb
		key ^= key >> 31
		all[i] = record{Key: key, At: g.n}
		g.n++
		g.sum += key ^ all[i].At
	}
}

// reader sums records, and sees whether they are in order.
type reader struct {
	n, sum, last uint64
	disorder     bool
}

func (r *reader) take(batch []record) {
	for i := range batch {
		e := &batch[i]
		r.disorder = r.disorder || e.Key < r.last
		r.last = e.Key
		r.sum += e.Key ^ e.At
	}
	r.n += uint64(len(batch))
}

func (r *reader) compare(in *generator) error {
	if r.disorder || r.n != in.n || r.sum != in.sum {
		return fmt.Errorf("%d of %d records, out of order: %v, sums %x and %x", r.n, in.n, r.disorder, r.sum, in.sum)
	}
	return nil
}

const head = "| times memory | records | GB | extsort, s | least–most | ns each | runs | runs merged before | in memory, ns each |"

// write writes the table.
func (s settings) write(w io.Writer, rows []row) {
	fmt.Fprintf(w, "# extsort over sizes\n\n%s\n\n", machine.This())
	fmt.Fprintf(w, "Records of %d bytes by a random 64-bit key, from a generator to a reader; memory limit %d MiB,\n%d workers, no compression; medians of rounds: %d. In memory: `sorter.Sort` of one slice, without a limit.\nGenerator and reader are part of all times.\n\n", recordBytes, s.memory>>20, s.workers, s.rounds)
	fmt.Fprintf(w, "%s\n|%s\n", head, strings.Repeat("---:|", strings.Count(head, "|")-1))
	for _, r := range rows {
		all := slices.Sorted(slices.Values(r.external))
		mid := all[len(all)/2]
		held := ""
		if len(r.inMemory) > 0 {
			held = table.Short(each(slices.Sorted(slices.Values(r.inMemory))[len(r.inMemory)/2], r.n))
		}
		table.Row(w, fmt.Sprint(r.multiple), fmt.Sprint(r.n), table.Short(float64(r.n)*recordBytes/1e9),
			table.Short(mid.Seconds()), fmt.Sprintf("%s–%s", table.Short(all[0].Seconds()), table.Short(all[len(all)-1].Seconds())),
			table.Short(each(mid, r.n)), strconv.Itoa(r.stats.Runs), strconv.Itoa(r.stats.Merges), held)
	}
}

func each(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / float64(n) }
