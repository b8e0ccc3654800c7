//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/sorter/internal/powerloss"
)

// runMain in the environment makes the test binary the command.
const runMain = "FILESORT_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	powerloss.Main(powerJobs)
	if path := os.Getenv(peakTo); path != "" {
		os.Exit(runForPeak(path))
	}
	if os.Getenv(runMain) != "" {
		main()
	}
	os.Exit(m.Run())
}

// An interrupt in the middle of the output removes that, and then ends the process as it would
// any other.
func TestInterruptedProcess(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // which the process inherits
			continue
		}
		path := fileOf(t, "x", "old")
		c := exec.CommandContext(t.Context(), os.Args[0], "-m", "-o", path, "-")
		c.Env = append(os.Environ(), runMain+"=1")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { // until the process ends, at most 2.7 GB
			for range 1 << 15 {
				if _, err := io.WriteString(in, strings.Repeat("line\n", 1<<14)); err != nil {
					break
				}
			}
		}()
		for range 60_000 {
			if some, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp")); len(some) > 0 {
				if info, err := os.Stat(some[0]); err == nil && info.Size() > 0 {
					break
				}
			}
			time.Sleep(time.Millisecond)
		}
		c.Process.Signal(s)
		var failed *exec.ExitError
		if err := c.Wait(); !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != s || stderr.Len() > 0 {
			t.Errorf("%v: %v, %s", s, err, stderr.String())
		}
		expectFile(t, path, "old", 0)
	}
}
