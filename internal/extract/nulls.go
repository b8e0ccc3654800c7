package extract

import (
	"math/bits"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
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

// lead returns the first column of words.
func lead(words []Word) *Column {
	if len(words[0].narrow) > 0 {
		return &words[0].narrow[0]
	}
	return words[0].wide
}

// LeadingNulls returns where the first column of words puts its nulls.
func LeadingNulls(words []Word) column.NullPlace { return lead(words).Nulls }

// LeadingInMemory reports whether the keys of the first column of words lie in memory, and codes hold those that are not null.
func LeadingInMemory(words []Word) bool {
	lead := lead(words).WithoutNulls()
	return lead.InMemory() && lead.Bits() <= 64
}

// LeadingWide reports whether the keys of the first column of words are wider than a code.
func LeadingWide(words []Word) bool { return lead(words).kind.Wide() }

// ApartWords returns the words of the elements whose leading key is not null, and of those whose
// key is null.
func ApartWords(words []Word) (values, nulls []Word) {
	cols := Columns(words)
	cols[0] = cols[0].WithoutNulls()
	ForPicked(cols, nil)
	return Words(cols, sortkey.Order{}), Words(cols[1:], sortkey.Order{})
}

// OpenNulls prepares calls of the column's null function.
func (c *Column) OpenNulls(env *engine.Env) { c.Paces = newPaces(&env.Loop) }

// FindNulls writes the bits of the elements [lo, hi), at most a block from a multiple of 64 on,
// and returns the number of nulls. If the context is cancelled, bits may be missing.
func (c *Column) FindNulls(rows Input, set NullSet, lo, hi int) (count int) {
	if bits := c.bits(); bits != nil && rows.Numbered && rows.Picked == nil {
		return bits.Find(set[lo/64:], lo, hi)
	}
	rows.Block(&Word{needsNoElement: rows.Numbered && column.NullsByRow(c.AreNull)}, lo, hi, func(b Batch) {
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
