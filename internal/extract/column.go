// Package extract makes codes of elements, once of each. The packages that import it do not know the types of
// elements and keys. They see columns, the 64-bit words into which columns are packed, and
// full keys where a word holds a prefix.
package extract

import (
	"math"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Column is a column of the public package without the type E of its elements. Only its
// getters know E: code that is generic in E is compiled for every type that a program sorts.
//
// Fields leave no gaps: a call copies the columns that are made for it.
type Column struct {
	made     column.Spec // as the program made it; only the getter of another
	Key      keyColumn
	Order    sortkey.Order
	kind     sortkey.Kind
	Nulls    column.NullPlace
	numbered bool              // elements are their own numbers: keys lie in slice by element
	spare    bool              // nulls have the code nullAt
	stepped  bool              // to which others make space, see keyStep
	settled  bool              // Order is that of a call, which changes it once
	AreNull  column.NullGetter // unless Nulls is NoNulls
	Paces    Paces             // of its functions in a sort

	nullAt uint64
	base   uint64    // the least code, which becomes 0; see Narrow
	width  uint8     // bits of the greatest code above it; 0: the column is not narrowed
	picked *[]uint32 // the elements' row numbers, by which keys lie in slice; nil if numbered or not by row
}

// Specs returns the specs of columns.
//
// Sound: a Spec is the first field of a Column.
func Specs(cols []Column) column.SpecList { return column.ListIn(stream.RawOf(cols)) }

// ColumnOf returns the ascending column of the keys of a getter.
func ColumnOf[K sortkey.Key](get column.Getter) Column {
	return ColumnAs(sortkey.KindOf[K](), get)
}

// ColumnAs returns the ascending column of the keys, of a given kind, of a getter; nil: elements are keys.
func ColumnAs(k sortkey.Kind, get column.Getter) Column {
	if get == nil {
		return Column{Key: selfKey{}, kind: k}
	}
	return Column{Key: keyType{}, kind: k, made: column.SpecOf(k, get)}
}

// Under returns the column as the order of a whole call changes it: once. Columns of words are settled,
// and a part of a call that makes words of them again leaves their order alone.
func (c Column) Under(o sortkey.Order) Column {
	c.Order, c.settled = c.OrderUnder(o), true
	return c
}

// OrderUnder returns the column's order as that of a whole call changes it.
func (c *Column) OrderUnder(o sortkey.Order) sortkey.Order {
	if c.settled {
		return c.Order
	}
	return c.Order.Under(o)
}

// InOneCode reports whether cols are one column whose codes hold whole keys.
func InOneCode(cols []Column) bool { return len(cols) == 1 && cols[0].Bits() <= 64 }

// Bits returns the width of the column's code, its null flag included. Above 64 the code
// is a prefix, and the full key is stored.
func (c *Column) Bits() int {
	if c.width > 0 {
		return int(c.width)
	}
	if c.kind.Wide() {
		return 128
	}
	if c.Nulls != column.NoNulls && !c.spare {
		return sortkey.CodeBits[c.kind] + 1
	}
	return sortkey.CodeBits[c.kind]
}

// InMemory reports whether the column's keys lie in a slice, so that no function is called
// for them.
func (c *Column) InMemory() bool {
	return c.Key.inMemory(c) && (c.Nulls == column.NoNulls || c.bits() != nil && c.Bits() <= 64)
}

// bits returns the validity bits of rows; nil if a function knows the nulls.
func (c *Column) bits() *column.NullBits {
	bits, _ := c.AreNull.(*column.NullBits)
	return bits
}

// needsNoElement reports whether no element is read for a code of the column.
func (c *Column) needsNoElement() bool {
	return c.Key.inMemory(c) && (c.Nulls == column.NoNulls || column.NullsByRow(c.AreNull) && c.Bits() <= 64)
}

// Kind returns the kind of the keys.
func (c *Column) Kind() sortkey.Kind { return c.kind }

// WithoutNulls returns the column for elements that are not null.
func (c Column) WithoutNulls() Column {
	c.Nulls, c.AreNull = column.NoNulls, nil
	return c
}

// keyStep is added, modulo 2^64, to the codes of keys beside a spare code.
func (c *Column) keyStep() uint64 {
	switch {
	case !c.stepped:
		return 0
	case c.Nulls == column.NullsFirst:
		return 1
	}
	return math.MaxUint64
}

// keyColumn is the source of a column's keys. All methods depend only on the kind of the
// keys; only getters are compiled in the user's package, for the type of the keys.
type keyColumn interface {
	codes32(dst []uint32, b Batch, c *Column)                    // of len(dst) elements; narrow kinds of at most 32 bits
	codes64(dst []uint64, b Batch, c *Column)                    // the same; narrow kinds
	codesOrNull(dst []uint64, b Batch, c *Column) (nulls uint64) // the same for at most 64 elements; some may be null
	keep(c Column, prefixBits int, rows Input, arena *scratch.Arena) FullKeys
	inMemory(c *Column) bool // keys lie in a slice by element: no function is called, no element read
}

// Comparison returns the comparison of two elements by their keys, none of them null; see [Getter].
func (c *Column) Comparison() any { return c.made.Getter().Comparison(c.Order) }
