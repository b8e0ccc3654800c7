package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// themes are columns of texts: each makes one.
var themes = []func(r *rand.Rand) string{
	func(r *rand.Rand) string { return strconv.Itoa(r.IntN(20) - 5) },
	func(r *rand.Rand) string { return pick(r, "0123", "123", "00123", "7", "+7", "-0", "0", " 7", "7 ") },
	func(r *rand.Rand) string { // around 64 bits
		return pick(r, "", "-") + pick(r, "9223372036854775807", "9223372036854775808", "18446744073709551615", "9007199254740993", "9007199254740992") + pick(r, "", "", "0", "00000000000000000000")
	},
	func(r *rand.Rand) string { // floats in which integers are not exact
		return pick(r, "9007199254740993", "9007199254740992", "9007199254740992.0", "0.1234567890123456789", "0.1234567890123456788", "1", "1.0", "1.00", "10e-1", ".5", "5.", "0.1", "0.10000000000000000555")
	},
	func(r *rand.Rand) string {
		return pick(r, "", "-", "+") + pick(r, "1e400", "1e-400", "1E+400", "2e399", "1e127", "1e128", "9.9e126", "1e-128", "1e-129", "10e-130", "0e999", "0", "inf", "Infinity")
	},
	func(r *rand.Rand) string { return pick(r, "NaN", "nan", "inf", "-INF", "1", "2", "-3.5", "1e3") },
	func(r *rand.Rand) string { return fmt.Sprint(r.NormFloat64()) },
	func(r *rand.Rand) string {
		return fmt.Sprintf("2024-10-27%s%02d:%s%s", pick(r, " ", "T"), r.IntN(4), pick(r, "30", "30:00", "30:00.5", "30:00.50", "30:00,25", "59:60", "59:59.999999999"), pick(r, "", "Z", "+02", "+0200", "+02:00", " +01", "-03:30", "-0330", " UTC", "+00:53:28"))
	},
	func(r *rand.Rand) string {
		return pick(r, "2024-02-29", "1677-01-01", "2263-01-01", "0001-01-01", "9999-12-31", "12024-01-01", "0044-03-15 BC", "-0044-03-15", "infinity", "-infinity", "2024-01-01 24:00", "2024-01-02", "2016-12-31T23:59:60Z", "2017-01-01", "2016-12-31T23:59:59.9Z", "2016-12-31 18:59:60.5-05")
	},
	func(r *rand.Rand) string { return pick(r, "true", "False", "TRUE", "false") },
	func(r *rand.Rand) string { return pick(r, "a", "B", "\x00", "é", "x y", "infinity", "t", "no") },
	func(r *rand.Rand) string {
		return pick(r, "0x1F", "1_000", "1,000", "1e", "e5", "-", "+", ".", "--1", "1.2.3", "12:30", "2024-13-01", "2023-02-29", "1900-02-29", "2000-02-29", "2024-04-31", "2024-00-01", "2024-01-00", "2024-01-01 25:00", "+nan", "++inf", "2024-01-01T10", "1e5.5", "2024-01-01 10:00+", "2024-01-01 10:00 PST", "0000-01-01 BC", "24-01-01")
	},
}

// Kinds and times of texts, many of which are almost of a kind.
func TestKindsAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range seeds(200_000) {
		s := themes[r.IntN(len(themes))](r)
		if r.IntN(3) == 0 {
			s = fmt.Sprintf("%s-%02d-%02d", pick(r, "1900", "2000", "2023", "2024", "-0004", "+0100", "0000"), r.IntN(14), r.IntN(33)) + pick(r, "", "", " BC", "T10:20Z", " 23:59:60+0100")
		}
		if at := r.IntN(len(s) + 1); r.IntN(2) == 0 && at < len(s) {
			s = s[:at] + string("0123456789+-.,: eTZ\x00"[r.IntN(20)]) + s[at+r.IntN(2):]
		}
		want := text
		for _, k := range []kind{instant, boolean, float, integer} {
			if _, ok := knownAs(k, s); ok {
				want = k
			}
		}
		got := kindOf(s)
		if got == auto {
			got = float
		}
		v, ok := parseTime(s)
		is, wantOK := knownAs(instant, s)
		if got != want || ok != wantOK {
			t.Fatalf("%q is of kind %v, want %v; a time %v, want %v", s, got, want, ok, wantOK)
		}
		if ok && is.rank == 0 && v.Lo < 1e9 && is.value.Cmp(new(big.Rat).Add(new(big.Rat).SetInt64(v.Hi), big.NewRat(int64(v.Lo), 1e9))) != 0 {
			t.Fatalf("%q is %d.%09d, want %v", s, v.Hi, v.Lo, is.value)
		}
	}
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// oddly makes a column of a theme that has some other texts.
func oddly(r *rand.Rand, theme func(r *rand.Rand) string) func(r *rand.Rand) string {
	n := []int{0, 3, 15}[r.IntN(3)]
	return func(r *rand.Rand) string {
		switch {
		case n > 0 && r.IntN(n) == 0:
			return themes[r.IntN(len(themes))](r)
		case r.IntN(8) == 0:
			return ""
		}
		return theme(r)
	}
}

