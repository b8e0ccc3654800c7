package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
)

// A column is stored as the first type that keeps all its values. Codes stay texts.
func TestStoredTypes(t *testing.T) {
	long := "2024-01-02 03:04:05.123456789"
	for values, want := range map[string]string{
		"1|-2|0":                          "int64",
		"9223372036854775807":             "int64",
		"9223372036854775808":             "utf8",
		"9223372036854775808|1e3":         "utf8",
		"007|1":                           "utf8",
		"+1":                              "utf8",
		"-0":                              "float64",
		"1|2.5":                           "float64",
		"0.1|1e300|NaN|-inf|Infinity":     "float64",
		"00.5":                            "utf8",
		"1.50":                            "float64",
		"9007199254740993|0.5":            "utf8",
		"9007199254740992|0.5":            "float64",
		"0.1234567890123456789":           "utf8",
		"123456789012345":                 "int64",
		"1234567890.":                     "float64",
		"1.2.3":                           "utf8",
		".5":                              "float64",
		"12a":                             "utf8",
		"-12":                             "int64",
		"1234567890.12345":                "float64",
		"1e400":                           "utf8",
		"1e-400":                          "utf8",
		"0x10":                            "utf8",
		"1_000":                           "utf8",
		"true|FALSE":                      "bool",
		"true|1":                          "utf8",
		"2024-02-29":                      "date32",
		"2023-02-29":                      "utf8",
		"2024-02-29|2024-02-29 10:00":     "timestamp[us]",
		"2024-02-29T10:00:00.5":           "timestamp[us]",
		long:                              "timestamp[ns]",
		long + "1":                        "utf8",
		long + "Z|2024-02-29T10:00:00+02": "timestamp[ns, tz=UTC]",
		"2024-02-29T10:00:00Z":            "timestamp[us, tz=UTC]",
		"2024-02-29T10:00:00Z|2024-02-29T10:00:00": "utf8",
		"2024-02-29T10:00:00Z|2024-02-29":          "utf8",
		"0044-03-15 BC":                            "utf8",
		"infinity|2024-01-01":                      "utf8",
		"9999-12-31|" + long:                       "utf8",
		"":                                         "utf8",
		"x":                                        "utf8",
	} {
		var b strings.Builder
		b.WriteString("k,c\n")
		for i, v := range strings.Split(values, "|") {
			fmt.Fprintf(&b, "%d,%s\n", i, v)
		}
		b.WriteString("9,\n") // a null, last
		stdout, stderr, code := filesort(b.String(), "-by", "k", "-to", "arrows")
		if code != 0 {
			t.Fatalf("%q: exit %d, %s", values, code, stderr)
		}
		rows, schema := readTable(t, []byte(stdout), arrowStream)
		if got := schema.Field(1).Type.String(); got != want {
			t.Errorf("%q: %s, want %s", values, got, want)
		}
		if n := len(rows); n < 2 || !strings.HasSuffix(rows[n-1], "|null") {
			t.Errorf("%q: %q", values, rows)
		}
	}
}

// Types of -by are those of the output. A value that does not fit is an error.
func TestStoredTypesGiven(t *testing.T) {
	in := "a,b,c,d,e\n1,2,007,2024-01-01,yes\n"
	stdout, stderr, code := filesort(in, "-by", "a:string,b:float,c:int,d:time,e:bool", "-to", "arrows")
	if code != 0 {
		t.Fatal(stderr)
	}
	rows, schema := readTable(t, []byte(stdout), arrowStream)
	var types []string
	for _, f := range schema.Fields() {
		types = append(types, f.Type.String())
	}
	if want := []string{"utf8", "float64", "int64", "date32", "bool"}; !slices.Equal(types, want) || rows[0] != "=1|=2|=7|=2024-01-01|=true" {
		t.Errorf("%q, %q", types, rows)
	}
	for in, by := range map[string]string{"a\n9223372036854775808\n": "a:int", "a\n1e999\n": "a:float", "a\n2024-01-01 00:00:00.0000001\n2024-01-01 00:00:00Z\n": "a:time"} {
		path := fileOf(t, "x.parquet", "old")
		if _, stderr, code := filesort(in, "-by", by, "-o", path); code != exitError || !strings.Contains(stderr, "column a: ") {
			t.Errorf("%q by %s: exit %d, %s", in, by, code, stderr)
		}
		expectFile(t, path, "old", 0)
	}
}

