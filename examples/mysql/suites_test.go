package main

import (
	"os"
	"strings"
	"testing"

	"example.com/sorter/examples/mysql/patch"
)

// TestSuites compares the engine's tests of windows and GROUP_CONCAT. All suites take half an hour
// on two cores where nothing is compiled yet: go run . suites.
func TestSuites(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of the engine, twice")
	}
	e, err := patch.Make()
	if err != nil {
		t.Fatal(err)
	}
	if err := suites[0].compare(e, os.Stdout); err != nil {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	results, err := read(strings.NewReader(`{"Action":"run","Test":"A"}
not of go test
{"Action":"pass","Test":"A/b"}
{"Action":"fail","Test":"A"}
{"Action":"fail"}
`))
	if err != nil || tally(results) != "1 pass, 1 fail, 0 skip" || results[""] != "fail" {
		t.Errorf("%v, error %v", results, err)
	}
	if got := union(results, map[string]string{"C": "skip"}); strings.Join(got, " ") != " A A/b C" {
		t.Errorf("%q", got)
	}
}
