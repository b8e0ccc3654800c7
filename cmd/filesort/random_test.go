package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The reference never parses: it makes values first, writes them down in one
// of the ways that a file may, and sorts rows by the values.

// cell is a value and how a CSV file and an NDJSON file have it.
type cell struct {
	null      bool
	value     any // int64, float64, bool, time.Time or string
	csv, json string
}

// randomCell returns a value of kind k, often one that came before.
func randomCell(r *rand.Rand, k kind) cell {
	if r.IntN(6) == 0 {
		return cell{null: true, csv: []string{"", `""`, "NA"}[r.IntN(3)], json: []string{"null", `"NA"`}[r.IntN(2)]}
	}
	switch k {
	case integer:
		v := []int64{r.Int64(), -r.Int64(), r.Int64N(9), math.MinInt64, math.MaxInt64}[r.IntN(5)]
		return plain(v, strconv.FormatInt(v, 10))
	case float:
		v := []float64{r.NormFloat64(), float64(r.IntN(9)) / 4, math.Copysign(0, -1), math.MaxFloat64, -math.SmallestNonzeroFloat64}[r.IntN(5)]
		if r.IntN(9) == 0 {
			v = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			s := fmt.Sprint(v)
			return cell{value: v, csv: s, json: `"` + s + `"`}
		}
		return plain(v, strconv.FormatFloat(v, "eg"[r.IntN(2)], -1, 64))
	case boolean:
		v := r.IntN(2) == 0
		c := plain(v, fmt.Sprint(v))
		if r.IntN(2) == 0 {
			c.csv = strings.ToUpper(c.csv)
		}
		return c
	case instant:
		zone := time.FixedZone("", 1800*(r.IntN(40)-20))
		v := time.Unix(r.Int64N(4e9), r.Int64N(3)*5e8).In(zone)
		s := v.Format(time.RFC3339Nano)
		if r.IntN(3) == 0 {
			v = v.UTC().Truncate(24 * time.Hour)
			s = v.Format(time.DateOnly)
		}
		return cell{value: v, csv: s, json: `"` + s + `"`}
	}
	v := "s" + strings.Repeat("é long prefix ", r.IntN(2)) + string(rune(' '+r.IntN(90))) + []string{"", ",", "\r\n", "\n", `"`, `",`, `""`, "\x00"}[r.IntN(8)]
	c := cell{value: v, csv: v, json: strconv.QuoteToASCII(v)}
	c.json = strings.ReplaceAll(c.json, `\x`, `\u00`)
	if strings.ContainsAny(v, ",\"\n") {
		c.csv = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
	}
	return c
}

// plain is a value that both formats write without quotes, or may quote.
func plain(v any, s string) cell { return cell{value: v, csv: s, json: s} }

