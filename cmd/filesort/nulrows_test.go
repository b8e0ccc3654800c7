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
	"testing/iotest"
)

// nulTests are rows that end with NUL: line ends are part of values, and compared as they are.
var nulTests = []struct{ name, args, in, want string }{
	{"numbers", "-by n", "n\tp\x0010\ta\nb\x009\tz\r\x002\tc\x00", "n\tp\x002\tc\x009\tz\r\x0010\ta\nb\x00"},
	{"line ends among other bytes", "-by p:string", "p\x00a\vb\x00a\nb\x00a\x01b\x00a\rb\x00a\x00", "p\x00a\x00a\x01b\x00a\nb\x00a\vb\x00a\rb\x00"},
	{"the last row without NUL", "-by p", "p\x00b\r\x00a", "p\x00a\x00b\r\x00"},
	{"a line end in a name", "-by p\nq:desc", "p\nq\x00a\x00b\x00", "p\nq\x00b\x00a\x00"},
	{"quotes hide NUL", "-by 2:int -format csv", "\"a\x00\",2\x00b,1\x00", "b,1\x00\"a\x00\",2\x00"},
	{"quotes hide NUL, which is lower", "-by a -format csv", "a\x00\"x\x01\"\x00\"x\x00\"\x00\"x\n\"\x00", "a\x00\"x\x00\"\x00\"x\x01\"\x00\"x\n\"\x00"},
	{"quotes hide line ends", "-by a,b -format csv", "a,b\x00\"x\r\n\",2\x00\"x\r\n\",1\x00", "a,b\x00\"x\r\n\",1\x00\"x\r\n\",2\x00"},
	{"unique and count", "-by p -u -count", "p\x00a\n\x00b\x00a\n\x00", "p,count\x00a\n,2\x00b,1\x00"},
	{"lines on top", "-by p -skip 1 -comment #", "x\ny\x00p\x00#\n\x00b\x00a\x00", "x\ny\x00#\n\x00p\x00a\x00b\x00"},
	{"line ends alone are values", "-by 1:string -no-header", "\n\x00a\x00\r\x00", "\n\x00\r\x00a\x00"},
	{"group", "-by n:desc -top 1 -per p", "p,n\x00a\n,1\x00a\n,2\x00a,5\x00", "p,n\x00a,5\x00a\n,2\x00"},
	{"none", "-by 1", "", ""},
}

func TestNULRows(t *testing.T) {
	for _, test := range nulTests {
		args := append([]string{"-z"}, strings.Split(test.args, " ")...)
		got, stderr, code := filesort(test.in, args...)
		if code != 0 || got != test.want {
			t.Errorf("%s: %q, want %q, %s", test.name, got, test.want, stderr)
		}
		if strings.Contains(test.args, "-top") || strings.Contains(test.args, "-count") {
			continue
		}
		if _, stderr, code := filesort(got, append(args, "-c")...); code != 0 {
			t.Errorf("%s, -c: %s", test.name, stderr)
		}
	}
	if _, stderr, code := filesort("p\x00b\x00a\nb\x00", "-z", "-by", "p", "-c"); code != 1 || stderr != "filesort: stdin:3: disorder: a\nb\x00" {
		t.Errorf("-c: %d %q", code, stderr)
	}
	for in, says := range map[string]string{`{"a":1}` + "\x00": "-z is for CSV, TSV and lines", "PAR1": "-z does not go with Parquet"} {
		if _, stderr, code := filesort("", "-z", "-by", "a", fileOf(t, "in", in)); code != 2 || !strings.Contains(stderr, says) {
			t.Errorf("%q: %d %s", in, code, stderr)
		}
	}
}

// TestNULParts splits rows that end with NUL, stores them by column, and sorts them on disk as in memory.
func TestNULParts(t *testing.T) {
	out := filepath.Join(t.TempDir(), "%d.csv")
	if _, stderr, code := filesort("p\x00b\n\x00a\r\x00", "-z", "-by", "p", "-split", "rows=1", "-o", out); code != 0 {
		t.Fatal(stderr)
	}
	for i, want := range []string{"p\x00a\r\x00", "p\x00b\n\x00"} {
		if got, _ := os.ReadFile(fmt.Sprintf(out, i)); string(got) != want {
			t.Errorf("part %d: %q", i, got)
		}
	}
	table := filepath.Join(t.TempDir(), "x.arrow")
	if _, stderr, code := filesort("p\x00b\n\x00a\r\x00", "-z", "-by", "p", "-o", table); code != 0 {
		t.Fatal(stderr)
	}
	if got, stderr, _ := filesort("", "-by", "p", "-to", "ndjson", table); got != `{"p":"a\r"}`+"\n"+`{"p":"b\n"}`+"\n" {
		t.Errorf("stored: %q %s", got, stderr)
	}

	r := rand.New(rand.NewPCG(4, 5))
	rows := make([]string, 60_000)
	for i := range rows {
		name := make([]byte, 60+r.IntN(200))
		for j := range name {
			name[j] = "ab\n\r/ é"[r.IntN(8)]
		}
		rows[i] = fmt.Sprintf("%s\t%d\x00", name, r.IntN(1000))
	}
	in := fileOf(t, "names", strings.Join(rows, ""))
	slices.Sort(rows) // the tab is lower than every other byte but a newline
	slices.SortStableFunc(rows, func(a, b string) int {
		a, _, _ = strings.Cut(a, "\t")
		b, _, _ = strings.Cut(b, "\t")
		return strings.Compare(a, b)
	})
	want := strings.Join(rows, "")
	for _, memory := range []string{"8M", "1G"} {
		got, stderr, code := filesort("", "-z", "-S", memory, "-format", "tsv", "-no-header", "-by", "1:string", in)
		if code != 0 || got != want {
			t.Errorf("-S %s: another order of %d bytes for %d, %s", memory, len(got), len(want), stderr)
		}
	}
}

// TestNULStreams writes what was read, wherever reads and writes are cut.
func TestNULStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for range 2000 {
		in := make([]byte, r.IntN(30))
		for i := range in {
			in[i] = "\x00\n\ranr"[r.IntN(6)]
		}
		lines, err := io.ReadAll(iotest.OneByteReader(&nulReader{in: iotest.HalfReader(bytes.NewReader(in))}))
		if err != nil || bytes.Count(lines, []byte("\n")) != bytes.Count(in, []byte{0}) || bytes.Contains(lines, []byte("\r")) {
			t.Fatalf("%q are lines %q, %v", in, lines, err)
		}
		var out bytes.Buffer
		w := &nulWriter{w: &out}
		for part := range slices.Chunk(lines, 1+r.IntN(5)) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if !bytes.Equal(out.Bytes(), in) {
			t.Fatalf("%q, want %q", out.Bytes(), in)
		}
	}
}
