package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/sorter"
)

const unsorted, inOrder = "a\n2\n1\n", "a\n1\n2\n"

// expectFile checks a file, and that nothing else lies in its folder but
// others.
func expectFile(t *testing.T, path, want string, others int) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1+others {
		t.Errorf("left in the folder: %v", entries)
	}
}

func TestOutputFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	stdout, stderr, code := filesort(unsorted, "-by", "a", "-o", out, "-")
	if stdout+stderr != "" || code != 0 {
		t.Errorf("exit %d, %q, %s", code, stdout, stderr)
	}
	expectFile(t, out, inOrder, 0)
}

func TestOutputIsInput(t *testing.T) {
	path := fileOf(t, "x.csv", unsorted)
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, stderr, _ := filesort("", "-by", "a", path, "-o", path); stderr != "" {
		t.Error(stderr)
	}
	expectFile(t, path, inOrder, 0)
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o777 {
		t.Errorf("permissions became %v", info.Mode())
	}
}

func TestOutputThroughLink(t *testing.T) {
	path := fileOf(t, "x.csv", unsorted)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	filesort("", "-by", "a", path, "-o", link)
	expectFile(t, path, inOrder, 0)
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
}

func TestOutputToDevice(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip(err)
	}
	if _, stderr, code := filesort(unsorted, "-by", "a", "-o", os.DevNull, "-"); code != 0 {
		t.Error(stderr)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is no device any more", os.DevNull)
	}
}

// The output file is unchanged, whatever fails.
func TestOutputSurvivesErrors(t *testing.T) {
	path := fileOf(t, "x.csv", "a,b\n1\n")
	if _, _, code := filesort("", "-by", "a", path, "-o", path); code != exitError {
		t.Errorf("exit %d", code)
	}
	expectFile(t, path, "a,b\n1\n", 0)

	broken := errors.New("broken")
	err := writeFile(path, nil, 0, func(w io.Writer) error {
		w.Write([]byte("half"))
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	expectFile(t, path, "a,b\n1\n", 0)
}

func TestOutputFolderMissing(t *testing.T) {
	_, stderr, code := filesort(unsorted, "-by", "a", "-o", "no/such/folder", "-")
	if code != exitError || !strings.Contains(stderr, "no such file or directory") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// An output that cannot be written is an error before anything is read.
func TestOutputCheckedFirst(t *testing.T) {
	locked := fileOf(t, "x.csv", unsorted)
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{"no/such/folder": "no such file", t.TempDir(): "is a directory"}
	if os.Geteuid() > 0 { // root may write all files
		outputs[locked] = "permission denied"
	}
	for output, want := range outputs {
		for _, args := range [][]string{{"-by", "a"}, {"-r"}, {"-m"}, {"-S", "8M"}} {
			var stderr bytes.Buffer
			code := run(append(args, "-o", output, "-"), badReader{}, io.Discard, &stderr)
			if code != exitError || !strings.Contains(stderr.String(), want) {
				t.Errorf("-o %s: exit %d, %s", output, code, stderr.String())
			}
		}
	}
	expectFile(t, locked, unsorted, 0)
}

// The name of a temporary file fits, if that of the output does.
func TestOutputLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Skip(err)
	}
	if _, stderr, code := filesort("b\na\n", "-o", path); code != 0 {
		t.Error(stderr)
	}
	expectFile(t, path, "a\nb\n", 0)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	big := "a\n" + strings.Repeat("1\n", writeBuffer)
	for _, in := range []string{unsorted, big} {
		var stderr bytes.Buffer
		code := run([]string{"-by", "a", "-"}, strings.NewReader(in), fullDisk{}, &stderr)
		if code != exitError || stderr.String() != "filesort: disk full\n" {
			t.Errorf("exit %d, %s", code, stderr.String())
		}
	}
}

func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"-by", "a", "-"}, {"-r"}, {"-m"}, {"-by", "a", "-u", "-count", "-"}, {"-shuffle"}, {"-comment", "a"}} {
		_, stderr, code := filesort(unsorted, append(args, "-o", "/dev/full")...)
		if code != exitError || stderr != "filesort: write /dev/full: no space left on device\n" {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	forTables(t, func(args []string) {
		_, stderr, code := filesort(unsorted, append(args, "-o", "/dev/full")...)
		if code != exitError || !strings.HasSuffix(stderr, "write /dev/full: no space left on device\n") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	})
}

// A reader that goes away ends the command without a message.
func TestClosedPipe(t *testing.T) {
	in := strings.Repeat(unsorted, 1<<17)
	for _, args := range [][]string{{"-by", "a:string", "-format", "csv", "-"}, {"-r"}, {"-m"}, {"--compress", "zstd"}, {"-u", "-count", "-n"}, {"-shuffle"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		var stderr bytes.Buffer
		if code := run(args, strings.NewReader(in), w, &stderr); code != exitPipe || stderr.Len() > 0 {
			t.Errorf("%q: exit %d, %s", args, code, stderr.String())
		}
		w.Close()
	}
	forTables(t, func(args []string) {
		r, w, err := os.Pipe()
		expect(t, err)
		r.Close()
		var stderr bytes.Buffer
		if code := run(args, strings.NewReader(in), w, &stderr); code != exitPipe || stderr.Len() > 0 {
			t.Errorf("%q: exit %d, %s", args, code, stderr.String())
		}
		w.Close()
	})
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, errors.New("bad sector") }

func TestReadError(t *testing.T) {
	var stderr bytes.Buffer
	code := run([]string{"-by", "a", "-"}, badReader{}, io.Discard, &stderr)
	if code != exitError || stderr.String() != "filesort: reading stdin: bad sector\n" {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
}

// A cancelled context stops each step.
func TestInterrupt(t *testing.T) {
	cmd, err := parseArgs([]string{"-by", "a", "-"})
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(io.Discard, true)
	src, _, err := cmd.readSource(&input{Reader: strings.NewReader("a\n" + strings.Repeat("1\n2\n", 5000))}, 1<<30, m)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	table, err := cmd.parse(ctx, src, m)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := cmd.parse(ctx, src, m); !errors.Is(err, context.Canceled) {
		t.Errorf("parse: %v", err)
	}
	if err := cmd.sortRows(ctx, table, new(sorter.Stats), m); !errors.Is(err, context.Canceled) {
		t.Errorf("sort: %v", err)
	}
	if err := table.write(ctx, io.Discard, 2, m); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	if cmd, err = parseArgs([]string{"-m"}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.mergeLines(ctx, strings.NewReader(strings.Repeat("1\n", 5000)), io.Discard, m); !errors.Is(err, context.Canceled) {
		t.Errorf("merge: %v", err)
	}
}