// compareCells is the order of the README, written down a second time.
func compareCells(a, b cell, s spec) int {
	if a.null || b.null {
		c := truth(a.null) - truth(b.null)
		if s.nullsFirst {
			return -c
		}
		return c
	}
	c := 0
	switch x := a.value.(type) {
	case int64:
		c = cmp.Compare(x, b.value.(int64))
	case float64:
		y := b.value.(float64)
		if math.IsNaN(x) || math.IsNaN(y) {
			return truth(math.IsNaN(x)) - truth(math.IsNaN(y))
		}
		c = cmp.Compare(x, y)
	case bool:
		c = truth(x) - truth(b.value.(bool))
	case time.Time:
		c = x.Compare(b.value.(time.Time))
	case string:
		c = strings.Compare(x, b.value.(string))
	}
	if s.desc {
		return -c
	}
	return c
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// randomFile is rows of cells, and their text in one format.
type randomFile struct {
	head  string
	cells [][]cell
	lines []string
}

func newRandomFile(r *rand.Rand, kinds []kind, json bool) *randomFile {
	f := &randomFile{}
	eol := []string{"\n", "\r\n"}[r.IntN(2)]
	if !json {
		for c := range kinds {
			f.head += fmt.Sprintf("c%d,", c)
		}
		f.head += "last" + eol
	}
	for range r.IntN(60) {
		var row []cell
		for _, k := range kinds {
			row = append(row, randomCell(r, k))
		}
		f.cells = append(f.cells, row)
		if json {
			f.lines = append(f.lines, jsonLine(r, row)+eol)
		} else {
			f.lines = append(f.lines, csvLine(r, row)+eol)
		}
	}
	return f
}

func csvLine(r *rand.Rand, row []cell) string {
	var b strings.Builder
	for _, c := range row {
		if r.IntN(4) == 0 && !strings.HasPrefix(c.csv, `"`) {
			c.csv = `"` + c.csv + `"`
		}
		b.WriteString(c.csv + ",")
	}
	return b.String() + strconv.Itoa(r.IntN(100))
}

func jsonLine(r *rand.Rand, row []cell) string {
	var members []string
	for i, c := range row {
		if c.null && r.IntN(2) == 0 {
			continue
		}
		members = append(members, fmt.Sprintf(`"c%d"%*s:%s`, i, r.IntN(3), "", c.json))
	}
	members = append(members, fmt.Sprintf(`"x":[{"c0":"]}"},%d]`, r.IntN(100)))
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// sorted is the slow reference: a stable sort of the rows by their values.
func (f *randomFile) sorted(specs []spec, columns []int) string {
	order := make([]int, len(f.lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for i, s := range specs {
			if c := compareCells(f.cells[a][columns[i]], f.cells[b][columns[i]], s); c != 0 {
				return c
			}
		}
		return 0
	})
	var b strings.Builder
	b.WriteString(f.head)
	for _, i := range order {
		b.WriteString(f.lines[i])
	}
	return b.String()
}

// randomBy returns 1 to len(kinds) of the columns, with words.
func randomBy(r *rand.Rand, kinds []kind) (by string, columns []int) {
	columns = r.Perm(len(kinds))[:1+r.IntN(len(kinds))]
	var names []string
	for _, c := range columns {
		name := fmt.Sprintf("c%d", c)
		if r.IntN(2) == 0 {
			name += ":" + kinds[c].String()
		}
		name += []string{"", ":asc", ":desc"}[r.IntN(3)] + []string{"", ":nullslast", ":nullsfirst"}[r.IntN(3)]
		names = append(names, name)
	}
	return strings.Join(names, ","), columns
}

func TestAgainstReference(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		kinds := make([]kind, 1+r.IntN(4))
		for i := range kinds {
			kinds[i] = integer + kind(r.IntN(5))
		}
		json := r.IntN(3) == 0
		f := newRandomFile(r, kinds, json)
		by, columns := randomBy(r, kinds)
		format := "csv"
		if json {
			if len(f.lines) == 0 || !strings.Contains(strings.Join(f.lines, ""), `"c`) {
				continue
			}
			format = "ndjson"
		}
		cmd, err := parseArgs([]string{"-by", by, "-null", "NA", "-format", format, "-"})
		if err != nil {
			t.Fatal(err)
		}
		cmd.chunk = 1 + r.IntN(300) // cuts everywhere
		in := f.head + strings.Join(f.lines, "")
		var out bytes.Buffer
		if _, err := cmd.sortColumns(strings.NewReader(in), &out, newMeter(io.Discard, true)); err != nil {
			if json && strings.Contains(err.Error(), "has no column") {
				continue // every row happened to lack it
			}
			t.Fatalf("seed %d: -by %s: %v\n%s", seed, by, err, in)
		}
		want := f.sorted(cmd.by, columns)
		if out.String() != want {
			t.Fatalf("seed %d: -by %s\n%s\ngot\n%s\nwant\n%s", seed, by, in, out.String(), want)
		}
		if seed%30 > 0 {
			continue
		}
		out.Reset()
		if _, err := cmd.sortColumnsOnDisk(strings.NewReader(in), nil, &out, newMeter(io.Discard, true)); err != nil {
			t.Fatalf("seed %d: -by %s: %v\n%s", seed, by, err, in)
		}
		if out.String() != want {
			t.Fatalf("seed %d: -by %s through the disk\n%s\ngot\n%s\nwant\n%s", seed, by, in, out.String(), want)
		}
	}
}