// cellLike draws a field, most of them of the kind of their column.
func cellLike(r *rand.Rand, kind int) string {
	if r.IntN(60) == 0 {
		kind = r.IntN(7)
	}
	switch kind {
	case 0:
		return strconv.Itoa(r.IntN(2000) - 1000)
	case 1:
		return strconv.FormatFloat(r.NormFloat64(), 'g', 1+r.IntN(17), 64)
	case 2:
		return []string{"true", "false", "True"}[r.IntN(3)]
	case 3:
		return time.Unix(r.Int64N(1e9), 0).UTC().Format("2006-01-02")
	case 4:
		return time.Unix(r.Int64N(1e9), r.Int64N(1e9)).UTC().Format([]string{"2006-01-02 15:04:05", "2006-01-02T15:04:05.999999"}[r.IntN(2)])
	case 5:
		return time.Unix(r.Int64N(1e9), r.Int64N(1e9)).UTC().Format([]string{"2006-01-02 15:04:05Z", "2006-01-02T15:04:05.999999999+00:00"}[r.IntN(2)])
	}
	return []string{"", "a", `b, "c"`, "line\nend", " 7 ", "é"}[r.IntN(6)]
}

// CSV and NDJSON become tables whose rows are those of the sorted text, and whose values are its fields: compared as
// fractions, times and texts.
func TestTextToTables(t *testing.T) {
	typesMet := map[string]bool{}
	for seed := range uint64(testkit.Pick(40, 1500)) {
		r := rand.New(rand.NewPCG(seed, 46))
		kinds := make([]int, 1+r.IntN(6))
		names := []string{}
		for i := range kinds {
			kinds[i] = r.IntN(7)
			names = append(names, fmt.Sprintf("c%d", i))
		}
		json := r.IntN(3) == 0
		var b strings.Builder
		if !json {
			b.WriteString("n," + strings.Join(names, ",") + "\n")
		}
		var cells [][]string // by row, in the order of -by
		for row := range r.IntN(400) {
			fields := []string{strconv.Itoa(row)}
			for _, k := range kinds {
				fields = append(fields, cellLike(r, k))
			}
			cells = append(cells, fields)
			writeCells(&b, r, json, names, fields)
		}
		format := storedFormats[r.IntN(3)]
		if format == arrowFile {
			format = parquetFormat
		}
		args := []string{"-by", "n:desc", "-format", "csv", "-T", t.TempDir()}
		if json {
			args[3] = "ndjson"
		}
		path := filepath.Join(t.TempDir(), "x."+format)
		args = append(args, "-o", path)
		slices.Reverse(cells)
		cmd, err := parseArgs(args)
		expect(t, err)
		cmd.memory = leastMemory >> r.IntN(8)
		err = runQuietly(cmd, b.String())
		if len(cells) == 0 && json {
			if err == nil {
				t.Fatal("a table without columns")
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		data, err := os.ReadFile(path)
		expect(t, err)
		rows, schema := readTable(t, data, format)
		if len(rows) != len(cells) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(rows), len(cells))
		}
		for i, row := range rows {
			got := strings.Split(row, "|")
			for c, name := range append([]string{"n"}, names...) {
				at := schema.FieldIndices(name)
				if len(at) != 1 {
					t.Fatalf("seed %d: column %s in %v", seed, name, schema)
				}
				typesMet[schema.Field(at[0]).Type.String()] = true
				if !sameValue(got[at[0]], cells[i][c], schema.Field(at[0]).Type, json) {
					t.Fatalf("seed %d, row %d, column %s, %v: %q is stored as %q", seed, i, name, schema.Field(at[0]).Type, cells[i][c], got[at[0]])
				}
			}
		}
	}
	if len(typesMet) < 7 {
		t.Errorf("only types %v", typesMet)
	}
}

func runQuietly(cmd *command, stdin string) error {
	_, err := cmd.run(strings.NewReader(stdin), nil, newMeter(os.Stderr, true))
	return err
}

