package parquetsort

import (
	"encoding/binary"
	"math"

	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
)

// rowOrder returns the order of rows of values by sorting columns. NaNs come before other floats.
func rowOrder(leaves []leaf) sorter.Ordering[parquet.Row] {
	var columns []sorter.Column[parquet.Row]
	for _, l := range leaves {
		if l.order == decimal && l.MaxRepetitionLevel == 0 && l.Node.Type().Kind() == parquet.FixedLenByteArray {
			columns = append(columns, fixedColumns(l)...)
		} else {
			columns = append(columns, rowColumn(l))
		}
	}
	return sorter.By(columns...)
}

// fixedColumns returns the columns of decimals of one length, one for every 16 bytes.
func fixedColumns(l leaf) (columns []sorter.Column[parquet.Row]) {
	for from := 0; from == 0 || from < l.Node.Type().Length(); from += len(word{}) {
		sign := l.signBit(from)
		columns = append(columns, valueColumn(l, func(v parquet.Value) (w word) {
			copy(w[:], v.ByteArray()[from:])
			w[0] ^= sign
			return w
		}))
	}
	return columns
}

func rowColumn(l leaf) sorter.Column[parquet.Row] {
	kind := l.Node.Type().Kind()
	switch {
	case l.MaxRepetitionLevel > 0, kind == parquet.Int96:
		return sorter.Asc(func(row parquet.Row) []byte { return l.appendKeys(nil, row) })
	case l.order == decimal:
		return valueColumn(l, func(v parquet.Value) []byte { return appendDecimal(nil, v.ByteArray()) })
	case l.order == half:
		return valueColumn(l, func(v parquet.Value) float32 { return halfOf(v.ByteArray()) })
	case kind == parquet.Boolean:
		return valueColumn(l, parquet.Value.Boolean)
	case kind == parquet.Int32 && l.order == unsigned:
		return valueColumn(l, parquet.Value.Uint32)
	case kind == parquet.Int32:
		return valueColumn(l, parquet.Value.Int32)
	case kind == parquet.Int64 && l.order == unsigned:
		return valueColumn(l, parquet.Value.Uint64)
	case kind == parquet.Int64:
		return valueColumn(l, parquet.Value.Int64)
	case kind == parquet.Float:
		return valueColumn(l, parquet.Value.Float)
	case kind == parquet.Double:
		return valueColumn(l, parquet.Value.Double)
	}
	return valueColumn(l, parquet.Value.ByteArray)
}

// valueColumn returns the column of values that are not repeated.
func valueColumn[K sorter.Key](l leaf, key func(parquet.Value) K) sorter.Column[parquet.Row] {
	c := directed(l, func(row parquet.Row) K { return key(l.first(row)) })
	if l.MaxDefinitionLevel == 0 {
		return c
	}
	return withNulls(l, c, func(row parquet.Row) bool { return l.first(row).IsNull() })
}

// first returns the first value of the column in a row, null if there is none.
func (l leaf) first(row parquet.Row) parquet.Value {
	if i := l.index(row); i < len(row) {
		return row[i]
	}
	return parquet.Value{}
}

// index returns where the values of the column begin in a row. Rows without lists have one value
// of each column.
func (l leaf) index(row parquet.Row) int {
	i := l.ColumnIndex
	if i < len(row) && row[i].Column() == i && (i == 0 || row[i-1].Column() == i-1) {
		return i
	}
	for i = range row {
		if row[i].Column() == l.ColumnIndex {
			return i
		}
	}
	return len(row)
}

// Bytes of a list of values before each, and after the last. A list that ends comes before one
// that goes on, whatever the direction, as in package parquet.
const (
	endOfList  = 0
	nullsFirst = 1
	notNull    = 2
	nullsLast  = 3
)

// appendKeys appends bytes that compare as the values of the column in rows do.
func (l leaf) appendKeys(dst []byte, row parquet.Row) []byte {
	for i := l.index(row); i < len(row) && row[i].Column() == l.ColumnIndex; i++ {
		dst = l.appendElement(dst, row[i])
	}
	return append(dst, endOfList)
}

// appendElement appends the bytes of a value of a list, or of the only one.
func (l leaf) appendElement(dst []byte, v parquet.Value) []byte {
	switch {
	case v.IsNull() && l.nullsFirst:
		return append(dst, nullsFirst)
	case v.IsNull():
		return append(dst, nullsLast)
	}
	dst = append(dst, notNull)
	from := len(dst)
	dst = l.appendKey(dst, v)
	if l.desc {
		complement(dst[from:])
	}
	return dst
}

func complement(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// appendKey appends bytes that compare as values do, none of which is the beginning of another's.
func (l leaf) appendKey(dst []byte, v parquet.Value) []byte {
	switch l.order {
	case decimal:
		return appendDecimal(dst, v.ByteArray())
	case half:
		return binary.BigEndian.AppendUint64(dst, l.floatKey(float64(halfOf(v.ByteArray()))))
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case parquet.Int32:
		return binary.BigEndian.AppendUint32(dst, v.Uint32()^l.sign32())
	case parquet.Int64:
		return binary.BigEndian.AppendUint64(dst, v.Uint64()^uint64(l.sign32())<<32)
	case parquet.Float:
		return binary.BigEndian.AppendUint64(dst, l.floatKey(float64(v.Float())))
	case parquet.Double:
		return binary.BigEndian.AppendUint64(dst, l.floatKey(v.Double()))
	case parquet.Int96:
		i := v.Int96()
		for _, word := range []uint32{i[2] ^ 1<<31, i[1], i[0]} {
			dst = binary.BigEndian.AppendUint32(dst, word)
		}
		return dst
	}
	return appendEscaped(dst, v.ByteArray())
}

// sign32 returns the bit that makes the integers of the column compare as unsigned ones.
func (l leaf) sign32() uint32 {
	if l.order == unsigned {
		return 0
	}
	return 1 << 31
}

// floatKey returns bits that compare as floats do, NaNs where the column has them.
func (l leaf) floatKey(f float64) uint64 {
	if l.nansAfter && f != f {
		return math.MaxUint64
	}
	return floatKey(f)
}

// floatKey returns bits that compare as floats do, NaNs first.
func floatKey(f float64) uint64 {
	switch b := math.Float64bits(f); {
	case f != f:
		return 0
	case f == 0:
		return 1 << 63
	case b>>63 == 1:
		return ^b
	default:
		return b | 1<<63
	}
}

// appendEscaped appends bytes so that no result is the beginning of another: after a zero comes
// 255, and at the end a zero and a one.
func appendEscaped(dst, b []byte) []byte {
	for _, c := range b {
		if dst = append(dst, c); c == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}
