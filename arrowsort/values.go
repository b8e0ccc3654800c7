package arrowsort

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/floats"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
)

// number is a key without pointers, which is sorted from a slice.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | [16]byte | sorter.Int128
}

// valuesIn returns the values of an array of fixed width where they lie.
func valuesIn[T any](a arrow.Array) []T {
	return castTo[T](octetsIn(a, int(unsafe.Sizeof(*new(T)))), a.Len())
}

// octetsIn returns the bytes of an array of fixed width where they lie.
func octetsIn(a arrow.Array, width int) []byte {
	data := a.Data()
	lo, hi := data.Offset()*width, (data.Offset()+data.Len())*width
	if buffer := data.Buffers()[1]; buffer != nil && buffer.Len() >= hi {
		return buffer.Bytes()[lo:hi]
	}
	return make([]byte, hi-lo) // of nulls only
}

// bitsIn returns the bitmap of an array of bits, which begins at its offset.
func bitsIn(a arrow.Array) []byte {
	if buffer := a.Data().Buffers()[1]; buffer != nil {
		return buffer.Bytes()
	}
	return make([]byte, (a.Data().Offset()+a.Len()+7)/8) // of nulls only
}

// castTo returns bytes as n values without pointers. Sound: there are that many, and Arrow aligns
// its buffers to 8 bytes or more.
func castTo[T any](bytes []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
}

// plainKey returns the key of values that lie in memory as K.
func plainKey[K number](c *call, col column, k SortKey) key {
	chunks := make([][]K, len(col.chunks))
	for i, chunk := range col.chunks {
		chunks[i] = valuesIn[K](chunk)
	}
	return keyIn(col, sorter.Chunks(chunks), k)
}

// mappedKey returns the key of K that convert makes of the values of col, which lie as T.
func mappedKey[K number, T any](c *call, col column, k SortKey, convert func(dst []K, src []T)) key {
	return numberKey(col, mapped(c, col, convert), k)
}

// mapped returns what convert makes of the values of col, in scratch.
func mapped[K, T any](c *call, col column, convert func(dst []K, src []T)) []K {
	keys := scratch[K](c, col.rows)
	col.share(c, func(first int, chunk arrow.Array, lo, hi int) {
		convert(keys[first:first+hi-lo], valuesIn[T](chunk)[lo:hi])
	})
	return keys
}

// halfKey returns the key of 16-bit floats: they are widened, which is exact, unlike that of arrow-go v18.8.0.
func halfKey(c *call, col column, k SortKey) key {
	return mappedKey(c, col, k, func(dst []float32, src []float16.Num) {
		for i, value := range src {
			dst[i] = floats.Half(value.Uint16())
		}
	})
}

// boolKey returns the key of bits, as bytes.
func boolKey(c *call, col column, k SortKey) key {
	octets := scratch[uint8](c, col.rows)
	bits := bitsOf(col, bitsIn)
	c.share(col.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			octets[i] = 1
			if bits.null(i) {
				octets[i] = 0
			}
		}
	})
	return numberKey(col, octets, k)
}

// dayTimeKey returns the key of intervals of days and milliseconds, in that order.
func dayTimeKey(c *call, col column, k SortKey) key {
	return mappedKey(c, col, k, func(dst []int64, src []arrow.DayTimeInterval) {
		for i, value := range src {
			dst[i] = int64(value.Days)<<32 | int64(uint32(value.Milliseconds)^1<<31)
		}
	})
}

// monthDayNanoKey returns the key of intervals of months, days and nanoseconds, in that order.
func monthDayNanoKey(c *call, col column, k SortKey) key {
	return mappedKey(c, col, k, func(dst [][16]byte, src []arrow.MonthDayNanoInterval) {
		for i, value := range src {
			binary.BigEndian.PutUint32(dst[i][0:], uint32(value.Months)^1<<31)
			binary.BigEndian.PutUint32(dst[i][4:], uint32(value.Days)^1<<31)
			binary.BigEndian.PutUint64(dst[i][8:], uint64(value.Nanoseconds)^1<<63)
		}
	})
}

// decimal128Key returns the key of 128-bit decimals: as int64 where all have 64 bits.
func decimal128Key(c *call, col column, k SortKey) key {
	narrow := func(d decimal128.Num) (int64, bool) {
		low := int64(d.LowBits())
		return low, d.HighBits() == low>>63
	}
	if keys, ok := narrowed(c, col, narrow); ok {
		return numberKey(col, keys, k)
	}
	return plainKey[sorter.Int128](c, col, k)
}

// decimal256Key returns the key of 256-bit decimals: as int64 where all have 64 bits.
func decimal256Key(c *call, col column, k SortKey) key {
	narrow := func(d decimal256.Num) (int64, bool) {
		limbs := d.Array()
		low := int64(limbs[0])
		sign := uint64(low >> 63)
		return low, limbs[1] == sign && limbs[2] == sign && limbs[3] == sign
	}
	if keys, ok := narrowed(c, col, narrow); ok {
		return numberKey(col, keys, k)
	}
	const width = 32
	octets := scratch[byte](c, col.rows*width)
	col.share(c, func(first int, chunk arrow.Array, lo, hi int) {
		for i, value := range valuesIn[decimal256.Num](chunk)[lo:hi] {
			limbs, dst := value.Array(), octets[(first+i)*width:][:width]
			limbs[3] ^= 1 << 63
			for j, limb := range limbs {
				binary.BigEndian.PutUint64(dst[24-8*j:], limb)
			}
		}
	})
	return keyIn(col, sorter.FixedBinary(octets, width), k)
}

// narrowed returns the values of col as int64, unless one that is not null does not fit.
func narrowed[T any](c *call, col column, narrow func(T) (int64, bool)) ([]int64, bool) {
	keys := scratch[int64](c, col.rows)
	var wide atomic.Bool
	col.share(c, func(first int, chunk arrow.Array, lo, hi int) {
		for i, value := range valuesIn[T](chunk)[lo:hi] {
			key, ok := narrow(value)
			if keys[first+i] = key; !ok && chunk.IsValid(lo+i) {
				wide.Store(true)
			}
			if !ok && wide.Load() {
				return
			}
		}
	})
	return keys, !wide.Load()
}

// fixedBinaryKey returns the key of byte strings of one width.
func fixedBinaryKey(col column, width int, k SortKey) key {
	if width == 0 {
		return placed(constantKey().column, validityOf(col), k)
	}
	parts := []sorter.Keys{sorter.FixedBinary(nil, width)}
	for _, chunk := range col.chunks {
		parts = append(parts, sorter.FixedBinary(octetsIn(chunk, width), width))
	}
	return keyIn(col, sorter.Concat(parts...), k)
}