// writeCells writes a row. In JSON, a null is null or missing, and members come in any order.
func writeCells(b *strings.Builder, r *rand.Rand, json bool, names, fields []string) {
	if !json {
		for i, f := range fields {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
		}
		b.WriteByte('\n')
		return
	}
	var members []string
	for i, f := range fields {
		name := append([]string{"n"}, names...)[i]
		switch _, err := strconv.ParseFloat(f, 64); {
		case f == "" && r.IntN(2) == 0:
			members = append(members, fmt.Sprintf("%q: null", name))
		case f == "" && i > 0:
		case err == nil && strings.Trim(f, " ") == f, f == "true", f == "false":
			members = append(members, fmt.Sprintf("%q: %s", name, f))
		default:
			members = append(members, fmt.Sprintf("%q: %q", name, f))
		}
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	b.WriteString("{" + strings.Join(members, ", ") + "}\n")
}

// sameValue reports whether a value that was read back is that of a field.
func sameValue(got, field string, typ arrow.DataType, json bool) bool {
	text, valid := strings.CutPrefix(got, "=")
	if !valid || field == "" {
		return !valid && field == ""
	}
	trimmed := strings.Trim(field, " ")
	switch typ.ID() {
	case arrow.STRING:
		return text == field
	case arrow.BOOL:
		return text == strings.ToLower(trimmed)
	case arrow.INT64:
		return text == trimmed
	case arrow.FLOAT64:
		a, _ := strconv.ParseFloat(text, 64)
		b, _ := new(big.Rat).SetString(trimmed)
		nearest, _ := b.Float64()
		return a == nearest
	}
	a, ok := knownTime(text)
	b, known := knownTime(trimmed)
	return ok && known && a.value.Cmp(b.value) == 0
}

// Names that a table cannot have, and inputs without columns, are errors that leave the output as it was.
func TestTextToTablesRefused(t *testing.T) {
	for in, want := range map[string]string{
		"a,b,a\n1,2,3\n":     "two columns have the name \"a\"",
		"":                   "no column",
		"b,c\n1,2\n3\n":      "this row has 1 of the 2 fields",
		"{\"b\":1,\"\":2}\n": "a member without a name",
	} {
		path := fileOf(t, "x.parquet", "old")
		if _, stderr, code := filesort(in, "-by", "b", "-o", path); code != exitError || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %s", in, code, stderr)
		}
		expectFile(t, path, "old", 0)
	}
}

// Options of texts work on the way to a table: what would be written as text is stored.
func TestTextToTablesOptions(t *testing.T) {
	in := "a,b\n2,x\n1,y\n2,z\n3,x\n"
	for args, want := range map[string]string{
		"-by a -u -count":              "=1|=y|=1;=2|=x|=2;=3|=x|=1",
		"-by a:desc -top 2":            "=3|=x;=2|=x",
		"-by a:desc -top 1 -per b":     "=3|=x;=1|=y;=2|=z",
		"-by a -u -keep last":          "=1|=y;=2|=z;=3|=x",
		"-by 1 -no-header -format csv": "=1|=y;=2|=x;=2|=z;=3|=x;=a|=b",
		"-by a -null x,y":              "=1|null;=2|null;=2|=z;=3|null",
	} {
		for _, to := range storedFormats {
			stdout, stderr, code := filesort(in, append(strings.Fields(args), "-to", to)...)
			if code != 0 {
				t.Fatalf("%s: exit %d, %s", args, code, stderr)
			}
			if rows, _ := readTable(t, []byte(stdout), to); strings.Join(rows, ";") != want {
				t.Errorf("%s to %s: %q", args, to, rows)
			}
		}
	}
}

// TestTypesAskedFor compares the types of values with those that are found where fewer are asked for.
func TestTypesAskedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	samples := []string{"", "0", "-0", "7", "007", "+5", "12.50", "0.5", "1e300", "1e-310", "123456789012345678", "99999999999999999999", "inf", "NaN",
		"true", "False", "2026-05-12", "2026-05-12 10:00", "2026-05-12T10:00:00.123456789Z", "infinity", " 3 ", "x", "t", "-"}
	for range 20_000 {
		text := samples[r.IntN(len(samples))]
		if r.IntN(2) == 0 && text != "" {
			at := r.IntN(len(text))
			text = text[:at] + string("0123456789.-eE TZ"[r.IntN(17)]) + text[at+r.IntN(2):]
		}
		v, asked := storedValue{text: text}, valueTypes(r.IntN(int(allTypes)+1))
		if got, want := typesOf(v, asked)&asked, typesOf(v, allTypes)&asked; got != want {
			t.Fatalf("%q: types %b of %b, want %b", text, got, asked, want)
		}
	}
}
