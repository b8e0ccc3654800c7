package extract

import (
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// sliceKey is the keys of a slice that row numbers refer to, see [SpecOfSlice].
type sliceKey struct{}

// rows returns the number of rows of keys that lie in memory by row number; ok is false for others.
func (c *Column) rows() (n int, ok bool) {
	switch k := c.Key.(type) {
	case sliceKey:
		return c.slice().Len(), true
	case *formatKey:
		return k.Len(), true
	}
	return 0, false
}

func (sliceKey) inMemory(c *Column) bool { return c.numbered || c.picked != nil }

// codesOrNull encodes the keys of nulls, too, where they lie in the slice.
func (sliceKey) codesOrNull(dst []uint64, b Batch, c *Column) (nulls uint64) {
	if !c.numbered && c.picked == nil {
		return keyType{}.codesOrNull(dst, b, c)
	}
	nulls, asked := c.NullsOf(b, len(dst))
	if asked == len(dst) {
		encodeRows(dst, b, c)
	}
	return nulls
}

func (sliceKey) codes32(dst []uint32, b Batch, c *Column) { encodeRows(dst, b, c) }

func (sliceKey) codes64(dst []uint64, b Batch, c *Column) { encodeRows(dst, b, c) }

// encodeRows reads keys of consecutive rows in place and gathers the others.
func encodeRows[C sortkey.Code](dst []C, b Batch, c *Column) {
	switch {
	case c.picked != nil && b.Block.Data() == nil:
		encodeAt(dst, (*c.picked)[b.Lo:], c)
	case c.picked != nil:
		encodeAt(dst, stream.SliceOf[int](b.Block)[:len(dst)], c)
	case !c.numbered:
		Extract(c.kind, dst, b, c.getter(), c.Order)
	case b.at == nil:
		sortkey.EncodeAt(c.kind, dst, c.slice().Part(b.Lo, b.Lo+len(dst)).Data(), c.Order)
	default:
		encodeAt(dst, b.at, c)
	}
}

// encodeAt writes the codes of the rows at numbers. len(at) >= len(dst).
func encodeAt[C sortkey.Code, I rowNumber](dst []C, at []I, c *Column) {
	var memory [Piece]uint64
	keys := unsafe.Pointer(&memory)
	for len(dst) > 0 {
		n := min(Piece, len(dst))
		gatherKeys(c.kind, keys, c.slice(), at[:n])
		sortkey.EncodeAt(c.kind, dst[:n], keys, c.Order)
		dst, at = dst[n:], at[n:]
	}
}
