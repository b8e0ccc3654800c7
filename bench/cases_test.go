package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/sorter/bench/internal/table"
	"example.com/sorter/internal/dist"
)

// TestContenders runs everything once on every usual distribution: what is
// measured must be right.
func TestContenders(t *testing.T) {
	for _, name := range usualDists {
		v := values(dist.Named(name), 1000)[:3000]
		for _, c := range cases {
			w := c.Build(v, 1000)
			for _, x := range w.Contenders {
				w.Restore()
				for run := range w.Count {
					x.Sort(run)
				}
				if err := w.Check(); err != nil {
					t.Errorf("%s, %s: %s: %v", c.Name, name, x.Name, err)
				}
			}
		}
	}
}

// TestCheck holds the verification to its word: unsorted data and a lost
// element must be noticed, or TestContenders proves nothing.
func TestCheck(t *testing.T) {
	for _, c := range cases {
		w := c.Build(values(dist.Named("uniform"), 1000), 1000)
		w.Restore()
		if w.Check() == nil {
			t.Errorf("%s: unsorted runs pass", c.Name)
		}
	}
	d := newData([]uint64{1, 2, 3}, 3, newRec24)
	copy(d.work, d.master)
	d.work[1] = d.work[0]
	if d.complete() == nil {
		t.Error("a lost element goes unnoticed")
	}
	d = newData([]uint64{1, 1}, 2, newRec24)
	d.work[0], d.work[1] = d.master[1], d.master[0]
	if d.workload(compareRec24Stable).Check() == nil {
		t.Error("exchanged ties go unnoticed")
	}
}

// TestBaselines holds the table to names that exist.
func TestBaselines(t *testing.T) {
	has := func(w *workload, name string) bool {
		for _, x := range w.Contenders {
			if x.Name == name {
				return true
			}
		}
		return false
	}
	built := map[string]*workload{}
	for _, c := range cases {
		w := c.Build(values(dist.Named("uniform"), 10), 10)
		built[c.Name] = w
		if !has(w, c.Baseline) || !has(w, ours) || !has(w, oursSerial) {
			t.Errorf("%s lacks %q or our own rows", c.Name, c.Baseline)
		}
		for _, x := range w.Contenders {
			if _, ok := looks[x.Name]; !ok {
				t.Errorf("%s: no colour for %q", c.Name, x.Name)
			}
		}
	}
	for _, target := range targets {
		named := target.Versus != bestPeer && target.Versus != bestOther
		optional := target.Versus == zermeloName || target.Versus == sortsName
		w := built[target.Case]
		if w == nil || !has(w, target.Row) || named && !has(w, target.Versus) && !(optional && !withPeers) {
			t.Errorf("target %+v names what does not exist", target)
		}
	}
}

// TestCommand runs the whole command on tiny inputs and checks its output.
func TestCommand(t *testing.T) {
	s, err := parse([]string{"-n", "10,1e3", "-reps", "1", "-batch", "1us", "-out", t.TempDir(), "-name", "here"})
	if err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if err := s.run(&out, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| u32 |", "slices.SortStableFunc", "# Targets", "zipf"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	for _, name := range []string{"table.md", "targets.md", "results.csv", "struct24.svg", "struct24.png", "leads.svg"} {
		info, err := os.Stat(filepath.Join(s.out, "here", name))
		if err != nil || info.Size() == 0 {
			t.Errorf("%s is missing or empty: %v", name, err)
		}
	}
}

func TestSizes(t *testing.T) {
	sizes, err := parseSizes("1e3, 10,5e7,10")
	if err != nil || len(sizes) != 3 || sizes[0] != 10 || sizes[2] != 5e7 {
		t.Errorf("got %v, %v", sizes, err)
	}
	for _, bad := range []string{"", "0", "1.5", "x", "1e12"} {
		if _, err := parseSizes(bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestSummary(t *testing.T) {
	four := trial{times: []time.Duration{50, 10, 20, 30}}
	if x := four.summary(10); x.Median != 2.5 || x.Min != 1 || x.Max != 5 || x.Reps != 4 {
		t.Errorf("got %+v", x)
	}
	for n, want := range map[int]string{10: "10", 100: "100", 1000: "10³", 50000000: "5·10⁷", 1234: "1234"} {
		if got := table.Power(n); got != want {
			t.Errorf("table.Power(%d) = %s, want %s", n, got, want)
		}
	}
}
