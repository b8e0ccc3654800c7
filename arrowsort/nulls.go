package arrowsort

import (
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
