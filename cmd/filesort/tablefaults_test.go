package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/testkit"
)

// forTables calls try with arguments that sort something stored by column, or store something so.
func forTables(t *testing.T, try func(args []string)) {
	t.Helper()
	batch, _ := drawTable(rand.New(rand.NewPCG(1, 47)), 0, 3_000)
	dir := t.TempDir()
	for _, to := range storedFormats {
		try([]string{"-by", "a:string", "-format", "csv", "-to", to, "-T", dir, "-"})
		for _, in := range storedFormats {
			path := filepath.Join(dir, "x."+in)
			writeTable(t, path, in, batch)
			try([]string{"-by", "id:desc", "-to", to, "-T", dir, path})
			try([]string{"-by", "id:desc", "-to", "csv", "-T", dir, path})
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// A file that is cut anywhere, or changed outside of its schema, is sorted, or an error that names it and leaves the old output
// as it was, and nothing beside it. arrow-go trusts counts of a schema: a changed one may ask for any memory.
func TestDamagedTables(t *testing.T) {
	for _, in := range storedFormats {
		batch, _ := drawTable(rand.New(rand.NewPCG(2, 47)), 0, 300)
		path := filepath.Join(t.TempDir(), "x")
		writeTable(t, path, in, batch, batch)
		whole, err := os.ReadFile(path)
		expect(t, err)
		r := rand.New(rand.NewPCG(3, 47))
		failed := 0
		for i := range testkit.Pick(60, 1500) {
			data := append([]byte(nil), whole...)
			if i%2 == 0 {
				data = data[:r.IntN(len(data))]
			} else {
				at := len(data)/4 + r.IntN(len(data)/2) // schemas stand at both ends
				data[at] ^= byte(1 + r.IntN(255))
			}
			expect(t, os.WriteFile(path, data, 0o600))
			out := fileOf(t, "out.arrows", "old")
			to := storedFormats[r.IntN(3)]
			_, stderr, code := filesort("", "-format", in, "-by", "int,text", "-to", to, "-o", out, path)
			switch {
			case code == exitError:
				failed++
				if !strings.HasPrefix(stderr, "filesort: ") || !strings.Contains(stderr, path) && !strings.Contains(stderr, "column") {
					t.Errorf("%s: %s", in, stderr)
				}
				expectFile(t, out, "old", 0)
			case code != exitOK:
				t.Errorf("%s: exit %d, %s", in, code, stderr)
			}
			_, stderr, code = filesort("", "-format", in, "-by", "int,text", "-c", path)
			if code == exitError && !strings.HasPrefix(stderr, "filesort: ") {
				t.Errorf("%s: exit %d, %s", in, code, stderr)
			}
		}
		if failed < 10 {
			t.Errorf("%s: only %d errors", in, failed)
		}
	}
}

// What does not go with tables is refused by its name, before the output is touched.
func TestTablesRefused(t *testing.T) {
	batch, _ := drawTable(rand.New(rand.NewPCG(4, 47)), 0, 3)
	t.Chdir(t.TempDir())
	for _, format := range storedFormats {
		writeTable(t, "x."+format, format, batch)
	}
	expect(t, os.WriteFile("x.csv", []byte("id,b\n1,2\n"), 0o600))
	expect(t, os.WriteFile("not.parquet", []byte("id,b\n1,2\n"), 0o600))
	expect(t, os.WriteFile("out", []byte("old"), 0o600))
	for args, want := range map[string]string{
		"x.parquet -u -count":              "-count does not go with Parquet",
		"x.arrow -u -keep last":            "-keep does not go with Arrow",
		"x.arrows -top 1 -per int":         "-per does not go with Arrow",
		"x.parquet -skip 1":                "-skip does not go with Parquet",
		"x.parquet -comment #":             "-comment does not go with Parquet",
		"x.parquet -null x":                "-null does not go with Parquet",
		"x.parquet -no-header":             "-no-header does not go with Parquet",
		"x.parquet -delimiter ;":           "-delimiter does not go with Parquet",
		"x.arrow -split 1M":                "-split by size and by rows goes with Parquet",
		"x.parquet -split key":             "-split by size and by rows goes with Parquet",
		"x.csv -split 1M -to parquet":      "-split does not go with Parquet that is made of text",
		"x.csv -skip 1 -to arrow":          "-skip does not go with Arrow that is made of text",
		"x.csv -to arrow --compress gzip":  "--compress gzip does not go with Arrow",
		"x.csv -to csv":                    "-to csv does not go with texts",
		"x.csv x.parquet":                  "x.parquet is not of the format of x.csv",
		"x.parquet x.arrow":                "x.arrow is not of the format of x.parquet",
		"not.parquet":                      "not.parquet is no Parquet file",
		"x.csv -format parquet":            "x.csv",
		"x.csv -format arrows":             "x.csv",
		"missing.parquet":                  "missing.parquet: no such file",
		"x.parquet -by none":               "x.parquet has no column none; its columns are: id, int",
		"x.arrow -by none":                 "x.arrow has no column none; its columns are: id, int",
		"x.arrow -by list":                 "list",
		"x.parquet -by int:float":          "column int: Parquet knows the types of its columns",
		"x.parquet -by text:fold":          "column text: Parquet knows the types of its columns",
		"-format parquet -c -to csv x.csv": "-c and -to exclude each other",
	} {
		words := append(strings.Fields(args), "-o", "out%d")
		if !strings.Contains(args, "-split") {
			words[len(words)-1] = "out"
		}
		if strings.Contains(args, "-c ") {
			words = words[:len(words)-2]
		}
		if !strings.Contains(args, "-by") {
			words = append(words, "-by", "id")
		}
		stdout, stderr, code := filesort("", words...)
		if code != exitError || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q %s", args, code, stdout, stderr)
		}
	}
	if text, err := os.ReadFile("out"); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if all, _ := filepath.Glob("*"); len(all) != 6 {
		t.Errorf("files %q", all)
	}
}

// -c finds the first row out of order, with -u also the first that ties.
func TestCheckTables(t *testing.T) {
	for seed := range uint64(testkit.Pick(20, 300)) {
		r := rand.New(rand.NewPCG(seed, 48))
		format := storedFormats[r.IntN(3)]
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		one, rows := drawTable(r, 0, 1+r.IntN(30))
		two, more := drawTable(r, len(rows), r.IntN(30))
		rows = append(rows, more...)
		writeTable(t, path, format, one, two)
		keys, by := drawKeys(r)
		args := []string{"-c", "-by", by}
		unique := r.IntN(2) == 0
		if unique {
			args = append(args, "-u")
		}
		if r.IntN(2) == 0 { // most tables are out of order in their first rows
			sorted := filepath.Join(dir, "sorted."+format)
			if _, stderr, code := filesort("", "-by", by, "-o", sorted, path); code != 0 {
				t.Fatal(stderr)
			}
			path = sorted
			data, err := os.ReadFile(path)
			expect(t, err)
			texts, _ := readTable(t, data, format)
			byText := map[string]testRow{}
			for _, row := range rows {
				byText[row.text] = row
			}
			for i, text := range texts {
				rows[i] = byText[text]
			}
		}
		want, compare := "", compareRows(keys)
		for i := 1; i < len(rows) && want == ""; i++ {
			if c := compare(rows[i-1], rows[i]); c > 0 || c == 0 && unique {
				want = fmt.Sprintf("filesort: %s: row %d: disorder: ", path, i+1)
			}
		}
		_, stderr, code := filesort("", append(args, path)...)
		if want == "" && (code != 0 || stderr != "") || want != "" && (code != exitDisorder || !strings.HasPrefix(stderr, want)) {
			t.Errorf("seed %d: %q: exit %d, %s, want %q", seed, args, code, stderr, want)
		}
	}
}

// -split writes parts of Parquet, as SortFile does.
func TestSplitTables(t *testing.T) {
	batch, rows := drawTable(rand.New(rand.NewPCG(5, 47)), 0, 250)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.parquet")
	writeTable(t, path, parquetFormat, batch)
	if _, stderr, code := filesort("", "-by", "id", "-split", "rows=100", "-o", filepath.Join(dir, "part-%d.parquet"), path); code != 0 {
		t.Fatal(stderr)
	}
	for i := range 3 {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("part-%d.parquet", i)))
		expect(t, err)
		got, _ := readTable(t, data, parquetFormat)
		if want := rows[100*i : min(100*i+100, len(rows))]; len(got) != len(want) || got[0] != want[0].text {
			t.Errorf("part %d: %d rows", i, len(got))
		}
	}
}
