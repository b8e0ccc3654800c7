// Package sortkey makes codes of keys: unsigned integers that are in the order of the keys,
// of 32 or 64 bits, or several words where keys are wider. It knows directions and NaNs,
// and nothing of elements.
package sortkey

import (
	"math/bits"
	"reflect"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/floats"
)

// Key is the set of types that keys may have, the same as that of the public constraint.
type Key interface {
	constraints.Integer | constraints.Float | ~bool | ~string | ~[]byte |
		~[2]float32 | ~[3]float32 | ~[4]float32 | ~[16]byte | time.Time |
		~struct {
			Lo uint64
			Hi int64
		} | ~struct{ Lo, Hi uint64 }
}

// Int128 is an integer of two words, the low one first: Hi·2^64 + Lo.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Uint128 is [Int128] without a sign.
type Uint128 struct{ Lo, Hi uint64 }

// Kind is how a key type is encoded: one encoder each, whatever the type's name.
type Kind uint8

const (
	Bool Kind = iota
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Floats2 // 64 bits, the last kind whose code is the whole key
	Floats3
	Floats4
	Bytes16
	Integer128
	Unsigned128
	Time
	String
	Bytes

	Kinds = iota // their number
)

// traits are the sizes of a kind of keys.
type traits struct {
	bits  uint8   // of the whole code; 0 if that has more than 64
	size  uintptr // bytes of a key
	words uint8   // 64-bit words of the whole code; 0 for texts, of any number
}

// ofKinds is the one table of kinds. A test fails for one that is left out, here or where a kind has a getter.
var ofKinds = [Kinds]traits{
	Bool: {1, 1, 1}, Int8: {8, 1, 1}, Int16: {16, 2, 1}, Int32: {32, 4, 1}, Int64: {64, 8, 1},
	Uint8: {8, 1, 1}, Uint16: {16, 2, 1}, Uint32: {32, 4, 1}, Uint64: {64, 8, 1},
	Float32: {32, 4, 1}, Float64: {64, 8, 1}, Floats2: {64, 8, 1},
	Floats3: {0, 12, 2}, Floats4: {0, 16, 2}, Bytes16: {0, 16, 2}, Integer128: {0, 16, 2}, Unsigned128: {0, 16, 2},
	Time:   {0, unsafe.Sizeof(time.Time{}), 3},
	String: {0, unsafe.Sizeof(""), 0}, Bytes: {0, unsafe.Sizeof([]byte{}), 0},
}

// CodeBits is the width of a kind's whole code, 0 if that has more than 64 bits. It and sizes, the bytes of a key, have
// room for as many kinds as five bits number, of which a column has no more: no index is checked.
var CodeBits, sizes = func() (bits [1 << 5]int, sizes [1 << 5]uint8) {
	for k, t := range ofKinds {
		bits[k], sizes[k] = int(t.bits), uint8(t.size)
	}
	return bits, sizes
}()

// Size returns the bytes of a key.
func (k Kind) Size() uintptr { return uintptr(sizes[k]) }

// Wide reports whether a 64-bit code is only a prefix of the key.
func (k Kind) Wide() bool { return k > Floats2 }

// kinds are the kinds of basic types; of the others, those that have one.
var kinds = [...]Kind{
	reflect.Bool: Bool,
	reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64,
	reflect.Uint8: Uint8, reflect.Uint16: Uint16, reflect.Uint32: Uint32, reflect.Uint64: Uint64,
	reflect.Int: Int32 + Kind(bits.UintSize/64), reflect.Uint: Uint32 + Kind(bits.UintSize/64),
	reflect.Uintptr: Uint32 + Kind(bits.UintSize/64),
	reflect.Float32: Float32, reflect.Float64: Float64,
	reflect.String: String, reflect.Slice: Bytes,
}

// KindOf returns the kind of the keys of type K. It takes a few nanoseconds: a call asks once.
func KindOf[K Key]() Kind {
	if _, ok := any((*K)(nil)).(*int64); ok { // inlined
		return Int64
	}
	return kindOf[K]()
}

