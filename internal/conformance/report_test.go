package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// Report, OnProgress and the choice of the engine.

func TestReport(t *testing.T) {
	for i, v := range verbs {
		for _, n := range []int{10, 1000, scaled(200_000)} {
			if n > 1000 && testkit.ThinnedTo(4, i) {
				continue
			}
			name := fmt.Sprintf("%s, n=%d", v.name, n)
			st := sorter.Stats{Elements: -1, Fallback: errors.New("left over"), Device: "left over"}
			err := v.run(v.input(n), price, sorter.Report(&st), sorter.Workers(2))
			checkReport(t, name, err, st, sorter.Stats{Engine: sorter.CPU().Name(), Elements: n}, "Algorithm", "Shape", "CodeBits")
			checkStats(t, name, &st, n)
		}
	}
}

func checkStats(t *testing.T, name string, st *sorter.Stats, n int) {
	t.Helper()
	for _, c := range []struct {
		field string
		ok    bool
	}{
		{"Device", st.Device == ""},
		{"Algorithm", st.Algorithm != ""},
		{"CodeBits", st.CodeBits > 0 && st.CodeBits <= 64},
		{"Workers", st.Workers >= 1 && st.Workers <= 2},
		{"Rounds", st.Rounds >= 0},
		{"Ties", st.Ties >= 0 && st.Ties <= n},
		{"Scratch", st.Scratch > 0 || n < 200_000},
		{"Total", st.Total > 0},
		{"Stages", len(st.Stages) > 0 || n < 200_000},
	} {
		if !c.ok {
			t.Errorf("%s: %s is wrong in %+v", name, c.field, *st)
		}
	}
	sum := time.Duration(0)
	for _, stage := range st.Stages {
		if sum += stage.Time; stage.Name == "" || stage.Time < 0 {
			t.Errorf("%s: stage %+v", name, stage)
		}
	}
	if sum > st.Total {
		t.Errorf("%s: stages take %v of %v", name, sum, st.Total)
	}
	text := st.String()
	for _, part := range []string{st.Engine, st.Algorithm, fmt.Sprint(n), "total"} {
		if !strings.Contains(text, part) || strings.Contains(text, "%!") {
			t.Errorf("%s: String lacks %q:\n%s", name, part, text)
		}
	}
}

// TestReportShapes has detection name the shapes of inputs.
func TestReportShapes(t *testing.T) {
	const n = 100_000
	up, down, flat := fills(n), fills(n), fills(n)
	for i := range n {
		up[i].Price, down[i].Price, flat[i].Price = float32(i), float32(-i), 1
	}
	for _, c := range []struct {
		want string
		s    []fill
	}{{"sorted", up}, {"reversed", down}, {"flat", flat}, {"", fills(n)}} {
		var st sorter.Stats
		err := sorter.Sort(c.s, price, sorter.Report(&st))
		checkReport(t, "sorting "+c.want, err, st, sorter.Stats{Engine: sorter.CPU().Name(), Shape: c.want, Elements: n, CodeBits: 32}, "Algorithm")
	}
}

// TestReportOfFailures fills Stats also when the call fails.
func TestReportOfFailures(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, opt := range []sorter.Option{sorter.WithContext(ctx), sorter.MemoryLimit(1)} {
		st := sorter.Stats{Elements: -1}
		err := sorter.Sort(fills(100_000), price, opt, sorter.Report(&st))
		if err == nil || st.Elements != 100_000 || st.Engine == "" {
			t.Errorf("error %v, Stats %+v", err, st)
		}
	}
}

