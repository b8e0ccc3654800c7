package floats

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// vector is the size of a vector in bytes.
const vector = 32

// encodeVectors is Encode for the first n floats, and returns n.
func encodeVectors[B Bits](dst, src []B, c *Code[B]) int {
	n := inVectors[B](len(src))
	if n == 0 {
		return 0
	}
	// Sound, here and below: dst and src are checked to have n elements, which are
	// whole vectors.
	to, from := unsafe.Pointer(&dst[:n][0]), unsafe.Pointer(&src[:n][0])
	switch size := int(unsafe.Sizeof(B(0))); {
	case size == 4 && c.replaces():
		encode32(to, from, n*size/vector, unsafe.Pointer(c))
	case size == 4:
		encodeAll32(to, from, n*size/vector, unsafe.Pointer(c))
	case c.replaces():
		encode64(to, from, n*size/vector, unsafe.Pointer(c))
	default:
		encodeAll64(to, from, n*size/vector, unsafe.Pointer(c))
	}
	return n
}

// replaces reports whether floats may have the code of another float: of +0, or of a NaN.
func (c *Code[B]) replaces() bool { return c.zero != 0 || c.most != ^sign[B]() }

// decodeVectors is Decode for the first n codes, and returns n.
func decodeVectors[B Bits](dst, codes []B, c *Code[B]) int {
	n := inVectors[B](len(codes))
	if n == 0 {
		return 0
	}
	to, from := unsafe.Pointer(&dst[:n][0]), unsafe.Pointer(&codes[:n][0])
	if size := int(unsafe.Sizeof(B(0))); size == 4 {
		decode32(to, from, n*size/vector, unsafe.Pointer(c))
	} else {
		decode64(to, from, n*size/vector, unsafe.Pointer(c))
	}
	return n
}

// inVectors returns how many of n elements fill whole vectors.
func inVectors[B Bits](n int) int {
	if !processor.AVX2 {
		return 0
	}
	return n &^ (vector/int(unsafe.Sizeof(B(0))) - 1)
}

// encode32 and encode64 encode vectors > 0 vectors of floats; decode32 and decode64 decode
// them. c is a *Code of their width.

//go:noescape
func encode32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)

//go:noescape
func encode64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)

// encodeAll32 and encodeAll64 are those of a mapping that replaces nothing.

//go:noescape
func encodeAll32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)

//go:noescape
func encodeAll64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)

//go:noescape
func decode32(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)

//go:noescape
func decode64(dst, src unsafe.Pointer, vectors int, c unsafe.Pointer)
