package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// storedColumns are the columns of test tables: their types, and a value of each that is drawn from few.
var storedColumns = []struct {
	name string
	typ  arrow.DataType
	draw func(r *rand.Rand, b array.Builder) any // appends a value and returns what orders it
}{
	{"id", arrow.PrimitiveTypes.Int64, nil}, // the number of the row
	{"int", arrow.PrimitiveTypes.Int32, func(r *rand.Rand, b array.Builder) any {
		v := int32(r.IntN(5) - 2)
		b.(*array.Int32Builder).Append(v)
		return float64(v)
	}},
	{"float", arrow.PrimitiveTypes.Float64, func(r *rand.Rand, b array.Builder) any {
		v := []float64{math.NaN(), math.Inf(-1), -1.5, 0, math.Copysign(0, -1), 2, math.Inf(1)}[r.IntN(7)]
		b.(*array.Float64Builder).Append(v)
		return v
	}},
	{"text", arrow.BinaryTypes.String, func(r *rand.Rand, b array.Builder) any {
		v := []string{"", "a", "ab", "b,\"c\"\nd", "é", "z\tz"}[r.IntN(6)]
		b.(*array.StringBuilder).Append(v)
		return v
	}},
	{"bool", arrow.FixedWidthTypes.Boolean, func(r *rand.Rand, b array.Builder) any {
		v := r.IntN(2)
		b.(*array.BooleanBuilder).Append(v == 1)
		return float64(v)
	}},
	{"time", arrow.FixedWidthTypes.Timestamp_us, func(r *rand.Rand, b array.Builder) any {
		v := r.IntN(5) * 1_000_001
		b.(*array.TimestampBuilder).Append(arrow.Timestamp(v))
		return float64(v)
	}},
	{"day", arrow.FixedWidthTypes.Date32, func(r *rand.Rand, b array.Builder) any {
		v := r.IntN(5) - 2
		b.(*array.Date32Builder).Append(arrow.Date32(v))
		return float64(v)
	}},
	{"decimal", &arrow.Decimal128Type{Precision: 20, Scale: 2}, func(r *rand.Rand, b array.Builder) any {
		v := r.IntN(500) - 250
		b.(*array.Decimal128Builder).Append(decimal128.FromI64(int64(v)))
		return float64(v)
	}},
	{"list", arrow.ListOf(arrow.PrimitiveTypes.Int64), func(r *rand.Rand, b array.Builder) any {
		l := b.(*array.ListBuilder)
		l.Append(true)
		for range r.IntN(3) {
			l.ValueBuilder().(*array.Int64Builder).Append(r.Int64N(9))
		}
		return nil
	}},
}

func storedSchema() *arrow.Schema {
	var fields []arrow.Field
	for _, c := range storedColumns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// testRow is a row of a test table: what orders its values, nil for a null, and its text.
type testRow struct {
	values []any
	text   string
}

// drawTable returns a batch, and its rows. A fifth of the values is null.
func drawTable(r *rand.Rand, first, n int) (arrow.RecordBatch, []testRow) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, storedSchema())
	rows := make([]testRow, n)
	for i := range rows {
		for c, column := range storedColumns {
			var v any
			switch {
			case c == 0:
				v = float64(first + i)
				b.Field(c).(*array.Int64Builder).Append(int64(first + i))
			case r.IntN(5) == 0:
				b.Field(c).AppendNull()
			default:
				v = column.draw(r, b.Field(c))
			}
			rows[i].values = append(rows[i].values, v)
		}
	}
	batch := b.NewRecordBatch()
	for i, text := range textsOf(batch) {
		rows[i].text = text
	}
	return batch, rows
}

// textsOf returns the rows of a batch as texts, in which nulls differ from all values.
func textsOf(batch arrow.RecordBatch) (rows []string) {
	for i := range int(batch.NumRows()) {
		var all []string
		for _, c := range batch.Columns() {
			text := "null"
			if c.IsValid(i) {
				text = "=" + c.ValueStr(i)
			}
			all = append(all, text)
		}
		rows = append(rows, strings.Join(all, "|"))
	}
	return rows
}

