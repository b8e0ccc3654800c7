package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// upToVectors is [UpTo] of the first n codes, a multiple of 64, by vector instructions; n is 0 if
// there are too few codes or no AVX2.
func upToVectors[C Code](masks []uint64, codes []C, most C) (n int) {
	words := len(codes) / 64
	if !processor.AVX2 || words == 0 {
		return 0
	}
	_ = masks[words-1]
	// Sound: codes has 64*words elements at least, which are all that is read, and masks has words;
	// the conversions are to the types that the sizes of C say it has.
	if at := unsafe.Pointer(unsafe.SliceData(codes)); unsafe.Sizeof(most) == 4 {
		upTo32x64((*uint32)(at), words, uint32(most), &masks[0])
	} else {
		upTo64x64((*uint64)(at), words, uint64(most), &masks[0])
	}
	return 64 * words
}

// upTo32x64 and upTo64x64 write a number of words > 0 of masks, for 64 codes each.

//go:noescape
func upTo32x64(codes *uint32, words int, most uint32, masks *uint64)

//go:noescape
func upTo64x64(codes *uint64, words int, most uint64, masks *uint64)
