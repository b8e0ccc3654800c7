package extract

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Codes writes the column's codes of the len(dst) elements of b; c.Bits() <= 64. If the
// context is cancelled, codes may be missing.
func (c *Column) Codes(dst []uint64, b Batch) {
	b.Pace = c.Paces.Key
	if c.Nulls == column.NoNulls {
		c.Key.codes64(dst, b, c)
		addTo(dst, -c.base)
		return
	}
	given := c.Key.inMemory(c)
	if given { // all at once: their reads from memory overlap
		c.Key.codes64(dst, b, c)
	}
	null, other := c.nullCode(sortkey.CodeBits[c.kind])
	for lo := 0; lo < len(dst); lo += 64 {
		codes, some := dst[lo:min(lo+64, len(dst))], b.part(lo, min(lo+64, len(dst)))
		var nulls uint64
		if given {
			nulls, _ = c.NullsOf(some, len(codes))
		} else {
			nulls = c.CodesOrNulls(codes, some)
		}
		addTo(codes, other)
		putAt(codes, nulls, null)
	}
}

// addTo adds a number to codes.
func addTo(codes []uint64, v uint64) {
	if v == 0 {
		return
	}
	for i := range codes {
		codes[i] += v
	}
}

// putAt writes a code at the places of the bits that are set.
func putAt(codes []uint64, places, code uint64) {
	for ; places != 0; places &= places - 1 {
		codes[bits.TrailingZeros64(places)] = code
	}
}

// Codes32 is [Column.Codes] of a column without nulls, of up to 32 bits.
func (c *Column) Codes32(dst []uint32, b Batch) {
	b.Pace = c.Paces.Key
	c.Key.codes32(dst, b, c)
}

// CodesOrNulls writes the codes, which hold no null flag, of at most 64 elements of b, and returns a bit for
// each: 1 if it is null, and its code unspecified. If the context is cancelled, codes and bits may be missing.
func (c *Column) CodesOrNulls(dst []uint64, b Batch) (nulls uint64) {
	return c.Key.codesOrNull(dst, b, c)
}

// Keys writes the keys of b's elements, none of them null, and returns the number written: all
// unless the context was cancelled.
func (c *Column) Keys(keys stream.Raw, b Batch) int {
	b.Pace = c.Paces.Key
	return keysFrom(keys, &b, c.made.Getter(), 0)
}

// keysOrNull writes the keys of at most 64 elements. The key of a null is zero, and its bit
// is set in nulls. It returns the number of keys written, like keysFrom.
func keysOrNull(keys stream.Raw, b Batch, c *Column) (nulls uint64, n int) {
	if nulls, n = c.NullsOf(b, keys.Len()); n < keys.Len() {
		return nulls, 0
	}
	b.Pace = c.Paces.Key
	return nulls, keysFrom(keys, &b, c.made.Getter(), nulls)
}

// NullsOf returns a bit for each of the first n elements of b, n <= 64: 1 if it is null. asked is
// less than n if the context was cancelled.
func (c *Column) NullsOf(b Batch, n int) (nulls uint64, asked int) {
	if c.Paces.Null == nil || c.bits() != nil {
		return c.nullsIn(b, n), n
	}
	t := turns{pace: c.Paces.Null, n: n}
	for t.begin(); t.lo < n && t.next(); t.end() {
		nulls |= c.nullsIn(b.part(t.lo, t.hi), t.hi-t.lo) << t.lo
	}
	return nulls, t.lo
}

// nullsIn returns a bit for each of the first n elements of b, 0 < n <= 64. Elements that are row numbers
// need no memory.
func (c *Column) nullsIn(b Batch, n int) (nulls uint64) {
	switch {
	case b.apart:
		for i, x := range b.at[:n] {
			nulls |= c.AreNull.Nulls(b.Block.At(int(x)), 1) << i
		}
		return nulls
	case b.Block.Data() != nil:
		return c.AreNull.Nulls(b.Block.Part(0, n).Data(), n)
	case b.at != nil:
		return column.NullsAt(c.AreNull, b.at[:n])
	case c.picked != nil:
		return column.NullsAt(c.AreNull, (*c.picked)[b.Lo:b.Lo+n])
	}
	return column.NullsFrom(c.AreNull, b.Lo, n)
}

// nullCode returns the code of a null and the number added to other codes, for a null flag at the
// given bit, at most 63, or in place of a spare code. The code of a 64-bit kind with a flag is a prefix.
func (c *Column) nullCode(bit int) (null, other uint64) {
	if c.spare {
		return c.nullAt - c.base, c.keyStep() - c.base
	}
	if c.Nulls == column.NullsFirst {
		return 0, 1 << bit
	}
	return 1 << bit, 0
}

// keyType is the keys of a key function.
type keyType struct{}

func (keyType) inMemory(*Column) bool { return false }

func (keyType) codes32(dst []uint32, b Batch, c *Column) {
	Extract(c.kind, dst, b, c.made.Getter(), c.Order)
}

func (keyType) codes64(dst []uint64, b Batch, c *Column) {
	Extract(c.kind, dst, b, c.made.Getter(), c.Order)
}

func (keyType) codesOrNull(dst []uint64, b Batch, c *Column) (nulls uint64) {
	if c.kind.Size() == 8 {
		return encodeOrNull(dst, dst, b, c)
	}
	if len(dst) <= column.OnStack {
		var keys [column.OnStack]uint64
		return encodeOrNull(dst, keys[:len(dst)], b, c)
	}
	var keys [64]uint64
	return encodeOrNull(dst, keys[:len(dst)], b, c)
}

// encodeOrNull is codesOrNull with memory for keys, which may be dst; len(keys) == len(dst).
func encodeOrNull(dst, keys []uint64, b Batch, c *Column) (nulls uint64) {
	nulls, _ = keysOrNull(narrowKeys(c.kind, keys), b, c)
	sortkey.EncodeAt(c.kind, dst, unsafe.Pointer(unsafe.SliceData(keys)), c.Order)
	return nulls
}
