package parquetsort

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// comparisonOf returns the order of values of a column, which are bytes as package parquet has them in memory.
func comparisonOf(c *column) func(a, b []byte) int {
	switch {
	case c.order == decimal:
		return compareDecimals
	case c.order == half:
		return func(a, b []byte) int { return cmp.Compare(halfOf(a), halfOf(b)) }
	}
	switch c.physical {
	case format.Int32:
		if c.order == unsigned {
			return func(a, b []byte) int { return cmp.Compare(u32(a), u32(b)) }
		}
		return func(a, b []byte) int { return cmp.Compare(int32(u32(a)), int32(u32(b))) }
	case format.Int64:
		if c.order == unsigned {
			return func(a, b []byte) int { return cmp.Compare(u64(a), u64(b)) }
		}
		return func(a, b []byte) int { return cmp.Compare(int64(u64(a)), int64(u64(b))) }
	case format.Float:
		return func(a, b []byte) int { return cmp.Compare(f32(a), f32(b)) }
	case format.Double:
		return func(a, b []byte) int { return cmp.Compare(f64(a), f64(b)) }
	case format.Int96:
		return compareInt96
	}
	return bytes.Compare
}

func u32(b []byte) uint32  { return binary.NativeEndian.Uint32(b) }
func u64(b []byte) uint64  { return binary.NativeEndian.Uint64(b) }
func f32(b []byte) float32 { return math.Float32frombits(u32(b)) }
func f64(b []byte) float64 { return math.Float64frombits(u64(b)) }

// compareDecimals compares signed big-endian numbers.
func compareDecimals(a, b []byte) int {
	if len(a) != len(b) || len(a) == 0 {
		return bytes.Compare(appendDecimal(nil, a), appendDecimal(nil, b))
	}
	if c := cmp.Compare(int8(a[0]), int8(b[0])); c != 0 {
		return c
	}
	return bytes.Compare(a[1:], b[1:])
}

// compareInt96 compares integers of three words, the last of which is the highest.
func compareInt96(a, b []byte) int {
	return cmp.Or(cmp.Compare(int32(u32(a[8:])), int32(u32(b[8:]))), cmp.Compare(u32(a[4:]), u32(b[4:])), cmp.Compare(u32(a), u32(b)))
}

// isNaN reports whether a value is a NaN, which no bound may be.
func (c *column) isNaN(v []byte) bool {
	switch {
	case c.order == half:
		f := halfOf(v)
		return f != f
	case c.physical == format.Float:
		f := f32(v)
		return f != f
	case c.physical == format.Double:
		f := f64(v)
		return f != f
	}
	return false
}

// bounds is the least and the greatest value of a page or a chunk, in the order of the format. ok is false if there is
// none: of nulls, NaNs, and types without an order.
type bounds struct {
	low, high []byte // as in memory
	ok        bool
}

// add takes in further bounds.
func (b *bounds) add(c *column, more bounds) {
	switch {
	case !more.ok:
	case !b.ok:
		*b = more
	default:
		if c.compare(more.low, b.low) < 0 {
			b.low = more.low
		}
		if c.compare(more.high, b.high) > 0 {
			b.high = more.high
		}
	}
}

// ordered reports whether the format defines an order of the values.
func (c *column) ordered() bool { return c.order != unordered }

// mostBound is the length of the longest value that is a bound. Package format cannot say that one was cut.
const mostBound = 1 << 10

// stated returns the encoding of a bound for statistics, as PLAIN without a length. The bounds of zero are −0 and +0.
func (c *column) stated(v []byte, low bool) []byte {
	sign := byte(0)
	if low {
		sign = 0x80
	}
	switch {
	case c.order == half && halfOf(v) == 0:
		return []byte{0, sign}
	case c.physical == format.Float && f32(v) == 0:
		return []byte{3: sign}
	case c.physical == format.Double && f64(v) == 0:
		return []byte{7: sign}
	case c.physical == format.Int32 || c.physical == format.Float:
		return binary.LittleEndian.AppendUint32(nil, u32(v))
	case c.physical == format.Int64 || c.physical == format.Double:
		return binary.LittleEndian.AppendUint64(nil, u64(v))
	}
	return append([]byte{}, v...)
}

// boundsOf returns the bounds of values that follow each other. They lie in the values.
func (v *values) boundsOf(c *column, from, to int) bounds {
	if !c.ordered() || from >= to {
		return bounds{}
	}
	if low, high, ok := v.fastBounds(c, from, to); ok {
		return bounds{v.at(c, low), v.at(c, high), true}
	}
	b := bounds{}
	for i := from; i < to; i++ {
		x := v.at(c, i)
		switch {
		case c.isNaN(x):
		case !b.ok:
			b = bounds{x, x, true}
		case c.compare(x, b.low) < 0:
			b.low = x
		case c.compare(x, b.high) > 0:
			b.high = x
		}
	}
	return b
}

// fastBounds returns the positions of the bounds of numbers without a call for each.
func (v *values) fastBounds(c *column, from, to int) (low, high int, ok bool) {
	switch {
	case c.order != physical && c.order != unsigned:
	case c.physical == format.Int64 && c.order == unsigned:
		low, high = extremes(v.data, from, to, 8, u64)
		return low, high, true
	case c.physical == format.Int64:
		low, high = extremes(v.data, from, to, 8, func(b []byte) int64 { return int64(u64(b)) })
		return low, high, true
	case c.physical == format.Int32 && c.order == unsigned:
		low, high = extremes(v.data, from, to, 4, u32)
		return low, high, true
	case c.physical == format.Int32:
		low, high = extremes(v.data, from, to, 4, func(b []byte) int32 { return int32(u32(b)) })
		return low, high, true
	case c.physical == format.Double && f64(v.at(c, from)) == f64(v.at(c, from)): // no NaN; later ones are never less or more
		low, high = extremes(v.data, from, to, 8, f64)
		return low, high, true
	case c.physical == format.Float && f32(v.at(c, from)) == f32(v.at(c, from)):
		low, high = extremes(v.data, from, to, 4, f32)
		return low, high, true
	}
	return 0, 0, false
}

// extremes returns the positions of the least and the greatest of numbers that have width bytes.
func extremes[T cmp.Ordered](data []byte, from, to, width int, number func([]byte) T) (low, high int) {
	low, high = from, from
	least := number(data[from*width:])
	most := least
	for i := from + 1; i < to; i++ {
		x := number(data[i*width:])
		if x < least {
			least, low = x, i
		}
		if x > most {
			most, high = x, i
		}
	}
	return low, high
}
