//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupt ends a sort of tables that waits for its input, or that stores text, and leaves no file and the old output.
func TestInterruptedTables(t *testing.T) {
	batch, _ := drawTable(rand.New(rand.NewPCG(6, 47)), 0, 3000)
	for _, format := range storedFormats {
		dir := t.TempDir()
		writeTable(t, filepath.Join(dir, "x"), format, batch)
		data, err := os.ReadFile(filepath.Join(dir, "x"))
		expect(t, err)
		interrupt(t, string(data[:len(data)/2]), "-format", format, "-by", "id", "-")
	}
	cmd, err := parseArgs([]string{"-by", "a", "-to", "parquet"})
	expect(t, err)
	w := writer(func(b []byte) (int, error) { t.Error("it wrote"); return len(b), nil })
	_, end := cmd.interrupts()
	end() // which ends the context, as an interrupt does
	cmd.opened, cmd.headed = "csv", true
	err = cmd.tabulating(parquetFormat, func(w io.Writer) error { _, err := io.WriteString(w, "a\n1\n"); return err })(w)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// interrupt gives a process some input, of which more may follow, and ends it.
func interrupt(t *testing.T, stdin string, args ...string) {
	t.Helper()
	path := fileOf(t, "out.parquet", "old")
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), os.Args[0], append(args, "-T", dir, "-o", path)...)
	c.Env = append(os.Environ(), runMain+"=1")
	in, err := c.StdinPipe()
	expect(t, err)
	defer in.Close()
	var stderr strings.Builder
	c.Stderr = &stderr
	expect(t, c.Start())
	_, err = io.WriteString(in, stdin)
	expect(t, err)
	time.Sleep(300 * time.Millisecond)
	expect(t, c.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(30 * time.Second):
		c.Process.Kill()
		t.Fatalf("%q goes on", args)
	}
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM || stderr.Len() > 0 {
		t.Errorf("%q: %v, %s", args, err, stderr.String())
	}
	expectFile(t, path, "old", 0)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%q left %q", args, left)
	}
}
