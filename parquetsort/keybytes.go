package parquetsort

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go"
)

// Bytes of a list of values before each, and after the last. A list that ends comes before one
// that goes on, whatever the direction, as in package parquet.
const (
	endOfList  = 0
	nullsFirst = 1
	notNull    = 2
	nullsLast  = 3
)

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
