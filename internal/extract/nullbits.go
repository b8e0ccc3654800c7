package extract

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
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

// nulls is sound: rows are ints.
func (b *NullBits) nulls(rows unsafe.Pointer, n int) (nulls uint64) {
	return nullsAt(b, unsafe.Slice((*int)(rows), n))
}

// nullsAt returns a bit for each of at most 64 rows.
func nullsAt[I rowNumber](b *NullBits, rows []I) (nulls uint64) {
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

// find writes the bits of the rows [lo, hi) to set, and returns the number of nulls.
func (b *NullBits) find(set NullSet, lo, hi int) (count int) {
	for i := range (hi - lo + 63) / 64 {
		set[i] = b.from(lo+64*i, min(64, hi-lo-64*i))
		count += bits.OnesCount64(set[i])
	}
	return count
}

// NullSet has a bit for each element of an input: 1 if its leading key is null.
type NullSet []uint64

// NullWords is the length of the NullSet of n elements.
func NullWords(n int) int { return n/64 + min(n%64, 1) }

// Split writes the places of elements [lo, hi), at most a block from a multiple of 64 on, that are
// not null to values, and of those that are to nulls. values has room for no others. It returns the
// number of values.
func (set NullSet) Split(values, nulls []uint32, lo, hi int) (k int) {
	x := 0
	for at := lo; at < hi; at += 64 {
		for left := set[at/64]; left != 0; left &= left - 1 {
			nulls[x] = uint32(at + bits.TrailingZeros64(left))
			x++
		}
	}
	return loops.ZeroPlaces(values, set[lo/64:], hi-lo, uint32(lo))
}
