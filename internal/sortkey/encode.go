package sortkey

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/floats"
)

// Code is the unsigned form of a key, or of its leading bits: a < b in the
// order asked for exactly if code(a) < code(b).
type Code interface{ uint32 | uint64 }

// Encode writes the codes of keys to dst for the kinds that a code of type C
// holds entirely. len(dst) == len(keys).
func Encode[C Code, K Key](dst []C, keys []K, o Order) {
	EncodeAt(KindOf[K](), dst[:len(keys)], unsafe.Pointer(unsafe.SliceData(keys)), o)
}

// EncodeAt is Encode of as many keys as there are codes, of which nothing but their kind is
// known. Code that has no more is compiled once, and not for every type of keys.
func EncodeAt[C Code](k Kind, dst []C, keys unsafe.Pointer, o Order) {
	n := len(dst)
	switch k {
	case Bool:
		encodeInts(dst, At[uint8](keys, n), 1, 0, o)
	case Int8:
		encodeInts(dst, At[int8](keys, n), 8, 1<<7, o)
	case Int16:
		encodeInts(dst, At[int16](keys, n), 16, 1<<15, o)
	case Int32:
		encodeInts(dst, At[int32](keys, n), 32, 1<<31, o)
	case Int64:
		encodeInts(dst, At[int64](keys, n), 64, 1<<63, o)
	case Uint8:
		encodeInts(dst, At[uint8](keys, n), 8, 0, o)
	case Uint16:
		encodeInts(dst, At[uint16](keys, n), 16, 0, o)
	case Uint32:
		encodeInts(dst, At[uint32](keys, n), 32, 0, o)
	case Uint64:
		encodeInts(dst, At[uint64](keys, n), 64, 0, o)
	case Float32:
		encodeFloats(dst, At[uint32](keys, n), Floats[uint32](o))
	case Float64:
		encodeFloats(dst, At[uint64](keys, n), Floats[uint64](o))
	case Floats2:
		words, vectors := As[uint64](dst), At[[2]uint32](keys, n)
		for i := range vectors {
			words[i] = uint64(vectors[i][0])<<32 | uint64(vectors[i][1])
		}
		encodePairs(words, o)
	case Bytes2, Bytes2 + 1, Bytes2 + 2, Bytes2 + 3, Bytes2 + 4, Bytes2 + 5, Bytes8:
		encodeArrays(dst, keys, k.Size(), o)
	default:
		panic("sorter: a wide key has no single code")
	}
}

// encodeInts maps integers of the given width: sign flips the sign bit, so
// that the smallest value becomes 0.
func encodeInts[C Code, U constraints.Integer](dst []C, src []U, width int, sign uint64, o Order) {
	mask := C(uint64(math.MaxUint64) >> (64 - width))
	flip := C(sign)
	if o.Desc {
		flip ^= mask
	}
	src = src[:len(dst)]
	if unsafe.Sizeof(C(0)) == unsafe.Sizeof(U(0)) {
		flipAll(dst, As[C](src), flip)
		return
	}
	for i, k := range src {
		dst[i] = (C(k) ^ flip) & mask
	}
}

// flipAll writes src to dst with some bits flipped, by vectors or eight words a turn: a turn for
// each takes as long as two or three. Where none is flipped, the runtime's copy takes
// half to a third of that: it moves vectors, and large pieces without reading
// the memory that they overwrite.
// len(dst) >= len(src).
func flipAll[C Code](dst, src []C, flip C) {
	if flip == 0 {
		copy(dst, src)
		return
	}
	dst = dst[:len(src)]
	n := flipVectors(dst, src, flip)
	dst, src = dst[n:], src[n:]
	for len(src) >= 8 {
		from, to := (*[8]C)(src), (*[8]C)(dst)
		to[0], to[1], to[2], to[3] = from[0]^flip, from[1]^flip, from[2]^flip, from[3]^flip
		to[4], to[5], to[6], to[7] = from[4]^flip, from[5]^flip, from[6]^flip, from[7]^flip
		dst, src = dst[8:], src[8:]
	}
	for i, c := range src {
		dst[i] = c ^ flip
	}
}

// encodeFloats writes the codes of floats. C is wider than B where several columns share a
// code. len(dst) >= len(src).
func encodeFloats[C Code, B floats.Bits](dst []C, src []B, f *floats.Code[B]) {
	codes := As[B](dst)[:len(src)] // the first part of the memory of dst
	f.Encode(codes, src)
	if unsafe.Sizeof(C(0)) == unsafe.Sizeof(B(0)) {
		return
	}
	for i := len(codes) - 1; i >= 0; i-- { // the floats that a wider code overwrites have been read
		dst[i] = C(codes[i])
	}
}

