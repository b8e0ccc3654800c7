package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/machine"
)

// TestCommand repeats everything on tiny lists and checks the output. With
// -tags cudacpu that is with a GPU.
func TestCommand(t *testing.T) {
	folder := t.TempDir()
	s, err := parse([]string{"-n", "6000", "-reps", "1", "-out", folder, "-note", "A tiny machine."})
	if err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if err := s.run(&out, &log); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A tiny machine.", "# Chen", "# Sorting numbers", "# Żurek", "# Dehne", "| 6000 |", "times as fast as", "81840"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	panels := map[string]bool{}
	for _, p := range papers {
		for _, panel := range measured(t, filepath.Join(folder, p.name+".csv")) {
			panels[panel] = true
		}
	}
	for panel := range panels {
		for _, suffix := range []string{".svg", ".png"} {
			info, err := os.Stat(filepath.Join(folder, panel+suffix))
			if err != nil || info.Size() == 0 {
				t.Errorf("%s%s is missing or empty: %v", panel, suffix, err)
			}
			if !strings.Contains(out.String(), "("+panel+".svg)") {
				t.Errorf("no picture of %s in the text", panel)
			}
		}
	}
}

// measured reads a file of numbers, of which none may be missing, and returns the
// names of its panels.
func measured(t *testing.T, path string) (panels []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d lines: %v", path, len(lines), err)
	}
	at := func(line []string, column string) string { return line[slices.Index(lines[0], column)] }
	for _, line := range lines[1:] {
		panels = append(panels, at(line, "panel"))
		if at(line, "note") != "" || at(line, "ms") == "" {
			t.Errorf("not measured: %v", line)
		}
	}
	return panels
}

// TestCheck holds the verification to its word: lists that are not in order, that
// lost an element, or whose order is not the stable one must be noticed.
func TestCheck(t *testing.T) {
	l := newElements(ints, uniform.draw(1000), 1000)
	l.input().restore()
	if l.check() == nil {
		t.Error("an unsorted list passes")
	}
	slices.Sort(l.work)
	if err := l.check(); err != nil {
		t.Error(err)
	}
	l.work[1] = l.work[0]
	if l.check() == nil {
		t.Error("a lost element goes unnoticed")
	}
	for _, c := range []struct {
		perm []uint32
		ok   bool
	}{{[]uint32{1, 0, 2}, true}, {[]uint32{1, 2, 0}, false}, {[]uint32{1, 0, 0}, false}, {[]uint32{1, 0}, false}} {
		o := &order{keys: []uint64{7, 5, 7}, perm: c.perm}
		if err := o.check(); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.perm, err)
		}
	}
}

// TestMeasure counts repetitions, and checks the results of failing and wrong sorts.
func TestMeasure(t *testing.T) {
	b := &bench{log: io.Discard, settings: settings{rules: rules{reps: 4, spend: time.Hour}}, started: time.Now()}
	restored := 0
	sorts := map[string]int{}
	made := func(name string, fails, wrong error) way {
		return way{name, func(st *sorter.Stats) error {
			sorts[name]++
			st.Stages = []sorter.Stage{{Name: "sort", Time: time.Millisecond * time.Duration(sorts[name])}}
			return fails
		}, func() error { return wrong }}
	}
	p := b.panel("slug", "title", workersAxis)
	in := input{10, func() { restored++ }, []way{made("good", nil, nil), made("failing", errors.New("no memory"), nil)}}
	if err := b.add(p, 3, in); err != nil {
		t.Fatal(err)
	}
	if sorts["good"] != 5 || sorts["failing"] != 1 || restored != 6 {
		t.Errorf("%v sorts of %d restored inputs", sorts, restored)
	}
	good, measured := p.at(3, "good")
	if !measured || good.reps != 4 || good.n != 10 || good.least > good.median || good.median > good.most {
		t.Errorf("got %+v", good)
	}
	if len(good.parts) != 1 || good.parts[0] != (part{"sort", 3.5}) { // the median of 2 to 5
		t.Errorf("stages %v", good.parts)
	}
	if r, measured := p.at(3, "failing"); measured || !strings.Contains(r.note, "no memory") || b.failure() == nil {
		t.Errorf("a failure leaves %+v and %v", r, b.failure())
	}
	if err := b.add(p, 4, input{10, func() {}, []way{made("wrong", nil, errors.New("out of order"))}}); err == nil {
		t.Error("a wrong result passes")
	}
	b.rules.spend = 1
	if err := b.add(p, 5, input{10, func() {}, in.ways[:1]}); err != nil {
		t.Fatal(err)
	}
	if r, _ := p.at(5, "good"); r.reps != 1 || sorts["good"] != 5+1 {
		t.Errorf("a sort that takes all of its time: %+v", r)
	}
}

