package column

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// NullBits are the nulls of rows by their numbers, as a validity bitmap has them: row i is null if
// bit (offset+i)%8 of byte (offset+i)/8 is 0.
type NullBits struct {
	valid  []byte
	offset int
}

// NewNullBits returns the nulls of a bitmap; offset >= 0.
func NewNullBits(valid []byte, offset int) *NullBits {
	skip := min(offset/8, len(valid))
	return &NullBits{valid[skip:], offset - 8*skip}
}

// rows returns the number of rows that have a bit.
func (b *NullBits) rows() int {
	return max(0, int(min(8*uint64(len(b.valid)), math.MaxInt))-b.offset)
}

// IsNull reports whether a row is null.
func (b *NullBits) IsNull(row int) bool {
	at := uint(b.offset + row)
	return b.valid[at/8]>>(at%8)&1 == 0
}

// Nulls is sound: rows are ints.
func (b *NullBits) Nulls(rows unsafe.Pointer, n int) (nulls uint64) {
	return bitsAt(b, unsafe.Slice((*int)(rows), n))
}

// bitsAt returns a bit for each of at most 64 rows.
func bitsAt[I rowNumber](b *NullBits, rows []I) (nulls uint64) {
	for i, row := range rows {
		at := uint(b.offset) + uint(row)
		nulls |= uint64(^b.valid[at/8]>>(at%8)&1) << i
	}
	return nulls
}

// from returns a bit for each of the n <= 64 rows from row on.
func (b *NullBits) from(row, n int) uint64 {
	at := uint(b.offset + row)
	bytes, shift := b.valid[at/8:], at%8
	var valid uint64
	if len(bytes) > 8 {
		valid = binary.LittleEndian.Uint64(bytes)>>shift | uint64(bytes[8])<<(64-shift)
	} else {
		var last [16]byte
		copy(last[:], bytes)
		valid = binary.LittleEndian.Uint64(last[:])>>shift | uint64(last[8])<<(64-shift)
	}
	return ^valid & (^uint64(0) >> (64 - n))
}

// allValid reports whether none of the rows 0 … n-1 is null.
func (b *NullBits) allValid(n int) bool {
	for row := 0; row < n; row += 64 {
		if b.from(row, min(64, n-row)) != 0 {
			return false
		}
	}
	return true
}

// Find writes the bits of the rows [lo, hi) to set, and returns the number of nulls.
func (b *NullBits) Find(set []uint64, lo, hi int) (count int) {
	for i := range (hi - lo + 63) / 64 {
		set[i] = b.from(lo+64*i, min(64, hi-lo-64*i))
		count += bits.OnesCount64(set[i])
	}
	return count
}
