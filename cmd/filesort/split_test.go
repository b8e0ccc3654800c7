package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// partsOf returns the texts of the parts in a folder, and checks that nothing else is there.
func partsOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if want := fmt.Sprintf("p%03d", i); !strings.HasPrefix(e.Name(), want) {
			t.Fatalf("%s, want %s", e.Name(), want)
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// naiveParts cuts rows in order into parts.
func naiveParts(rows []string, head string, s splitting, same func(a, b string) bool) (parts []string) {
	part, n := head, 0
	for i, row := range rows {
		full := s.rows > 0 && n == s.rows || s.bytes > 0 && int64(len(part)+len(row)) > s.bytes || s.keys > 0 && i > 0 && !same(rows[i-1], row)
		if full && n > 0 {
			parts = append(parts, part)
			part, n = head, 0
		}
		part, n = part+row, n+1
	}
	return append(parts, part)
}

// Parts together are the output, cut where a naive loop cuts it, each with the header.
func TestPartsAgainstModel(t *testing.T) {
	for seed := range seeds(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		n, pad := r.IntN(30), ""
		if seed%75 == 0 {
			n, pad = 40_000, strings.Repeat("z", 250)
		}
		var lines strings.Builder
		for i := range n {
			fmt.Fprintf(&lines, "%d,%s,%d%s\n", r.IntN(4), pick(r, "a", "b", "0a"), i, pad)
		}
		head, in := "", lines.String()
		args := []string{"-t,", "-k1,1nr", "-k2,2"}
		if r.IntN(2) == 0 {
			head = "x,y,z\n"
			args, in = []string{"-by", "x:desc,y"}, head+in
		}
		var s splitting
		switch r.IntN(4) {
		case 0:
			s.rows = 1 + r.IntN(max(n, 1))
			args = append(args, "-split", fmt.Sprint("rows=", s.rows))
		case 1:
			s.bytes = 1 + r.Int64N(int64(len(in))+9)
			args = append(args, "-split", fmt.Sprintf("%db", s.bytes))
		default:
			s.keys = 1 + r.IntN(2)
			args = append(args, "-split", fmt.Sprint("key=", s.keys))
		}
		if r.IntN(3) == 0 {
			args = append(args, "-u")
		}
		plain := slices.Clone(args)
		at := slices.Index(plain, "-split")
		sorted, _ := limited(t, 8<<20, in, append(slices.Delete(plain, at, at+2), "-")...)
		rows := slices.Collect(strings.Lines(strings.TrimPrefix(sorted, head)))
		if len(rows) > 300 && s.keys == 0 { // not a file for each row
			args[at+1], s = "rows=7777", splitting{rows: 7777}
		}
		want := naiveParts(rows, head, s, func(a, b string) bool {
			return slices.Equal(strings.Split(a, ",")[:s.keys], strings.Split(b, ",")[:s.keys])
		})
		dir := t.TempDir()
		limited(t, 8<<20, in, append(args, "-o", filepath.Join(dir, "p%03d"), "-")...)
		if got := partsOf(t, dir); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q of\n%.500q\ngot\n%.900q\nwant\n%.900q", seed, args, in, got, want)
		}
	}
}

