package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onDisk sorts by columns through the disk, in chunks of a few bytes.
func onDisk(t *testing.T, stdin string, chunk int, args ...string) (string, error) {
	t.Helper()
	cmd, err := parseArgs(append(args, "-T", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	cmd.chunk = chunk
	var out bytes.Buffer
	_, err = cmd.sortColumnsOnDisk(strings.NewReader(stdin), nil, &out, newMeter(io.Discard, true))
	return out.String(), err
}

// Sorts through the disk equal those in memory, wherever chunks end.
func TestColumnsOnDisk(t *testing.T) {
	for _, test := range sortTests {
		for _, chunk := range []int{1, 7, 1 << 20} {
			if strings.Contains(test.args, "stable=false") || test.in == "" {
				continue
			}
			got, err := onDisk(t, test.in, chunk, append(split(test.args), "-")...)
			if err != nil || got != test.want {
				t.Errorf("%s, chunks of %d: filesort %s\nof   %q\ngot  %q, %v\nwant %q", test.name, chunk, test.args, test.in, got, err, test.want)
			}
		}
	}
}

// Faults have the same place.
func TestFaultsOnDisk(t *testing.T) {
	for _, test := range []struct{ args, in, want string }{
		{"-by a", "a,b\n1,2\n\"3\n4\"\n", "stdin:4:3: this row has 1 of the 2 fields of the first row"},
		{"-by a", "a,b\n1,2\n3,4,5\n", "stdin:3:5: this row has more than 2 fields, unlike the first row"},
		{"-by a", "a\n1\nab\"c\n", "stdin:3:3: a quote inside a field that does not start with one (-quotes lazy takes it for text)"},
		{"-by a", "a,b\n1,2\n3,\"4\n5,6\n", "stdin:3:3: the quote before this field is never closed"},
		{"-by s,n:int", "s,n\na,1\nb,1.5\n", `stdin:3:3: "1.5" is not of type int, which -by says that n has`},
		{"-by a -format ndjson", "{\"a\":1}\n{\"a\" 1}\n", "stdin:2:6: invalid character '1' after object key"},
		{"-by x -format ndjson", "{\"a\":1}\n{\"a\":2}\n", "no row has a column x"},
		{"-by a", "a,b\r3,x\r1,y\r", "stdin:1:4: " + loneReturn},
		{"-by a", "a,b\n3,x\r1,y\r", "stdin:2:4: " + loneReturn},
		{"-by 1 -format tsv", "a\tb\r3\tx\r", "stdin:1:4: " + loneReturn},
		{"-by a", "\xff\xfea\x00", "reading stdin: this is UTF-16, which has to be converted to UTF-8 first (iconv -f UTF-16 -t UTF-8)"},
	} {
		for _, chunk := range []int{1, 6, 1 << 20} {
			_, err := onDisk(t, test.in, chunk, append(split(test.args), "-")...)
			if err == nil || err.Error() != test.want {
				t.Errorf("%q, chunks of %d: %v, want %s", test.in, chunk, err, test.want)
			}
		}
	}
}

func TestSeveralFilesByColumns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := write("a.csv", "n,s\n2,\"x\ny\"\n4,z"), write("b.csv", "\ufeffn,s\r\n3,b\r\n1,a\r\n")
	got, stderr, _ := filesort("n,s\n2,first\n", "-by", "n", "-", a, b)
	if want := "n,s\n1,a\r\n2,first\n2,\"x\ny\"\n3,b\r\n4,z\n"; got != want {
		t.Errorf("got %q %s", got, stderr)
	}
	empty, late := write("empty.csv", "\r\n\n"), write("late.csv", "\n\nn,s\n6,a\n5,b\n")
	got, stderr, _ = filesort("n,s\n8,x\n7,x\n", "-by", "n", empty, late, b, "-", "-")
	if want := "\r\n\n\n\nn,s\n1,a\r\n3,b\r\n5,b\n6,a\n7,x\n8,x\n"; got != want {
		t.Errorf("with empty lines, and a stream twice, got %q %s", got, stderr)
	}
	many := strings.Repeat("\n", 1<<17) // more than a chunk
	if got, err := onDisk(t, many+"n,s\n6,a\n5,b\n", 1, "-by", "n", "-"); got != many+"n,s\n5,b\n6,a\n" {
		t.Errorf("after many empty lines, got %d bytes, the last %q, %v", len(got), got[max(0, len(got)-20):], err)
	}
	wide := "\nn" + strings.Repeat(",some name", 1<<17) // chunks end in the header
	row := strings.Repeat(",", 1<<17) + "\n"
	if got, err := onDisk(t, wide+"\n2"+row+"1"+row, 1, "-by", "n", "-S", "64M", "-"); got != wide+"\n1"+row+"2"+row {
		t.Errorf("a wide header after an empty line: got %d bytes, %v", len(got), err)
	}
	returns := write("returns.csv", "n,s\r1,2\r")
	if _, stderr, code := filesort("", "-by", "n", a, returns); code != exitError || !strings.Contains(stderr, "returns.csv:1:4: "+loneReturn) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	c := write("c.csv", "n,t\n1,2\n")
	if _, stderr, code := filesort("", "-by", "n", a, c); code != exitError || !strings.Contains(stderr, "c.csv: its header is not that of the first file") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A header or a row that has no line end gets one, if it is followed by another: that of its file,
// or else of the next or the one before.
func TestLineEndsOfSeveralFiles(t *testing.T) {
	for _, test := range []struct{ args, a, b, want string }{
		{"-by n", "n,s", "n,s\r\n2,x\r\n1,y", "n,s\r\n1,y\r\n2,x\r\n"},
		{"-by n", "n,s", "n,s", "n,s"},
		{"-by n", "n,s\n2,x", "n,s\r\n3,z\r\n1,y", "n,s\n1,y\r\n2,x\n3,z\r\n"},
		{"-by n", "\"n\",\"s\nt\"\r\n2,x", "\"n\",\"s\nt\"", "\"n\",\"s\nt\"\r\n2,x\r\n"},
		{"-by 1 -no-header", "2\r\n3\r\n", "1", "1\r\n2\r\n3\r\n"},
		{"-by n -format ndjson", "\ufeff", "{\"n\":2}\r\n{\"n\":1}", "\ufeff{\"n\":1}\r\n{\"n\":2}\r\n"},
	} {
		a, b := fileOf(t, "a", test.a), fileOf(t, "b", test.b)
		if got, stderr, code := filesort("", append(split(test.args), a, b)...); got != test.want || code != 0 {
			t.Errorf("%q and %q: got %q, want %q %s", test.a, test.b, got, test.want, stderr)
		}
	}
}

// A file that memory does not hold, through runs on disk.
func TestLargeColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("n,t,q\n")
	for b.Len() < 6<<20 {
		fmt.Fprintf(&b, "%d,2024-01-%02d,\"a\"\"%s\n\"\n", r.IntN(5000), 1+r.IntN(28), strings.Repeat("x", r.IntN(100)))
	}
	path := fileOf(t, "x.csv", b.String())
	for _, args := range [][]string{{"-by", "n,t:desc"}, {"-by", "q:desc,n"}, {"-by", "t,n:int", "-top", "100"}} {
		want, disk := limited(t, 1<<30, "", append(slices.Clone(args), path)...)
		if disk != nil {
			t.Fatal("6 MB went to disk, with 1 GB of memory")
		}
		if got, disk := limited(t, 8<<20, "", append(slices.Clone(args), path)...); got != want || disk == nil {
			t.Errorf("%q: %d bytes from a file, want %d; on disk: %+v", args, len(got), len(want), disk)
		}
		if got, disk := limited(t, 16<<20, b.String(), append(slices.Clone(args), "-")...); got != want || disk == nil {
			t.Errorf("%q: %d bytes from a pipe, want %d; on disk: %+v", args, len(got), len(want), disk)
		}
	}
}
