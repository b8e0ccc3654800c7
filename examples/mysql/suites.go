package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"

	"example.com/sorter/examples/mysql/patch"
)

// A suite is tests of a package of the engine.
type suite struct{ folder, run string }

var suites = []suite{
	{"sql/expression/function/aggregation", "."},
	{"sql/rowexec", "Sort|Window|GroupBy"},
	{"enginetest", "^(TestQueries|TestQueriesSimple|TestScripts|TestOrderByGroupBy|TestWindowFunctions|TestWindowRangeFrames|" +
		"TestNamedWindows|TestCollationCoercion|TestCharsetCollationEngine)$"},
}

// compareSuites runs the suites with both engines. A test with two results is an error.
func compareSuites(e *patch.Engine, args []string) error {
	flags := flag.NewFlagSet("suites", flag.ExitOnError)
	run := flags.String("run", "", "tests of the package enginetest instead of those chosen")
	_ = flags.Parse(args) // exits on errors
	chosen := suites
	if *run != "" {
		chosen = []suite{{"enginetest", *run}}
	}
	var failed error
	for _, s := range chosen {
		failed = errors.Join(failed, s.compare(e, os.Stdout))
	}
	return failed
}

// compare runs the suite with both engines and prints the numbers of results.
func (s suite) compare(e *patch.Engine, w io.Writer) error {
	original, err := s.results("")
	if err != nil {
		return err
	}
	patched, err := s.results(e.ModFile)
	if err != nil {
		return err
	}
	if len(original) == 0 {
		return fmt.Errorf("%s: no tests match %s", s.folder, s.run)
	}
	different := 0
	for _, name := range union(original, patched) {
		if original[name] != patched[name] {
			different++
			fmt.Fprintf(w, "%s: %s with the original, %s with the patched engine\n", name, orNone(original[name]), orNone(patched[name]))
		}
	}
	fmt.Fprintf(w, "%s: original %s, patched %s, %d differ\n", s.folder, tally(original), tally(patched), different)
	if different > 0 {
		return fmt.Errorf("%s: %d tests differ", s.folder, different)
	}
	return nil
}

// results returns pass, fail or skip by the name of the test.
func (s suite) results(modFile string) (map[string]string, error) {
	// Format strings of the engine's release do not pass the vet of newer versions of Go.
	args := []string{"test", "-json", "-vet=off", "-timeout=1h", "-run", s.run, patch.Package(s.folder)}
	if modFile != "" {
		args = slices.Insert(args, 1, "-modfile="+modFile)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	results, err := read(out)
	var exit *exec.ExitError
	if waited := cmd.Wait(); err == nil && waited != nil && (!errors.As(waited, &exit) || len(results) == 0) {
		err = fmt.Errorf("go test %s: %w", s.folder, waited)
	}
	return results, err
}

// read reads the results from what go test -json prints.
func read(r io.Reader) (map[string]string, error) {
	results := map[string]string{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return results, nil
		}
		if err != nil {
			return nil, err
		}
		var event struct{ Action, Test string }
		if json.Unmarshal(line, &event) != nil {
			continue // printed by the tests past go test
		}
		switch event.Action {
		case "pass", "fail", "skip":
			results[event.Test] = event.Action // of the package itself under no name
		}
	}
}

// union returns the names of both, in order.
func union(a, b map[string]string) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	return slices.Sorted(maps.Keys(names))
}

func orNone(result string) string {
	if result == "" {
		return "not run"
	}
	return result
}

// tally counts the results of tests.
func tally(results map[string]string) string {
	count := map[string]int{}
	for name, result := range results {
		if name != "" {
			count[result]++
		}
	}
	return fmt.Sprintf("%d pass, %d fail, %d skip", count["pass"], count["fail"], count["skip"])
}
