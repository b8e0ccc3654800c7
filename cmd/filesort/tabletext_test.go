package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// builtArray returns the array that build makes.
func builtArray[B array.Builder](typ arrow.DataType, build func(B)) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, typ)
	build(b.(B))
	return b.NewArray()
}

func halves(b *array.Float16Builder) {
	for _, bits := range []uint16{0x0001, 0x03ff, 0x8002, 0x0400, 0x3555, 0xfbff, 0x7e00, 0xfc00} {
		b.Append(float16.FromBits(bits))
	}
}

func emptyBytes(b *array.BinaryBuilder) {
	b.Append(nil)
	b.AppendNull()
	b.Append([]byte("a"))
}

// Values of all types are the same in CSV and NDJSON as in their column: nulls of columns without bits for them, halves, texts
// of no bytes, and those of lists and structs.
func TestTextOfTypes(t *testing.T) {
	words := builtArray(arrow.BinaryTypes.String, func(b *array.StringBuilder) {
		b.Append("x")
		b.AppendNull()
	})
	indices := builtArray(arrow.PrimitiveTypes.Int8, func(b *array.Int8Builder) { b.AppendValues([]int8{0, 1, 0}, []bool{true, true, false}) })
	ends := builtArray(arrow.PrimitiveTypes.Int32, func(b *array.Int32Builder) { b.AppendValues([]int32{1, 3}, nil) })
	nested := arrow.StructOf(arrow.Field{Name: "z", Type: arrow.FixedWidthTypes.Float16, Nullable: true}, arrow.Field{Name: "a", Type: arrow.BinaryTypes.Binary, Nullable: true})
	for name, c := range map[string]struct {
		column    arrow.Array
		csv, json []string
	}{
		"nulls":      {array.NewNull(2), []string{"", ""}, []string{"null", "null"}},
		"dictionary": {array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, indices, words), []string{"x", "", ""}, []string{`"x"`, "null", "null"}},
		"runs":       {array.NewRunEndEncodedArray(ends, words, 3, 0), []string{"x", "", ""}, []string{`"x"`, "null", "null"}},
		"halves": {
			builtArray(arrow.FixedWidthTypes.Float16, halves),
			[]string{"5.9604645e-08", "6.097555e-05", "-1.1920929e-07", "6.1035156e-05", "0.33325195", "-65504", "NaN", "-Inf"},
			[]string{"5.9604645e-8", "0.00006097555", "-1.1920929e-7", "0.000061035156", "0.33325195", "-65504", `"NaN"`, `"-Inf"`},
		},
		"bytes": {builtArray(arrow.BinaryTypes.Binary, emptyBytes), []string{`""`, "", "YQ=="}, []string{`""`, "null", `"YQ=="`}},
		"nested": {
			builtArray(nested, func(b *array.StructBuilder) {
				b.Append(true)
				b.FieldBuilder(0).(*array.Float16Builder).Append(float16.FromBits(0x7c00))
				b.FieldBuilder(1).(*array.BinaryBuilder).Append(nil)
			}),
			[]string{`"{""z"":""+Inf"",""a"":""""}"`}, []string{`{"z":"+Inf","a":""}`},
		},
	} {
		id := builtArray(arrow.PrimitiveTypes.Int64, func(b *array.Int64Builder) {
			for i := range c.column.Len() {
				b.Append(int64(i))
			}
		})
		path := filepath.Join(t.TempDir(), "x.arrows")
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: id.DataType()}, {Name: "v", Type: c.column.DataType(), Nullable: true}}, nil)
		writeTable(t, path, arrowStream, array.NewRecordBatch(schema, []arrow.Array{id, c.column}, int64(id.Len())))
		csv, ndjson := "id,v\n", ""
		for i := range c.csv {
			csv += id.ValueStr(i) + "," + c.csv[i] + "\n"
			ndjson += `{"id":` + id.ValueStr(i) + `,"v":` + c.json[i] + "}\n"
		}
		for to, want := range map[string]string{"csv": csv, "ndjson": ndjson} {
			if got, stderr, code := filesort("", "-by", "id", "-to", to, path); code != 0 || got != want {
				t.Errorf("%s to %s: exit %d, %s\n%s\nwant\n%s", name, to, code, stderr, got, want)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	b := array.NewFloat16Builder(memory.DefaultAllocator)
	for bits := range 1 << 16 {
		b.Append(float16.FromBits(uint16(bits)))
	}
	column := b.NewFloat16Array()
	for bits := range 1 << 16 {
		v := half(column, bits)
		if v != v {
			if bits&0x7c00 != 0x7c00 || bits&0x3ff == 0 {
				t.Fatalf("%#x is NaN", bits)
			}
			continue
		}
		// those of one sign are in the order of their bits, evenly spaced below each power of two
		if next := bits + 1; bits&0x7fff < 0x7c00 && math.Abs(half(column, next)) <= math.Abs(v) || math.Signbit(v) != (bits>>15 != 0) {
			t.Fatalf("%#x is %v", bits, v)
		}
	}
}

// A delimiter of several bytes begins in the value before it nowhere.
func TestLongDelimiter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrows")
	words := builtArray(arrow.BinaryTypes.String, func(b *array.StringBuilder) { b.AppendValues([]string{"a:", ":b", ":", "c::d"}, nil) })
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: words.DataType()}, {Name: "w", Type: words.DataType()}}, nil)
	writeTable(t, path, arrowStream, array.NewRecordBatch(schema, []arrow.Array{words, words}, 4))
	want := "v::w\n\":\"::\":\"\n:b:::b\n\"a:\"::\"a:\"\n\"c::d\"::\"c::d\"\n"
	if got, stderr, code := filesort("", "-by", "v", "-to", "csv", "-delimiter", "::", path); code != 0 || got != want {
		t.Errorf("exit %d, %s\n%s", code, stderr, got)
	}
}

// Bytes that are no UTF-8 have no place in JSON.
func TestNoUTF8InJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.arrows")
	words := builtArray(arrow.BinaryTypes.String, func(b *array.StringBuilder) { b.Append("a\xff") })
	lists := builtArray(arrow.ListOf(arrow.BinaryTypes.String), func(b *array.ListBuilder) {
		b.Append(true)
		b.ValueBuilder().(*array.StringBuilder).Append("a\xff")
	})
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: words.DataType()}, {Name: "w", Type: lists.DataType()}}, nil)
	writeTable(t, path, arrowStream, array.NewRecordBatch(schema, []arrow.Array{words, lists}, 1))
	for to, column := range map[string]string{"ndjson": "column v: ", "csv": "column w: "} {
		if got, stderr, code := filesort("", "-by", "v", "-to", to, path); code != exitError || !strings.Contains(stderr, column) {
			t.Errorf("%s: exit %d, %s\n%s", to, code, stderr, got)
		}
	}
}
