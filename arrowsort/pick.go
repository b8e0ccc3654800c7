package arrowsort

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// position is a row of a chunked column: its chunk, and its number there. Children of a row have
// positions in the children of its chunk.
type position uint64

const rowBits = 40 // of a position; the others are the chunk

// positionAt returns the position of a row: chunk < 1<<24, row < 1<<rowBits.
func positionAt(chunk, row int) position { return position(chunk)<<rowBits | position(row) }

func (p position) chunk() int { return int(p >> rowBits) }
func (p position) row() int   { return int(p & (1<<rowBits - 1)) }

// part is a chunk as its buffers have it: row i is value at+i.
type part struct {
	data arrow.ArrayData
	at   int
	rows int
}

// partsOf returns the parts of arrays.
func partsOf(chunks []arrow.Array) []part {
	parts := make([]part, len(chunks))
	for i, chunk := range chunks {
		parts[i] = part{chunk.Data(), chunk.Data().Offset(), chunk.Len()}
	}
	return parts
}

// child returns the parts of a child whose rows from begin on belong to the rows of parts, each of
// some rows.
func childrenOf(parts []part, i, each int) []part {
	children := make([]part, len(parts))
	for j, p := range parts {
		data := p.data.Children()[i]
		children[j] = part{data, data.Offset() + p.at*each, p.rows * each}
	}
	return children
}

// wholeChildren returns the parts of a child to which offsets lead.
func wholeChildren(parts []part, i int) []part {
	children := make([]part, len(parts))
	for j, p := range parts {
		data := p.data.Children()[i]
		children[j] = part{data, data.Offset(), data.Len()}
	}
	return children
}

// inSpans reports whether rows follow each other in long spans, which are copied as such.
func inSpans(rows []position) bool {
	begun := 1
	for i := 1; i < len(rows); i++ {
		if rows[i] != rows[i-1]+1 {
			begun++
		}
	}
	return begun*leastSpan <= len(rows)
}

// leastSpan is the mean number of rows from which on a copy of each span is faster than one of each row.
const leastSpan = 8

// spanFrom returns the end of the span of rows that begins at i.
func spanFrom(rows []position, i int) int {
	end := i + 1
	for end < len(rows) && rows[end] == rows[end-1]+1 {
		end++
	}
	return end
}

// pick returns rows of a column of any type in new memory, on this goroutine, as data that the end of
// the call releases. It shares dictionaries if c.shares, and nothing else. It returns errTooLong where
// offsets, run ends or indices of the type do not reach so far.
func (c *call) pick(typ arrow.DataType, parts []part, rows []position) (*array.Data, error) {
	switch typ := typ.(type) {
	case *arrow.NullType:
		return owned(c, array.NewData(typ, len(rows), []*memory.Buffer{nil}, nil, len(rows), 0)), nil
	case *arrow.BooleanType:
		values, _ := c.pickBits(bitsOfParts(parts, 1), rows)
		return c.made(typ, parts, rows, nil, values), nil
	case *arrow.StringType, *arrow.BinaryType:
		return pickText[int32](c, typ, parts, rows)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return pickText[int64](c, typ, parts, rows)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return c.pickViews(typ, parts, rows)
	case *arrow.StructType:
		return c.pickStructs(typ, parts, rows)
	case *arrow.ListType, *arrow.MapType:
		return pickLists[int32](c, typ, parts, rows)
	case *arrow.LargeListType:
		return pickLists[int64](c, typ, parts, rows)
	case *arrow.ListViewType:
		return pickListViews[int32](c, typ, parts, rows)
	case *arrow.LargeListViewType:
		return pickListViews[int64](c, typ, parts, rows)
	case *arrow.FixedSizeListType:
		return c.pickFixedLists(typ, parts, rows)
	case *arrow.SparseUnionType:
		return c.pickSparse(typ, parts, rows)
	case *arrow.DenseUnionType:
		return c.pickDense(typ, parts, rows)
	case *arrow.DictionaryType:
		return c.pickDictionary(typ, parts, rows)
	case *arrow.RunEndEncodedType:
		return c.pickRuns(typ, parts, rows)
	case arrow.ExtensionType:
		return c.pickExtension(typ, parts, rows)
	case arrow.FixedWidthDataType:
		return c.made(typ, parts, rows, nil, c.pickFixed(parts, 1, typ.Bytes(), rows)), nil
	}
	return nil, errUnknown(typ)
}

// pickExtension picks from the storage of an extension type, whose data have the same buffers.
func (c *call) pickExtension(typ arrow.ExtensionType, parts []part, rows []position) (*array.Data, error) {
	data, err := c.pick(typ.StorageType(), parts, rows)
	if err != nil {
		return nil, err
	}
	if dictionary, ok := data.Dictionary().(*array.Data); ok && dictionary != nil {
		return owned(c, array.NewDataWithDictionary(typ, data.Len(), data.Buffers(), data.NullN(), 0, dictionary)), nil
	}
	return owned(c, array.NewData(typ, data.Len(), data.Buffers(), data.Children(), data.NullN(), 0)), nil
}

// made returns data of rows from their buffers and children, with the nulls that the rows have.
func (c *call) made(typ arrow.DataType, parts []part, rows []position, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	all, nulls := []*memory.Buffer{nil}, 0
	if valid := bitsOfParts(parts, 0); anyNulls(valid) {
		all[0], nulls = c.pickBits(valid, rows)
	}
	return owned(c, array.NewData(typ, len(rows), append(all, buffers...), children, nulls, 0))
}

