package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
)

func TestMeterShowsLongRuns(t *testing.T) {
	var screen bytes.Buffer
	m := &meter{out: &screen, begun: time.Now().Add(-time.Minute)}
	m.stage("read", "bytes", 2048)
	m.add(1024)
	m.stage("sort", "rows", 10)
	m.progress(sorter.Progress{Stage: "gather", Done: 5, Total: 10})
	m.close()
	for _, want := range []string{"read", " 50% ", "1.0/2.0 kB", "sort: gather"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("no %q on %q", want, screen.String())
		}
	}
	if line := screen.String()[strings.LastIndex(screen.String(), "\r")+1:]; strings.TrimSpace(line) != "" {
		t.Errorf("the last line is left as %q", line)
	}
}

func TestMeterIsQuiet(t *testing.T) {
	var screen bytes.Buffer
	short := &meter{out: &screen, begun: time.Now().Add(time.Hour)} // however busy the machine is
	pipe := newMeter(&screen, false)                                // no terminal
	for _, m := range []*meter{short, pipe} {
		m.stage("read", "bytes", 10)
		m.add(10)
		m.close()
	}
	if screen.Len() > 0 {
		t.Errorf("a short run and a pipe show %q", screen.String())
	}
}

func TestMeterRemembersStages(t *testing.T) {
	m := newMeter(io.Discard, true)
	m.stage("read", "bytes", 10)
	m.stage("parse", "bytes", 10)
	m.close()
	var b bytes.Buffer
	m.print(&b)
	if lines := strings.Split(b.String(), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "read   ") || !strings.HasPrefix(lines[1], "parse  ") {
		t.Errorf("got\n%s", b.String())
	}
}
