package extract

import (
	"context"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Spec is a column as a program makes it. Its four words stay in registers: a query that orders a few rows
// makes one for each call. Sorts make a [Column] of it.
type Spec struct {
	get   Getter         // of the keys; [sliceAt] if they lie in a slice by row number
	nulls unsafe.Pointer // a null function, *NullBits or *Field, as flags say
	flags uint64
}

// The flags of a Spec, from the lowest bit: the kind of the keys, their order, and the nulls. Above them is
// the length of a slice, which has less than 2^48 elements: no machine has more addresses.
const (
	kindBits   = 5
	descBit    = 1 << kindBits
	nansShift  = kindBits + 1
	nansMask   = 3 << nansShift
	placeShift = nansShift + 2
	placeMask  = 3 << placeShift
	fromShift  = placeShift + 2
	fromMask   = 3 << fromShift
	lenShift   = 16
)

// Where a Spec's nulls come from.
const (
	fromFunction = iota << fromShift
	fromBits
	fromField
)

// sliceAt is the address of a slice of keys, as a getter: a [Column] reads the slice.
type sliceAt struct{ data unsafe.Pointer }

func (sliceAt) Get(unsafe.Pointer, unsafe.Pointer, int, uint64, context.Context) int {
	panic("extract: a slice's address has no keys")
}

func (sliceAt) Comparison(sortkey.Order) any { panic("extract: a slice's address has no comparison") }

// SpecOf returns the ascending column of the keys, of a given kind, of a getter.
func SpecOf(k sortkey.Kind, get Getter) Spec { return Spec{get: get, flags: uint64(k)} }

// SpecOfSlice returns the ascending column of the n keys, of a given kind, that lie from data on by row
// number.
func SpecOfSlice(k sortkey.Kind, data unsafe.Pointer, n int) Spec {
	return Spec{sliceAt{data}, nil, uint64(k) | uint64(n)<<lenShift}
}

// SpecOfLayout returns the ascending column of the keys of a layout.
func SpecOfLayout(l Layout) Spec { return SpecOf(l.Kind(), &layoutKey{l}) }

// Spec returns the ascending column of the field. Nulls come last.
func (f *Field) Spec() Spec {
	s := SpecOf(f.kind, fieldKinds[f.kind].getter(f))
	if f.Nullable() {
		return s.withNulls(unsafe.Pointer(f), fromField, NullsLast)
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

// NullBits reports whether nulls are those of a bitmap.
func (s Spec) NullBits() bool { return s.flags&fromMask == fromBits }

// NullFunction returns the null function of a column of row numbers.
//
// Sound: it is a func(int) bool.
func (s *Spec) NullFunction() func(row int) bool { return *(*func(int) bool)(unsafe.Pointer(&s.nulls)) }

// Slice returns the keys, by row number, if they lie in a slice.
func (s Spec) Slice() (keys stream.Raw, ok bool) {
	at, ok := s.get.(sliceAt)
	return stream.RawAt(at.data, s.Kind().Size(), int(s.flags>>lenShift)), ok
}

// overlaps reports whether keys that lie in memory by row number share it with m.
func (s *Spec) overlaps(m stream.Raw) bool {
	if k, ok := s.get.(*layoutKey); ok {
		return k.Layout.overlaps(m)
	}
	keys, ok := s.Slice()
	return ok && keys.Overlaps(m)
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
	return s.withNulls(function, fromFunction, place)
}

// WithBits returns the column with the nulls of a bitmap.
func (s Spec) WithBits(b *NullBits, place NullPlace) Spec {
	return s.withNulls(unsafe.Pointer(b), fromBits, place)
}

func (s Spec) withNulls(nulls unsafe.Pointer, from uint64, place NullPlace) Spec {
	s.nulls, s.flags = nulls, s.flags&^(placeMask|fromMask)|from|uint64(place)<<placeShift
	return s
}

// WithoutNulls returns the column without nulls.
func (s Spec) WithoutNulls() Spec { return s.withNulls(nil, fromFunction, NoNulls) }

// ElementType is the type E of elements: a NullFunc[E] of any value.
type ElementType interface {
	nullGetter
	of(function unsafe.Pointer) nullGetter // the null function of that value
}

// of is sound: specs of E have functions of that type.
func (NullFunc[E]) of(function unsafe.Pointer) nullGetter {
	return *(*NullFunc[E])(unsafe.Pointer(&function))
}

// AppendColumns appends the columns of elements.
func AppendColumns(all []Column, specs []Spec, e ElementType) []Column {
	CheckMade(specs)
	for i := range specs {
		all = append(all, Column{})
		specs[i].put(&all[len(all)-1], e)
	}
	return all
}

// put writes the column of elements to c, which is the zero value.
func (s *Spec) put(c *Column, e ElementType) {
	c.kind, c.Order, c.Nulls = s.Kind(), s.Order(), s.Nulls()
	switch get := s.get.(type) {
	case sliceAt:
		c.Key = sliceKey{}
		c.slice, _ = s.Slice()
	case *layoutKey:
		c.Key, c.get = get, get
	default:
		c.Key, c.get = keyType{}, get
	}
	if s.nulls == nil {
		return
	}
	switch s.flags & fromMask {
	case fromFunction:
		c.AreNull = e.of(s.nulls)
	case fromBits:
		c.AreNull = (*NullBits)(s.nulls)
	case fromField:
		c.AreNull = (*Field)(s.nulls)
	}
}
