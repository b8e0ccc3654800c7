package arrowsort

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// validity is a bitmap of the rows of a column that are not null. The zero value is that of a
// column without nulls. The values of a column of bits are held alike.
type validity struct {
	bitmap []byte
	offset int
}

// validityOf returns the validity of col.
func validityOf(col column) validity { return bitsOf(col, bitmapOf) }

// bitsOf returns one bit of every row of col: the bitmap of its only chunk, or a copy of all. A
// chunk without a bitmap has bits set.
func bitsOf(col column, bitmapOf func(chunk arrow.Array) []byte) validity {
	if len(col.chunks) == 1 {
		if bitmap := bitmapOf(col.chunks[0]); bitmap != nil {
			return validity{bitmap, col.chunks[0].Data().Offset()}
		}
		return validity{}
	}
	var v validity
	col.each(func(first int, chunk arrow.Array) {
		bitmap := bitmapOf(chunk)
		if bitmap == nil && v.bitmap == nil {
			return
		}
		if v.bitmap == nil {
			v.bitmap = make([]byte, (col.rows+7)/8)
			bitutil.SetBitsTo(v.bitmap, 0, int64(first), true)
		}
		if bitmap == nil {
			bitutil.SetBitsTo(v.bitmap, int64(first), int64(chunk.Len()), true)
			return
		}
		bitutil.CopyBitmap(bitmap, chunk.Data().Offset(), chunk.Len(), v.bitmap, first)
	})
	return v
}

// bitmapOf returns the validity bitmap of an array with nulls, otherwise nil. It does not ask
// a.NullN, which writes a count that it lacks, and calls may run concurrently on one array.
func bitmapOf(a arrow.Array) []byte {
	data := a.Data()
	if data.NullN() == 0 || len(data.Buffers()) == 0 || data.Buffers()[0] == nil {
		return nil
	}
	bitmap := data.Buffers()[0].Bytes()
	if data.NullN() < 0 && bitutil.CountSetBits(bitmap, data.Offset(), data.Len()) == data.Len() {
		return nil
	}
	return bitmap
}

// any reports whether there may be nulls.
func (v validity) any() bool { return v.bitmap != nil }

// null reports whether row i is null. There are nulls.
func (v validity) null(i int) bool { return !bitutil.BitIsSet(v.bitmap, v.offset+i) }

// count returns the number of rows of n that are null.
func (v validity) count(n int) int {
	if !v.any() {
		return 0
	}
	return n - bitutil.CountSetBits(v.bitmap, v.offset, n)
}

// words calls f with the validity of rows i … i+n-1 in bits 0 … n-1 of word, n <= 64, for all of
// rows. There are nulls.
func (v validity) words(rows int, f func(i, n int, word uint64)) {
	for i := 0; i < rows; i += 64 {
		n := min(64, rows-i)
		f(i, n, v.word(i, n))
	}
}

// word returns the validity of n <= 64 rows from i.
func (v validity) word(i, n int) uint64 {
	at := v.offset + i
	shift := at % 8
	var word uint64
	octets := v.bitmap[at/8:]
	for j := 0; j*8 < n+shift; j++ {
		if at := j*8 - shift; at >= 0 {
			word |= uint64(octets[j]) << at
		} else {
			word |= uint64(octets[j]) >> -at
		}
	}
	if n < 64 {
		word &= 1<<n - 1
	}
	return word
}

// split writes the rows that are not null to valid and those that are null to null, in order.
// Their lengths are the numbers of such rows. There are nulls.
func (v validity) split(valid, null []uint32) {
	v.words(len(valid)+len(null), func(i, n int, word uint64) {
		valid = appendBits(valid, i, word)
		null = appendBits(null, i, ^word&(1<<n-1))
	})
}

// appendBits writes the positions of the bits of word, from i, to the front of rows, and returns
// what remains of rows.
func appendBits(rows []uint32, i int, word uint64) []uint32 {
	count := bits.OnesCount64(word)
	if count == 64 {
		for j := range rows[:64] {
			rows[j] = uint32(i + j)
		}
		return rows[64:]
	}
	for j := range rows[:count] {
		rows[j] = uint32(i + bits.TrailingZeros64(word))
		word &= word - 1
	}
	return rows[count:]
}

// compact copies the values that are not null to the front of dst, in order.
func compact[K any](dst, values []K, v validity) {
	v.words(len(values), func(i, n int, word uint64) {
		if word == 1<<64-1 {
			dst = dst[copy(dst, values[i:i+64]):]
			return
		}
		count := bits.OnesCount64(word)
		for j := range dst[:count] {
			dst[j] = values[i+bits.TrailingZeros64(word)]
			word &= word - 1
		}
		dst = dst[count:]
	})
}
