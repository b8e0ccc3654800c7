package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"github.com/cespare/xxhash/v2"
	peer "github.com/lanrat/extsort"
)

// A file of n lines is written once and has a sum of the hashes of its lines, which an output
// must have too.

// writeLines writes lines to the input of t, unless a run before has left it.
func writeLines(t task, appendLine func(line []byte, r *rand.Rand, i int) []byte) error {
	_, err := makeInput(t, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<20)
		r := rand.New(rand.NewPCG(3, 4))
		var line []byte
		for i := range t.n {
			line = append(appendLine(line[:0], r, i), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return w.Flush()
	})
	return err
}

// makeInput writes the input of t, unless a run before has left it. It reports whether it has.
func makeInput(t task, write func(f *os.File) error) (made bool, err error) {
	if _, err := os.Stat(t.in); err == nil {
		return false, nil
	}
	partial := t.in + ".part"
	f, err := os.Create(partial)
	if err != nil {
		return false, err
	}
	defer os.Remove(partial)
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	return true, os.Rename(partial, t.in)
}

// sumOf returns the number of lines of a file and the sum of their hashes. It expects that no
// line comes before the line before it.
func sumOf(path string, before func(a, b []byte) bool) (n int, sum uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var last []byte
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	for ; lines.Scan(); n++ {
		line := lines.Bytes()
		if before != nil && n > 0 && before(line, last) {
			return n, 0, fmt.Errorf("line %d of %s, %q, is after %q", n+1, path, line, last)
		}
		last = append(last[:0], line...)
		sum += xxhash.Sum64(line)
	}
	return n, sum, lines.Err()
}

// checkFile expects the lines of the input in the output, in order. The input is read once.
func checkFile(t task, before func(a, b []byte) bool) error {
	if t.want.lines == 0 {
		var err error
		if t.want.lines, t.want.sum, err = sumOf(t.in, nil); err != nil {
			return err
		}
	}
	got, sum, err := sumOf(t.out, before)
	if err != nil {
		return err
	}
	if got != t.n || *t.want != (fileSum{t.n, sum}) {
		return fmt.Errorf("%d lines with sum %x, want %d with %x", got, sum, t.want.lines, t.want.sum)
	}
	return os.Remove(t.out)
}

// fileSum is the number of lines of a file, and the sum of their hashes.
type fileSum struct {
	lines int
	sum   uint64
}

// makeLines writes lines like those of gensort -a: a key of 10 characters from ' ' to '~', the
// number of the line, and a filler.
func makeLines(t task) error {
	return writeLines(t, func(line []byte, r *rand.Rand, i int) []byte {
		key := r.Uint64N(95 * 95 * 95 * 95 * 95 * 95 * 95 * 95 * 95)
		line = append(line, ' '+byte(r.UintN(95)))
		for range 9 {
			line = append(line, ' '+byte(key%95))
			key /= 95
		}
		line = fmt.Appendf(line, "  %032X  ", i)
		for c := range 13 {
			x := "0123456789ABCDEF"[(i>>c)&15]
			line = append(line, x, x, x, x)
		}
		return append(line, '~')
	})
}

func checkLines(t task) error {
	return checkFile(t, func(a, b []byte) bool { return bytes.Compare(a, b) < 0 })
}

var countries = []string{"AT", "BE", "BR", "CH", "CN", "DE", "DK", "ES", "FI", "FR", "GB", "IN", "IT", "JP", "NL", "NO", "PL", "PT", "SE", "US"}

// makeRows writes rows of an order, a country, an amount, a day and a note, about 50 bytes.
func makeRows(t task) error {
	return writeLines(t, func(line []byte, r *rand.Rand, i int) []byte {
		line = strconv.AppendInt(line, int64(i), 10)
		line = append(append(append(line, ','), countries[r.IntN(len(countries))]...), ',')
		line = strconv.AppendFloat(line, float64(r.IntN(1e8))/100, 'f', 2, 64)
		return fmt.Appendf(line, ",2026-%02d-%02d,note %016x", 1+r.IntN(12), 1+r.IntN(28), r.Uint64())
	})
}

// checkRows expects rows by country and, the largest first, by amount.
func checkRows(t task) error {
	keys := func(row []byte) (country []byte, amount float64) {
		fields := bytes.SplitN(row, []byte(","), 4)
		if len(fields) < 4 {
			return nil, 0 // sums differ
		}
		amount, _ = strconv.ParseFloat(string(fields[2]), 64)
		return fields[1], amount
	}
	return checkFile(t, func(a, b []byte) bool {
		countryA, amountA := keys(a)
		countryB, amountB := keys(b)
		c := bytes.Compare(countryA, countryB)
		return c < 0 || c == 0 && amountA > amountB
	})
}

// command runs a program that sorts.
func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func fileSort(t task, args ...string) error {
	args = append(args, "-quiet", "-S", fmt.Sprint(t.memory>>10), "--parallel", fmt.Sprint(t.workers), "-T", t.dir, "-o", t.out, t.in)
	return command(t.tool, args...)
}

func gnuSort(t task, args ...string) error {
	args = append(args, "-S", fmt.Sprint(t.memory>>10), fmt.Sprint("--parallel=", t.workers), "-T", t.dir, "-o", t.out, t.in)
	return command("sort", args...)
}

// linesByLanrat sorts the lines as strings. A chunk of this length takes about 512 MiB.
func linesByLanrat(t task) error {
	runtime.GOMAXPROCS(t.workers)
	config := peer.DefaultConfig()
	config.ChunkSize, config.NumWorkers, config.TempFilesDir = 100_000, t.workers, t.dir
	in := make(chan string, 1000)
	failed := make(chan error, 1)
	go func() {
		defer close(in)
		f, err := os.Open(t.in)
		if err == nil {
			defer f.Close()
			lines := bufio.NewScanner(f)
			for lines.Scan() {
				in <- lines.Text()
			}
			err = lines.Err()
		}
		failed <- err
	}()
	s, out, errs := peer.Strings(in, config)
	s.Sort(context.Background())
	f, err := os.Create(t.out)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for line := range out {
		if _, err = w.WriteString(line); err == nil {
			err = w.WriteByte('\n')
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(<-failed, <-errs, w.Flush(), f.Close())
}
