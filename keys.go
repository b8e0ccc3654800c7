package sorter

import (
	"cmp"
	"math/bits"
	"reflect"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"
)

// Key is what a key function may return, named types of these included.
//
// Integers are ordered by value, false before true, strings and byte slices
// bytewise, arrays by their first component that differs, times by instant.
// Floats follow [cmp.Compare]: every NaN first and equal to every other NaN,
// −0 equal to +0.
type Key interface {
	constraints.Integer | constraints.Float | ~bool | ~string | ~[]byte |
		~[2]float32 | ~[3]float32 | ~[4]float32 | ~[16]byte | time.Time
}

// Float4 is a vector of four floats, ordered by its first component that
// differs.
type Float4 [4]float32

// kind is how a key type is encoded: one encoder each, whatever the type's name.
type kind uint8

const (
	kindBool kind = iota
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindUint8
	kindUint16
	kindUint32
	kindUint64
	kindFloat32
	kindFloat64
	kindFloats2 // 64 bits, the last kind whose code is the whole key
	kindFloats3
	kindFloats4
	kindBytes16
	kindTime
	kindString
	kindBytes
)

// codeBits is the width of a kind's whole code; kinds beyond the table are
// wider than 64 bits.
var codeBits = [...]int{
	kindBool: 1, kindInt8: 8, kindInt16: 16, kindInt32: 32, kindInt64: 64,
	kindUint8: 8, kindUint16: 16, kindUint32: 32, kindUint64: 64,
	kindFloat32: 32, kindFloat64: 64, kindFloats2: 64,
}

// wide reports whether a 64-bit code is only a prefix of the key.
func (k kind) wide() bool { return k > kindFloats2 }

func kindOf[K Key]() kind {
	t := reflect.TypeFor[K]()
	switch k := t.Kind(); k {
	case reflect.Bool:
		return kindBool
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kindInt8 + kind(k-reflect.Int8)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return kindUint8 + kind(k-reflect.Uint8)
	case reflect.Int:
		return kindInt32 + kind(bits.UintSize/64)
	case reflect.Uint, reflect.Uintptr:
		return kindUint32 + kind(bits.UintSize/64)
	case reflect.Float32:
		return kindFloat32
	case reflect.Float64:
		return kindFloat64
	case reflect.String:
		return kindString
	case reflect.Slice:
		return kindBytes
	case reflect.Struct:
		return kindTime
	}
	if t.Elem().Kind() == reflect.Uint8 {
		return kindBytes16
	}
	return kindFloats2 + kind(t.Len()-2)
}

// order is the direction of one key, on which encoder and comparator agree.
type order struct {
	desc     bool
	nansLast bool
}

// as views keys as their underlying type T.
//
// Sound: called only where kindOf[K] says that K's underlying type is T, or a
// scalar of T's size and layout, or where rows say that K is int, so size,
// alignment and pointers are those of T. encodeFloats views codes as narrower ones.
func as[T, K any](keys []K) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}

// comparator returns the comparison of two keys under o; for every kind it
// agrees with the codes, which the tests hold it to.
func comparator[K Key](o order) func(a, b K) int {
	ascending := ascending[K](o.nansLast && !o.desc)
	if !o.desc {
		return ascending
	}
	return func(a, b K) int { return ascending(b, a) }
}

func ascending[K Key](nansLast bool) func(a, b K) int {
	switch kindOf[K]() {
	case kindBool:
		return retype[K](func(a, b uint8) int { return cmp.Compare(a&1, b&1) })
	case kindInt8:
		return retype[K](cmp.Compare[int8])
	case kindInt16:
		return retype[K](cmp.Compare[int16])
	case kindInt32:
		return retype[K](cmp.Compare[int32])
	case kindInt64:
		return retype[K](cmp.Compare[int64])
	case kindUint8:
		return retype[K](cmp.Compare[uint8])
	case kindUint16:
		return retype[K](cmp.Compare[uint16])
	case kindUint32:
		return retype[K](cmp.Compare[uint32])
	case kindUint64:
		return retype[K](cmp.Compare[uint64])
	case kindFloat32:
		return retype[K](floatOrder[float32](nansLast))
	case kindFloat64:
		return retype[K](floatOrder[float64](nansLast))
	case kindString:
		return retype[K](cmp.Compare[string])
	case kindBytes:
		return retype[K](compareBytes)
	default:
		o := order{nansLast: nansLast}
		return func(a, b K) int { return compareWords(o, a, b) }
	}
}

// retype gives a comparison of T the type of a comparison of K.
//
// Sound: as for [as], K's underlying type is T or a scalar of T's size and
// register class, and function values whose parameters have the same
// underlying types share one calling convention.
func retype[K, T any](f func(a, b T) int) func(a, b K) int {
	return *(*func(a, b K) int)(unsafe.Pointer(&f))
}

func floatOrder[T constraints.Float](nansLast bool) func(a, b T) int {
	if !nansLast {
		return cmp.Compare[T]
	}
	return func(a, b T) int {
		if a != a || b != b { // a NaN among them: swapping the sides puts it last
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}
}

func compareBytes(a, b []byte) int {
	// Sound: the strings live no longer than this call and nothing writes to
	// the bytes meanwhile.
	return cmp.Compare(unsafe.String(unsafe.SliceData(a), len(a)), unsafe.String(unsafe.SliceData(b), len(b)))
}

// compareWords compares fixed-size keys by their codes. Times are among them:
// time.Time.Compare prefers monotonic clock readings to the instant.
func compareWords[K Key](o order, a, b K) int {
	pair := [2]K{a, b}
	var words [2]uint64
	for j := range kindOf[K]().words() {
		encodeWord(words[:], pair[:], j, o)
		if c := cmp.Compare(words[0], words[1]); c != 0 {
			return c
		}
	}
	return 0
}