// line returns a row in a format, in one of the ways to write it, and which texts are null there.
func lineOf(r *rand.Rand, format string, texts []string, pad string) (line string, nulls []bool) {
	var fields []string
	for i, s := range texts {
		nulls = append(nulls, s == "" && (format != "ndjson" || r.IntN(2) == 0))
		switch quoted := strings.ReplaceAll(strconv.QuoteToASCII(s), `\x`, `\u00`); {
		case format == "tsv":
		case format == "csv":
			if r.IntN(3) == 0 || strings.ContainsAny(s, ",\"\r\n") {
				s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
			}
		case nulls[i]:
			s = "null"
		case !json.Valid([]byte(s)) || strings.Contains(s, " ") || r.IntN(3) == 0:
			s = quoted
		}
		fields = append(fields, s)
	}
	fields = append(fields, pad)
	switch format {
	case "csv":
		return strings.Join(fields, ","), nulls
	case "tsv":
		return strings.Join(fields, "\t"), nulls
	}
	for i, s := range fields[:len(texts)] {
		fields[i] = fmt.Sprintf(`"c%d":%s`, i, s)
	}
	fields[len(texts)] = `"pad":"` + pad + `"`
	return "{" + strings.Join(fields, ",") + "}", nulls
}

// randomTexts returns a file of rows, its oracle, and -by. more are themes of columns besides those
// that are drawn.
func randomTexts(r *rand.Rand, rows int, pad string, more ...func(r *rand.Rand) string) (format, by, head, in string, o *oracle) {
	format = pick(r, "csv", "tsv", "ndjson")
	eol := pick(r, "\n", "\r\n")
	o = new(oracle)
	var columns []func(r *rand.Rand) string
	drawn := 1 + r.IntN(3)
	for c := range drawn + len(more) {
		theme := r.IntN(len(themes))
		s := spec{name: fmt.Sprintf("c%d", c), desc: r.IntN(3) == 0, nullsFirst: r.IntN(3) == 0}
		column := oddly(r, themes[theme])
		if r.IntN(5) == 0 { // a kind that all of its values have
			s.kind = []kind{integer, integer, integer, float, float, float, float, text}[min(theme, 7)]
			column = themes[theme]
		}
		if c >= drawn {
			column, s.kind = more[c-drawn], auto
		}
		columns = append(columns, column)
		o.specs = append(o.specs, s)
		o.given = append(o.given, s.kind != auto)
		by += "," + strings.Replace(s.String(), ":auto", "", 1)
	}
	if format != "ndjson" {
		comma := map[string]string{"csv": ",", "tsv": "\t"}[format]
		for _, s := range o.specs {
			head += s.name + comma
		}
		head += "pad" + eol
	}
	var b strings.Builder
	b.WriteString(head)
	for range rows {
		var texts []string
		for _, column := range columns {
			texts = append(texts, column(r))
		}
		line, nulls := lineOf(r, format, texts, pad+strconv.Itoa(r.IntN(3)))
		o.texts, o.nulls, o.lines = append(o.texts, texts), append(o.nulls, nulls), append(o.lines, line+eol)
		b.WriteString(line + eol)
	}
	return format, by[1:], head, b.String(), o
}

// seeds is fewer for short tests.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Rows of any texts are in the order of the README, and so are those that -u leaves, in memory and
// through the disk.
func TestAgainstOracle(t *testing.T) {
	for seed := range seeds(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		format, by, head, in, o := randomTexts(r, 1+r.IntN(25), "")
		args := []string{"-by", by, "-format", format, "-"}
		unique := r.IntN(2) == 0
		if unique {
			args = append(args, "-u")
		}
		want := head + o.sorted(unique)
		for _, disk := range []bool{false, true} {
			if disk && seed%10 > 0 {
				continue
			}
			cmd, err := parseArgs(args)
			if err != nil {
				t.Fatal(err)
			}
			cmd.chunk = 1 + r.IntN(300)
			var out bytes.Buffer
			if disk {
				_, err = cmd.sortColumnsOnDisk(strings.NewReader(in), nil, &out, newMeter(io.Discard, true))
			} else {
				_, err = cmd.sortColumns(strings.NewReader(in), &out, newMeter(io.Discard, true))
			}
			if err != nil || out.String() != want || len(cmd.notes) != o.notes {
				t.Fatalf("seed %d, on disk %v: %q, %v, messages %q, want %d\n%q\ngot\n%q\nwant\n%q", seed, disk, args, err, cmd.notes, o.notes, in, out.String(), want)
			}
		}
	}
}

// The same through runs that are really on disk.
func TestSpilledAgainstOracle(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		many := func(r *rand.Rand) string { return pick(r, "", "0") + strconv.Itoa(r.IntN(20_000)) }
		format, by, head, in, o := randomTexts(r, 20_000, strings.Repeat("x", 300), many)
		args := []string{"-by", by, "-format", format, "-"}
		if seed%2 == 0 {
			args = append(args, "-u")
		}
		want := head + o.sorted(seed%2 == 0)
		got, disk := limited(t, 8<<20, in, args...)
		if got != want || disk == nil || disk.Runs == 0 {
			t.Errorf("seed %d: %q: %d bytes, want %d; on disk: %+v", seed, args, len(got), len(want), disk)
		}
	}
}
