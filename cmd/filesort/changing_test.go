package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// changes are what may happen to a file while it is read.
var changes = []struct {
	name   string
	change func(t *testing.T, path string)
}{
	{"cut", cutBy(10)},
	{"cut by a piece", cutBy(pieceSize + 10)},
	{"emptied", func(t *testing.T, path string) { expect(t, os.Truncate(path, 0)) }},
	{"rows added", addTo(longRow("7") + longRow("8"))},
	{"a row and a half added", addTo(longRow("7") + "8,")},
	{"the last row goes on", addTo("0\n" + longRow("7"))},
	{"many rows added", addTo(strings.Repeat(longRow("7"), 1<<14))},
}

func expect(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cutBy(n int64) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		info, err := os.Stat(path)
		expect(t, err)
		expect(t, os.Truncate(path, info.Size()-n))
	}
}

func addTo(more string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		expect(t, err)
		_, err = f.WriteString(more)
		expect(t, err)
		expect(t, f.Close())
	}
}

// longRow returns a row of 64 bytes.
func longRow(key string) string { return fmt.Sprintf("%s,%061d\n", key, 0) }

// changingSorts sort a file that is open already.
var changingSorts = []struct {
	args string
	sort func(cmd *command, in *input, w io.Writer, m *meter) error
}{
	{"-k1,1n -t,", sortOpenedLines},
	{"-record 64", sortOpenedLines},
	{"-k1,1n -t, -S 8M", sortOpenedLines},
	{"-by 1 -no-header -format csv", sortOpenedColumns},
	{"-by 1 -no-header -format csv -S 8M", sortOpenedColumns},
}

func sortOpenedLines(cmd *command, in *input, w io.Writer, m *meter) error {
	c := &chunks{files: &files{names: cmd.files, opened: in, compress: "none"}, shape: cmd.shape, size: slotSize, m: m}
	_, err := cmd.sortLines(c, w, m)
	return err
}

func sortOpenedColumns(cmd *command, in *input, w io.Writer, m *meter) error {
	src, more, err := cmd.readSource(in, cmd.memory/4, m)
	if err == nil && more {
		_, err = cmd.sortColumnsOnDisk(nil, in, w, m)
	} else if err == nil {
		_, err = cmd.sortSource(src, w, m)
	}
	return err
}

// changeErrors are errors of a file that changes; the last are those of its last row.
var changeErrors = []string{"it became shorter", "it has changed", "this row has 1 of the 2 fields", "the last record has"}

// A file that changes after it was opened gives the rows that it has then, or an error.
func TestChangingFile(t *testing.T) {
	text := strings.Repeat(longRow("2")+longRow("1"), pieceSize/64)[:pieceSize+pieceSize/4-1]
	for _, test := range changingSorts {
		for _, c := range changes {
			path := fileOf(t, "x", text)
			if strings.Contains(test.args, "record") || strings.Contains(c.name, "added") {
				addTo("\n")(t, path)
			}
			in, err := openInput(path, nil, "none", false)
			expect(t, err)
			c.change(t, path)
			cmd, err := parseArgs(append(strings.Fields(test.args), "-T", t.TempDir(), path))
			expect(t, err)
			var out bytes.Buffer
			err = test.sort(cmd, in, &out, newMeter(io.Discard, true))
			in.Close()
			switch now, _ := os.ReadFile(path); {
			case err != nil && (out.Len() > 0 || !slices.ContainsFunc(changeErrors, func(s string) bool { return strings.Contains(err.Error(), s) })):
				t.Errorf("%s, %s: %v after %d bytes", test.args, c.name, err, out.Len())
			case err != nil:
			case strings.ContainsRune(out.String(), 0) || !sameRows(out.String(), string(now)):
				t.Errorf("%s, %s: %d bytes of %d", test.args, c.name, out.Len(), len(now))
			}
		}
	}
}

// sameRows reports whether two texts have the same rows.
func sameRows(a, b string) bool { return slices.Equal(sortedLines(a), sortedLines(b)) }

// changingReader calls change before it is read.
type changingReader struct {
	io.Reader
	change func()
}

