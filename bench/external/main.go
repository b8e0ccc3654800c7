// Command external compares sorts of more than memory holds. Each sort runs in a process of its
// own, in turns, with caches of files dropped before it where the system allows that. The table has
// the median, the spread and the largest memory of the process and of those that it started.
//
//	go run . -job records -n 20000000 -memory 256
//	go run . -job lines -n 15000000 -memory 512 -group 1024
//	go run . -job csv -n 100000000 -memory 512
//	go run . -job arrow -n 20000000 -memory 256
//	go run -tags duckdb . -job trips -n 20000000 -memory 1024
//
// Jobs: records of 24 bytes with random 64-bit keys, from a generator to a reader; lines of 100
// bytes with random keys of 10 characters, as gensort makes them, from file to file; and rows of CSV
// by two columns, from file to file; a table of five columns by two of them, in Arrow IPC, or, for DuckDB,
// in a database of its own; and trips of 20 columns by one, from Parquet file to Parquet file. With -keep their input stays for later runs, and with -series
// their results: the table is of all runs so far, where one command would take too long. GNU sort takes
// part where it is installed, DuckDB with the tag duckdb, which takes cgo:
//
//	go run -tags duckdb . -job records
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/sorter/internal/cgroup"
)

// task is the input and the options of a sort.
type task struct {
	n       int
	memory  int64 // bytes
	group   int64 // bytes of the control group, 0: none
	workers int
	dir     string   // of runs
	tool    string   // the program filesort
	in, out string   // files, of jobs that have them
	want    *fileSum // of the input, once it is known
	read    *reader
}

// contestant is a sort. Its time is that of run.
type contestant struct {
	name    string
	run     func(t task) error
	streams bool // hands records to task.read
}

// contest is what contestants do.
type contest struct {
	unit  string
	make  func(t task) error // writes the input file; nil without files
	check func(t task) error // of the output file
	sorts []contestant
}

var jobs = map[string]contest{
	"records": {"24-byte records", nil, nil, slices.Concat([]contestant{
		{"sorter/extsort", sortOurs, true},
		{"sorter/extsort, GOMAXPROCS 4 more", sortOursOnMore, true},
		{"lanrat/extsort", sortLanrat, true},
		{"in memory: sorter.Sort", sortInMemory, true},
	}, duckRecords)},
	"lines": {"100-byte lines", makeLines, checkLines, slices.Concat([]contestant{
		{"filesort", func(t task) error { return fileSort(t) }, false},
		{"GNU sort", func(t task) error { return gnuSort(t) }, false},
		{"lanrat/extsort", linesByLanrat, false},
	}, duckLines)},
	"csv": {"rows of CSV", makeRows, checkRows, slices.Concat([]contestant{
		{"filesort", func(t task) error { return fileSort(t, "-format", "csv", "-no-header", "-by", "2:string,3:float:desc") }, false},
		{"GNU sort", func(t task) error { return gnuSort(t, "-s", "-t,", "-k2,2", "-k3,3nr") }, false},
	}, duckRows)},
	"arrow": {"rows of Arrow", makeTable, nil, slices.Concat([]contestant{
		{"arrowsort.SortReader", tableByReader, false},
		{"row objects, sort.Slice and a heap", tableByRows, false},
	}, duckTable)},
	"trips": {"rows of Parquet", makeTrips, checkTrips, slices.Concat([]contestant{
		{"parquetsort.SortFile", tripsByUs, false},
	}, duckTrips)},
}

// result is what one run reports.
type result struct {
	Seconds float64
	CPU     float64 // seconds of processors, of all threads and processes
	Memory  int64   // largest resident set of a process, bytes
}

func main() {
	var t task
	name := flag.String("job", "records", "records, lines, csv, arrow or trips")
	flag.IntVar(&t.n, "n", 20e6, "records, lines or rows")
	memory := flag.Int64("memory", 256, "memory of a sort, in MiB")
	group := flag.Int64("group", 0, "MiB of a control group for each sort, files in memory included; 0: none")
	flag.IntVar(&t.workers, "workers", 2, "goroutines or threads of a sort")
	flag.StringVar(&t.dir, "dir", os.TempDir(), "directory of runs, input and output")
	rounds := flag.Int("rounds", 5, "runs of each sort")
	only := flag.String("only", "", "sorts whose names have this text")
	flag.StringVar(&t.tool, "filesort", "", "the program filesort (default: built)")
	series := flag.String("series", "", "file of the results of earlier runs with the same arguments, to which this one adds")
	keep := flag.Bool("keep", false, "leave the input in the directory; a later run with the same job and number takes it")
	child := flag.String("child", "", "run this sort and report (used by the command itself)")
	flag.Parse()
	c, ok := jobs[*name]
	if !ok {
		must(fmt.Errorf("no job %q", *name))
	}
	t.memory, t.group = *memory<<20, *group<<20
	if c.make != nil {
		t.in = filepath.Join(t.dir, fmt.Sprintf("external-%s-%d.in", *name, t.n))
		t.out = filepath.Join(t.dir, "external-"+*name+".out")
	}
	if *child != "" {
		must(report(c, *child, t))
		return
	}
	must(compare(c, t, *rounds, *only, *series, *keep))
}

