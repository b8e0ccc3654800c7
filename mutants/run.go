package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Verdicts on a mutant. A process that takes much longer than without it counts as killed: it does not end,
// or takes all memory.
const (
	killed    = "killed"
	timedOut  = "timeout"
	survived  = "survived"
	unreached = "unreached" // no test executes it
)

// runner runs mutants.
type runner struct {
	dir, root string
	plan      Plan
	end       time.Time
	processes int

	mutex sync.Mutex
	tests []*test
	out   *bufio.Writer
}

// test is a test function, and the mutants that it reaches.
type test struct {
	binary  Binary
	name    string
	seconds float64
	reached map[int]bool
}

// run runs the tests that reach each mutant.
func run(args []string) error {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	r := &runner{}
	flags.StringVar(&r.dir, "dir", "", "folder of the build")
	flags.StringVar(&r.root, "root", "..", "the module, whose folders tests run in")
	flags.IntVar(&r.processes, "p", 2, "processes at a time")
	seconds := flags.Int("t", 1<<30, "seconds after which no other mutant begins")
	out := flags.String("o", "", "file of the results")
	only := flags.String("only", "", "packages, a regular expression")
	but := flags.String("but", "", "a file of results: not those that it has as killed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r.end = time.Now().Add(time.Duration(*seconds) * time.Second)
	if err := r.load(*out); err != nil {
		return err
	}
	wanted := regexp.MustCompile(*only)
	done, err := killedIn(*but)
	if err != nil {
		return err
	}
	tests := r.trace(wanted)
	var work []func()
	for _, m := range r.plan.Mutants {
		if wanted.MatchString(m.Package) && !done[m.Key()] {
			work = append(work, func() { r.try(&m, tests) })
		}
	}
	// Mutants of a package follow each other in the plan. Mixed, an early end leaves a sample of all.
	mixed := make([]func(), 0, len(work))
	const step = 97 // any prime
	for first := range step {
		for i := first; i < len(work); i += step {
			mixed = append(mixed, work[i])
		}
	}
	r.each(mixed)
	return r.out.Flush()
}

func (r *runner) load(out string) error {
	text, err := os.ReadFile(filepath.Join(r.dir, "plan.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &r.plan); err != nil {
		return err
	}
	for _, path := range []*string{&r.dir, &r.root} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	r.out = bufio.NewWriter(f)
	return nil
}

// each calls functions, as many at a time as there are processes, until the time is over.
func (r *runner) each(work []func()) {
	var wg sync.WaitGroup
	next := make(chan func())
	for range r.processes {
		wg.Go(func() {
			for f := range next {
				if time.Now().Before(r.end) {
					f()
				}
			}
		})
	}
	for _, f := range work {
		next <- f
	}
	close(next)
	wg.Wait()
}

// limits bound memory, and the size of a file, of a process whose mutant asks for too much.
const limits = `ulimit -v 16000000 -f 4000000 2>/dev/null; exec "$@"`

// process runs tests of a binary. It reports whether they pass, and whether the time was over.
func (r *runner) process(b Binary, tests string, most time.Duration, environment ...string) (passed, over bool, output string) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(temp)
	cmd := exec.CommandContext(ctx, "sh", "-c", limits, "sh", filepath.Join(r.dir, b.Name), "-test.short", "-test.failfast", "-test.run", tests)
	cmd.Dir, cmd.WaitDelay = filepath.Join(r.root, b.Folder), time.Second
	cmd.Env = append(os.Environ(), append(environment, "TMPDIR="+temp, "GOMAXPROCS=2", "GOTRACEBACK=none")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	text, err := cmd.CombinedOutput()
	return err == nil, ctx.Err() != nil, string(text)
}

var isTest = regexp.MustCompile(allTests)

// trace runs each test by itself, to know which mutants it reaches. A test that fails without a mutant is left out.
func (r *runner) trace(wanted *regexp.Regexp) []*test {
	var work []func()
	for _, b := range r.plan.Binaries {
		mine, of := false, regexp.MustCompile(b.Of)
		for _, m := range r.plan.Mutants {
			mine = mine || wanted.MatchString(m.Package) && of.MatchString(m.Package)
		}
		if !mine {
			continue
		}
		out, err := exec.Command(filepath.Join(r.dir, b.Name), "-test.list", b.Tests).Output()
		if err != nil {
			fmt.Println(b.Name, err)
			continue
		}
		for _, name := range strings.Fields(string(out)) {
			if isTest.MatchString(name) {
				work = append(work, func() { r.traced(&test{binary: b, name: name}) })
			}
		}
	}
	r.each(work)
	fmt.Printf("%d of %d tests traced\n", len(r.tests), len(work))
	slices.SortFunc(r.tests, func(a, b *test) int { return cmp.Compare(a.seconds, b.seconds) })
	return r.tests
}

func (r *runner) traced(t *test) {
	file := filepath.Join(os.TempDir(), fmt.Sprintf("trace%d-%s-%s", os.Getpid(), t.binary.Name, t.name))
	defer os.Remove(file)
	begin := time.Now()
	passed, _, output := r.process(t.binary, "^"+t.name+"$", 5*time.Minute, "MUTANT_TRACE="+file)
	t.seconds, t.reached = time.Since(begin).Seconds(), map[int]bool{}
	text, _ := os.ReadFile(file) // a test that reaches nothing makes none
	for line := range strings.Lines(string(text)) {
		id, _ := strconv.Atoi(strings.TrimSpace(line))
		t.reached[id] = true
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !passed {
		fmt.Printf("%s of %s fails without a mutant:\n%.1500s\n", t.name, t.binary.Folder, output)
		return
	}
	r.tests = append(r.tests, t)
}

// try runs the tests that reach a mutant until one fails.
func (r *runner) try(m *Mutant, tests []*test) {
	begin, verdict, by := time.Now(), unreached, ""
	for _, stage := range r.stages(m, tests) {
		if verdict != unreached && verdict != survived {
			break
		}
		var names []string
		seconds := 0.0
		for _, t := range stage {
			names, seconds = append(names, t.name), seconds+t.seconds
		}
		b := stage[0].binary
		most := time.Duration((5*seconds + 5) * float64(time.Second))
		passed, over, output := r.process(b, "^("+strings.Join(names, "|")+")$", most, "MUTANT="+strconv.Itoa(m.ID))
		switch by = b.Folder; {
		case over:
			verdict = timedOut
		case !passed:
			verdict, by = killed, by+" "+failed(output)
		default:
			verdict = survived
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	fmt.Fprintf(r.out, "%s\t%.1f\t%d\t%s:%d\t%s\t%s\n", verdict, time.Since(begin).Seconds(), m.ID, m.File, m.Line, strings.TrimSpace(by), m.Key())
	_ = r.out.Flush() // the last one reports
}

// stages returns the tests that reach a mutant, by process: first those of its own package.
func (r *runner) stages(m *Mutant, tests []*test) (stages [][]*test) {
	binaries := slices.Clone(r.plan.Binaries)
	slices.SortStableFunc(binaries, func(a, b Binary) int {
		own := map[bool]int{true: 0, false: 1}
		return cmp.Compare(own[a.Folder == m.Package], own[b.Folder == m.Package])
	})
	for _, b := range binaries {
		var quick []*test
		var slow [][]*test // each by itself: a mutant that one of them kills does not wait for others
		for _, t := range tests {
			switch {
			case t.binary.Name != b.Name || !t.reached[m.ID] || !regexp.MustCompile(b.Of).MatchString(m.Package):
			case t.seconds < 0.5:
				quick = append(quick, t)
			default:
				slow = append(slow, []*test{t})
			}
		}
		if len(quick) > 0 {
			stages = append(stages, quick)
		}
		stages = append(stages, slow...)
	}
	return stages
}

// failed returns the name of the test that failed, as far as the output has it.
func failed(output string) string {
	if _, rest, ok := strings.Cut(output, "--- FAIL: "); ok {
		return strings.Fields(rest)[0]
	}
	return "panic"
}
