//go:build linux

// Command limits runs calls of all packages in control groups whose hard limit is the memory that they promise, and
// prints how much they took.
//
//	go run ./limits -memory 64 -times 4 -tool filesort
//
// Each call runs in a process of its own. When its input is made, the process enters a new control group, whose hard
// limit is the memory limit of the call and the bytes that the documents allow beside. A process that takes more from then
// on is killed. The group counts pages of files, too, but the system takes these back; the numbers are without them.
// A cell with "killed" has the number of a run without the hard limit. It needs a right to make control groups.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.com/sorter"
	"example.com/sorter/internal/cgroup"
)

// setting is the surroundings of a process.
type setting struct {
	name  string
	procs int  // GOMAXPROCS
	files int  // RLIMIT_NOFILE, 0: as it is
	soft  bool // GOMEMLIMIT is the hard limit
}

var settings = []setting{
	{name: "GOMAXPROCS 1", procs: 1},
	{name: "2", procs: 2},
	{name: "64", procs: 64},
	{name: "2, GOMEMLIMIT", procs: 2, soft: true},
	{name: "8, 40 files", procs: 8, files: 40},
}

// outcome is the result of a process.
type outcome struct {
	Grown  int64 // bytes of resident memory, at most
	Error  string
	Killed bool
}

// task is what a call is given.
type task struct {
	Call   string
	Memory int64 // the limit that it is told, bytes
	Input  int64 // bytes, about
	Dir    string
	Tool   string // the program filesort
	In     setting
	Free   bool // no hard limit
}

// role is the variable that has the task of a process.
const role = "SORTER_LIMITS_TASK"

func main() {
	log.SetFlags(0)
	if text := os.Getenv(role); text != "" {
		var t task
		check(json.Unmarshal([]byte(text), &t))
		check(json.NewEncoder(os.Stdout).Encode(t.outcome()))
		return
	}
	memory := flag.Int64("memory", 64, "memory limit of the calls, MiB")
	times := flag.Int64("times", 4, "bytes of the input, times the limit")
	dir := flag.String("dir", ".", "where files are made, on a disk")
	tool := flag.String("tool", "", "the program filesort; without one its calls are left out")
	only := flag.String("only", "", "calls whose names have this")
	flag.Parse()
	scratch, err := os.MkdirTemp(*dir, "limits-")
	check(err)
	defer os.RemoveAll(scratch)

	fmt.Printf("%s, %d processors, %d MiB of memory, %d MiB of input\n\n", runtime.Version(), runtime.NumCPU(), *memory, *memory**times)
	head := []string{"call, MiB grown", "allowed"}
	for _, s := range settings {
		head = append(head, s.name)
	}
	printRow(head)
	printRow(append([]string{"---"}, slices.Repeat([]string{"---:"}, len(head)-1)...))
	failed := false
	for _, c := range calls {
		if !strings.Contains(c.name, *only) || c.tool && *tool == "" {
			continue
		}
		row := []string{c.name, fmt.Sprint((*memory<<20 + c.beside(*memory<<20)) >> 20)}
		for _, s := range settings {
			t := task{c.name, *memory << 20, *memory * *times << 20, scratch, *tool, s, false}
			o := measure(t)
			if o.Killed {
				t.Free, failed = true, true
				o = measure(t)
				o.Error = fmt.Sprintf("killed; %d", o.Grown>>20)
			}
			row = append(row, cmp.Or(o.Error, fmt.Sprint(o.Grown>>20)))
		}
		printRow(row)
	}
	if failed {
		os.RemoveAll(scratch)
		os.Exit(1)
	}
}

// printRow prints a row of a table.
func printRow(cells []string) { fmt.Printf("| %s |\n", strings.Join(cells, " | ")) }

// measure runs a task in a process of its own.
func measure(t task) (o outcome) {
	text, err := json.Marshal(t)
	check(err)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), role+"="+string(text), "GOMAXPROCS="+strconv.Itoa(t.In.procs))
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return outcome{Killed: cmd.ProcessState.ExitCode() < 0, Error: fmt.Sprintf("%v %.200s", err, failure.String())}
	}
	check(json.Unmarshal(out.Bytes(), &o))
	return o
}

// outcome makes the input, enters a group and runs the call.
func (t task) outcome() (o outcome) {
	c := callOf(t.Call)
	run, err := c.make(t)
	check(err)
	hard := t.Memory + c.beside(t.Memory)
	debug.FreeOSMemory() // what was freed is taken from the new group again
	limit := hard
	if t.Free {
		limit = math.MaxInt64 >> 12 << 12
	}
	group, err := cgroup.Make(limit)
	check(err)
	defer leave(group)
	if t.In.soft {
		debug.SetMemoryLimit(hard + resident("VmRSS:"))
		check(os.Setenv("GOMEMLIMIT", strconv.FormatInt(hard, 10))) // of the tool
	}
	if n := uint64(t.In.files); n > 0 {
		check(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}))
	}
	check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // the most resident memory counts from here
	before := resident("VmRSS:")
	check(cgroup.Enter(group))
	switch err := run(); {
	case errors.Is(err, sorter.ErrMemoryLimit):
		o.Error = "refused"
	case err != nil:
		o.Error = err.Error()
	}
	o.Grown = resident("VmHWM:") - before
	if c.tool {
		var used unix.Rusage
		check(unix.Getrusage(unix.RUSAGE_CHILDREN, &used))
		o.Grown = used.Maxrss << 10
	}
	return o
}

// leave moves the process out of a group, and removes that.
func leave(group string) {
	check(cgroup.Enter(group + "/.."))
	for range 100 {
		if os.Remove(group) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// resident returns a number of the process's own memory, in bytes.
func resident(name string) int64 {
	f, err := os.Open("/proc/self/status")
	check(err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			check(err)
			return n << 10
		}
	}
	check(errors.New("the system does not say " + name))
	return 0
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
