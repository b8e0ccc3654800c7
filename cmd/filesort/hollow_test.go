package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// leaves are arrays of n values, at most some of which are null.
var leaves = []func(r *rand.Rand, n int) arrow.Array{
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 9, Scale: 2})
		return drawn(r, n, b, func() { b.Append(decimal128.FromI64(r.Int64N(999) - 500)) })
	},
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewDecimal256Builder(memory.DefaultAllocator, &arrow.Decimal256Type{Precision: 50, Scale: 0})
		return drawn(r, n, b, func() { b.Append(decimal256.FromI64(r.Int64N(999) - 500)) })
	},
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewFloat16Builder(memory.DefaultAllocator)
		return drawn(r, n, b, func() { b.Append(float16.New(float32(r.IntN(99)))) })
	},
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewFixedSizeBinaryBuilder(memory.DefaultAllocator, &arrow.FixedSizeBinaryType{ByteWidth: 3})
		return drawn(r, n, b, func() { b.Append([]byte{byte(r.IntN(256)), 1, 2}) })
	},
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		return drawn(r, n, b, func() { b.Append(r.IntN(2) == 0) })
	},
	func(r *rand.Rand, n int) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		return drawn(r, n, b, func() { b.Append(fmt.Sprint(r.IntN(999))) })
	},
}

func drawn(r *rand.Rand, n int, b array.Builder, value func()) arrow.Array {
	some := r.IntN(2) == 0
	for range n {
		if some && r.IntN(3) == 0 {
			b.AppendNull()
			continue
		}
		value()
	}
	return b.NewArray()
}

// masked returns which of n values are valid, or nil for all.
func masked(r *rand.Rand, n int) (valid *memory.Buffer, nulls int) {
	if r.IntN(4) == 0 {
		return nil, 0
	}
	bits := make([]byte, bitutil.BytesForBits(int64(n)))
	for i := range n {
		if r.IntN(3) > 0 {
			bitutil.SetBit(bits, i)
			continue
		}
		nulls++
	}
	return memory.NewBufferBytes(bits), nulls
}

// nestedArray returns n structs or lists, null ones of which have fields and elements all the same.
func nestedArray(r *rand.Rand, n, depth int) arrow.Array {
	valid, nulls := masked(r, n)
	switch {
	case depth == 0:
		return leaves[r.IntN(len(leaves))](r, n)
	case r.IntN(3) > 0:
		fields := []arrow.Array{nestedArray(r, n, depth-1), leaves[r.IntN(len(leaves))](r, n)}
		var types []arrow.Field
		for i, f := range fields {
			types = append(types, arrow.Field{Name: fmt.Sprint("f", i), Type: f.DataType(), Nullable: true})
		}
		var children []arrow.ArrayData
		for _, f := range fields {
			children = append(children, f.Data())
		}
		return array.NewStructData(array.NewData(arrow.StructOf(types...), n, []*memory.Buffer{valid}, children, nulls, 0))
	}
	offsets := make([]int32, n+1)
	for i := range n {
		offsets[i+1] = offsets[i] + int32(r.IntN(3))
	}
	elements := nestedArray(r, int(offsets[n]), depth-1)
	buffers := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
	return array.NewListData(array.NewData(arrow.ListOf(elements.DataType()), n, buffers, []arrow.ArrayData{elements.Data()}, nulls, 0))
}

// Nested columns of Arrow come out in Parquet as they are, also where a null struct has fields that are not null, and a null
// list elements.
func TestHollowTables(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 46))
		n := 1 + r.IntN(12)
		id := array.NewInt64Builder(memory.DefaultAllocator)
		for i := range n {
			id.Append(int64(i))
		}
		nested := nestedArray(r, n, 1+r.IntN(3))
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "nested", Type: nested.DataType(), Nullable: true}}, nil)
		batch := array.NewRecordBatch(schema, []arrow.Array{id.NewArray(), nested}, int64(n))
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out.parquet")
		writeTable(t, in, arrowFile, batch)
		if _, stderr, code := filesort("", "-by", "id", "-o", out, in); code != 0 {
			t.Fatalf("seed %d: %v: %s", seed, nested.DataType(), stderr)
		}
		data, err := os.ReadFile(out)
		expect(t, err)
		if got, _ := readTable(t, data, parquetFormat); !slices.Equal(got, textsOf(batch)) {
			t.Fatalf("seed %d: %v\n%q\n%q", seed, nested.DataType(), got, textsOf(batch))
		}
	}
}

// A type that Parquet does not have is an error that names the column, and leaves nothing on standard output.
func TestNotInParquet(t *testing.T) {
	fixed := builtArray(arrow.FixedSizeListOf(1, arrow.PrimitiveTypes.Int8), func(b *array.FixedSizeListBuilder) {
		b.AppendNull()
		b.Append(true)
		b.ValueBuilder().(*array.Int8Builder).Append(1)
		b.AppendNull()
		b.Append(true)
		b.ValueBuilder().(*array.Int8Builder).Append(1)
	})
	for _, column := range []arrow.Array{
		array.NewBuilder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 5, Scale: -2}).NewArray(),
		array.NewBuilder(memory.DefaultAllocator, arrow.FixedWidthTypes.Duration_s).NewArray(),
		array.NewBuilder(memory.DefaultAllocator, arrow.BinaryTypes.StringView).NewArray(),
		fixed,
	} {
		in := filepath.Join(t.TempDir(), "in.arrow")
		schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: column.DataType(), Nullable: true}, {Name: "n", Type: arrow.Null, Nullable: true}}, nil)
		writeTable(t, in, arrowFile, array.NewRecordBatch(schema, []arrow.Array{column, array.NewNull(column.Len())}, int64(column.Len())))
		stdout, stderr, code := filesort("", "-by", "n", "-to", "parquet", in)
		if code != exitError || !strings.Contains(stderr, "column v") || strings.Contains(stderr, "damaged") || len(stdout) > len("PAR1") {
			t.Errorf("%v: exit %d, %s%q", column.DataType(), code, stderr, stdout)
		}
	}
}

// Nothing is written where an input cannot be read.
func TestNoTextBeforeInput(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32} {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ}}, nil)
		writeTable(t, paths[i], arrowStream, array.NewRecordBatch(schema, []arrow.Array{builtArray(typ, func(b array.Builder) { b.AppendEmptyValue() })}, 1))
	}
	for _, to := range []string{"csv", "ndjson"} {
		if stdout, stderr, code := filesort("", "-by", "v", "-to", to, paths[0], paths[1]); code != exitError || stdout != "" {
			t.Errorf("%s: exit %d, %s%q", to, code, stderr, stdout)
		}
	}
}
