package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// drawDictionary returns n values of a dictionary of its own, some of which are null or twice there.
func drawDictionary(r *rand.Rand, n int, typ arrow.DataType) arrow.Array {
	values := array.NewBuilder(memory.DefaultAllocator, typ)
	for range 1 + r.IntN(4) {
		if r.IntN(8) == 0 {
			values.AppendNull()
			continue
		}
		expectNone(values.AppendValueFromString(fmt.Sprint(r.IntN(9))))
	}
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	for range n {
		if r.IntN(8) == 0 {
			indices.AppendNull()
			continue
		}
		indices.Append(int8(r.IntN(values.Len())))
	}
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: typ}, indices.NewArray(), values.NewArray())
}

func expectNone(err error) {
	if err != nil {
		panic(err)
	}
}

var dictionaryTypes = []arrow.DataType{arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, &arrow.Decimal128Type{Precision: 9}, arrow.BinaryTypes.StringView}

// drawDictionaries returns a batch of columns with dictionaries: one, a struct of one and lists of one.
func drawDictionaries(r *rand.Rand, first, n int, typ arrow.DataType) arrow.RecordBatch {
	id := array.NewInt64Builder(memory.DefaultAllocator)
	pad := array.NewStringBuilder(memory.DefaultAllocator)
	offsets := make([]int32, n+1)
	for i := range n {
		id.Append(int64(first+i) * 7919 % 10007)
		pad.Append(strings.Repeat("p", r.IntN(300)))
		offsets[i+1] = offsets[i] + int32(r.IntN(3))
	}
	fields, elements := drawDictionary(r, n, typ), drawDictionary(r, int(offsets[n]), typ)
	structs := array.NewStructData(array.NewData(arrow.StructOf(arrow.Field{Name: "f", Type: fields.DataType(), Nullable: true}), n, []*memory.Buffer{nil}, []arrow.ArrayData{fields.Data()}, 0, 0))
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
	lists := array.NewListData(array.NewData(arrow.ListOf(elements.DataType()), n, buffers, []arrow.ArrayData{elements.Data()}, 0, 0))
	columns := []arrow.Array{id.NewArray(), drawDictionary(r, n, typ), structs, lists, pad.NewArray()}
	var types []arrow.Field
	for i, c := range columns {
		types = append(types, arrow.Field{Name: fmt.Sprint("c", i), Type: c.DataType(), Nullable: true})
	}
	return array.NewRecordBatch(arrow.NewSchema(types, nil), columns, int64(n))
}

// Columns whose dictionaries differ from batch to batch, in one file or several, come out in a file of Arrow, which has one
// dictionary for each: in memory and through runs on disk.
func TestDictionariesOfFile(t *testing.T) {
	onDisk := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 47))
		typ := dictionaryTypes[r.IntN(len(dictionaryTypes))]
		dir := t.TempDir()
		args := []string{"-by", "c0", "-to", arrowFile, "-T", t.TempDir()}
		var rows []string
		for i := range 1 + r.IntN(2) {
			var batches []arrow.RecordBatch
			for range 1 + r.IntN(3) {
				batch := drawDictionaries(r, len(rows), r.IntN(300)<<r.IntN(4), typ)
				batches, rows = append(batches, batch), append(rows, textsOf(batch)...)
			}
			args = append(args, filepath.Join(dir, fmt.Sprint(i)))
			writeTable(t, args[len(args)-1], arrowStream, batches...)
		}
		slices.SortStableFunc(rows, func(a, b string) int { return idOf(a) - idOf(b) })
		cmd, err := parseArgs(args)
		expect(t, err)
		cmd.memory = 1 << (19 + r.IntN(5))
		var stdout bytes.Buffer
		report, err := cmd.run(strings.NewReader(""), &stdout, newMeter(io.Discard, true))
		if err != nil {
			t.Fatalf("seed %d: %v: %v", seed, typ, err)
		}
		if report.tables.(*arrowsort.ReaderStats).Runs > 0 {
			onDisk++
		}
		if got, _ := readTable(t, stdout.Bytes(), arrowFile); !slices.Equal(got, rows) {
			t.Fatalf("seed %d: %v: %d rows, want %d\n%s\n%s", seed, typ, len(got), len(rows), head(got), head(rows))
		}
	}
	if onDisk < 5 {
		t.Errorf("%d sorts went through runs", onDisk)
	}
}

func idOf(row string) (id int) {
	fmt.Sscanf(row, "=%d|", &id)
	return id
}

// More values than the indices reach are an error that names the column, and none in a stream.
func TestDictionariesTooLong(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-by", "1", "-o", filepath.Join(dir, "x.arrow")}
	for i := range 2 {
		b := array.NewBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
		for j := range 65 {
			expect(t, b.AppendValueFromString(fmt.Sprint(i, j)))
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: b.Type(), Nullable: true}}, nil)
		args = append(args, filepath.Join(dir, fmt.Sprint(i)))
		writeTable(t, args[len(args)-1], arrowStream, array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 65))
	}
	if _, stderr, code := filesort("", args...); code != exitError || !strings.Contains(stderr, "column d: its dictionaries have 130 values") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	args[3] += "s"
	if _, stderr, code := filesort("", args...); code != 0 {
		t.Errorf("a stream: exit %d, %s", code, stderr)
	}
}