// kindOf is KindOf of other types.
func kindOf[K Key]() Kind {
	switch any((*K)(nil)).(type) { // types without a name of their own, in a third of the time
	case *float64:
		return Float64
	case *string:
		return String
	}
	t := reflect.TypeFor[K]()
	switch k := t.Kind(); k {
	case reflect.Array:
		return arrayKind(t)
	case reflect.Struct:
		return structKind(t)
	default:
		return kinds[k]
	}
}

func structKind(t reflect.Type) Kind {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Time
	case t.ConvertibleTo(reflect.TypeFor[Int128]()):
		return Integer128
	case t.ConvertibleTo(reflect.TypeFor[Uint128]()):
		return Unsigned128
	}
	return Time
}

// OfType returns the kind of the keys of type t; ok is false if it is no type of keys.
func OfType(t reflect.Type) (k Kind, ok bool) {
	switch basic := t.Kind(); {
	case basic == reflect.Slice:
		return Bytes, t.Elem().Kind() == reflect.Uint8
	case basic == reflect.Struct:
		k = structKind(t)
		return k, k != Time || t.ConvertibleTo(reflect.TypeFor[time.Time]())
	case basic == reflect.Array:
		switch of, n := t.Elem().Kind(), t.Len(); {
		case of == reflect.Uint8 && n == 16, of == reflect.Float32 && 2 <= n && n <= 4:
			return arrayKind(t), true
		}
		return 0, false
	case reflect.Bool <= basic && basic <= reflect.Float64, basic == reflect.String:
		return kinds[basic], true
	}
	return 0, false
}

func arrayKind(t reflect.Type) Kind {
	if t.Elem().Kind() == reflect.Uint8 {
		return Bytes16
	}
	return Floats2 + Kind(t.Len()-2)
}

// Order is the direction of one key, on which encoder and comparator agree.
type Order struct {
	Desc bool
	NaNs NaNs
}

// Under returns the order of a column as that of a whole call changes it.
func (o Order) Under(call Order) Order {
	call.Desc = o.Desc != call.Desc
	if o.NaNs != NaNsLeast { // the column has its own place
		call.NaNs = o.NaNs
	}
	return call
}

// NaNs is the place of NaNs among other keys.
type NaNs uint8

const (
	NaNsLeast  NaNs = iota // below all others: first, or last if descending
	NaNsFirst              // first, whatever the direction
	NaNsLast               // last, whatever the direction
	TotalOrder             // floats in the total order of IEEE 754, NaNs and zeros by sign and bits
	NaNPlaces              // the number of places
)

// NaNsAfter reports whether NaNs come after all other keys.
func (o Order) NaNsAfter() bool { return o.NaNs == NaNsLast || o.NaNs == NaNsLeast && o.Desc }

// Floats returns the mapping of floats to codes that are equal where floats are.
func Floats[B floats.Bits](o Order) *floats.Code[B] {
	if o.NaNs == TotalOrder {
		return floats.Total[B](o.Desc)
	}
	return floats.Ordered[B](o.Desc, o.NaNsAfter())
}

// ExactFloats returns the mapping of floats to codes from which their bits can be decoded.
func ExactFloats[B floats.Bits](o Order) *floats.Code[B] {
	if o.NaNs == TotalOrder {
		return floats.Total[B](o.Desc)
	}
	return floats.Exact[B](o.Desc, o.NaNsAfter())
}

// At returns n keys that lie at an address.
//
// Sound: as for [As], where callers have n keys of that kind there.
func At[T any](keys unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(keys), n) }

// As views keys as their underlying type T.
//
// Sound: called only where KindOf[K] says that K's underlying type is T, or a
// scalar of T's size and layout, or where rows say that K is int, so size,
// alignment and pointers are those of T. encodeFloats views codes as narrower ones.
func As[T, K any](keys []K) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}
