// Command filesort sorts lines as sort does, fixed-size records, and CSV, TSV, JSON, Parquet and Arrow files
// by columns.
//
// Sorting moves references to rows; the rows themselves are copied only when they are written,
// byte for byte as they were read.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// Exit codes, those of sort.
const (
	exitOK       = 0
	exitDisorder = 1   // -c found lines out of order
	exitError    = 2   // anything else
	exitSignal   = 128 // and its number, for a shell: main ends by the signal
	exitPipe     = 141 // of SIGPIPE: the reader of the output went away
)

// runtimeMemory is memory of the program besides -S: for garbage, which is collected more
// often close to the limit, stacks, and its code, which the runtime does not count.
const (
	runtimeMemory = 64 << 20
	codeMemory    = 32 << 20
)

func main() {
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if code > exitSignal && code != exitPipe {
		endBy(syscall.Signal(code - exitSignal))
	}
	os.Exit(code)
}

// endBy has a signal that was caught end the program, so that a shell stops its loop as well.
func endBy(s os.Signal) {
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		time.Sleep(time.Second) // it may come to another thread
	}
}

// run is main with its surroundings as arguments, for the tests.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd, err := parseArgs(args)
	switch {
	case errors.Is(err, errHelp):
		return exitOf(printText(stdout, usage), stderr)
	case err != nil:
		fmt.Fprintf(stderr, "filesort: %v\nTry 'filesort -h'.\n", err)
		return exitError
	case cmd.version:
		return exitOf(printText(stdout, buildFacts()), stderr)
	case cmd.man:
		return exitOf(printText(stdout, manual()), stderr)
	case cmd.shell != "":
		return exitOf(printText(stdout, completion(cmd.shell)), stderr)
	}
	m := newMeter(stderr, cmd.quiet)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(cmd.memory + runtimeMemory - codeMemory))
	r, err := cmd.run(stdin, stdout, m)
	m.close()
	for _, note := range cmd.notes {
		fmt.Fprintf(stderr, "filesort: %s\n", note)
	}
	var found *disorder
	switch {
	case errors.As(err, &found) && cmd.check == "quiet":
		return exitDisorder
	case errors.Is(err, context.Canceled):
		if all, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range all.Unwrap() {
				if !errors.Is(e, context.Canceled) {
					fmt.Fprintf(stderr, "filesort: %v\n", e)
				}
			}
		}
		return exitSignal + int(cmd.caught)
	}
	if err == nil && r != nil {
		switch cmd.stats {
		case "text":
			r.print(stderr, m)
		case "json":
			r.printJSON(stderr, m)
		}
	}
	return exitOf(err, stderr)
}

func printText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// exitOf prints an error, if there is one, and returns its exit code.
func exitOf(err error, stderr io.Writer) int {
	var found *disorder
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	}
	if errors.As(err, &found) {
		fmt.Fprintf(stderr, "filesort: %v%c", err, found.eol)
		return exitDisorder
	}
	fmt.Fprintf(stderr, "filesort: %v\n", err)
	return exitError
}

// run sorts, merges or checks, as the command line says. The report is nil if there is nothing to say.
func (cmd *command) run(stdin io.Reader, stdout io.Writer, m *meter) (*report, error) {
	if err := cmd.checkOutput(); err != nil {
		return nil, err
	}
	if cmd.by != nil {
		return cmd.runColumns(stdin, stdout, m)
	}
	in := &chunks{files: cmd.inputs(stdin), shape: cmd.shape, size: slotSize, m: m}
	defer in.close()
	switch {
	case cmd.check != "":
		m.stage("check", "bytes", in.files.total())
		return nil, cmd.checkLines(in, cmd.files[0])
	case cmd.merge && len(cmd.files) <= mostMerged && !cmd.byRuns() && !cmd.aside.any() && !cmd.overInput(stdin, stdout):
		m.stage("merge", "bytes", in.files.total())
		ctx, stop := cmd.interrupts()
		defer stop()
		return nil, cmd.writeTo(stdout, in.files.total() > cmd.memory/2, func(w io.Writer) error { return cmd.mergeLines(ctx, stdin, w, m) })
	}
	return cmd.sortLines(in, stdout, m)
}

// interrupts returns a context that ends with an interrupt. It is for the time in which there
// is a temporary file to remove; before, the signal ends the program.
func (cmd *command) interrupts() (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd.heeded = ctx
	var heeded []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup
			heeded = append(heeded, s)
		}
	}
	if len(heeded) == 0 { // which would be all signals
		return ctx, cancel
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, heeded...)
	var wait sync.WaitGroup
	wait.Go(func() {
		select {
		case s := <-signals:
			cmd.caught, _ = s.(syscall.Signal)
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		cancel()
		wait.Wait()
	}
}

// checkOutput checks the output before the input is read.
func (cmd *command) checkOutput() error {
	ctx, stop := cmd.interrupts()
	defer stop()
	name := cmd.output
	if cmd.split.any() {
		name = cmd.split.name(cmd.output, 0)
	}
	return cmp.Or(checkOutput(name), ctx.Err())
}