func TestAlgorithmNames(t *testing.T) {
	for a := sorter.BucketRadix; a < engine.Algorithms; a++ {
		var st sorter.Stats
		in := fills(testkit.Pick(20_000, 100_000))
		s := slices.Clone(in)
		err := sorter.Sort(s, price, sorter.Use(a), sorter.Report(&st))
		if !sorter.CPU().Runs(a) {
			if !errors.Is(err, sorter.ErrNoDevice) {
				t.Errorf("Use(%v), which no engine here runs: error %v", a, err)
			}
			reportSame(t, fmt.Sprintf("Use(%v), which no engine here runs", a), nil, s, in)
			continue
		}
		checkReport(t, fmt.Sprintf("Use(%v)", a), err, st, sorter.Stats{Engine: sorter.CPU().Name(), Algorithm: a.String(), Elements: len(in), CodeBits: 32}, "Shape")
	}
	if got := sorter.Algorithm(99).String(); !strings.Contains(got, "99") {
		t.Errorf("an unknown algorithm is called %q", got)
	}
}

// TestProgress holds the calls to one at a time, with a known stage, and
// monotone up to the stage's end.
func TestProgress(t *testing.T) {
	for i, v := range verbs {
		for j, n := range []int{10, 5000, 400_000} {
			if testkit.Thinned(i + j) {
				continue
			}
			name := fmt.Sprintf("%s, n=%d", v.name, n)
			var st sorter.Stats
			var busy atomic.Int32
			var calls []sorter.Progress
			err := v.run(v.input(n), price, sorter.Report(&st), sorter.OnProgress(func(p sorter.Progress) {
				if busy.Add(1) != 1 {
					t.Errorf("%s: two calls at a time", name)
				}
				calls = append(calls, p)
				busy.Add(-1)
			}))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(calls) == 0 && n > 5000 {
				t.Errorf("%s: no call", name)
			}
			checkProgress(t, name, calls, &st)
		}
	}
}

func checkProgress(t *testing.T, name string, calls []sorter.Progress, st *sorter.Stats) {
	t.Helper()
	for i, p := range calls {
		if p.Done < 0 || p.Done > p.Total || p.Total <= 0 {
			t.Errorf("%s: call %d: %+v", name, i, p)
		}
		if !slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == p.Stage }) {
			t.Errorf("%s: call %d: stage %q is not in Stats: %v", name, i, p.Stage, st.Stages)
		}
		last := i+1 == len(calls) || calls[i+1].Stage != p.Stage
		switch {
		case last && p.Done != p.Total:
			t.Errorf("%s: stage %q ends at %d of %d", name, p.Stage, p.Done, p.Total)
		case !last && p.Done != p.Total && calls[i+1].Done < p.Done:
			t.Errorf("%s: stage %q goes from %d back to %d", name, p.Stage, p.Done, calls[i+1].Done)
		}
	}
}

func TestBackends(t *testing.T) {
	all := sorter.Backends()
	if len(all) == 0 || all[0].Name() != sorter.CPU().Name() || sorter.CPU().Name() == "" {
		t.Fatalf("Backends: %v, want %q first", all, sorter.CPU().Name())
	}
	s := fills(10_000)
	var st sorter.Stats
	err := sorter.Sort(s, price, sorter.On(all[0]), sorter.Stable(), sorter.Report(&st))
	checkSame(t, "On(Backends()[0])", err, s, byPrice(fills(10_000)))
	if st.Engine != sorter.CPU().Name() {
		t.Errorf("On(Backends()[0]) ran on %q", st.Engine)
	}
}

// TestReportVectors sorts keys in buckets, and keys in order, which need none.
func TestReportVectors(t *testing.T) {
	const n = 200_000
	keys := dist.Named("uniform").Draw(n, dist.Rand(5))
	for i, want := range []string{vecsort.Instructions(), ""} {
		st := sorter.Stats{Vectors: "left over"}
		if err := sorter.SortKeys(keys, sorter.Report(&st), sorter.On(sorter.CPU())); err != nil {
			t.Fatal(err)
		}
		if st.Vectors != want || want != "" && !strings.Contains(st.String(), want) {
			t.Errorf("sort %d: vectors %q, want %q, in words\n%v", i, st.Vectors, want, &st)
		}
	}
}