// writeTable writes batches to a file of a format. Those of Parquet have some row groups.
func writeTable(t *testing.T, path, format string, batches ...arrow.RecordBatch) {
	t.Helper()
	f, err := os.Create(path)
	expect(t, err)
	schema := batches[0].Schema()
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	switch format {
	case parquetFormat:
		w, err = pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(100)), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	case arrowFile:
		w, err = ipc.NewFileWriter(f, ipc.WithSchema(schema))
	default:
		w = ipc.NewWriter(f, ipc.WithSchema(schema))
	}
	expect(t, err)
	for _, b := range batches {
		expect(t, w.Write(b))
	}
	expect(t, w.Close())
	if format != parquetFormat {
		expect(t, f.Close())
	}
}

// readTable returns the rows of a file, read by the functions of arrow-go for whole files, and its schema.
func readTable(t *testing.T, data []byte, format string) (rows []string, schema *arrow.Schema) {
	t.Helper()
	switch format {
	case parquetFormat:
		table, err := pqarrow.ReadTable(context.Background(), bytes.NewReader(data), nil, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		expect(t, err)
		for r := array.NewTableReader(table, -1); r.Next(); {
			rows = append(rows, textsOf(r.RecordBatch())...)
		}
		return rows, table.Schema()
	case arrowFile:
		f, err := ipc.NewFileReader(bytes.NewReader(data))
		expect(t, err)
		for i := range f.NumRecords() {
			batch, err := f.RecordBatchAt(i)
			expect(t, err)
			rows = append(rows, textsOf(batch)...)
		}
		return rows, f.Schema()
	}
	r, err := ipc.NewReader(bytes.NewReader(data))
	expect(t, err)
	for r.Next() {
		rows = append(rows, textsOf(r.RecordBatch())...)
	}
	expect(t, r.Err())
	return rows, r.Schema()
}

// testKey is a column to sort by.
type testKey struct {
	column           int
	desc, nullsFirst bool
}

// compareRows is the order of the README, slowly.
func compareRows(keys []testKey) func(a, b testRow) int {
	place := func(v any) int {
		f, ok := v.(float64)
		switch {
		case v == nil:
			return 2
		case ok && f != f:
			return 1
		}
		return 0
	}
	return func(a, b testRow) int {
		for _, k := range keys {
			x, y := a.values[k.column], b.values[k.column]
			c := cmp.Compare(place(x), place(y))
			if k.nullsFirst {
				c = -c
			}
			if c == 0 && place(x) == 0 {
				switch x := x.(type) {
				case float64:
					c = cmp.Compare(x, y.(float64))
				case string:
					c = strings.Compare(x, y.(string))
				}
				if k.desc {
					c = -c
				}
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
}

// drawKeys returns keys, and -by of them.
func drawKeys(r *rand.Rand) (keys []testKey, by string) {
	var words []string
	for _, c := range r.Perm(len(storedColumns) - 2)[:1+r.IntN(3)] { // lists have no order
		k := testKey{c + 1, r.IntN(2) == 0, r.IntN(2) == 0}
		if c == 0 && r.IntN(2) == 0 {
			k.column = 1
		}
		word := storedColumns[k.column].name
		if k.desc {
			word += ":desc"
		}
		if k.nullsFirst {
			word += ":nullsfirst"
		}
		keys, words = append(keys, k), append(words, word)
	}
	return keys, strings.Join(words, ",")
}

var storedFormats = []string{parquetFormat, arrowFile, arrowStream}

// Tables of any format come out in any other as a slow sort of their rows has them: of one file or several, through a pipe
// or by name, in memory and through runs on disk, with -u and -top.
func TestTablesLikeOracle(t *testing.T) {
	onDisk := 0
	for seed := range uint64(testkit.Pick(60, 1000)) {
		r := rand.New(rand.NewPCG(seed, 45))
		in, out := storedFormats[r.IntN(3)], storedFormats[r.IntN(3)]
		dir := t.TempDir()
		var paths []string
		var rows []testRow
		for i := range 1 + r.IntN(3) {
			var batches []arrow.RecordBatch
			for range 1 + r.IntN(3) {
				batch, more := drawTable(r, len(rows), r.IntN(300)<<r.IntN(4))
				batches, rows = append(batches, batch), append(rows, more...)
			}
			paths = append(paths, filepath.Join(dir, fmt.Sprintf("%d.%s", i, in)))
			writeTable(t, paths[i], in, batches...)
		}
		keys, by := drawKeys(r)
		args := []string{"-by", by, "-T", t.TempDir(), "--parallel", fmt.Sprint(1 + r.IntN(3))}
		compare := compareRows(keys)
		slices.SortStableFunc(rows, compare)
		if r.IntN(3) == 0 {
			args = append(args, "-u")
			rows = slices.CompactFunc(rows, func(a, b testRow) bool { return compare(a, b) == 0 })
		}
		if r.IntN(3) == 0 {
			n := 1 + r.IntN(400)
			args = append(args, "-top", fmt.Sprint(n))
			rows = rows[:min(n, len(rows))]
		}
		path := filepath.Join(dir, "out."+out)
		if r.IntN(4) == 0 {
			path = filepath.Join(dir, "out")
		}
		if in == out && r.IntN(4) == 0 {
			path = paths[0]
		}
		var stdin io.Reader = strings.NewReader("")
		if len(paths) == 1 && r.IntN(3) == 0 {
			data, err := os.ReadFile(paths[0])
			expect(t, err)
			stdin, paths = bytes.NewReader(data), []string{"-"}
		}
		toStdout := r.IntN(3) == 0
		if !toStdout {
			args = append(args, "-o", path)
		}
		if toStdout || !strings.HasSuffix(path, out) {
			args = append(args, "-to", out)
		}
		args = append(args, paths...)
		cmd, err := parseArgs(args)
		expect(t, err)
		cmd.memory = 1 << (18 + r.IntN(6))
		var stdout bytes.Buffer
		report, err := cmd.run(stdin, &stdout, newMeter(io.Discard, true))
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, args, err)
		}
		if stats, ok := report.tables.(*arrowsort.ReaderStats); ok && stats.Runs > 0 {
			onDisk++
		}
		data := stdout.Bytes()
		if !toStdout {
			data, err = os.ReadFile(path)
			expect(t, err)
		}
		got, schema := readTable(t, data, out)
		if !sameColumns(schema, storedSchema()) {
			t.Fatalf("seed %d: %q: schema %v", seed, args, schema)
		}
		var want []string
		for _, row := range rows {
			want = append(want, row.text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q: %d rows, want %d\n%s\n%s", seed, args, len(got), len(want), head(got), head(want))
		}
		if left, _ := filepath.Glob(filepath.Join(cmd.dirs[0], ".*")); len(left) > 0 {
			t.Fatalf("seed %d: %q left %q", seed, args, left)
		}
	}
	if onDisk < 5 {
		t.Errorf("%d sorts went through runs", onDisk)
	}
}

func head(rows []string) string { return strings.Join(rows[:min(len(rows), 5)], "\n") }

// Tables of Parquet and Arrow come out as text whose fields are their values: CSV has them all, NDJSON numbers as numbers.
func TestTablesToText(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, storedSchema())
	for _, row := range []string{
		`{"id": 2, "int": -1, "float": 0.5, "text": "b,\"c\"\nd", "bool": true, "time": "2024-01-02T03:04:05.5Z", "day": "2024-02-29", "decimal": "-20.50", "list": [1, null]}`,
		`{"id": 1, "text": ""}`,
	} {
		expect(t, b.UnmarshalJSON([]byte(row)))
	}
	batch := b.NewRecordBatch()
	for _, in := range storedFormats {
		path := filepath.Join(t.TempDir(), "x")
		writeTable(t, path, in, batch)
		for to, want := range map[string]string{
			"csv": "id,int,float,text,bool,time,day,decimal,list\n1,,,\"\",,,,,\n2,-1,0.5,\"b,\"\"c\"\"\nd\",true,2024-01-02T03:04:05.5Z,2024-02-29,-20.5,\"[1,null]\"\n",
			"ndjson": `{"id":1,"int":null,"float":null,"text":"","bool":null,"time":null,"day":null,"decimal":null,"list":null}` + "\n" +
				`{"id":2,"int":-1,"float":0.5,"text":"b,\"c\"\nd","bool":true,"time":"2024-01-02T03:04:05.5Z","day":"2024-02-29","decimal":"-20.5","list":[1,null]}` + "\n",
		} {
			got, stderr, code := filesort("", "-by", "id", "-to", to, path)
			if code != 0 || got != want {
				t.Errorf("%s to %s: exit %d, %s\n%s", in, to, code, stderr, got)
			}
		}
		if _, stderr, code := filesort("", "-by", "id", "-to", "tsv", path); code != exitError || !strings.Contains(stderr, "row 2, column text: ") {
			t.Errorf("%s to tsv: exit %d, %s", in, code, stderr)
		}
	}
}
