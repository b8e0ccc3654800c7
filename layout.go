package sorter

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
)

// Keys are the keys of the rows 0, 1, … in the memory where a program has them: in chunks, in an
// arena, in views, or as bytes of one width. [Keys.Asc] and [Keys.Desc] make columns of them for
// [OrderN] and the other functions that take columns by row number.
//
// Nothing is copied: sorts read keys where they lie, without a call for each row, and take no scratch
// for them unless the column has nulls. That memory must not change while sorts run. What is said of
// [AscOf] about rows holds for these columns.
type Keys struct{ layout extract.Layout }

// Chunks returns the keys of the rows of several slices, one slice after the other, as columnar
// formats have them. chunks may be empty, and may have empty chunks.
//
// It takes time proportional to the number of chunks, and 100 bytes per chunk.
func Chunks[K Key](chunks [][]K) Keys {
	if len(chunks) == 0 {
		return Keys{extract.InSlice[K](nil)}
	}
	parts := make([]extract.Layout, len(chunks))
	for i, chunk := range chunks {
		parts[i] = extract.InSlice(chunk)
	}
	all, _ := extract.Concat(parts)
	return Keys{all}
}

// Concat returns the keys of the rows of all parts, one part after the other: those of chunks that are
// arenas, for example. It panics without parts, and if their keys are not of one type; text is one
// type, however it lies.
//
// It takes time proportional to the number of parts, and 100 bytes per part.
func Concat(parts ...Keys) Keys {
	layouts := make([]extract.Layout, len(parts))
	for i, part := range parts {
		layouts[i] = part.made()
	}
	if len(parts) == 0 {
		panic("sorter: Concat of no keys")
	}
	all, ok := extract.Concat(layouts)
	if !ok {
		panic("sorter: Concat of keys of different types")
	}
	return Keys{all}
}

// Arena returns keys that are byte strings in one arena: that of row i is
// data[offsets[i]:offsets[i+1]], as in the string and binary arrays of Apache Arrow. There are
// len(offsets)-1 rows, none without offsets. Offsets need not begin at 0.
//
// It panics if the last offset is past the arena. Sorts panic if they read a row that begins after its
// end or ends past the arena.
func Arena[O ~int32 | ~int64](data []byte, offsets []O) Keys {
	if n := len(offsets); n > 0 && (offsets[n-1] < 0 || int64(offsets[n-1]) > int64(len(data))) {
		panic(fmt.Sprintf("sorter: last offset %d of an arena of %d bytes", offsets[n-1], len(data)))
	}
	// A negative offset becomes a number past any arena.
	if unsafe.Sizeof(*new(O)) == 4 {
		return Keys{extract.Arena(data, sortkey.As[uint32](offsets))}
	}
	return Keys{extract.Arena(data, sortkey.As[uint64](offsets))}
}

// Views returns keys that are byte strings in views, as the string and binary views of Apache Arrow
// have them. A view is 16 bytes of views, numbers in little-endian order: the length (int32), and then
// the bytes themselves where they are at most 12, padded with zeros; otherwise the first 4 bytes, the
// number of a buffer (int32), and the offset there (int32).
//
// It panics unless len(views) is a multiple of 16. Sorts panic if they read a view of bytes that no
// buffer has.
func Views(views []byte, buffers ...[]byte) Keys {
	if len(views)%extract.ViewSize != 0 {
		panic(fmt.Sprintf("sorter: views of %d bytes, which is no multiple of %d", len(views), extract.ViewSize))
	}
	return Keys{extract.Views(views, buffers)}
}

// FixedBinary returns keys that are byte strings of one width: that of row i is
// data[i*width:(i+1)*width]. They are ordered bytewise. Up to 8 bytes, and 16, are the fastest.
//
// It panics if width is below 1, or len(data) no multiple of it.
func FixedBinary(data []byte, width int) Keys {
	if width < 1 || len(data)%width != 0 {
		panic(fmt.Sprintf("sorter: %d bytes in keys of %d bytes", len(data), width))
	}
	return Keys{extract.Octets(data, width)}
}

// Len returns the number of rows.
func (k Keys) Len() int { return k.made().Len() }

// Asc returns the column of the keys by row number, smallest first.
func (k Keys) Asc() Column[int] {
	l := k.made()
	return Column[int]{column: extract.OfLayout(l), compares: func(o sortkey.Order) func(a, b int) int {
		return extract.CompareRows(l, o)
	}}
}

// Desc returns the column of the keys by row number, largest first.
func (k Keys) Desc() Column[int] {
	c := k.Asc()
	c.column.Order.Desc = true
	return c
}

func (k Keys) made() extract.Layout {
	if k.layout == nil {
		panic("sorter: keys of no layout; make them with Chunks, Arena, Views, FixedBinary or Concat")
	}
	return k.layout
}
