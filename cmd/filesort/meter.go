package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"example.com/sorter"
)

// meter shows the progress of a long run and remembers what took how long.
type meter struct {
	mu     sync.Mutex
	out    io.Writer // nil: show nothing
	begun  time.Time
	stages []stage
	bar    *progressbar.ProgressBar // nil until the run has become a long one
	label  string                   // of the bar
	total  int64                    // of the bar; 0: unknown
	done   int64
}

// stage is a step of the run.
type stage struct {
	name, unit string
	begun      time.Time
	took       time.Duration // 0 while it runs
}

// patience is how long a run may take without a bar.
const patience = 500 * time.Millisecond

// newMeter returns a meter that draws on stderr if that is a terminal.
func newMeter(stderr io.Writer, quiet bool) *meter {
	m := &meter{begun: time.Now()}
	if f, ok := stderr.(*os.File); ok && !quiet && term.IsTerminal(int(f.Fd())) {
		m.out = stderr
	}
	return m
}

// stage ends the stage before and starts another of total units, 0 if unknown.
func (m *meter) stage(name, unit string, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finish()
	m.stages = append(m.stages, stage{name: name, unit: unit, begun: time.Now()})
	m.label, m.total, m.done = name, total, 0
}

// add counts n units of the stage as done.
func (m *meter) add(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(n)
	m.show()
}

// progress follows a sort through the stages that the library gives it.
func (m *meter) progress(p sorter.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if label := "sort: " + p.Stage; label != m.label {
		m.erase()
		m.label, m.total = label, int64(p.Total)
	}
	m.done = int64(p.Done)
	m.show()
}

// close ends the last stage and leaves a clean line.
func (m *meter) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finish()
}

func (m *meter) finish() {
	m.erase()
	if n := len(m.stages); n > 0 && m.stages[n-1].took == 0 {
		m.stages[n-1].took = time.Since(m.stages[n-1].begun)
	}
}

func (m *meter) erase() {
	if m.bar != nil {
		m.bar.Clear()
		m.bar = nil
	}
}

// show draws the bar. What fails on the way to a terminal is not worth an
// error.
func (m *meter) show() {
	if m.out == nil || time.Since(m.begun) < patience {
		return
	}
	if m.bar == nil {
		total := m.total
		if total == 0 {
			total = -1 // a spinner
		}
		m.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(m.out),
			progressbar.OptionSetDescription(fmt.Sprintf("%-16s", m.label)),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(50*time.Millisecond),
			progressbar.OptionShowCount(),
			progressbar.OptionShowBytes(m.stages[len(m.stages)-1].unit == "bytes"),
			progressbar.OptionSetPredictTime(false),
		)
	}
	m.bar.Set64(m.done)
}

// print writes a table of what each stage took.
func (m *meter) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range m.stages {
		fmt.Fprintf(t, "%s\t%v\n", s.name, s.took.Round(10*time.Microsecond))
	}
	t.Flush()
}