func (r *changingReader) Read(p []byte) (int, error) {
	if r.change != nil {
		r.change()
		r.change = nil
	}
	return r.Reader.Read(p)
}

// A file that changes between its two readings is an error, whatever the change.
func TestChangeBetweenReadings(t *testing.T) {
	const text = "a,b\n1,x\n2,y\n"
	for i, change := range []func(t *testing.T, path string){
		cutBy(4), cutBy(int64(len(text))), addTo("3,z\n"), addTo("z,z\n"),
		func(t *testing.T, path string) { expect(t, os.WriteFile(path, []byte("a,b\n3,x\n2,z\n"), 0o600)) },
		func(t *testing.T, path string) {
			expect(t, os.WriteFile(path+".new", []byte(text), 0o600))
			expect(t, os.Rename(path+".new", path))
		},
		func(t *testing.T, path string) { expect(t, os.Remove(path)) },
	} {
		path := fileOf(t, "x.csv", text)
		long := path[:len(path)-5] + "long.csv"
		expect(t, os.WriteFile(long, []byte("a,b\n"+strings.Repeat("5,x\n", 1<<18)), 0o600))
		stdin := &changingReader{strings.NewReader("a,b\n0,z\n"), func() { change(t, path) }}
		var out, stderr bytes.Buffer
		code := run([]string{"-by", "a", path, long, "-"}, stdin, &out, &stderr)
		if code != exitError || out.Len() > 0 || !strings.Contains(stderr.String(), "it has changed") && !strings.Contains(stderr.String(), "no such file") {
			t.Errorf("change %d: exit %d, %q, %s", i, code, out.String(), stderr.String())
		}
	}
}

// A file whose content is made while it is read has it in all modes, whatever its size says.
func TestMadeFiles(t *testing.T) {
	for _, path := range []string{"/sys/class/net/lo/mtu", "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/version", "/proc/filesystems"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, args := range []string{"", "-m -s", "-u", "-by 1 -no-header -format csv", "-by 1:string -no-header -format csv", "-S 8M -record 1"} {
			for _, names := range [][]string{{path}, {path, path}} {
				got, stderr, code := filesort("", append(strings.Fields(args), names...)...)
				want := strings.Repeat(string(text), len(names))
				if args == "-u" {
					want = string(text)
				}
				if code != 0 || strings.ContainsRune(got, 0) || len(got) != len(want) || !strings.Contains(args, "record") && !sameRows(got, want) {
					t.Errorf("%q of %q: exit %d, %d bytes %q, want %q %s", args, names, code, len(got), got, want, stderr)
				}
			}
		}
	}
}

// Files in /proc and /sys are no stored ones, wherever these are mounted.
func TestStored(t *testing.T) {
	for path, want := range map[string]bool{
		fileOf(t, "x", unsorted): true, "/proc/version": false, "/sys/class/net/lo/mtu": false, "/dev/null": false, t.TempDir(): false,
	} {
		if info, err := os.Stat(path); err == nil && stored(info) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// A name of a descriptor may go on where the first reading ended, as on BSD: it does not open its file again.
func TestOpensAgain(t *testing.T) {
	path := fileOf(t, "x", unsorted)
	f, err := os.Open(path)
	expect(t, err)
	defer f.Close()
	for name, want := range map[string]bool{path: true, fmt.Sprintf("/dev/fd/%d", f.Fd()): false, "-": false} {
		in, err := openInput(name, f, "none", false)
		if err != nil {
			t.Skip(err)
		}
		if in.again(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
		in.Close()
	}
}

// A file that changes while it is read again is an error at its end.
func TestChangeInSecondReading(t *testing.T) {
	path := fileOf(t, "x", unsorted)
	r := &replay{files: &files{names: []string{path}, compress: "none"}}
	defer r.close()
	for _, open := range []func() (*input, error){r.first, r.second} {
		in, err := open()
		expect(t, err)
		if text, err := io.ReadAll(in); string(text) != unsorted || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if r.next > 0 {
			addTo("more\n")(t, path)
			if err := in.Close(); err != errChanged {
				t.Errorf("closed with %v", err)
			}
		}
		in.Close()
	}
}