// compare runs the contestants in turns and prints the table.
func compare(c contest, t task, rounds int, only, series string, keep bool) error {
	var args []string
	if c.make != nil {
		if t.tool == "" {
			tool, err := buildTool()
			if err != nil {
				return err
			}
			defer os.RemoveAll(filepath.Dir(tool))
			args = []string{"-filesort", tool}
		}
		if err := c.make(t); err != nil {
			return err
		}
		if !keep {
			defer os.Remove(t.in)
		}
		defer os.Remove(t.out)
		t.want = new(fileSum)
	}
	results, err := earlier(series)
	if err != nil {
		return err
	}
	failed, dropped := c.takeTurns(t, rounds, only, args, results)
	if err := save(series, results); err != nil {
		return err
	}
	write, read, err := bandwidth(t.dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d %s, %d MiB, group of %d MiB, %d workers, caches %s; disk: write %.2f, read %.2f GB/s\n\n",
		t.n, c.unit, t.memory>>20, t.group>>20, t.workers, dropped, write, read)
	c.print(t, results, failed)
	return errors.Join(failed...)
}

// takeTurns runs the sorts whose names have a text, in turns, and adds to results. A sort that fails
// is not run again. dropped says whether caches of files were dropped.
func (c contest) takeTurns(t task, rounds int, only string, args []string, results map[string][]result) (failed []error, dropped string) {
	failed, dropped = make([]error, len(c.sorts)), "not dropped"
	for range rounds {
		for i, s := range c.sorts {
			if !strings.Contains(s.name, only) || failed[i] != nil {
				continue
			}
			if dropCaches() == nil {
				dropped = "dropped"
			}
			r, err := inChild(s.name, args, t.group)
			if err == nil && c.check != nil {
				err = c.check(t)
			}
			if failed[i] = err; err == nil {
				results[s.name] = append(results[s.name], r)
			}
		}
	}
	return failed, dropped
}

// print prints the table.
func (c contest) print(t task, results map[string][]result, failed []error) {
	fmt.Println("| sort | s, median | least–most | CPU s | ns each | peak MB |\n|-|-|-|-|-|-|")
	for i, s := range c.sorts {
		all := results[s.name]
		if failed[i] != nil {
			fmt.Printf("| %s | failed: %v | | | | |\n", s.name, failed[i])
		}
		if len(all) == 0 {
			continue
		}
		slices.SortFunc(all, func(a, b result) int { return int((a.Seconds - b.Seconds) * 1e6) })
		mid := all[len(all)/2]
		fmt.Printf("| %s | %.2f | %.2f–%.2f | %.1f | %.1f | %d |\n", s.name, mid.Seconds, all[0].Seconds, all[len(all)-1].Seconds,
			mid.CPU, mid.Seconds*1e9/float64(t.n), mid.Memory>>20)
	}
}

// earlier returns the results, by sort, that save has written to a file, or none without one.
func earlier(series string) (all map[string][]result, err error) {
	all = map[string][]result{}
	text, err := os.ReadFile(series)
	if series == "" || errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

func save(series string, all map[string][]result) error {
	if series == "" {
		return nil
	}
	text, err := json.Marshal(all)
	if err == nil {
		err = os.WriteFile(series, text, 0o666)
	}
	return err
}

// buildTool builds filesort in a new directory.
func buildTool() (string, error) {
	dir, err := os.MkdirTemp("", "external-")
	if err != nil {
		return "", err
	}
	tool := filepath.Join(dir, "filesort")
	cmd := exec.Command("go", "build", "-C", "../../cmd/filesort", "-o", tool, ".")
	cmd.Stderr = os.Stderr
	return tool, cmd.Run()
}

// inChild runs a sort in a process of its own, in a control group if there is to be one.
func inChild(name string, args []string, group int64) (r result, err error) {
	cmd := exec.Command(os.Args[0], slices.Concat(os.Args[1:], args, []string{"-child", name})...)
	cmd.Stderr = os.Stderr
	if group > 0 {
		dir, err := cgroup.Make(group)
		if err != nil {
			return r, fmt.Errorf("control group: %w", err)
		}
		defer os.Remove(dir)
		cmd.Env = append(os.Environ(), groupVariable+"="+dir)
	}
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

// report runs a sort and prints the result.
func report(c contest, name string, t task) error {
	if err := enterGroup(); err != nil {
		return err
	}
	i := slices.IndexFunc(c.sorts, func(s contestant) bool { return s.name == name })
	t.read = new(reader)
	start := time.Now()
	if err := c.sorts[i].run(t); err != nil {
		return err
	}
	r := result{Seconds: time.Since(start).Seconds()}
	if c.sorts[i].streams {
		if err := t.read.end(t.n); err != nil {
			return err
		}
	}
	for _, whose := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(whose, &used); err != nil {
			return err
		}
		r.Memory = max(r.Memory, used.Maxrss<<10)
		r.CPU += float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "external:", err)
		os.Exit(1)
	}
}
