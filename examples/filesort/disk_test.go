package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"example.com/sorter/extsort"
)

// limited runs the command on stdin with a limit that its options do not allow: the store takes
// that many bytes, and runs on disk are made of a few hundred KiB.
func limited(t *testing.T, memory int64, stdin string, args ...string) (stdout string, disk *extsort.Stats) {
	t.Helper()
	cmd, err := parseArgs(append(args, "-T", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	cmd.memory = memory
	var out bytes.Buffer
	r, err := cmd.run(strings.NewReader(stdin), &out, newMeter(io.Discard, true))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r.disk
}

// The output is the same at any memory limit: of text that memory holds, of a pipe that turns
// out to be larger, and of a file that is known to be.
func TestDiskLikeMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for b.Len() < 6<<20 {
		fmt.Fprintf(&b, "%s %d %s\n", strings.Repeat("ab", r.IntN(3)), r.IntN(2000), strings.Repeat("x", r.IntN(150)))
	}
	text := b.String()
	text = text[:len(text)-len(text)%30] // for records
	path := fileOf(t, "x", text)
	cases := []string{"-k2,2nr -k1,1 -s", "-k2,2n -u", "-record 30 -key 3:20"}
	if !testing.Short() {
		cases = append(cases, "", "-r", "-k2,2n", "-k2n -top 1000", "-f", "-record 30 -key 0:1r -key 4:5 -u")
	}
	for _, args := range cases {
		words := strings.Fields(args)
		want, disk := limited(t, 1<<30, text, words...)
		if disk != nil {
			t.Fatal("6 MB went to disk, with 1 GB of memory")
		}
		got, disk := limited(t, 9<<20, text, words...)
		if got != want || disk == nil {
			t.Errorf("%s: %d bytes from a pipe, want %d; on disk: %v", args, len(got), len(want), disk != nil)
		}
		got, disk = limited(t, 4<<20, "", append(words, path)...)
		if got != want || disk == nil || disk.Runs == 0 && disk.Dropped == 0 {
			t.Errorf("%s: %d bytes from a file, want %d; on disk: %+v", args, len(got), len(want), disk)
		}
	}
}

func TestDiskErrors(t *testing.T) {
	path := fileOf(t, "x", strings.Repeat("b\na\n", 1<<20))
	cmd, err := parseArgs([]string{path, "-T", "/no/such/folder"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.memory = 4 << 20
	var out bytes.Buffer
	_, err = cmd.run(nil, &out, newMeter(io.Discard, true))
	if !errors.Is(err, fs.ErrNotExist) || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

// A line has to fit a sixteenth of the memory.
func TestDiskLongLine(t *testing.T) {
	cmd, err := parseArgs(nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd.memory = 9 << 20
	var out bytes.Buffer
	_, err = cmd.run(strings.NewReader(strings.Repeat("x", 6<<20)), &out, newMeter(io.Discard, true))
	if !errors.Is(err, extsort.ErrMemoryLimit) || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

// moreWhileWriting is an output that expects more places for goroutines than there were before.
type moreWhileWriting struct {
	before int
	more   bool
}

func (w *moreWhileWriting) Write(p []byte) (int, error) {
	w.more = runtime.GOMAXPROCS(0) > w.before
	return len(p), nil
}

// TestMoreProcessors expects that goroutines which wait for the disk keep no others from running: while
// a sort goes through the disk, and not after it.
func TestMoreProcessors(t *testing.T) {
	path := fileOf(t, "x", strings.Repeat("b,1"+strings.Repeat("x", 100)+"\na,2\n", 50_000))
	for _, args := range []string{"", "-format csv -no-header -by 1,2"} {
		cmd, err := parseArgs(append(strings.Fields(args), "-T", t.TempDir(), path))
		if err != nil {
			t.Fatal(err)
		}
		cmd.memory = 4 << 20
		w := &moreWhileWriting{before: runtime.GOMAXPROCS(0)}
		if _, err := cmd.run(nil, w, newMeter(io.Discard, true)); err != nil {
			t.Fatal(err)
		}
		if after := runtime.GOMAXPROCS(0); !w.more || after != w.before {
			t.Errorf("%q: more than %d: %v, and %d after it", args, w.before, w.more, after)
		}
	}
}
