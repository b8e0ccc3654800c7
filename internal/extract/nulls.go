package extract

import (
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
)

// Rows whose leading key is null can be ordered apart from the others. These then have the codes
// of a column without nulls: narrower ones, and often in order or of few values.

// Columns returns the columns of words, under the order that the words were made for.
func Columns(words []Word) (cols []Column) {
	for i := range words {
		cols = append(cols, words[i].narrow...)
		if wide := words[i].wide; wide != nil {
			cols = append(cols, *wide)
		}
	}
	return cols
}

// LeadingNulls returns where the first column of words puts its nulls.
func LeadingNulls(words []Word) NullPlace {
	if len(words[0].narrow) > 0 {
		return words[0].narrow[0].Nulls
	}
	return words[0].wide.Nulls
}

// WithoutNulls returns the column for elements that are not null.
func (c Column) WithoutNulls() Column {
	c.Nulls, c.AreNull = NoNulls, nil
	return c
}

// ForPicked changes columns of the elements of an input to those of the ones that it picks.
func ForPicked(cols []Column, rows []uint32) {
	for i := range cols {
		cols[i].forPicked(&rows)
	}
}

// ApartWords returns the words of the elements whose leading key is not null, and of those whose
// key is null.
func ApartWords(words []Word) (values, nulls []Word) {
	cols := Columns(words)
	cols[0] = cols[0].WithoutNulls()
	ForPicked(cols, nil)
	return Words(cols, sortkey.Order{}), Words(cols[1:], sortkey.Order{})
}

// NullSet has a bit for each element of an input: 1 if its leading key is null.
type NullSet []uint64

// NullWords is the length of the NullSet of n elements.
func NullWords(n int) int { return n/64 + min(n%64, 1) }

// OpenNulls prepares calls of the column's null function.
func (c *Column) OpenNulls(env *engine.Env) { c.Paces = newPaces(&env.Loop) }

// FindNulls writes the bits of the elements [lo, hi), at most a block from a multiple of 64 on,
// and returns the number of nulls. If the context is cancelled, bits may be missing.
func (c *Column) FindNulls(rows Input, set NullSet, lo, hi int) (count int) {
	rows.Block(&Word{unread: rows.Numbered && c.nullsByRow()}, lo, hi, func(b Batch) {
		if b.Block.Data() == nil && rows.Picked != nil {
			b.at = rows.Picked[lo:hi]
		}
		for i := 0; i < hi-lo; i += 64 {
			j := min(i+64, hi-lo)
			nulls, _ := c.NullsOf(b.part(i, j), j-i)
			set[(lo+i)/64] = nulls
			count += bits.OnesCount64(nulls)
		}
	})
	return count
}

// Split writes the places of elements [lo, hi), at most a block from a multiple of 64 on, that are
// not null to values, and of those that are to nulls. values has room for no others. It returns the
// number of values.
func (set NullSet) Split(values, nulls []uint32, lo, hi int) (k int) {
	x := 0
	for ; lo < hi; lo += 64 {
		word := set[lo/64]
		for left := word; left != 0; left &= left - 1 {
			nulls[x] = uint32(lo + bits.TrailingZeros64(left))
			x++
		}
		zeros := ^word
		if n := hi - lo; n < 64 {
			zeros &= 1<<n - 1
		}
		k += zeroPlaces(values[k:], zeros, uint32(lo))
	}
	return k
}

// zeroPlaces writes lo+i for the bits i that are set in word to places, in memory for no more, and
// returns their number.
func zeroPlaces(places []uint32, word uint64, lo uint32) (k int) {
	if len(places) < 64 {
		for ; word != 0; word &= word - 1 {
			places[k] = lo + uint32(bits.TrailingZeros64(word))
			k++
		}
		return k
	}
	for ; word != 0; word >>= 8 {
		to, some := (*[8]uint32)(places[k:]), bitPlaces[uint8(word)]
		to[0], to[1] = lo+uint32(some&7), lo+uint32(some>>8&7)
		to[2], to[3] = lo+uint32(some>>16&7), lo+uint32(some>>24&7)
		to[4], to[5] = lo+uint32(some>>32&7), lo+uint32(some>>40&7)
		to[6], to[7] = lo+uint32(some>>48&7), lo+uint32(some>>56)
		k += bits.OnesCount8(uint8(word))
		lo += 8
	}
	return k
}

// bitPlaces has the places of the bits that are set in a byte, the first in the lowest byte.
var bitPlaces = func() (all [256]uint64) {
	for b := range all {
		n := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				all[b] |= uint64(i) << (8 * n)
				n++
			}
		}
	}
	return all
}()
