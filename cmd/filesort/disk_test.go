package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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

// A line that is too long for the memory is named, with a limit that has room for it.
func TestDiskLongLine(t *testing.T) {
	text := "b\na\n" + strings.Repeat("x", 6<<20) + "\nc\n"
	cmd, err := parseArgs([]string{"-T", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cmd.memory = 9 << 20
	var out bytes.Buffer
	_, err = cmd.run(strings.NewReader(text), &out, newMeter(io.Discard, true))
	if !errors.Is(err, extsort.ErrMemoryLimit) || !strings.Contains(err.Error(), fmt.Sprintf("line 3 of the input has %d bytes", 6<<20)) || out.Len() > 0 {
		t.Fatalf("%v after %d bytes", err, out.Len())
	}
	var need int64
	_, after, _ := strings.Cut(err.Error(), "in the runs; -S ")
	if _, err := fmt.Sscanf(after, "%dK is enough", &need); err != nil {
		t.Fatal(err)
	}
	path := fileOf(t, "x", text+strings.Repeat("y\n", int(need)<<9)) // more than memory holds
	if got, disk := limited(t, need<<10, "", path); disk == nil || got[:4] != "a\nb\n" {
		t.Errorf("with -S %dK: on disk %v", need, disk != nil)
	}
}

// endless is an input without a line end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	if e.read > 256<<20 {
		return 0, io.ErrUnexpectedEOF
	}
	return len(p), nil
}

// A line is not read further than memory allows.
func TestEndlessLine(t *testing.T) {
	cmd, err := parseArgs([]string{"-T", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cmd.memory = 9 << 20
	var in endless
	_, err = cmd.run(&in, io.Discard, newMeter(io.Discard, true))
	if err == nil || !strings.Contains(err.Error(), "a line of more than") || in.read > 8*int(cmd.memory) {
		t.Errorf("%v after %d bytes", err, in.read)
	}
}

// Lines of 1 byte to a sixteenth of the memory come out as those in memory do.
func TestDiskLongLines(t *testing.T) {
	for _, memory := range []int64{8 << 20, 12 << 20} {
		r := rand.New(rand.NewPCG(1, uint64(memory)))
		var lines []string
		for bytes := 0; bytes < 3*int(memory); bytes += len(lines[len(lines)-1]) {
			n := int(math.Exp(r.Float64() * math.Log(float64(memory/16))))
			lines = append(lines, (fmt.Sprint(r.IntN(1000)) + strings.Repeat(string(rune('a'+r.IntN(26))), n))[:n])
		}
		text := strings.Join(lines, "\n") + "\n"
		path := fileOf(t, "x", text)
		for _, args := range []string{"", "-k1.1,1.2 -s", "-u -k1.1,1.3"} {
			words := append(strings.Fields(args), path)
			want, _ := limited(t, 1<<30, "", words...)
			got, disk := limited(t, memory, "", words...)
			if got != want || disk == nil || disk.Runs == 0 {
				t.Errorf("%s, %d bytes of memory: %d bytes, want %d; on disk: %+v", args, memory, len(got), len(want), disk)
			}
		}
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
