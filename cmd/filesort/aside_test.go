package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asideFile is rows with comments between them.
type asideFile struct{ text, top, rest string }

// randomAsides returns a file whose rows may hold lines in quotes that begin as comments do.
func randomAsides(r *rand.Rand, skip int, columns bool, rows int, eol string) (f asideFile) {
	var in, top, rest strings.Builder
	for i := range skip {
		line := fmt.Sprintf("skipped %d \"%s", i, eol)
		in.WriteString(line)
		top.WriteString(line)
	}
	comments := func() {
		for r.IntN(4+rows/100) == 0 {
			line := "#! " + strings.Repeat("\"c", r.IntN(3)) + eol
			in.WriteString(line)
			top.WriteString(line)
		}
	}
	put := func(line string) {
		comments()
		in.WriteString(line)
		rest.WriteString(line)
	}
	if columns {
		put("k,v\n")
	}
	for range rows {
		line := strconv.Itoa(r.IntN(1000))
		if columns {
			line += "," + pick(r, "x", "#!", "\"\n#! no comment\n\"", "\"a\"\"\n#!\"", "")
		}
		if r.IntN(9) == 0 {
			line = "#" + line
		}
		put(line + eol)
	}
	comments()
	return asideFile{in.String(), top.String(), rest.String()}
}

// What -skip and -comment set aside stays on top, and the rest is sorted as if it were alone.
func TestAsidesAgainstModel(t *testing.T) {
	for seed := range seeds(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		skip, columns, rows, eol := r.IntN(3), r.IntN(2) == 0, r.IntN(20), "\n"
		if seed%200 == 0 {
			rows = 150_000
		}
		args := []string{"-comment", "#!"}
		switch {
		case columns:
			args = append(args, "-by", pick(r, "k", "v,k:desc", "k:string"))
		case r.IntN(4) == 0:
			args, eol = append(args, "-z"), "\x00"
		}
		args = append(args, [][]string{{}, {"-u"}, {"-m"}}[r.IntN(3)]...)
		one, two := randomAsides(r, skip, columns, rows, eol), randomAsides(r, skip, columns, r.IntN(9), eol)
		names := []string{fileOf(t, "one", one.text), fileOf(t, "two", two.text)}
		plain := []string{fileOf(t, "one", one.rest), fileOf(t, "two", two.rest)}
		n := 1 + r.IntN(2)
		with := args
		if skip > 0 {
			with = append(slices.Clone(args), "-skip", strconv.Itoa(skip))
		}
		want, _ := limited(t, 8<<20, "", append(slices.Clone(args), plain[:n]...)...)
		top := one.top
		if n == 2 {
			top += strings.TrimPrefix(two.top, skipped(two.top, skip, eol))
		}
		got, _ := limited(t, 8<<20, "", append(slices.Clone(with), names[:n]...)...)
		if got != top+want {
			t.Fatalf("seed %d: %q of\n%.1000q\n%.1000q\ngot\n%.1000q\nwant\n%.1000q", seed, with, one.text, two.text, got, top+want)
		}
		if n == 1 { // a pipe
			if piped, _ := limited(t, 8<<20, one.text, append(slices.Clone(with), "-")...); piped != got {
				t.Fatalf("seed %d: %q of a pipe: %.1000q, want %.1000q", seed, with, piped, got)
			}
		}
	}
}

// skipped returns the first lines of a text.
func skipped(text string, lines int, eol string) string {
	at := 0
	for range lines {
		at += strings.Index(text[at:], eol) + len(eol)
	}
	return text[:at]
}

// Errors have the line of the file, comments included.
func TestAsidePlaces(t *testing.T) {
	for args, want := range map[string]string{
		"-by n:int -comment #":         "x.csv:8:1: \"x\" is not of type int",
		"-by n -comment # -c":          "x.csv:7: disorder: 3",
		"-by n:int -skip 2":            "x.csv:5:1: \"#\" is not of type int",
		"-comment # -n -c":             "x.csv:7: disorder: 3",
		"-by n -comment # -stats=text": "x.csv:8:1: \"x\" is no number",
	} {
		path := fileOf(t, "x.csv", "# a\n#\nn\n5\n#\n#\n3\nx\n9\n8\n7\n")
		_, stderr, _ := filesort("", append(strings.Split(args, " "), path)...)
		if !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", args, stderr)
		}
	}
}

func TestAsideErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "h1\nh2\nb\n", "b": "h1\nx\na\n", "short": "h1\n", "many": strings.Repeat("#x\n", 1<<20)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for args, want := range map[string]string{
		"-skip 2 a b":                      "reading b: its first lines, of which -skip names 2, are not those of the first file",
		"-skip 2 a short":                  "reading short: its first lines",
		"-skip 0 a":                        "must be a number of lines, 1 or more",
		"-comment= a":                      "it is empty",
		"-record 2 -skip 1 a":              "-record and -skip exclude each other",
		"-by 1 -comment # -quotes lazy a":  "-comment and -quotes lazy exclude each other",
		"-comment # -S 8M many":            "lines that -skip and -comment set aside exceed 524288 bytes; -S 16384K has room for twice as many",
		"-comment # -by 1 -S 8M many":      "lines that -skip and -comment set aside exceed 524288 bytes",
		"-shuffle -record 2 -comment # a ": "-record and -comment exclude each other",
	} {
		stdout, stderr, code := filesort("", strings.Fields(args)...)
		if stdout != "" || code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %.100q %s", args, code, stdout, stderr)
		}
	}
	if got, stderr, _ := filesort("", "-skip", "1", "a", "short", "a"); got != "h1\nb\nb\nh2\nh2\n" {
		t.Errorf("a file of skipped lines alone: %q %s", got, stderr)
	}
}
