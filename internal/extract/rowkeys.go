package extract

import (
	"runtime"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// rowKeys is the keys that lie in memory by row number, see [Spec.Format].
type rowKeys struct{}

func (rowKeys) inMemory(c *Column) bool { return c.numbered || c.picked != nil }

func (rowKeys) codes32(dst []uint32, b Batch, c *Column) { encodeRows(dst, b, c) }

func (rowKeys) codes64(dst []uint64, b Batch, c *Column) { encodeRows(dst, b, c) }

// codesOrNull encodes the keys of nulls, too: those of narrow kinds can be read.
func (k rowKeys) codesOrNull(dst []uint64, b Batch, c *Column) (nulls uint64) {
	if !k.inMemory(c) {
		return keyType{}.codesOrNull(dst, b, c)
	}
	nulls, asked := c.NullsOf(b, len(dst))
	if asked == len(dst) {
		encodeRows(dst, b, c)
	}
	return nulls
}

// encodeRows reads keys of consecutive rows where they lie in a slice, and others through a buffer.
func encodeRows[C sortkey.Code](dst []C, b Batch, c *Column) {
	if !c.Key.inMemory(c) {
		Extract(c.kind, dst, b, c.made.Getter(), c.Order)
		return
	}
	if keys, ok := c.made.Slice(); ok && c.picked == nil && b.at == nil {
		sortkey.EncodeAt(c.kind, dst, keys.Part(b.Lo, b.Lo+len(dst)).Data(), c.Order)
		return
	}
	rows := c.made.Format()
	var memory [Piece]uint64
	buf := cpu.Hidden(unsafe.Pointer(&memory))
	for i := 0; i < len(dst); i += Piece {
		codes, keys := dst[i:min(i+Piece, len(dst))], buf
		switch some := b.part(i, i+len(codes)); {
		case c.picked != nil && some.Block.Data() == nil:
			column.GatherRows(rows, buf, (*c.picked)[some.Lo:some.Lo+len(codes)])
		case c.picked != nil:
			rows.GatherInts(buf, stream.SliceOf[int](some.Block)[:len(codes)])
		case some.at == nil:
			keys = rows.Read(buf, some.Lo, len(codes))
		default:
			column.GatherRows(rows, buf, some.at[:len(codes)])
		}
		sortkey.EncodeAt(c.kind, codes, keys, c.Order)
	}
	runtime.KeepAlive(&memory) // the compiler does not see that buf is its address
}
