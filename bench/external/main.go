// Command external compares sorts of more elements than memory holds: 24-byte structs with
// random 64-bit keys, from a generator to a reader that checks them. Each sort runs in a
// process of its own, in turns, and the table has the median, the spread and the largest
// memory of the process.
//
//	go run ./external -n 20000000 -memory 256 -rounds 5
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// record is an element: a key, and where it was in the input.
type record struct{ Key, At, Pad uint64 }

// task is what a sort is asked for.
type task struct {
	n       int
	memory  int64 // bytes
	workers int
	dir     string
}

// sorts are the contestants. Each yields the sorted records to take.
var sorts = []struct {
	name string
	run  func(t task, take func(record)) error
}{
	{"sorter/extsort", sortOurs},
	{"lanrat/extsort", sortLanrat},
	{"in memory: sorter.Sort", sortInMemory},
}

// result is what one run reports.
type result struct {
	Seconds float64
	Memory  int64 // largest resident set, bytes
}

func main() {
	var t task
	flag.IntVar(&t.n, "n", 20e6, "records")
	memory := flag.Int64("memory", 256, "memory of a sort, in MiB")
	flag.IntVar(&t.workers, "workers", 2, "goroutines of a sort")
	flag.StringVar(&t.dir, "dir", os.TempDir(), "directory of runs")
	rounds := flag.Int("rounds", 5, "runs of each sort")
	only := flag.String("only", "", "sorts whose names have this text")
	child := flag.String("child", "", "run this sort and report (used by the command itself)")
	flag.Parse()
	t.memory = *memory << 20
	if *child != "" {
		must(report(*child, t))
		return
	}
	results := make([][]result, len(sorts))
	for range *rounds {
		for i, s := range sorts {
			if strings.Contains(s.name, *only) {
				r, err := inChild(s.name)
				must(err)
				results[i] = append(results[i], r)
			}
		}
	}
	write, read, err := bandwidth(t.dir)
	must(err)
	fmt.Printf("%d records of 24 bytes, %d MiB, %d workers; disk: write %.2f, read %.2f GB/s\n\n", t.n, *memory, t.workers, write, read)
	fmt.Println("| sort | s | ns/element | spread | peak MB |\n|-|-|-|-|-|")
	for i, s := range sorts {
		if len(results[i]) == 0 {
			continue
		}
		slices.SortFunc(results[i], func(a, b result) int { return int((a.Seconds - b.Seconds) * 1e6) })
		all := results[i]
		mid := all[len(all)/2]
		fmt.Printf("| %s | %.2f | %.1f | %.2f | %d |\n", s.name, mid.Seconds, mid.Seconds*1e9/float64(t.n),
			(all[len(all)-1].Seconds-all[0].Seconds)/mid.Seconds, mid.Memory>>20)
	}
}

// inChild runs a sort in a process of its own.
func inChild(name string) (r result, err error) {
	cmd := exec.Command(os.Args[0], append(os.Args[1:len(os.Args):len(os.Args)], "-child", name)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	err = json.Unmarshal(out, &r)
	r.Memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return r, err
}

// report runs a sort, checks its output and prints the result.
func report(name string, t task) error {
	i := slices.IndexFunc(sorts, func(s struct {
		name string
		run  func(t task, take func(record)) error
	}) bool {
		return s.name == name
	})
	var last, sum uint64
	n := 0
	start := time.Now()
	err := sorts[i].run(t, func(r record) {
		if r.Key < last {
			panic("out of order")
		}
		last = r.Key
		sum += r.Key ^ r.At
		n++
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	want := uint64(0)
	for r := range records(t.n) {
		want += r.Key ^ r.At
	}
	if n != t.n || sum != want {
		return fmt.Errorf("%d records with sum %x, want %d with %x", n, sum, t.n, want)
	}
	return json.NewEncoder(os.Stdout).Encode(result{Seconds: took.Seconds()})
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "external:", err)
		os.Exit(1)
	}
}
