package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCheckColumns checks files that are sorted except for one row, in chunks of all lengths.
func TestCheckColumns(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 8))
		word := []string{"", ":int", ":string", ":desc", ":natural:desc", ":float:nullsfirst"}[r.IntN(6)]
		unique := r.IntN(2) == 0
		lines := make([]string, 2+r.IntN(40))
		for i := range lines {
			value := fmt.Sprint(r.IntN(50))
			if r.IntN(8) == 0 {
				value = ""
			}
			text := fmt.Sprint(i)
			if r.IntN(6) == 0 {
				text = "\"a\nb\""
			}
			lines[i] = value + "," + text
		}
		args := []string{"-by", "a" + word, "-format", "csv"}
		if unique {
			args = append(args, "-u")
		}
		sorted, _, code := filesort("a,b\n"+strings.Join(lines, "\n")+"\n", args...)
		if code != 0 {
			t.Fatal("not sorted")
		}
		check := func(in string, chunk int) error {
			cmd, err := parseArgs(append(args[:len(args):len(args)], "-c"))
			if err != nil {
				t.Fatal(err)
			}
			cmd.chunk = chunk
			return cmd.checkColumns(strings.NewReader(in), newMeter(io.Discard, true))
		}
		chunk := 1 << r.IntN(12)
		if err := check(sorted, chunk); err != nil {
			t.Fatalf("seed %d: %v of\n%s", seed, err, sorted)
		}
		rows := rowsOfCSV(sorted)
		if len(rows) < 3 {
			continue
		}
		// The first row of all again, after any row that differs from it: with -u after any.
		at := 2 + r.IntN(len(rows)-1)
		first, _, _ := strings.Cut(rows[1], ",")
		before, _, _ := strings.Cut(rows[at-1], ",")
		if first == before && !unique {
			continue
		}
		broken := strings.Join(rows[:at], "") + rows[1] + strings.Join(rows[at:], "")
		line := 1 + strings.Count(strings.Join(rows[:at], ""), "\n")
		var found *disorder
		if err := check(broken, chunk); !errors.As(err, &found) || found.place != fmt.Sprintf("stdin:%d", line) || found.text+"\n" != rows[1] {
			t.Fatalf("seed %d: %v, want a disorder in line %d of\n%s", seed, err, line, broken)
		}
	}
}

// rowsOfCSV cuts a file into its rows.
func rowsOfCSV(text string) (rows []string) {
	for text != "" {
		end, quoted := 0, false
		for ; quoted || text[end] != '\n'; end++ {
			quoted = quoted != (text[end] == '"')
		}
		rows, text = append(rows, text[:end+1]), text[end+1:]
	}
	return rows
}

// TestCheckColumnsCodes has the messages and exit codes of -c, -C and -m.
func TestCheckColumnsCodes(t *testing.T) {
	for _, test := range []struct {
		args, in, out, says string
		code                int
	}{
		{"-by a -c", "a\n1\n2\n", "", "", 0},
		{"-by a -c", "a\n2\n10\n", "", "", 0},
		{"-by a:string -c", "a\n2\n10\n", "", "filesort: stdin:3: disorder: 10\n", 1},
		{"-by a -C", "a\n2\n1\n", "", "", 1},
		{"-by a -c -u", "a\n2\n2\n", "", "filesort: stdin:3: disorder: 2\n", 1},
		{"-by a -c -u", "a\n2\n02\n", "", "filesort: stdin:3: disorder: 02\n", 1},
		{"-by a -c -u", "a\n02\n2\n", "", "", 0},
		{"-by a -c", "{\"a\":2}\n{\"b\":1}\n{\"a\":3}\n", "", "filesort: stdin:3: disorder: {\"a\":3}\n", 1},
		{"-by a:int -c", "a\nx\n", "", "filesort: stdin:2:1: \"x\" is not of type int, which -by says that a has\n", 2},
		{"-by b -c", "a\n1\n", "", "has no column b", 2},
		{"-by a -c -o x", "a\n1\n", "", "-c and -o exclude each other", 2},
		{"-by a -c x y", "", "", "extra operand \"y\" not allowed with -c", 2},
		{"-by a -c", "", "", "", 0},
		{"-by a -m", "a\n2\n1\n", "a\n1\n2\n", "", 0},
	} {
		args := test.args
		if strings.HasPrefix(test.in, "{") {
			args += " -format ndjson"
		}
		out, errors, code := filesort(test.in, strings.Fields(args)...)
		if code != test.code || out != test.out || !strings.Contains(errors, test.says) || test.says == "" && errors != "" {
			t.Errorf("%s of %q: code %d, %q, %q", args, test.in, code, out, errors)
		}
	}
}

// TestMergeColumns merges sorted files by columns, whose header stays once.
func TestMergeColumns(t *testing.T) {
	a, b := fileOf(t, "a.csv", "k,v\n1,a\n3,a\n"), fileOf(t, "b.csv", "k,v\n1,b\n2,b\n")
	out, errors, code := filesort("", "-m", "-by", "k", a, b)
	if want := "k,v\n1,a\n1,b\n2,b\n3,a\n"; code != 0 || !bytes.Equal([]byte(out), []byte(want)) {
		t.Errorf("code %d, %q, %s", code, out, errors)
	}
}
