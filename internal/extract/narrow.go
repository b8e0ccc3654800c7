package extract

import (
	"math/bits"

	"example.com/sorter/internal/extract/column"
)

// Keys seldom have all values of their type: categories, dates, counts. Where they lie in memory, a pass over them finds their
// bounds, and a column takes the bits that lie between. So more columns fit a word, and fewer rows tie in the first.

// MayNarrow reports whether a pass over the keys finds bounds of codes of up to 64 bits, and calls no function.
func (c *Column) MayNarrow() bool {
	return !c.kind.Wide() && c.width == 0 && c.Key.inMemory(c)
}

// Narrow gives the column the bits of codes from least to most, which are those of all its keys.
func (c *Column) Narrow(least, most uint64) {
	if least > most {
		return // all are null
	}
	if c.Nulls != column.NoNulls {
		if c.Spare(least, most); !c.spare {
			return // the keys have all codes
		}
		least, most = least+c.keyStep(), most+c.keyStep()
		least, most = min(least, c.nullAt), max(most, c.nullAt)
	}
	c.base, c.width = least, uint8(max(1, bits.Len64(most-least)))
}
