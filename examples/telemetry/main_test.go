package main

import (
	"strings"
	"testing"
)

// TestRun has a span with its stages, and a line of the log, for each sort, and both histograms.
func TestRun(t *testing.T) {
	var out, log strings.Builder
	if err := run(&out, &log); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `"Name":"sort"`); n != 2 {
		t.Errorf("%d spans of sorts", n)
	}
	for _, want := range []string{`"Name":"extract"`, `"Name":"sorter.elements"`, `"Name":"sorter.duration"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	if n := strings.Count(log.String(), "msg=sort elements=1000000"); n != 2 {
		t.Errorf("%d lines: %s", n, log.String())
	}
}
