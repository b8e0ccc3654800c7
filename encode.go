package sorter

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/floats"
)

// code is the unsigned form of a key, or of its leading bits: a < b in the
// order asked for exactly if code(a) < code(b).
type code interface{ uint32 | uint64 }

// encode writes the codes of keys to dst for the kinds that a code of type C
// holds entirely. len(dst) == len(keys).
func encode[C code, K Key](dst []C, keys []K, o order) { encodeAs(kindOf[K](), dst, keys, o) }

// encodeAs is encode for keys of a given kind, which takes a few nanoseconds to find.
func encodeAs[C code, K Key](k kind, dst []C, keys []K, o order) {
	switch k {
	case kindBool:
		encodeInts(dst, as[uint8](keys), 1, 0, o)
	case kindInt8:
		encodeInts(dst, as[int8](keys), 8, 1<<7, o)
	case kindInt16:
		encodeInts(dst, as[int16](keys), 16, 1<<15, o)
	case kindInt32:
		encodeInts(dst, as[int32](keys), 32, 1<<31, o)
	case kindInt64:
		encodeInts(dst, as[int64](keys), 64, 1<<63, o)
	case kindUint8:
		encodeInts(dst, as[uint8](keys), 8, 0, o)
	case kindUint16:
		encodeInts(dst, as[uint16](keys), 16, 0, o)
	case kindUint32:
		encodeInts(dst, as[uint32](keys), 32, 0, o)
	case kindUint64:
		encodeInts(dst, as[uint64](keys), 64, 0, o)
	case kindFloat32:
		encodeFloats(dst, as[uint32](keys), floats.Ordered[uint32](o.desc, o.nansLast))
	case kindFloat64:
		encodeFloats(dst, as[uint64](keys), floats.Ordered[uint64](o.desc, o.nansLast))
	case kindFloats2:
		words, vectors := as[uint64](dst), as[[2]uint32](keys)[:len(dst)]
		for i := range vectors {
			words[i] = uint64(vectors[i][0])<<32 | uint64(vectors[i][1])
		}
		encodePairs(words, o)
	default:
		panic("sorter: a wide key has no single code")
	}
}

// encodeInts maps integers of the given width: sign flips the sign bit, so
// that the smallest value becomes 0.
func encodeInts[C code, U constraints.Integer](dst []C, src []U, width int, sign uint64, o order) {
	mask := C(uint64(math.MaxUint64) >> (64 - width))
	flip := C(sign)
	if o.desc {
		flip ^= mask
	}
	src = src[:len(dst)]
	if unsafe.Sizeof(C(0)) == unsafe.Sizeof(U(0)) {
		flipAll(dst, as[C](src), flip)
		return
	}
	for i, k := range src {
		dst[i] = (C(k) ^ flip) & mask
	}
}

// flipAll writes src to dst with some bits flipped, eight words a turn: a turn for
// each takes as long as two or three. Where none is flipped, the runtime's copy takes
// half to a third of that: it moves vectors, and large pieces without reading
// the memory that they overwrite.
// len(dst) >= len(src).
func flipAll[C code](dst, src []C, flip C) {
	if flip == 0 {
		copy(dst, src)
		return
	}
	dst = dst[:len(src)]
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
func encodeFloats[C code, B floats.Bits](dst []C, src []B, f *floats.Code[B]) {
	codes := as[B](dst)[:len(src)] // the first part of the memory of dst
	f.Encode(codes, src)
	if unsafe.Sizeof(C(0)) == unsafe.Sizeof(B(0)) {
		return
	}
	for i := len(codes) - 1; i >= 0; i-- { // the floats that a wider code overwrites have been read
		dst[i] = C(codes[i])
	}
}

// encodeWord writes 64-bit word j of the codes of keys whose size is fixed:
// word 0 decides and the words after it break its ties. Narrow kinds have their
// whole code in the low bits of word 0.
func encodeWord[K Key](dst []uint64, keys []K, j int, o order) {
	encodeWordAs(kindOf[K](), dst, keys, j, o)
}

// encodeWordAs is encodeWord for keys of a kind that is known.
func encodeWordAs[K Key](k kind, dst []uint64, keys []K, j int, o order) {
	flip := uint64(0)
	if o.desc {
		flip = math.MaxUint64
	}
	switch {
	case k == kindFloats3:
		f := floats.Ordered[uint32](o.desc, o.nansLast)
		vectors := as[[3]uint32](keys)
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
	case k == kindFloats4:
		vectors := as[[4]uint32](keys)
		for i := range vectors {
			v := &vectors[i]
			dst[i] = uint64(v[2*j&2])<<32 | uint64(v[2*j&2|1])
		}
		encodePairs(dst[:len(vectors)], o)
	case k == kindBytes16:
		for i, v := range as[[16]byte](keys) {
			dst[i] = binary.BigEndian.Uint64(v[8*j:]) ^ flip
		}
	case k == kindTime:
		for i, t := range as[time.Time](keys) {
			dst[i] = timeWord(t, j) ^ flip
		}
	default:
		encodeAs(k, dst, keys, o)
	}
}

// encodePairs replaces the two floats in each word by their codes.
func encodePairs(words []uint64, o order) {
	f := floats.Ordered[uint32](o.desc, o.nansLast)
	// Sound: the halves of the words are as many 32-bit floats, and each is
	// replaced by its own code.
	halves := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
	f.Encode(halves, halves)
}

// words is the number of 64-bit words in the code of a kind of fixed size.
func (k kind) words() int {
	switch {
	case k == kindTime:
		return 3
	case k.wide():
		return 2
	}
	return 1
}

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

// prefix returns the first eight bytes of s, big-endian, padded with zeros.
func prefix(s string) uint64 {
	p := unsafe.StringData(s)
	if len(s) >= 8 {
		// Sound: the eight bytes are inside s.
		return binary.BigEndian.Uint64((*[8]byte)(unsafe.Pointer(p))[:])
	}
	return shortPrefix(s)
}

// zeroByte returns 9 if one of the n bytes that gave the prefix is zero, and
// otherwise 0.
func zeroByte(prefix uint64, n int) int {
	const ones = 0x0101010101010101
	if n < 8 {
		prefix |= math.MaxUint64 >> (8 * n)
	}
	if (prefix-ones)&^prefix&(ones<<7) != 0 {
		return 9
	}
	return 0
}

// shortPrefix is prefix of fewer than eight bytes, read in parts that overlap: the end of
// a loop over them would be unpredictable.
func shortPrefix(s string) uint64 {
	n := len(s)
	if n >= 4 {
		p := unsafe.StringData(s)
		// Sound: both times, the four bytes are inside s.
		head := binary.BigEndian.Uint32((*[4]byte)(unsafe.Pointer(p))[:])
		tail := binary.BigEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(p), n-4))[:])
		return uint64(head)<<32 | uint64(tail)<<(64-8*n)
	}
	if n == 0 {
		return 0
	}
	return uint64(s[0])<<56 | uint64(s[n/2])<<(56-8*(n/2)) | uint64(s[n-1])<<(64-8*n)
}
