package extract

import (
	"math"
	"math/bits"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// A null flag would make a 64-bit code a prefix of 65 bits, and its column a wide one. Keys seldom have
// both the lowest and the highest code. Where they lie in memory, a pass over them finds their bounds.
// Nulls get the code next to these, so that codes of a narrow range stay that. If there is none, keys
// move by one.

// MayHaveSpare reports whether a spare code makes the column narrow, and finding one calls no function.
func (c *Column) MayHaveSpare() bool {
	return c.Nulls != column.NoNulls && !c.spare && sortkey.CodeBits[c.kind] == 64 && c.Key.inMemory(c)
}

// Spare gives nulls a code of their own that no key has, if there is one.
// The codes of the others are from least to most.
func (c *Column) Spare(least, most uint64) {
	c.spare = least > 0 || most < math.MaxUint64
	switch {
	case c.Nulls == column.NullsFirst && least > 0:
		c.nullAt = least - 1
	case c.Nulls == column.NullsFirst: // they keep the code 0
	case most < math.MaxUint64:
		c.nullAt = most + 1
	default:
		c.nullAt = most
	}
	c.stepped = c.Nulls == column.NullsFirst && least == 0 || c.Nulls == column.NullsLast && most == math.MaxUint64
}

// CodeBounds returns the least and the greatest code of the elements [lo, hi), at most a block, of a
// column that [Column.MayHaveSpare]. It leaves out the nulls of a bitmap.
func (c *Column) CodeBounds(rows Input, lo, hi int) (least, most uint64) {
	var codes [64]uint64
	least = math.MaxUint64
	keys, known := c.WithoutNulls(), c.bits() != nil
	rows.Block(&Word{needsNoElement: true}, lo, hi, func(b Batch) {
		for i := 0; i < hi-lo; i += len(codes) {
			n := min(len(codes), hi-lo-i)
			some, part, nulls := codes[:n], b.part(i, i+n), uint64(0)
			keys.Key.codes64(some, part, &keys)
			if known {
				nulls = c.nullsIn(part, n)
			}
			other := bits.TrailingZeros64(^nulls)
			if other >= n {
				continue // all are null
			}
			putAt(some, nulls, some[other])
			v := presorted.SummaryOf(some)
			least, most = min(least, v.Min), max(most, v.Max)
		}
	})
	return least, most
}
