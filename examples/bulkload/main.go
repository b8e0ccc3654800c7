// Command bulkload loads key-value pairs in any sequence, more than memory holds, into a Pebble
// database.
//
//	bulkload -db DIR pairs.tsv...       lines of key, tab, value
//	zcat pairs.gz | bulkload -db DIR -  the same from standard input
//
// Of lines with one key the last wins. If it is interrupted, the same command goes on: with the
// tables if all were written, otherwise from the start. The database is changed at the end, at
// once. Exit status 1: the database is as it was.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/schollz/progressbar/v3"

	"example.com/sorter/internal/durable"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the command.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	flags := flag.NewFlagSet("bulkload", flag.ContinueOnError)
	flags.SetOutput(out)
	dir := flags.String("db", "", "`directory` of the database, which is created if need be")
	memory := flags.Int64("memory", 0, "`MiB` of memory of the sort; 0: a quarter of what is free")
	tmp := flags.String("tmp", "", "`directories` for what does not fit in memory, separated by commas; default: beside the database")
	workers := flags.Int("workers", 0, "goroutines; 0: one for each processor")
	quiet := flags.Bool("quiet", false, "no progress")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || flags.NArg() == 0 {
		flags.Usage()
		return errors.New("bulkload: need -db and files; - is standard input")
	}
	opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: silent{}}
	db, err := pebble.Open(*dir, opts)
	if err != nil {
		return fmt.Errorf("bulkload: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s := Settings{Dir: filepath.Clean(*dir) + ".load", Source: sourceOf(flags.Args()), Memory: *memory << 20, Workers: *workers}
	if s.TempDirs = strings.Split(*tmp, ","); *tmp == "" {
		s.TempDirs = []string{s.Dir}
	}
	if !*quiet {
		s.Progress = meter(out)
	}
	st, err := load(ctx, db, opts, s, flags.Args(), in)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d pairs, %d of them replaced by later ones; %d bytes in %d tables; %d bytes on disk while sorting; resumed: %v\n",
		st.Pairs, st.Duplicates, st.Bytes, st.Tables, st.Spilled, st.Resumed)
	return err
}

// load resumes a load, or begins it.
func load(ctx context.Context, db *pebble.DB, opts *pebble.Options, s Settings, files []string, in io.Reader) (st Stats, err error) {
	if s.Source != "" {
		if st, err := Resume(ctx, db, s.Dir, s.Source); err != nil || st.Resumed {
			return st, err
		}
	}
	if err := durable.MkdirAll(s.Dir, 0o777); err != nil {
		return Stats{}, err
	}
	l, err := NewLoader(ctx, db, opts, s)
	if err != nil {
		return Stats{}, err
	}
	defer func() {
		err = errors.Join(err, l.Close())
		_ = os.Remove(s.Dir) // unless something is in it
	}()
	for _, name := range files {
		if err := readFile(name, in, l.Set); err != nil {
			return Stats{}, err
		}
	}
	return l.Finish(ctx)
}

// readFile sets the pairs of a file.
func readFile(name string, in io.Reader, set func(key, value []byte) error) (err error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	r := bufio.NewReaderSize(in, 1<<20)
	var long []byte // a line longer than the buffer
	for line := 1; ; line++ {
		text, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); text, err = r.ReadSlice('\n') {
				long = append(long, text...)
			}
			long = append(long, text...)
			text = long
		}
		if len(text) > 0 {
			key, value, ok := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte("\t"))
			if !ok {
				return fmt.Errorf("%s:%d: no tab after the key", name, line)
			}
			if err := set(key, value); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// sourceOf names files by what changes when they do; standard input has no name.
func sourceOf(files []string) string {
	var all []string
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return ""
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return ""
		}
		all = append(all, fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano()))
	}
	return strings.Join(all, "\n")
}

// meter shows progress.
func meter(out io.Writer) func(step string, done, total int64) {
	var bar *progressbar.ProgressBar
	var of string
	return func(step string, done, total int64) {
		if step != of {
			if total == 0 {
				total = -1
			}
			of, bar = step, progressbar.NewOptions64(total, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(step),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100e6))
		}
		_ = bar.Set64(done)
	}
}

// silent is a logger of Pebble that prints nothing but fatal errors.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}
