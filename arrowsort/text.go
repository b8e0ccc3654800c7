package arrowsort

import (
	"unsafe"

	"example.com/sorter"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// textKey returns the key of strings and byte strings: bytewise. Where few differ it is the rank
// of the row's text among these.
func textKey(c *call, col column, k SortKey) (key, error) {
	text := textsOf(col)
	if few := encoded(c, col, text); few != nil {
		return few.key(c, k)
	}
	parts := []sorter.Keys{sorter.Chunks[string](nil)}
	for _, chunk := range col.chunks {
		parts = append(parts, textIn(chunk))
	}
	return keyIn(col, sorter.Concat(parts...), k), nil
}

// textIn returns the text of an array where it lies.
func textIn(a arrow.Array) sorter.Keys {
	switch a.DataType().ID() {
	case arrow.STRING, arrow.BINARY:
		return arenaIn[int32](a)
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return arenaIn[int64](a)
	}
	const width = arrow.ViewHeaderSizeBytes
	var buffers [][]byte
	for _, buffer := range a.Data().Buffers()[2:] {
		buffers = append(buffers, buffer.Bytes())
	}
	return sorter.Views(octetsIn(a, width), buffers...)
}

// arenaIn returns the text of an array with offsets.
func arenaIn[O int32 | int64](a arrow.Array) sorter.Keys {
	data, width := a.Data(), int(unsafe.Sizeof(*new(O)))
	lo, n := data.Offset()*width, a.Len()+1
	offsets, octets := data.Buffers()[1], data.Buffers()[2]
	if offsets == nil || offsets.Len() < lo+n*width {
		return sorter.Arena(nil, make([]O, n)) // of nulls only
	}
	var bytes []byte
	if octets != nil {
		bytes = octets.Bytes()
	}
	return sorter.Arena(bytes, castTo[O](offsets.Bytes()[lo:], n))
}

// textsOf returns the function from a row of col to its bytes.
func textsOf(col column) func(row int) string {
	if len(col.chunks) == 1 {
		return textOf(col.chunks[0])
	}
	where, texts := newPlaces(col), make([]func(int) string, len(col.chunks))
	for i, chunk := range col.chunks {
		texts[i] = textOf(chunk)
	}
	return func(row int) string {
		chunk, i := where.of(row)
		return texts[chunk](i)
	}
}

// textOf returns the function from a row of chunk to its bytes.
func textOf(chunk arrow.Array) func(row int) string {
	switch a := chunk.(type) {
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.Binary:
		return a.ValueString
	case *array.LargeBinary:
		return a.ValueString
	case *array.StringView:
		return a.Value
	case *array.BinaryView:
		return func(row int) string { return stringOf(a.Value(row)) }
	}
	panic("arrowsort: text of type " + chunk.DataType().String())
}

// stringOf returns the bytes as a string without a copy. Sound: arrays are immutable.
func stringOf(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }

// places finds the chunk of a row: a table has the first chunk of each block of rows, and the
// row is there or in one of the next. Blocks have at most the average length of a chunk, so it
// passes one chunk per row on average, and takes 4 to 8 bytes per chunk, not per row.
type places struct {
	shift uint
	first []int32 // by block: the chunk of the block's first row
	ends  []int   // by chunk
}

// newPlaces returns the places of the rows of col, whose chunks have rows.
func newPlaces(col column) places {
	var p places
	for 1<<(p.shift+1) <= col.rows/max(1, len(col.chunks)) {
		p.shift++
	}
	col.each(func(first int, chunk arrow.Array) {
		end := first + chunk.Len()
		for len(p.first)<<p.shift < end {
			p.first = append(p.first, int32(len(p.ends)))
		}
		p.ends = append(p.ends, end)
	})
	return p
}

// of returns the chunk of a row and its number there.
func (p places) of(row int) (chunk, i int) {
	chunk = int(p.first[row>>p.shift])
	for row >= p.ends[chunk] {
		chunk++
	}
	if chunk > 0 {
		row -= p.ends[chunk-1]
	}
	return chunk, row
}
