package arrowsort

import (
	"unsafe"

	"example.com/sorter/perm"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// newBuffer allocates a buffer of some bytes, until the end of the call. Arrays of it retain it.
func (c *call) newBuffer(bytes int) *memory.Buffer {
	buffer := owned(c, memory.NewResizableBuffer(c.mem))
	buffer.Resize(bytes)
	return buffer
}

// gatherBits returns the bits of the given rows, and how many are not set.
func (c *call) gatherBits(v validity, rows perm.Perm) (*memory.Buffer, int) {
	buffer := c.newBuffer(int(bitutil.BytesForBits(int64(len(rows)))))
	dst := buffer.Bytes()
	c.share(len(rows), func(lo, hi int) { // multiples of 64 rows: no byte is shared
		for i := lo; i < hi; i += 8 {
			var octet byte
			for j, row := range rows[i:min(i+8, hi)] {
				if !v.null(int(row)) {
					octet |= 1 << j
				}
			}
			dst[i/8] = octet
		}
	})
	return buffer, len(rows) - bitutil.CountSetBits(dst, 0, len(rows))
}

// gatherFixed returns the values of the given rows, of some bytes each.
func (c *call) gatherFixed(col column, width int, rows perm.Perm) *memory.Buffer {
	buffer := c.newBuffer(width * len(rows))
	switch width {
	case 1:
		gatherAs[[1]byte](c, buffer, col, rows)
	case 2:
		gatherAs[uint16](c, buffer, col, rows)
	case 4:
		gatherAs[uint32](c, buffer, col, rows)
	case 8:
		gatherAs[uint64](c, buffer, col, rows)
	case 16:
		gatherAs[[16]byte](c, buffer, col, rows)
	case 32:
		gatherAs[[32]byte](c, buffer, col, rows)
	default:
		dst, src := buffer.Bytes(), c.octets(col, width)
		c.share(len(rows), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(dst[i*width:(i+1)*width], src[int(rows[i])*width:])
			}
		})
	}
	return buffer
}

// gatherAs gathers values that lie in memory as T.
func gatherAs[T any](c *call, dst *memory.Buffer, col column, rows perm.Perm) {
	src := c.octets(col, int(unsafe.Sizeof(*new(T))))
	gather(c, castTo[T](dst.Bytes(), len(rows)), castTo[T](src, col.rows), rows)
}

// gather is perm.Gather that can be cancelled.
func gather[T any](c *call, dst, src []T, rows perm.Perm) {
	c.share(len(rows), func(lo, hi int) { perm.Gather(dst[lo:hi], src, rows[lo:hi], 1) })
}

// octets returns the values of col, of width bytes each: those of its only chunk where they lie,
// or a copy of all.
func (c *call) octets(col column, width int) []byte {
	if len(col.chunks) == 1 {
		return octetsIn(col.chunks[0], width)
	}
	all := scratch[byte](c, col.rows*width)
	col.share(c, func(first int, chunk arrow.Array, lo, hi int) {
		copy(all[first*width:], octetsIn(chunk, width)[lo*width:hi*width])
	})
	return all
}

// gatherText returns the given rows of a column of text, with offsets of type O, or errTooLong.
func gatherText[O int32 | int64](c *call, col column, rows perm.Perm) (arrow.Array, error) {
	text, nulls := textsOf(col), validityOf(col)
	offsets := c.newBuffer((len(rows) + 1) * int(unsafe.Sizeof(O(0))))
	ends := castTo[O](offsets.Bytes(), len(rows)+1)[1:]
	c.share(len(rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			ends[i] = 0
			if row := int(rows[i]); !nulls.any() || !nulls.null(row) {
				ends[i] = O(len(text(row)))
			}
		}
	})
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	var total int64
	for i := range ends {
		total += int64(ends[i])
		ends[i] = O(total)
	}
	if unsafe.Sizeof(O(0)) == 4 && total > c.mostText {
		return nil, errTooLong
	}
	values := c.newBuffer(int(total))
	dst := values.Bytes()
	c.share(len(rows), func(lo, hi int) {
		at := O(0)
		if lo > 0 {
			at = ends[lo-1]
		}
		for i := lo; i < hi; i++ {
			if at < ends[i] {
				copy(dst[at:ends[i]], text(int(rows[i])))
			}
			at = ends[i]
		}
	})
	return c.newArray(col, rows, nil, offsets, values), nil
}

// gatherViews returns the given rows of a column of views, which shares their text.
func (c *call) gatherViews(col column, rows perm.Perm) arrow.Array {
	var views []arrow.ViewHeader
	var shared []*memory.Buffer
	if len(col.chunks) == 1 {
		views = valuesIn[arrow.ViewHeader](col.chunks[0])
		shared = col.chunks[0].Data().Buffers()[2:]
	} else {
		views, shared = c.joinedViews(col)
	}
	buffer := c.newBuffer(len(rows) * arrow.ViewHeaderSizeBytes)
	gather(c, castTo[arrow.ViewHeader](buffer.Bytes(), len(rows)), views, rows)
	return c.newArray(col, rows, nil, append([]*memory.Buffer{buffer}, shared...)...)
}

// joinedViews returns the views of all chunks, into the buffers of all.
func (c *call) joinedViews(col column) (views []arrow.ViewHeader, shared []*memory.Buffer) {
	views = scratch[arrow.ViewHeader](c, col.rows)
	col.each(func(first int, chunk arrow.Array) {
		dst := views[first : first+chunk.Len()]
		copy(dst, valuesIn[arrow.ViewHeader](chunk))
		for i := range dst {
			if !dst[i].IsInline() {
				dst[i].SetIndexOffset(dst[i].BufferIndex()+int32(len(shared)), dst[i].BufferOffset())
			}
		}
		shared = append(shared, chunk.Data().Buffers()[2:]...)
	})
	return views, shared
}
