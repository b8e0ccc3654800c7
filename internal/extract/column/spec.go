// Package column is columns as a program makes them: keys that a function returns, that are a field, or that lie in memory
// by row number; their order, and their nulls. Key functions and null functions are called through it, and it alone knows
// the types of elements and keys.
package column

import (
	"context"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Spec is a column as a program makes it. Its four words stay in registers: a query that orders a few rows
// makes one for each call. Sorts make a [Column] of it. One type of eight words, with what a [Column] adds,
// takes 1.3 times for 3 to 10 rows (EPYC, 2026-11; bench/results/constants.md).
type Spec struct {
	get   Getter         // of the keys; [sliceAt] if they lie in a slice by row number, see [Spec.Getter]
	nulls unsafe.Pointer // *NullBits if the flag is set, otherwise a null function or *Field; nil without nulls
	flags uint64
}

// The flags of a Spec, from the lowest bit: the kind of the keys, their order, and the nulls. Above them is
// the length of a slice, which has less than 2^48 elements: no machine has more addresses.
const (
	kindBits   = sortkey.KindBits
	descBit    = 1 << kindBits
	nansShift  = kindBits + 1
	nansMask   = 3 << nansShift
	placeShift = nansShift + 2
	placeMask  = 3 << placeShift
	bitsFlag   = 1 << (placeShift + 2)
	lenShift   = 16
)

// sliceAt is the address of a slice of keys, as a getter: [sliceKeys] read the slice.
type sliceAt struct{ data unsafe.Pointer }

func (sliceAt) Get(unsafe.Pointer, unsafe.Pointer, int, uint64, context.Context) int {
	panic("extract: a slice's address has no keys")
}

func (sliceAt) Comparison(sortkey.Order) any { panic("extract: a slice's address has no comparison") }

func (sliceAt) nullsOf(function unsafe.Pointer) NullGetter { return nullsOfRows(function) }

// SpecOf returns the ascending column of the keys, of a given kind, of a getter.
func SpecOf(k sortkey.Kind, get Getter) Spec { return Spec{get: get, flags: uint64(k)} }

// SpecOfSlice returns the ascending column of the n keys, of a given kind, that lie from data on by row
// number.
func SpecOfSlice(k sortkey.Kind, data unsafe.Pointer, n int) Spec {
	return Spec{sliceAt{data}, nil, uint64(k) | uint64(n)<<lenShift}
}

// SpecOfFormat returns the ascending column of the keys of a format.
func SpecOfFormat(l Format) Spec { return SpecOf(l.Kind(), &formatKey{l}) }

// Spec returns the ascending column of the field. Nulls come last.
func (f *Field) Spec() Spec {
	s := SpecOf(f.kind, f.getter())
	if f.Nullable() {
		return s.WithNulls(unsafe.Pointer(f), NullsLast)
	}
	return s
}

// CheckMade panics if a column is the zero value.
func CheckMade(cols []Spec) {
	for i := range cols {
		if cols[i].get == nil {
			panic("sorter: column without a key function; make it with Asc or Desc")
		}
	}
}

// Kind returns the kind of the keys.
func (s Spec) Kind() sortkey.Kind { return sortkey.Kind(s.flags & (1<<kindBits - 1)) }

// Order returns the order of the column alone.
func (s Spec) Order() sortkey.Order {
	return sortkey.Order{Desc: s.flags&descBit != 0, NaNs: sortkey.NaNs(s.flags & nansMask >> nansShift)}
}

// Nulls returns where nulls go.
func (s Spec) Nulls() NullPlace { return NullPlace(s.flags & placeMask >> placeShift) }

// OrderUnder returns the column's order as that of a whole call changes it.
func (s Spec) OrderUnder(o sortkey.Order) sortkey.Order { return s.Order().Under(o) }

// bits returns the validity bits; nil if there are none.
func (s *Spec) bits() *NullBits {
	if s.flags&bitsFlag == 0 {
		return nil
	}
	return (*NullBits)(s.nulls)
}

// AreNull returns the nulls; nil if there are none.
func (s *Spec) AreNull() NullGetter {
	if bits := s.bits(); bits != nil {
		return bits
	}
	if s.nulls == nil {
		return nil
	}
	return s.get.nullsOf(s.nulls)
}

// Slice returns the keys, by row number, if they lie in a slice.
func (s Spec) Slice() (keys stream.Raw, ok bool) {
	at, ok := s.get.(sliceAt)
	return stream.RawAt(at.data, s.Kind().Size(), int(s.flags>>lenShift)), ok
}

// ByRow reports whether keys lie in memory by row number.
func (s *Spec) ByRow() bool {
	_, ok := s.Rows()
	return ok
}

// Rows returns the number of keys, if they lie in memory by row number.
func (s *Spec) Rows() (n int, ok bool) {
	switch k := s.get.(type) {
	case sliceAt:
		return int(s.flags >> lenShift), true
	case *formatKey:
		return k.Len(), true
	}
	return 0, false
}

// Format returns where keys lie by row number; nil if they do not.
func (s *Spec) Format() Format {
	switch k := s.get.(type) {
	case sliceAt:
		return (*sliceKeys)(s)
	case *formatKey:
		return k.Format
	}
	return nil
}

// fieldGetter is the getter of a field.
type fieldGetter interface {
	field() *Field
	comparison(o sortkey.Order) func(a, b unsafe.Pointer) int
}

// Field returns the field that has the keys; nil if they are no field.
func (s *Spec) Field() *Field {
	if get, ok := s.get.(fieldGetter); ok {
		return get.field()
	}
	return nil
}

// FieldComparison returns the comparison of elements by a field that is not null. A program that calls no other
// comparison gets the code of fields alone.
func (s *Spec) FieldComparison(o sortkey.Order) func(a, b unsafe.Pointer) int {
	return s.get.(fieldGetter).comparison(o)
}

// Getter returns the getter of the keys.
func (s *Spec) Getter() Getter {
	if _, ok := s.get.(sliceAt); ok {
		return (*sliceKeys)(s)
	}
	return s.get
}

// overlaps reports whether keys that lie in memory by row number share it with m.
func (s *Spec) overlaps(m stream.Raw) bool {
	switch k := s.get.(type) {
	case sliceAt:
		keys, _ := s.Slice()
		return keys.Overlaps(m)
	case *formatKey:
		return k.Format.overlaps(m)
	}
	return false
}

// Descending returns the column, largest first.
func (s Spec) Descending() Spec {
	s.flags |= descBit
	return s
}

// WithNaNs returns the column with NaNs at a place.
func (s Spec) WithNaNs(place sortkey.NaNs) Spec {
	s.flags = s.flags&^nansMask | uint64(place)<<nansShift
	return s
}

// WithNulls returns the column with the nulls of a function, which is the value of a func(E) bool.
func (s Spec) WithNulls(function unsafe.Pointer, place NullPlace) Spec {
	s.nulls, s.flags = function, s.flags&^(placeMask|bitsFlag)|uint64(place)<<placeShift
	return s
}

// WithBits returns the column with the nulls of a bitmap.
func (s Spec) WithBits(b *NullBits, place NullPlace) Spec {
	s = s.WithNulls(unsafe.Pointer(b), place)
	s.flags |= bitsFlag
	return s
}

// WithoutNulls returns the column without nulls.
func (s Spec) WithoutNulls() Spec { return s.WithNulls(nil, NoNulls) }