// Parts go with what else makes an output: compression, arrays, lines on top, counts, groups.
func TestPartsOfAllKinds(t *testing.T) {
	csv := "k,v\nb,1\na,2\nb,3\na,2\n"
	for _, test := range []struct {
		args, in string
		want     []string
	}{
		{"-by k,v -split key -top 1 -per k", csv, []string{"k,v\na,2\n", "k,v\nb,1\n"}},
		{"-by k,v -split key=2 -u -count", csv, []string{"k,v,count\na,2,2\n", "k,v,count\nb,1,1\n", "k,v,count\nb,3,1\n"}},
		{"-by v -split rows=3 -comment #", "#c\n" + csv, []string{"#c\nk,v\nb,1\na,2\na,2\n", "#c\nk,v\nb,3\n"}},
		{"-by v -split 1000000b", "k,v\n", []string{"k,v\n"}},
		{"-split rows=2", "", []string{""}},
		{"-split key -u -count", "b\na\nb\n", []string{"      1 a\n", "      2 b\n"}},
		{"-split key -m", "b\na\nb", []string{"a\n", "b\nb\n"}},
		{"-split key --locale en_US.UTF-8 -f", "b\nB\na\n", []string{"a\n", "b\nB\n"}},
		{"-split key -f", "b\nB\na\n", []string{"a\n", "B\nb\n"}},
		{"-split key -z", "b\x00a\nc\x00b", []string{"a\nc\x00", "b\x00b\x00"}},
		{"-split key -record 2 -key 1:2", "b1a2c1", []string{"b1c1", "a2"}},
		{"-by k -split rows=1 -format json", "[{\"k\":2},\n{\"k\":1}]\n", []string{"[\n{\"k\":1}]\n", "[{\"k\":2}]\n"}},
		{"-by k:int -split key", "k\n10\n010\n9\n", []string{"k\n9\n", "k\n10\n010\n"}},
	} {
		dir := t.TempDir()
		_, stderr, code := filesort(test.in, append(strings.Fields(test.args), "-o", filepath.Join(dir, "p%03d"), "-")...)
		if got := partsOf(t, dir); !slices.Equal(got, test.want) || code != 0 {
			t.Errorf("%s: exit %d, %q, want %q %s", test.args, code, got, test.want, stderr)
		}
	}
	dir := t.TempDir()
	filesort("b\na\n", "-split", "rows=1", "-o", filepath.Join(dir, "p%03d.gz"), "-")
	for i, want := range []string{"a\n", "b\n"} {
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("p%03d.gz", i)))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 9)
		if n, _ := z.Read(b); string(b[:n]) != want {
			t.Errorf("part %d has %q, want %q", i, b[:n], want)
		}
		f.Close()
	}
}

// Whatever fails, the old parts stay and no others come.
func TestPartsSurviveErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for i := range 4 {
		if err := os.WriteFile("p"+strconv.Itoa(i), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"-split rows=1 -o p%d":                      "p2 is there, and the output has 2 parts only: remove it first",
		"-split rows=1 -o none/p%d":                 "no such file or directory",
		"-split rows=1":                             "-o is missing: -split goes with it",
		"-split rows=1 -o p":                        "with -split it has the number of a part once",
		"-split rows=1 -o p%d%d":                    "with -split it has the number of a part once",
		"-split rows=1 -o p%s%d":                    "with -split it has the number of a part once",
		"-split rows=1 -o p%%":                      "with -split it has the number of a part once",
		"-split rows=0 -o p%d":                      "must be a number of rows, 1 or more",
		"-split 100 -o p%d":                         "must be a size with its unit",
		"-split 10% -o p%d":                         "must be a size with its unit",
		"-split 0b -o p%d":                          "must be a size with its unit",
		"-split =1 -o p%d":                          "must be a size with its unit",
		"-split key=2 -k1 -o p%d":                   "-split key=2: -k names only 1",
		"-split key=3 -by a,b -o p%d":               "-split key=3: -by names only 2",
		"-split key -shuffle -o p%d":                "-split key and -shuffle exclude each other",
		"-split key=2 -by a,b -per a -top 1 -o p%d": "-split key=N and -per exclude each other",
		"-split key -c":                             "-c and -split exclude each other",
		"-split rows=1 --debug -o p%d":              "-debug and -o exclude each other",
	} {
		_, stderr, code := filesort("b\na\n", append(strings.Fields(args), "-")...)
		if code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
	p := &parts{command: &command{output: "p%d", selection: selection{split: splitting{rows: 1}}, compress: "none"}, head: "h\n"}
	err := errors.Join(p.next(), p.next())
	if p.discard(); err != nil || len(p.all) != 2 {
		t.Error(err)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if text, _ := os.ReadFile(e.Name()); string(text) != "old" {
			t.Errorf("%s has %q", e.Name(), text)
		}
	}
	if len(entries) != 4 {
		t.Errorf("left in the folder: %v", entries)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := errors.Join(os.Symlink("/dev/full", "full0")); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := filesort("a\n", "-split", "rows=1", "-o", "full%d", "-"); code != exitError || !strings.Contains(stderr, "-split writes files, and this is none") {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
}
