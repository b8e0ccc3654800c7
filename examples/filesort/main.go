// Command filesort sorts a CSV, TSV or NDJSON file by columns.
//
// The file is read into memory once. Sorting moves spans of it, 16 bytes a
// row; the rows themselves are copied only when they are written, byte for
// byte as they were read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"example.com/sorter"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // the file could not be read, understood, sorted or written
	exitUsage = 2 // the command line could not be understood
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments, for the tests.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd, err := parseArgs(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "filesort: %v\nTry 'filesort -h'.\n", err)
		return exitUsage
	}
	err = cmd.sortFile(stdin, stdout, stderr)
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintf(stderr, "filesort: %v\n", err)
		return exitError
	}
	return exitOK
}

// sortFile does the work in four steps: read, parse, sort, write. Nothing is
// written before everything is sorted.
func (cmd *command) sortFile(stdin io.Reader, stdout, stderr io.Writer) error {
	m := newMeter(stderr, cmd.quiet)
	defer m.close()

	src, err := readSource(cmd.file, stdin, m)
	if err != nil {
		return err
	}
	// From here on an interrupt stops the work and removes the temporary
	// file. Before, there is nothing to remove, and a read from a terminal
	// would not notice.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	t, err := cmd.parse(ctx, src, m)
	if err != nil {
		return src.explain(err)
	}
	stats, err := cmd.sortRows(ctx, t, m)
	if err != nil {
		return err
	}
	err = writeFile(cmd.output, stdout, func(w io.Writer) error {
		return t.write(ctx, w, m)
	})
	if err != nil {
		return err
	}
	m.close()
	if cmd.stats {
		fmt.Fprintf(stderr, "%s\n\n", t.describe())
		m.print(stderr)
		fmt.Fprintf(stderr, "\n%s", stats)
	}
	return nil
}

// sortRows puts the rows in order, or the first ones if only those are wanted.
func (cmd *command) sortRows(ctx context.Context, t *table, m *meter) (*sorter.Stats, error) {
	stats := new(sorter.Stats)
	opts := []sorter.Option{sorter.WithContext(ctx), sorter.Report(stats), sorter.OnProgress(m.progress)}
	if cmd.stable {
		opts = append(opts, sorter.Stable())
	}
	m.stage("sort", "rows", int64(len(t.rows)))
	by := sorter.By(t.columns...)
	if cmd.top == 0 {
		return stats, by.Sort(t.rows, opts...)
	}
	k := min(cmd.top, len(t.rows))
	err := by.TopK(t.rows, k, opts...)
	t.rows = t.rows[:k]
	return stats, err
}
