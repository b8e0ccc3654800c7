package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wanted is a selection as the help has it.
type wanted struct {
	unique, last, count bool
	top, groups         int
}

// randomWanted returns a selection of rows by some columns, and its options.
func randomWanted(r *rand.Rand, by string) (w wanted, args []string) {
	columns := strings.Split(by, ",")
	if r.IntN(3) > 0 {
		w.unique = true
		args = append(args, "-u")
		if r.IntN(2) == 0 {
			w.last = true
			args = append(args, "-keep", "last")
		}
		if r.IntN(2) == 0 {
			w.count = true
			args = append(args, "-count=how many")
		}
	}
	if r.IntN(3) > 0 {
		w.top = 1 + r.IntN(4)
		args = append(args, "-top", strconv.Itoa(w.top))
		if w.groups = r.IntN(len(columns) + 1); w.groups > 0 {
			per := slices.Clone(columns[:w.groups])
			if r.IntN(2) == 0 { // -by has the words
				per[0], _, _ = strings.Cut(per[0], ":")
			} else if r.IntN(2) == 0 { // -per alone names it
				by = strings.Join(columns[1:], ",")
			}
			if by == "" {
				by = columns[0]
			}
			args = append(args, "-per", strings.Join(per, ","))
		}
	}
	return w, append(args, "-by", by)
}

// selected returns the lines that are wanted, with counts as a format has them.
func (o *oracle) selected(w wanted, format string) string {
	o.find()
	n := len(o.specs)
	group, rest := o.comparing(0, w.groups, true), o.comparing(w.groups, n, w.unique)
	order := o.inOrder(func(a, b int) int { return cmp.Or(group(a, b), rest(a, b)) })
	var b strings.Builder
	taken := 0
	for i := 0; i < len(order); {
		end := i + 1
		for w.unique && end < len(order) && group(order[i], order[end]) == 0 && rest(order[i], order[end]) == 0 {
			end++
		}
		if i > 0 && group(order[i-1], order[i]) != 0 {
			taken = 0
		}
		row := order[i]
		if w.last {
			row = order[end-1]
		}
		if taken++; w.top == 0 || taken <= w.top {
			b.WriteString(withCount(o.lines[row], format, end-i, w.count))
		}
		i = end
	}
	return b.String()
}

func withCount(line, format string, n int, wanted bool) string {
	if !wanted {
		return line
	}
	text := strings.TrimRight(line, "\r\n")
	end := line[len(text):]
	switch format {
	case "csv":
		return text + "," + strconv.Itoa(n) + end
	case "tsv":
		return text + "\t" + strconv.Itoa(n) + end
	}
	return text[:len(text)-1] + `,"how many":` + strconv.Itoa(n) + "}" + end
}

// What -keep, -count and -per leave is what a slow model does.
func TestSelectionAgainstOracle(t *testing.T) {
	for seed := range seeds(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		rows, pad, memory := r.IntN(25), "", int64(32<<20)
		if seed%200 == 0 { // on disk
			rows, pad, memory = 20_000, strings.Repeat("x", 300), 8<<20
		}
		format, by, head, in, o := randomTexts(r, rows, pad)
		w, args := randomWanted(r, by)
		if text, end := strings.TrimRight(head, "\r\n"), head[len(strings.TrimRight(head, "\r\n")):]; head != "" && w.count {
			head = text + map[string]string{"csv": ",", "tsv": "\t"}[format] + "how many" + end
		}
		want := head + o.selected(w, format)
		args = append(args, "-format", format, "-")
		if rows == 0 && format == "ndjson" {
			want = ""
		}
		got, disk := limited(t, memory, in, args...)
		spills := rows > 25 && !w.unique && (w.top == 0 || w.groups > 0)
		if got != want || spills && (disk == nil || disk.Runs == 0) {
			t.Fatalf("seed %d: %q of\n%.2000q\ngot\n%.2000q\nwant\n%.2000q", seed, args, in, got, want)
		}
	}
}

// Lines that -keep last and -count leave, of a model that sorts nothing: it looks for the last of each.
func TestSelectedLines(t *testing.T) {
	for seed := range seeds(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		rows, pad := r.IntN(30), ""
		if seed%150 == 0 {
			rows, pad = 30_000, strings.Repeat("y", 300)
		}
		var in strings.Builder
		keys := 1 + r.IntN(9)
		last, counts := map[string]string{}, map[string]int{}
		for range rows {
			key := strconv.Itoa(r.IntN(keys))
			line := fmt.Sprintf("%s %d%s", key, r.IntN(1000), pad)
			last[key], counts[key] = line, counts[key]+1
			in.WriteString(line + "\n")
		}
		var want strings.Builder
		for key := range keys {
			key := strconv.Itoa(key)
			if counts[key] > 0 {
				fmt.Fprintf(&want, "%7d %s\n", counts[key], last[key])
			}
		}
		got, _ := limited(t, 8<<20, in.String(), append([]string{"-u", "-keep=last", "-count", "-k1,1n"}, [][]string{{}, {"-m"}, {"-S1G"}}[r.IntN(3)]...)...)
		if got != want.String() {
			t.Fatalf("seed %d: got\n%.2000q\nwant\n%.2000q", seed, got, want.String())
		}
	}
}

// Counts of whole lines are those of uniq -c.
func TestCountLikeUniq(t *testing.T) {
	sort := gnuSort(t)
	in := strings.Repeat("b\n\na b\nb\n", 1234) + "z"
	sorted, _ := sort(in)
	counts, want := map[string]int{}, ""
	for line := range strings.Lines(sorted) {
		counts[line]++
	}
	for line := range strings.Lines(sorted) {
		if n := counts[line]; n > 0 {
			want += fmt.Sprintf("%7d %s", n, line)
		}
		counts[line] = 0
	}
	if got, stderr, _ := filesort(in, "-u", "-count"); got != want {
		t.Errorf("got %q, want %q %s", got, want, stderr)
	}
}

// A selection ends in an error where it has no meaning.
func TestSelectionErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-by a -keep last":               "-u is missing: -keep goes with it",
		"-count":                         "-u is missing: -count goes with it",
		"-by a -per b":                   "-top is missing: -per goes with it",
		"-top 1 -per a":                  "-by is missing: -per is for files that are sorted by columns",
		"-c -u -count":                   "-c and -count exclude each other",
		"-C -by a -top 3":                "-c and -top exclude each other",
		"-record 2 -u -count":            "-count and -record exclude each other",
		"-by a -u -count=a":              "stdin has a column a already",
		"-by a -u -count=x,y":            `invalid value "x,y" of -count: it holds the delimiter`,
		"-by a -u -keep middle":          "must be one of first, last",
		"-by a:desc -per a:int -top 1":   `column "a" is a:int in -per and a:auto:desc in -by`,
		"-by a -per 1 -top 1":            "-per and -by name column 1 twice: 1, a",
		"-by a -format ndjson -u -count": `a row has a member count already, {"a":1,"count":7}`,
	} {
		in := "a,b\n1,2\n"
		if strings.Contains(args, "ndjson") {
			in = "{\"a\":1,\"count\":7}\n"
		}
		var out, stderr bytes.Buffer
		code := run(strings.Split(args, " "), strings.NewReader(in), &out, &stderr)
		if code != exitError || out.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %q, %s", args, code, out.String(), stderr.String())
		}
	}
}