// bitsOfParts returns the bitmaps of parts in one of their buffers, of which 0 is that of validity.
// A part without one has bits set.
func bitsOfParts(parts []part, buffer int) []validity {
	all := make([]validity, len(parts))
	for i, p := range parts {
		switch buffers := p.data.Buffers(); {
		case buffer == 0 && p.data.NullN() == 0 || len(buffers) <= buffer:
		case buffers[buffer] != nil:
			all[i] = validity{buffers[buffer].Bytes(), p.at}
		case buffer > 0: // of nulls only
			all[i] = validity{make([]byte, (p.at+p.rows+7)/8), p.at}
		}
	}
	return all
}

// anyNulls reports whether there may be nulls.
func anyNulls(valid []validity) bool {
	for _, v := range valid {
		if v.any() {
			return true
		}
	}
	return false
}

// isNull reports whether a row is null.
func isNull(valid []validity, p position) bool {
	v := &valid[p.chunk()]
	return v.any() && v.null(p.row())
}

// pickBits returns the bits of rows, and how many are not set.
func (c *call) pickBits(from []validity, rows []position) (*memory.Buffer, int) {
	buffer := c.newBuffer(int(bitutil.BytesForBits(int64(len(rows)))))
	dst := buffer.Bytes()
	if inSpans(rows) {
		copyBits(dst, from, rows)
		return buffer, len(rows) - bitutil.CountSetBits(dst, 0, len(rows))
	}
	for i := 0; i < len(rows); i += 8 {
		var octet byte
		for j, p := range rows[i:min(i+8, len(rows))] {
			bit := byte(1)
			if v := &from[p.chunk()]; v.bitmap != nil {
				at := v.offset + p.row()
				bit = v.bitmap[at>>3] >> (at & 7) & 1
			}
			octet |= bit << j
		}
		dst[i/8] = octet
	}
	return buffer, len(rows) - bitutil.CountSetBits(dst, 0, len(rows))
}

// copyBits copies the bits of spans of rows.
func copyBits(dst []byte, from []validity, rows []position) {
	for i := 0; i < len(rows); {
		end, v := spanFrom(rows, i), from[rows[i].chunk()]
		if v.any() {
			bitutil.CopyBitmap(v.bitmap, v.offset+rows[i].row(), end-i, dst, i)
		} else {
			bitutil.SetBitsTo(dst, int64(i), int64(end-i), true)
		}
		i = end
	}
}

// valuesOf returns the values of fixed width that each part has in a buffer, from its row 0 on.
func valuesOf[T any](parts []part, buffer int) [][]T {
	all, width := make([][]T, len(parts)), int(unsafe.Sizeof(*new(T)))
	for i, p := range parts {
		all[i] = castTo[T](p.octets(buffer, width, p.rows), p.rows)
	}
	return all
}

// octets returns n values of some bytes in a buffer, from row 0 on, or zeros where a part of nulls
// has none.
func (p part) octets(buffer, width, n int) []byte {
	lo, hi := p.at*width, (p.at+n)*width
	if b := p.data.Buffers()[buffer]; b != nil && b.Len() >= hi {
		return b.Bytes()[lo:hi]
	}
	return make([]byte, hi-lo)
}

// pickFixed returns the values of rows in a buffer, of some bytes each.
func (c *call) pickFixed(parts []part, buffer, width int, rows []position) *memory.Buffer {
	to := c.newBuffer(width * len(rows))
	switch width {
	case 1:
		pickValues(castTo[[1]byte](to.Bytes(), len(rows)), valuesOf[[1]byte](parts, buffer), rows)
	case 2:
		pickValues(castTo[uint16](to.Bytes(), len(rows)), valuesOf[uint16](parts, buffer), rows)
	case 4:
		pickValues(castTo[uint32](to.Bytes(), len(rows)), valuesOf[uint32](parts, buffer), rows)
	case 8:
		pickValues(castTo[uint64](to.Bytes(), len(rows)), valuesOf[uint64](parts, buffer), rows)
	case 16:
		pickValues(castTo[[16]byte](to.Bytes(), len(rows)), valuesOf[[16]byte](parts, buffer), rows)
	default:
		dst := to.Bytes()
		for i, p := range rows {
			part := parts[p.chunk()]
			part.at += p.row()
			copy(dst[i*width:(i+1)*width], part.octets(buffer, width, 1))
		}
	}
	return to
}

// pickValues copies rows, or spans of them where these are long.
func pickValues[T any](dst []T, from [][]T, rows []position) {
	if !inSpans(rows) {
		for i, p := range rows {
			dst[i] = from[p.chunk()][p.row()]
		}
		return
	}
	for i := 0; i < len(rows); {
		end, row := spanFrom(rows, i), rows[i].row()
		copy(dst[i:end], from[rows[i].chunk()][row:row+end-i])
		i = end
	}
}

// pickStructs picks rows of every field.
func (c *call) pickStructs(typ *arrow.StructType, parts []part, rows []position) (*array.Data, error) {
	children := make([]arrow.ArrayData, typ.NumFields())
	for i := range children {
		picked, err := c.pick(typ.Field(i).Type, childrenOf(parts, i, 1), rows)
		if err != nil {
			return nil, err
		}
		children[i] = picked
	}
	return c.made(typ, parts, rows, children), nil
}