// TestClaims does the arithmetic of the text on numbers that are known.
func TestClaims(t *testing.T) {
	p := &panel{slug: "004-fig3", axis: samplesAxis}
	for x, times := range map[int][2]float64{16: {4, 8}, 64: {2, 2}, 256: {1, 3}} {
		p.results = append(p.results, result{x: x, n: 1000, contender: "a", median: times[0]}, result{x: x, n: 1000, contender: "b", median: times[1]})
	}
	p.results = append(p.results, result{x: 512, contender: "a", note: "failed"}, result{x: 512, contender: "b", median: 1})
	if got := lead(p, "what", "a", "b"); !slices.Equal(got, []string{"what: a 1.00 to 3.00 times as fast as b."}) {
		t.Errorf("got %q", got)
	}
	if got := lead(p, "", "a", "c"); got != nil {
		t.Errorf("got %q", got)
	}
	if !math.IsNaN(p.ratio(512, "b", "a")) {
		t.Error("a failed sort has a ratio")
	}
	b := &bench{panels: []*panel{p}}
	here := dehneClaims[0].here(b)
	if len(here) != 3 || !strings.Contains(here[2], "does not hold") || !strings.HasPrefix(here[0], "a: 256 samples are best") || !strings.HasPrefix(here[1], "b: 512 ") {
		t.Errorf("got %q", here)
	}
	if fast, slow := spread(p, 16); fast != 4 || slow != 8 {
		t.Errorf("from %v to %v", fast, slow)
	}
	b.machine, b.rules.reps = machine.Machine{Procs: 1}, 5
	if got := b.cell(p, 64, "a"); got != "2.00 (0.000–0.000)†" {
		t.Errorf("got %q", got)
	}
}

func TestDistributions(t *testing.T) {
	const n = 1 << 18
	if d := disorder(nearly.draw(n)); d == 0 || d >= 10 {
		t.Errorf("nearly sorted lists have a degree of disorder of %v", d)
	}
	if d := disorder(uniform.draw(n)); d < n/4 {
		t.Errorf("uniform lists have a degree of disorder of %v", d)
	}
	for _, d := range []drawn{uniform, gaussian, zipf} {
		many, few := d.draw(n), d.draw(drawnPart)
		if !slices.Equal(many[:drawnPart], few) {
			t.Errorf("%s: short lists are not the first of long ones", d.name)
		}
	}
	l := newElements(decimals, uniform.draw(n), n)
	if least, most := slices.Min(l.master), slices.Max(l.master); least != 0 || most != 10000 {
		t.Errorf("integers from %d to %d", least, most)
	}
	if part := newElements(floats, nearly.draw(n), n/4).master; part[0] > -0.9 || part[n/4-1] < 0.9 {
		t.Errorf("a quarter of a nearly sorted list spans %v to %v", part[0], part[n/4-1])
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		most int
		all  []int
		want []int
	}{
		{100, []int{10, 20, 200}, []int{10, 20}},
		{15, []int{10, 20}, []int{3, 15}},
		{8, []int{10, 20}, []int{2, 8}},
		{8, []int{10}, []int{8}},
		{10, []int{10}, []int{10}},
	} {
		if got := (settings{most: c.most}).sizes(c.all...); !slices.Equal(got, c.want) {
			t.Errorf("at most %d of %v: got %v, want %v", c.most, c.all, got, c.want)
		}
	}
	for _, bad := range []string{"0", "1.5", "1e12"} {
		if _, err := parse([]string{"-n", bad}); err == nil {
			t.Errorf("-n %s passes", bad)
		}
	}
	for n, want := range map[int]string{24e6: "24 million", 1 << 25: "2^25", 1000: "1000", 15: "15"} {
		if got := count(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// TestStdSort sorts every type by C++.
func TestStdSort(t *testing.T) {
	std, err := compileStdSort()
	if err != nil {
		t.Skip(err)
	}
	b := &bench{std: std}
	testStdSort(t, newElements(ints, uniform.draw(5000), 5000), b)
	testStdSort(t, newElements(floats, uniform.draw(5000), 5000), b)
	l := newElements(vec4s, uniform.draw(5000), 5000)
	for i := range l.master {
		l.master[i][0], l.master[i][1] = 1, float32(i%3) // ties go to the later components
	}
	sortByStd(std, l.master)
	if !slices.IsSortedFunc(l.master, compareFloat4) {
		t.Error("ties of the first components are out of order")
	}
}

func testStdSort[E element](t *testing.T, l *elements[E], b *bench) {
	t.Helper()
	l.input().restore()
	if err := l.stdSort(b)[0].sort(nil); err != nil {
		t.Fatal(err)
	}
	if err := l.check(); err != nil {
		t.Error(err)
	}
}
