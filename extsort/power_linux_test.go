package extsort_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/powerloss"
	"example.com/sorter/internal/testkit"
)

// powerJobs keep runs in the folder "kept" of their folder, and go to "second" when they say so. Each reports
// how many elements are durable, and when all were handed out.
var powerJobs = map[string]func(dir string) error{
	"fixed": func(dir string) error {
		return keepAndSay(dir, powerRows(), func(kept string, resume bool) (*extsort.Sorter[row], error) {
			return openKept(kept, resume, extsort.None)
		})
	},
	"packed": func(dir string) error {
		return keepAndSay(dir, powerRows(), func(kept string, resume bool) (*extsort.Sorter[row], error) {
			return openKept(kept, resume, extsort.S2)
		})
	},
	"coded": func(dir string) error { return keepAndSay(dir, powerLines(), openKeptLines) },
}

func powerRows() []row       { return alike(4000, rand.New(rand.NewPCG(211, 212))) }
func powerLines() []string   { return wordy(2500, rand.New(rand.NewPCG(213, 214))) }
func kept(dir string) string { return filepath.Join(dir, "new", "kept") }

// openKept begins a sort in little memory, or resumes it in some more, with which it is faster.
func openKept(dir string, resume bool, how extsort.Compression) (*extsort.Sorter[row], error) {
	memory := map[extsort.Compression]int64{extsort.None: 64 << 10, extsort.S2: 320 << 10}[how]
	if resume {
		memory *= 4
	}
	opts := []extsort.Option{extsort.MemoryLimit(memory), extsort.Workers(1), extsort.Compress(how)}
	if resume {
		return extsort.Resume(dir, byKey(), opts...)
	}
	return extsort.New(byKey(), append(opts, extsort.Keep(dir))...)
}

func openKeptLines(dir string, resume bool) (*extsort.Sorter[string], error) {
	opts := []extsort.Option{extsort.MemoryLimit(128 << 10), extsort.Workers(1)}
	if resume {
		return extsort.ResumeCoded(dir, byText(), extsort.Strings(), opts...)
	}
	return extsort.NewCoded(byText(), extsort.Strings(), append(opts, extsort.Keep(dir))...)
}

// keepAndSay begins a sort, ends it in the middle, resumes it, and reads all elements.
func keepAndSay[E any](dir string, all []E, open func(dir string, resume bool) (*extsort.Sorter[E], error)) error {
	s, err := open(kept(dir), false)
	if err != nil {
		return err
	}
	fmt.Println("durable 0")
	half := len(all) / 2
	for from, part := 0, len(all)/8; from < half; from += part {
		if from == 2*part {
			if err := s.AddDir(filepath.Join(dir, "second")); err != nil {
				return err
			}
		}
		if err := errors.Join(s.Append(all[from:from+part]...), s.Sync()); err != nil {
			return err
		}
		fmt.Println("durable", s.Durable()[0])
	}
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = open(kept(dir), true); err != nil {
		return err
	}
	if err := s.Append(all[s.Len():]...); err != nil {
		return err
	}
	fmt.Println("durable", s.Durable()[0])
	for _, err := range s.All() {
		if err != nil {
			return err
		}
	}
	fmt.Println("read")
	return s.Close()
}

// TestPowerLoss cuts the power while runs are kept: what was durable is there, and the sort can be completed.
func TestPowerLoss(t *testing.T) {
	for job := range powerJobs {
		t.Run(job, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "second"), 0o777))
			l := powerloss.RecordJob(t, dir, job)
			draws := powerloss.Draws{Moments: testkit.Pick(12, 0)}
			n, err := l.Cut(draws, lookAt(t, dir, job))
			if t.Log(n); err != nil {
				t.Fatal(err)
			}
			if n.Looks < 20 {
				t.Error("a job of few calls")
			}
			if job == "coded" && testkit.Long() {
				powerloss.CheckSyncs(t, l, "", powerloss.Draws{}, lookAt(t, dir, job))
			}
		})
	}
}

// lookAt returns what resumes the sort of a job in a folder, appends the rest, and reads it.
func lookAt(t *testing.T, dir, job string) func(said string, ended bool) error {
	if job == "coded" {
		lines := powerLines()
		return func(said string, ended bool) error {
			return resumeAfterCut(dir, said, ended, lines, slices.Sorted(slices.Values(lines)), openKeptLines)
		}
	}
	rows, how := powerRows(), extsort.None
	if job == "packed" {
		how = extsort.S2
	}
	want := sorted(rows)
	return func(said string, ended bool) error {
		return resumeAfterCut(dir, said, ended, rows, want, func(dir string, resume bool) (*extsort.Sorter[row], error) {
			return openKept(dir, resume, how)
		})
	}
}

// resumeAfterCut is after a cut. Where nothing was durable yet, or all elements were handed out, there may be
// nothing to resume, but then a new sort can begin.
func resumeAfterCut[E comparable](dir, said string, ended bool, all, want []E, open func(dir string, resume bool) (*extsort.Sorter[E], error)) error {
	durable, read := int64(-1), strings.Contains(said, "read")
	for line := range strings.Lines(said) {
		_, _ = fmt.Sscanf(line, "durable %d", &durable)
	}
	s, err := open(kept(dir), true)
	if errors.Is(err, fs.ErrNotExist) && (durable <= 0 || read) {
		if s, err = open(kept(dir), false); err != nil {
			return fmt.Errorf("there are no runs, but a new sort cannot begin: %w", err)
		}
		durable = 0
	} else if ended && err == nil {
		err = errors.New("runs are resumed of a sort that has ended")
	}
	if err != nil {
		return err
	}
	defer s.Close()
	n := s.Len()
	if n < durable || n > int64(len(all)) {
		return fmt.Errorf("%d elements of %d, and %d were durable", n, len(all), durable)
	}
	if err := s.Append(all[n:]...); err != nil {
		return err
	}
	var got []E
	for e, err := range s.All() {
		if err != nil {
			return err
		}
		got = append(got, e)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%d elements that are not the %d of the input in order", len(got), len(want))
	}
	if err := s.Close(); err != nil {
		return err
	}
	return noFiles(kept(dir), filepath.Join(dir, "second"))
}

// noFiles returns an error if folders have files.
func noFiles(dirs ...string) error {
	for _, dir := range dirs {
		left, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return fmt.Errorf("%s has %v", dir, left)
		}
	}
	return nil
}