// EncodeWordAt writes 64-bit word j of the codes of as many keys whose size is fixed:
// word 0 decides and the words after it break its ties. Narrow kinds have their
// whole code in the low bits of word 0.
func EncodeWordAt(k Kind, dst []uint64, keys unsafe.Pointer, j int, o Order) {
	n, flip := len(dst), uint64(0)
	if o.Desc {
		flip = math.MaxUint64
	}
	switch k {
	case Floats3:
		encodeFloats3(dst, At[[3]uint32](keys, n), j, o)
	case Floats4:
		encodeFloats4(dst, At[[4]uint32](keys, n), j, o)
	case Bytes16:
		encodeBytes16(dst, At[[16]byte](keys, n), j, flip)
	case Integer128:
		encode128(dst, At[[2]uint64](keys, n), j, flip^1<<63)
	case Unsigned128:
		encode128(dst, At[[2]uint64](keys, n), j, flip)
	case Time:
		encodeTimes(dst, At[time.Time](keys, n), j, flip)
	case Addr:
		encodeAddrs(dst, At[netip.Addr](keys, n), j, flip)
	default:
		if k > Time {
			encodeArrayWords(dst, keys, k.Size(), j, flip)
			return
		}
		EncodeAt(k, dst, keys, o)
	}
}

// Leading writes the leading 64 bits of the codes of as many wide keys.
func Leading(k Kind, dst []uint64, keys unsafe.Pointer, o Order) {
	flip := uint64(0)
	if o.Desc {
		flip = math.MaxUint64
	}
	switch k {
	case String:
		writePrefixes(dst, At[string](keys, len(dst)), flip)
	case Bytes:
		writePrefixes(dst, At[[]byte](keys, len(dst)), flip)
	default:
		EncodeWordAt(k, dst, keys, 0, o)
	}
}

// The encoders of one wide kind are not generic: they are compiled here, where what their
// loops call is inlined.

func encodeFloats3(dst []uint64, vectors [][3]uint32, j int, o Order) {
	f := Floats[uint32](o)
	for i := range vectors {
		if v := &vectors[i]; j == 0 {
			dst[i] = uint64(v[0])<<32 | uint64(v[1])
		} else {
			dst[i] = uint64(f.Of(v[2])) << 32
		}
	}
	if j == 0 {
		encodePairs(dst[:len(vectors)], o)
	}
}

func encodeFloats4(dst []uint64, vectors [][4]uint32, j int, o Order) {
	for i := range vectors {
		v := &vectors[i]
		dst[i] = uint64(v[2*j&2])<<32 | uint64(v[2*j&2|1])
	}
	encodePairs(dst[:len(vectors)], o)
}

func encodeBytes16(dst []uint64, keys [][16]byte, j int, flip uint64) {
	for i := range keys {
		dst[i] = binary.BigEndian.Uint64(keys[i][8*j:]) ^ flip
	}
}

// encode128 writes words of 128-bit integers. High words are flipped by high, low words by its
// lowest bit.
func encode128(dst []uint64, keys [][2]uint64, j int, high uint64) {
	if j == 0 {
		for i := range keys {
			dst[i] = keys[i][1] ^ high
		}
		return
	}
	low := -(high & 1)
	for i := range keys {
		dst[i] = keys[i][0] ^ low
	}
}

func encodeTimes(dst []uint64, times []time.Time, j int, flip uint64) {
	for i, t := range times {
		dst[i] = timeWord(t, j) ^ flip
	}
}

// encodePairs replaces the two floats in each word by their codes.
func encodePairs(words []uint64, o Order) {
	f := Floats[uint32](o)
	// Sound: the halves of the words are as many 32-bit floats, and each is
	// replaced by its own code.
	halves := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
	f.Encode(halves, halves)
}

// Words is the number of 64-bit words in the code of a kind; 0 if keys have any number.
func (k Kind) Words() int { return int(ofKinds[k].words) }

// timeWord returns word j of a time. Word 0 is exact to the nanosecond for 272
// years on either side of 1970, so that nearly all ties there are equal times,
// and clamps the rest; words 1 and 2 are the seconds and nanoseconds.
func timeWord(t time.Time, j int) uint64 {
	const (
		epoch    = 62135596800 // seconds from year 1 to 1970
		years272 = 1 << 33     // in seconds
	)
	// time.Time holds seconds since year 1; the sum wraps back to them where
	// Unix wrapped around.
	sec, nano := t.Unix()+epoch, uint64(t.Nanosecond())
	switch {
	case j == 2:
		return nano
	case j == 1:
		return uint64(sec) ^ 1<<63
	case sec < epoch-years272:
		return 0
	case sec >= epoch+years272:
		return math.MaxUint64 // below are all exact words: nano < 1<<30 - 1
	}
	return uint64(sec-epoch+years272)<<30 | nano
}
