package arrowsort_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// boxed returns row i of a as a value that compareBoxed orders: nil for null.
func boxed(a arrow.Array, i int) any {
	switch a := a.(type) {
	case *array.Null:
		return nil
	case *array.Dictionary:
		if a.IsNull(i) {
			return nil
		}
		return boxed(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return boxed(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return boxed(a.Storage(), i)
	}
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Boolean:
		if a.Value(i) {
			return int64(1)
		}
		return int64(0)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return uint64(a.Value(i))
	case *array.Uint16:
		return uint64(a.Value(i))
	case *array.Uint32:
		return uint64(a.Value(i))
	case *array.Uint64:
		return a.Value(i)
	case *array.Float16:
		return float64(a.Value(i).Float32())
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Date64:
		return int64(a.Value(i))
	case *array.Time32:
		return int64(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	case *array.Duration:
		return int64(a.Value(i))
	case *array.MonthInterval:
		return int64(a.Value(i))
	case *array.DayTimeInterval:
		v := a.Value(i)
		days := big.NewInt(int64(v.Days))
		return days.Add(days.Lsh(days, 33), big.NewInt(int64(v.Milliseconds)))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		sum := big.NewInt(int64(v.Months))
		sum.Add(sum.Lsh(sum, 33), big.NewInt(int64(v.Days)))
		return sum.Add(sum.Lsh(sum, 65), big.NewInt(v.Nanoseconds))
	case *array.Decimal32:
		return int64(a.Value(i))
	case *array.Decimal64:
		return int64(a.Value(i))
	case *array.Decimal128:
		return a.Value(i).BigInt()
	case *array.Decimal256:
		return a.Value(i).BigInt()
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.StringView:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.BinaryView:
		return string(a.Value(i))
	case *array.FixedSizeBinary:
		return string(a.Value(i))
	}
	panic(fmt.Sprintf("boxed %T", a))
}

// compareBoxed orders two boxed values of one type by key.
func compareBoxed(a, b any, key arrowsort.SortKey) int {
	if c := cmp.Compare(class(a), class(b)); c != 0 {
		if key.NullPlacement == arrowsort.SortNullsAtStart {
			return -c
		}
		return c
	}
	c := 0
	switch a := a.(type) {
	case int64:
		c = cmp.Compare(a, b.(int64))
	case uint64:
		c = cmp.Compare(a, b.(uint64))
	case float64:
		c = cmp.Compare(a, b.(float64))
	case string:
		c = strings.Compare(a, b.(string))
	case *big.Int:
		c = a.Cmp(b.(*big.Int))
	}
	if key.Order == arrowsort.SortOrderDescending {
		return -c
	}
	return c
}

// class returns 0 for a value, 1 for NaN and 2 for null.
func class(v any) int {
	if v == nil {
		return 2
	}
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		return 1
	}
	return 0
}

// boxedRows returns the rows of columns as boxed values.
func boxedRows(columns []*arrow.Chunked) [][]any {
	rows := make([][]any, columns[0].Len())
	for _, column := range columns {
		at := 0
		for _, chunk := range column.Chunks() {
			for i := range chunk.Len() {
				rows[at] = append(rows[at], boxed(chunk, i))
				at++
			}
		}
	}
	return rows
}

// compareRows orders two rows by keys.
func compareRows(a, b []any, keys []arrowsort.SortKey) int {
	for _, key := range keys {
		if c := compareBoxed(a[key.ColumnIndex], b[key.ColumnIndex], key); c != 0 {
			return c
		}
	}
	return 0
}

// oracle returns the row numbers in the order of keys.
func oracle(rows [][]any, keys []arrowsort.SortKey) []uint64 {
	order := make([]uint64, len(rows))
	for i := range order {
		order[i] = uint64(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return compareRows(rows[order[i]], rows[order[j]], keys) < 0 })
	return order
}

// generator makes random arrays of a type.
type generator struct {
	name    string
	arrowGo bool // sorts it, too
	make    func(t testing.TB, r *rand.Rand, rows int, nulls float64) arrow.Array
}

// built returns a generator of arrays that a builder makes of one random value after the other.
func built[B array.Builder](name string, builder func() B, add func(b B, r *rand.Rand)) generator {
	return generator{name, true, func(_ testing.TB, r *rand.Rand, rows int, nulls float64) arrow.Array {
		b := builder()
		defer b.Release()
		for range rows {
			if r.Float64() < nulls {
				b.AppendNull()
			} else {
				add(b, r)
			}
		}
		return b.NewArray()
	}}
}

// typed returns a generator for a type.
func typed[B array.Builder](dt arrow.DataType, add func(b B, r *rand.Rand)) generator {
	return built(dt.String(), func() B { return array.NewBuilder(memory.DefaultAllocator, dt).(B) }, add)
}

// small returns a random number that often repeats, and is sometimes extreme.
func small[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *rand.Rand) T {
	if r.IntN(20) == 0 {
		return T(r.Uint64())
	}
	return T(r.IntN(21) - 10)
}

func smallFloat(r *rand.Rand) float64 {
	special := []float64{math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	if r.IntN(4) == 0 {
		return special[r.IntN(len(special))]
	}
	return float64(r.IntN(21)-10) / 4
}

func text(r *rand.Rand) string {
	if r.IntN(50) == 0 {
		return strings.Repeat("long", 3+r.IntN(8)) + fmt.Sprint(r.IntN(3))
	}
	return strings.Repeat("a", r.IntN(12)) + strings.Repeat("\U0010FFFF", r.IntN(2)) + fmt.Sprint(r.IntN(30))
}

func fixed(width int) func(r *rand.Rand) []byte {
	return func(r *rand.Rand) []byte {
		octets := make([]byte, width)
		for i := range octets {
			octets[i] = byte(r.IntN(2) * 200)
		}
		return octets
	}
}

var generators = append(plainGenerators, composedGenerators...)

var plainGenerators = []generator{
	typed(arrow.FixedWidthTypes.Boolean, func(b *array.BooleanBuilder, r *rand.Rand) { b.Append(r.IntN(2) == 0) }),
	typed(arrow.PrimitiveTypes.Int8, func(b *array.Int8Builder, r *rand.Rand) { b.Append(small[int8](r)) }),
	typed(arrow.PrimitiveTypes.Int16, func(b *array.Int16Builder, r *rand.Rand) { b.Append(small[int16](r)) }),
	typed(arrow.PrimitiveTypes.Int32, func(b *array.Int32Builder, r *rand.Rand) { b.Append(small[int32](r)) }),
	typed(arrow.PrimitiveTypes.Int64, func(b *array.Int64Builder, r *rand.Rand) { b.Append(small[int64](r)) }),
	typed(arrow.PrimitiveTypes.Uint8, func(b *array.Uint8Builder, r *rand.Rand) { b.Append(small[uint8](r)) }),
	typed(arrow.PrimitiveTypes.Uint16, func(b *array.Uint16Builder, r *rand.Rand) { b.Append(small[uint16](r)) }),
	typed(arrow.PrimitiveTypes.Uint32, func(b *array.Uint32Builder, r *rand.Rand) { b.Append(small[uint32](r)) }),
	typed(arrow.PrimitiveTypes.Uint64, func(b *array.Uint64Builder, r *rand.Rand) { b.Append(small[uint64](r)) }),
	typed(arrow.FixedWidthTypes.Float16, func(b *array.Float16Builder, r *rand.Rand) { b.Append(float16.New(float32(smallFloat(r)))) }),
	typed(arrow.PrimitiveTypes.Float32, func(b *array.Float32Builder, r *rand.Rand) { b.Append(float32(smallFloat(r))) }),
	typed(arrow.PrimitiveTypes.Float64, func(b *array.Float64Builder, r *rand.Rand) { b.Append(smallFloat(r)) }),
	typed(arrow.PrimitiveTypes.Date32, func(b *array.Date32Builder, r *rand.Rand) { b.Append(small[arrow.Date32](r)) }),
	typed(arrow.PrimitiveTypes.Date64, func(b *array.Date64Builder, r *rand.Rand) { b.Append(small[arrow.Date64](r)) }),
	typed(arrow.FixedWidthTypes.Time32s, func(b *array.Time32Builder, r *rand.Rand) { b.Append(small[arrow.Time32](r)) }),
	typed(arrow.FixedWidthTypes.Time64us, func(b *array.Time64Builder, r *rand.Rand) { b.Append(small[arrow.Time64](r)) }),
	typed(arrow.FixedWidthTypes.Timestamp_us, func(b *array.TimestampBuilder, r *rand.Rand) { b.Append(small[arrow.Timestamp](r)) }),
	typed(arrow.FixedWidthTypes.Duration_ms, func(b *array.DurationBuilder, r *rand.Rand) { b.Append(small[arrow.Duration](r)) }),
	typed(arrow.FixedWidthTypes.MonthInterval, func(b *array.MonthIntervalBuilder, r *rand.Rand) { b.Append(small[arrow.MonthInterval](r)) }),
	typed(arrow.FixedWidthTypes.DayTimeInterval, func(b *array.DayTimeIntervalBuilder, r *rand.Rand) {
		b.Append(arrow.DayTimeInterval{Days: small[int32](r), Milliseconds: small[int32](r)})
	}),
	typed(arrow.FixedWidthTypes.MonthDayNanoInterval, func(b *array.MonthDayNanoIntervalBuilder, r *rand.Rand) {
		b.Append(arrow.MonthDayNanoInterval{Months: int32(r.IntN(3) - 1), Days: small[int32](r), Nanoseconds: small[int64](r)})
	}),
	typed(&arrow.Decimal32Type{Precision: 5}, func(b *array.Decimal32Builder, r *rand.Rand) { b.Append(decimal.Decimal32(small[int32](r))) }),
	typed(&arrow.Decimal64Type{Precision: 5}, func(b *array.Decimal64Builder, r *rand.Rand) { b.Append(decimal.Decimal64(small[int64](r))) }),
	typed(&arrow.Decimal128Type{Precision: 30}, func(b *array.Decimal128Builder, r *rand.Rand) {
		b.Append(decimal128.FromI64(small[int64](r)))
	}),
	renamed("wide decimal128", typed(&arrow.Decimal128Type{Precision: 30}, func(b *array.Decimal128Builder, r *rand.Rand) {
		b.Append(decimal128.New(small[int64](r), small[uint64](r)))
	})),
	typed(&arrow.Decimal256Type{Precision: 60}, func(b *array.Decimal256Builder, r *rand.Rand) {
		b.Append(decimal256.FromI64(small[int64](r)))
	}),
	renamed("wide decimal256", typed(&arrow.Decimal256Type{Precision: 60}, func(b *array.Decimal256Builder, r *rand.Rand) {
		b.Append(decimal256.New(small[uint64](r), small[uint64](r), small[uint64](r), small[uint64](r)))
	})),
	typed(arrow.BinaryTypes.String, func(b *array.StringBuilder, r *rand.Rand) { b.Append(text(r)) }),
	typed(arrow.BinaryTypes.LargeString, func(b *array.LargeStringBuilder, r *rand.Rand) { b.Append(text(r)) }),
	typed(arrow.BinaryTypes.Binary, func(b *array.BinaryBuilder, r *rand.Rand) { b.AppendString(text(r)) }),
	typed(arrow.BinaryTypes.LargeBinary, func(b *array.BinaryBuilder, r *rand.Rand) { b.AppendString(text(r)) }),
	typed(&arrow.FixedSizeBinaryType{ByteWidth: 3}, func(b *array.FixedSizeBinaryBuilder, r *rand.Rand) { b.Append(fixed(3)(r)) }),
	typed(&arrow.FixedSizeBinaryType{ByteWidth: 16}, func(b *array.FixedSizeBinaryBuilder, r *rand.Rand) { b.Append(fixed(16)(r)) }),
	typed(&arrow.FixedSizeBinaryType{ByteWidth: 21}, func(b *array.FixedSizeBinaryBuilder, r *rand.Rand) { b.Append(fixed(21)(r)) }),
	built("uuid", func() *extensions.UUIDBuilder { return extensions.NewUUIDBuilder(memory.DefaultAllocator) },
		func(b *extensions.UUIDBuilder, r *rand.Rand) { b.AppendBytes([16]byte(fixed(16)(r))) }),
}

func renamed(name string, g generator) generator {
	g.name = name
	return g
}

// composedGenerators are of types that arrow-go does not sort.
var composedGenerators = []generator{
	notArrowGo(typed(arrow.BinaryTypes.StringView, func(b *array.StringViewBuilder, r *rand.Rand) { b.Append(text(r)) })),
	notArrowGo(typed(arrow.BinaryTypes.BinaryView, func(b *array.BinaryViewBuilder, r *rand.Rand) { b.Append([]byte(text(r))) })),
	renamed("views of nulls that lead nowhere", withLostNulls(notArrowGo(typed(arrow.BinaryTypes.StringView, func(b *array.StringViewBuilder, r *rand.Rand) { b.Append(text(r)) })))),
	{"null", false, func(_ testing.TB, _ *rand.Rand, rows int, _ float64) arrow.Array { return array.NewNull(rows) }},
	dictionaryOf("dictionary of string", arrow.PrimitiveTypes.Int8, find("utf8"), 20),
	dictionaryOf("dictionary of float64", arrow.PrimitiveTypes.Uint16, find("float64"), 30),
	dictionaryOf("large dictionary", arrow.PrimitiveTypes.Int64, find("binary"), 3000),
	runsOf("runs of string", arrow.PrimitiveTypes.Int16, find("utf8")),
	runsOf("runs of float32", arrow.PrimitiveTypes.Int64, find("float32")),
}

func notArrowGo(g generator) generator {
	g.arrowGo = false
	return g
}

// withLostNulls returns a generator of arrays of views, where those of nulls have no bytes.
func withLostNulls(g generator) generator {
	views := g.make
	g.make = func(t testing.TB, r *rand.Rand, rows int, nulls float64) arrow.Array {
		a := views(t, r, rows, nulls)
		of := a.Data().Buffers()[1].Bytes()
		for i := range rows {
			if a.IsNull(i) {
				copy(of[i*arrow.ViewHeaderSizeBytes:], bytes.Repeat([]byte{0x7f}, arrow.ViewHeaderSizeBytes))
			}
		}
		return a
	}
	return g
}

func find(name string) generator {
	for _, g := range plainGenerators {
		if g.name == name {
			return g
		}
	}
	panic("no generator " + name)
}

// dictionaryOf returns a generator of dictionaries of some values, of which some are null or equal.
func dictionaryOf(name string, index arrow.DataType, values generator, size int) generator {
	return generator{name, false, func(t testing.TB, r *rand.Rand, rows int, nulls float64) arrow.Array {
		dictionary := values.make(t, r, size, nulls)
		b := array.NewBuilder(memory.DefaultAllocator, index)
		for range rows {
			if r.Float64() < nulls {
				b.AppendNull()
			} else if err := b.AppendValueFromString(fmt.Sprint(r.IntN(size))); err != nil {
				t.Fatal(err)
			}
		}
		dt := &arrow.DictionaryType{IndexType: index, ValueType: dictionary.DataType()}
		return array.NewDictionaryArray(dt, b.NewArray(), dictionary)
	}}
}

// runsOf returns a generator of run-end encoded arrays.
func runsOf(name string, ends arrow.DataType, values generator) generator {
	return generator{name, false, func(t testing.TB, r *rand.Rand, rows int, nulls float64) arrow.Array {
		b, end, runs := array.NewBuilder(memory.DefaultAllocator, ends), 0, 0
		for ; end < rows; runs++ {
			end = min(rows, end+1+r.IntN(5))
			if err := b.AppendValueFromString(fmt.Sprint(end)); err != nil {
				t.Fatal(err)
			}
		}
		return array.NewRunEndEncodedArray(b.NewArray(), values.make(t, r, runs, nulls), rows, 0)
	}}
}
