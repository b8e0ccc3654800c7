package docs

import (
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFigures compares the figures of every paragraph that links to results, and of a
// table after it, with the numbers there. A row of a table is compared with the lines
// of the results that match its labels, such as u32, 2^20 and uniform.
func TestFigures(t *testing.T) {
	documents(t, func(t *testing.T, doc string, all []block) {
		var linked []string
		for _, b := range all {
			if b.code {
				continue
			}
			if !b.table {
				linked = results(doc, b.text)
			}
			var lines []string
			for _, file := range linked {
				lines = append(lines, strings.Split(read(t, file), "\n")...)
			}
			if len(lines) == 0 {
				if strings.HasPrefix(b.text, "- **Measured**") && !strings.Contains(b.text, "above") {
					t.Errorf("line %d: links to no results", b.line)
				}
				continue
			}
			rows := []string{b.text}
			if b.table {
				rows = strings.Split(b.text, "\n")[2:]
			}
			for _, row := range rows {
				known := numbers(strings.Join(linesOf(lines, row), "\n"))
				for _, f := range figures(row) {
					if !quoted(known, f) {
						t.Errorf("line %d: %s is not in %v: %s", b.line, f, linked, strings.TrimSpace(row))
					}
				}
			}
		}
	})
}

// results returns the files of results, and of benchmarks, that a text links to.
func results(doc, text string) (files []string) {
	for _, to := range link.FindAllStringSubmatch(text, -1) {
		file := path.Join(path.Dir(doc), to[1])
		if measured, _ := path.Match("bench/results/*/*.[mt][dx]*", file); measured || strings.HasSuffix(file, "_bench_test.go") {
			files = append(files, file)
		}
	}
	return files
}

var power = regexp.MustCompile(`2\^(\d+)`)

// cells returns the cells of a row, powers of two written out.
func cells(row string) []string {
	row = power.ReplaceAllStringFunc(row, func(p string) string {
		exponent, _ := strconv.Atoi(p[2:])
		return fmt.Sprint(1 << exponent)
	})
	var all []string
	for _, cell := range strings.Split(strings.Trim(row, "| \n"), "|") {
		all = append(all, strings.TrimSpace(cell))
	}
	return all
}

// linesOf returns the lines that have all cells of a row that are no figures; all
// lines if none does.
func linesOf(lines []string, row string) []string {
	keys := slices.DeleteFunc(cells(row), func(cell string) bool { return cell == "" || len(figures(cell)) > 0 })
	found := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		has := cells(line)
		return slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(has, key) })
	})
	if len(found) == 0 {
		return lines
	}
	return found
}

var (
	number = regexp.MustCompile(`\d+(?:\.\d+)?`)
	unit   = regexp.MustCompile(`\d+(?:\.\d+)?(?: ?(?:ms|µs|ns|GB/s|×))?`)
)

// numbers returns all numbers of a text.
func numbers(text string) (all []float64) {
	for _, digits := range number.FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(digits, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}

// figures returns the numbers of a text that have a fraction or a unit, without those
// in code and links.
func figures(text string) (all []string) {
	text = spans.ReplaceAllString(link.ReplaceAllString(text, "]"), "")
	for _, f := range unit.FindAllString(text, -1) {
		if strings.ContainsAny(f, ".mµn×G") {
			all = append(all, f)
		}
	}
	return all
}

// quoted reports whether a figure is one of the known numbers, rounded to its digits.
func quoted(known []float64, f string) bool {
	return slices.ContainsFunc(known, func(v float64) bool { return rounds(v, f) })
}

func rounds(v float64, f string) bool {
	digits := number.FindString(f)
	_, fraction, _ := strings.Cut(digits, ".")
	want, err := strconv.ParseFloat(digits, 64)
	return err == nil && math.Abs(v-want) <= 0.5000001*math.Pow10(-len(fraction))
}

// cases are the rows of the README's table, as the results name them.
var cases = map[string]string{
	"24-byte struct by float32":       "24-byte struct by float32",
	"the same, stable":                "24-byte struct by float32, stable",
	"64-byte struct by int64":         "64-byte struct by int64",
	"16-byte struct by float32":       "float4 by first component",
	"argsort by float32":              "argsort by float32",
	"`[]uint32`":                      "u32",
	"`[]float32`":                     "f32",
	"`[]uint64`":                      "u64",
	"`[]float64`":                     "f64",
	"`[]string`":                      "string",
	"string, then float64 descending": "string, then float64 descending",
	"first 100 of 24-byte structs":    "top 100 of 24-byte structs",
}

// TestTable compares the README's table, column by column, with the results: the
// library with the smallest and largest time, the standard library, the fastest other.
func TestTable(t *testing.T) {
	const file, size = "bench/results/epyc-2cores/results.csv", "10000000"
	records, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(read(t, "README.md"), "\n") {
		c := cells(line)
		name := cases[c[0]]
		if name == "" || len(c) != 6 {
			continue
		}
		rows++
		var own, standard, best []string
		for _, r := range records {
			if r[0] != name || r[1] != "uniform" || r[2] != size || r[6] == "" {
				continue
			}
			switch {
			case r[3] == "sorter":
				own = r
			case r[3] == r[12]:
				standard = r
			case r[4] == "peer" && (best == nil || numbers(r[6])[0] < numbers(best[6])[0]):
				best = r
			}
		}
		for i, want := range [][]string{{own[6], own[7], own[8]}, {standard[6]}, {standard[13]}, {best[6]}, {best[13]}} {
			got := number.FindAllString(spans.ReplaceAllString(c[i+1], ""), -1)
			if len(got) != len(want) || !slices.EqualFunc(want, got, func(v, f string) bool { return rounds(numbers(v)[0], f) }) {
				t.Errorf("%s: %s, want %v", c[0], c[i+1], want)
			}
		}
		if !strings.Contains(c[2], "`"+standard[3]+"`") {
			t.Errorf("%s: %s, want %s", c[0], c[2], standard[3])
		}
	}
	if rows != len(cases) {
		t.Errorf("%d rows of %d", rows, len(cases))
	}
}
