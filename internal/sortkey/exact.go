package sortkey

import (
	"math"
	"slices"
	"unsafe"
)

// Decodable reports whether keys of a kind are sorted through codes that lose
// nothing, where keys that tie need not keep their order or cannot be told apart.
func (k Kind) Decodable(stable bool) bool {
	floats := k == Float32 || k == Float64
	return k <= Float64 && !(floats && stable)
}

// View returns the codes of keys: the keys themselves where they are
// codes already.
func View[C Code, K Key](keys []K, o Order) func(lo, hi int, buf []C) []C {
	if k := KindOf[K](); !o.Desc && (k == Uint32 || k == Uint64) {
		return func(lo, hi int, _ []C) []C { return As[C](keys[lo:hi]) }
	}
	return func(lo, hi int, buf []C) []C {
		EncodeExact(buf[:hi-lo], keys[lo:hi], o)
		return buf[:hi-lo]
	}
}

// Plain returns keys as their codes if these, from least to most, are the keys'
// bits plus one number, which it returns, too: those of numbers that are not
// negative, in ascending order.
func Plain[C Code, K Key](keys []K, least, most C, o Order) ([]C, C) {
	var zero [1]K
	var plus [1]C
	if unsafe.Sizeof(zero) != unsafe.Sizeof(plus) || o.Desc {
		return nil, 0
	}
	EncodeExact(plus[:], zero[:], o)
	last := ^C(0)
	switch KindOf[K]() {
	case Float32:
		last = C(math.Float32bits(float32(math.Inf(1))))
	case Float64:
		last = C(math.Float64bits(math.Inf(1)))
	}
	if least < plus[0] || most-plus[0] > last { // most is not below least, nor then below plus
		return nil, 0
	}
	return As[C](keys), plus[0]
}

// SortInPlace sorts keys with no other memory: by codes of their own size,
// which take their place meanwhile.
func SortInPlace[C Code, K Key](keys []K, o Order) {
	var k K
	var c C
	switch unsafe.Sizeof(k) {
	case unsafe.Sizeof(c):
		codes := As[C](keys)
		EncodeExact(codes, keys, o)
		slices.Sort(codes)
		DecodeExact(keys, codes, o)
	case 1:
		sortFlipped(As[uint8](keys), uint8(FlipOf[C, K](o)))
	case 2:
		sortFlipped(As[uint16](keys), uint16(FlipOf[C, K](o)))
	}
}

func sortFlipped[T uint8 | uint16](keys []T, flip T) {
	unflip(keys, keys, flip)
	slices.Sort(keys)
	unflip(keys, keys, flip)
}

// EncodeExact writes codes from which DecodeExact gets the keys back bit by bit.
// len(dst) >= len(keys).
func EncodeExact[C Code, K Key](dst []C, keys []K, o Order) {
	EncodeExactAt(KindOf[K](), dst[:len(keys)], unsafe.Pointer(unsafe.SliceData(keys)), o)
}

// EncodeExactAt is EncodeExact of as many keys as there are codes.
func EncodeExactAt[C Code](k Kind, dst []C, keys unsafe.Pointer, o Order) {
	switch k {
	case Float32:
		f := ExactFloats[uint32](o)
		f.Encode(As[uint32](dst), At[uint32](keys, len(dst)))
	case Float64:
		f := ExactFloats[uint64](o)
		f.Encode(As[uint64](dst), At[uint64](keys, len(dst)))
	default:
		EncodeAt(k, dst, keys, o)
	}
}

// DecodeExact undoes EncodeExact. len(keys) == len(codes).
func DecodeExact[C Code, K Key](keys []K, codes []C, o Order) {
	DecodeExactAt(KindOf[K](), unsafe.Pointer(unsafe.SliceData(keys[:len(codes)])), codes, o)
}

// DecodeExactAt is DecodeExact of as many keys as there are codes.
func DecodeExactAt[C Code](k Kind, keys unsafe.Pointer, codes []C, o Order) {
	n := len(codes)
	switch k {
	case Float32:
		f := ExactFloats[uint32](o)
		f.Decode(At[uint32](keys, n), As[uint32](codes))
		return
	case Float64:
		f := ExactFloats[uint64](o)
		f.Decode(At[uint64](keys, n), As[uint64](codes))
		return
	}
	flip := flipOf[C](k, o)
	switch k.Size() {
	case unsafe.Sizeof(flip):
		flipAll(At[C](keys, n), codes, flip)
	case 1:
		unflip(At[uint8](keys, n), codes, flip)
	case 2:
		unflip(At[uint16](keys, n), codes, flip)
	}
}

// FlipOf returns what integers and bools differ by from their codes: the code of 0.
func FlipOf[C Code, K Key](o Order) C { return flipOf[C](KindOf[K](), o) }

func flipOf[C Code](k Kind, o Order) C {
	var zero uint64 // as large as any such key
	var flip [1]C
	EncodeAt(k, flip[:], unsafe.Pointer(&zero), o)
	return flip[0]
}

func unflip[T uint8 | uint16, C Code | uint8 | uint16](keys []T, codes []C, flip C) {
	keys = keys[:len(codes)]
	for i, c := range codes {
		keys[i] = T(c ^ flip)
	}
}
