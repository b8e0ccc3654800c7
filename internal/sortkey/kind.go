// Package sortkey makes codes of keys: unsigned integers that are in the order of the keys,
// of 32 or 64 bits, or several words where keys are wider. It knows directions and NaNs,
// and nothing of elements.
package sortkey

import (
	"math/bits"
	"net/netip"
	"reflect"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/floats"
)

// Key is the set of types that keys may have, the same as that of the public constraint.
type Key interface {
	constraints.Integer | constraints.Float | ~bool | ~string | ~[]byte |
		~[2]float32 | ~[3]float32 | ~[4]float32 | ByteArray | time.Time | netip.Addr |
		~struct {
			Lo uint64
			Hi int64
		} | ~struct{ Lo, Hi uint64 }
}

// ByteArray is the set of arrays of bytes, the same as that of the public constraint.
type ByteArray interface {
	~[1]byte | ~[2]byte | ~[3]byte | ~[4]byte | ~[5]byte | ~[6]byte | ~[7]byte | ~[8]byte |
		~[9]byte | ~[10]byte | ~[11]byte | ~[12]byte | ~[13]byte | ~[14]byte | ~[15]byte | ~[16]byte |
		~[17]byte | ~[18]byte | ~[19]byte | ~[20]byte | ~[21]byte | ~[22]byte | ~[23]byte | ~[24]byte |
		~[25]byte | ~[26]byte | ~[27]byte | ~[28]byte | ~[29]byte | ~[30]byte | ~[31]byte | ~[32]byte |
		~[33]byte | ~[34]byte | ~[35]byte | ~[36]byte | ~[37]byte | ~[38]byte | ~[39]byte | ~[40]byte |
		~[41]byte | ~[42]byte | ~[43]byte | ~[44]byte | ~[45]byte | ~[46]byte | ~[47]byte | ~[48]byte |
		~[49]byte | ~[50]byte | ~[51]byte | ~[52]byte | ~[53]byte | ~[54]byte | ~[55]byte | ~[56]byte |
		~[57]byte | ~[58]byte | ~[59]byte | ~[60]byte | ~[61]byte | ~[62]byte | ~[63]byte | ~[64]byte
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
	Bytes2 // an array of 2 bytes; the kinds of up to 8 follow

	Bytes8  = Bytes2 + 6
	Floats2 = Bytes8 + 1 // 64 bits, the last kind whose code is the whole key
	Floats3 = Floats2 + 1
	Floats4 = Floats2 + 2

	Integer128  = Floats4 + 1
	Unsigned128 = Floats4 + 2
	Time        = Floats4 + 3

	Bytes9  = Time + 1 // an array of 9 bytes; the kinds of up to 64 follow
	Bytes16 = Bytes9 + 7
	Bytes64 = Bytes9 + 55

	String = Bytes64 + 1 // the first kind whose keys have any number of words
	Bytes  = String + 1
	Addr   = Bytes + 1

	Kinds = int(Addr) + 1 // their number
)

// MostBytes is the length of the longest array of bytes that is a key.
const MostBytes = 64

// ofBytes returns the kind of arrays of n bytes; an array of one is a number.
func ofBytes(n int) Kind {
	switch {
	case n == 1:
		return Uint8
	case n <= 8:
		return Bytes2 + Kind(n-2)
	}
	return Bytes9 + Kind(n-9)
}

// IsArray reports whether keys are arrays of 2 to 64 bytes. These are aligned to bytes.
func (k Kind) IsArray() bool { return Bytes2 <= k && k <= Bytes8 || Bytes9 <= k && k <= Bytes64 }

// traits are the sizes of a kind of keys.
type traits struct {
	bits  uint8   // of the whole code; 0 if that has more than 64
	size  uintptr // bytes of a key
	words uint8   // 64-bit words of the whole code; 0 for texts and addresses, of any number
}

// ofKinds is the one table of kinds, to which the arrays of bytes are added. A test fails for one that is left out, here
// or where a kind has a getter.
var ofKinds = withArrays([Kinds]traits{
	Bool: {1, 1, 1}, Int8: {8, 1, 1}, Int16: {16, 2, 1}, Int32: {32, 4, 1}, Int64: {64, 8, 1},
	Uint8: {8, 1, 1}, Uint16: {16, 2, 1}, Uint32: {32, 4, 1}, Uint64: {64, 8, 1},
	Float32: {32, 4, 1}, Float64: {64, 8, 1}, Floats2: {64, 8, 1},
	Floats3: {0, 12, 2}, Floats4: {0, 16, 2}, Integer128: {0, 16, 2}, Unsigned128: {0, 16, 2},
	Time:   {0, unsafe.Sizeof(time.Time{}), 3},
	String: {0, unsafe.Sizeof(""), 0}, Bytes: {0, unsafe.Sizeof([]byte{}), 0}, Addr: {0, unsafe.Sizeof(netip.Addr{}), 0},
})

func withArrays(all [Kinds]traits) [Kinds]traits {
	for n := 2; n <= MostBytes; n++ {
		t := traits{size: uintptr(n), words: uint8((n + 7) / 8)}
		if n <= 8 {
			t.bits = uint8(8 * n)
		}
		all[ofBytes(n)] = t
	}
	return all
}

// KindBits is the number of bits that number all kinds.
const KindBits = 7

// CodeBits is the width of a kind's whole code, 0 if that has more than 64 bits. It and sizes, the bytes of a key, have
// room for as many kinds as a column numbers: no index is checked.
var CodeBits, sizes = func() (bits [1 << KindBits]int, sizes [1 << KindBits]uint8) {
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
	case *time.Time:
		return Time
	case *netip.Addr:
		return Addr
	}
	t := reflect.TypeFor[K]()
	switch k := t.Kind(); k {
	case reflect.Array:
		return arrayKind(t)
	case reflect.Struct:
		if t.Field(1).Type.Kind() == reflect.Int64 { // ConvertibleTo would bring all conversions of reflect
			return Integer128
		}
		return Unsigned128
	default:
		return kinds[k]
	}
}

// structKind returns the kind of the keys of a type of structs; ok is false if it is no type of keys.
func structKind(t reflect.Type) (k Kind, ok bool) {
	switch {
	case t == reflect.TypeFor[netip.Addr]():
		return Addr, true
	case t.ConvertibleTo(reflect.TypeFor[Int128]()):
		return Integer128, true
	case t.ConvertibleTo(reflect.TypeFor[Uint128]()):
		return Unsigned128, true
	}
	return Time, t.ConvertibleTo(reflect.TypeFor[time.Time]())
}

// OfType returns the kind of the keys of type t; ok is false if it is no type of keys.
func OfType(t reflect.Type) (k Kind, ok bool) {
	switch basic := t.Kind(); {
	case basic == reflect.Slice:
		return Bytes, t.Elem().Kind() == reflect.Uint8
	case basic == reflect.Struct:
		return structKind(t)
	case basic == reflect.Array:
		switch of, n := t.Elem().Kind(), t.Len(); {
		case of == reflect.Uint8 && 1 <= n && n <= MostBytes, of == reflect.Float32 && 2 <= n && n <= 4:
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
		return ofBytes(t.Len())
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
