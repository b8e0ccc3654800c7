package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// KeysWithin writes the offsets of the keys in a span to dst, in input order, and sets bit i%64 of masks[i/64] for each such key i. It clears
// the bits of other keys, and counts the keys below the span, and those in it. It overwrites up to [WithinSlack] places of dst after the offsets:
// len(dst) >= len(keys) + WithinSlack, and 64*len(masks) >= len(keys).
func KeysWithin[C Code](dst []C, masks []uint64, keys []C, s KeySpan[C]) (below, within int) {
	if !processor.AVX512 || len(keys) == 0 {
		return keysWithin(dst, masks, keys, s)
	}
	masks[(len(keys)-1)/64] = 0 // bits after the last key
	_ = dst[len(keys)+WithinSlack-1]
	// Sound: the loops read len(keys) keys, store a vector, of up to WithinSlack offsets, after each number of offsets, and a bit for each
	// key of a vector; the conversions are to the types that the sizes of C say it has.
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(keys))
	if unsafe.Sizeof(s.Least) == 4 {
		return keysWithin32((*uint32)(to), &masks[0], (*uint32)(from), len(keys), uint32(s.Negative), uint32(s.Plus-s.Least), uint32(s.Most-s.Least), uint32(^s.Least))
	}
	return keysWithin64((*uint64)(to), &masks[0], (*uint64)(from), len(keys), uint64(s.Negative), uint64(s.Plus-s.Least), uint64(s.Most-s.Least), uint64(^s.Least))
}

//go:noescape
func keysWithin32(dst *uint32, masks *uint64, keys *uint32, n int, negative, plus, most, wrapped uint32) (below, within int)

//go:noescape
func keysWithin64(dst *uint64, masks *uint64, keys *uint64, n int, negative, plus, most, wrapped uint64) (below, within int)
