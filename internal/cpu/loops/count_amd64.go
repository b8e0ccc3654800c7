package loops

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// countVectors counts, for each of values, the equal words among the first n, and returns n, a
// multiple of two vectors.
func countVectors[C Code](words []C, values *[4]C, counts *[4]int) (n int) {
	const bytes = 64 // of two vectors
	each := bytes / int(unsafe.Sizeof(values[0]))
	turns := len(words) / each
	if !processor.AVX2 || turns == 0 {
		return 0
	}
	// Sound: words has turns·each elements at least, which are all that is read; the
	// conversions are to the types that the sizes of C say it has.
	if at, v := unsafe.Pointer(unsafe.SliceData(words)), unsafe.Pointer(values); each == 16 {
		var found [4][8]uint32
		count32((*uint32)(at), turns, (*[4]uint32)(v), &found)
		for i := range found {
			for _, less := range found[i] {
				counts[i] -= int(int32(less))
			}
		}
	} else {
		var found [4][4]uint64
		count64((*uint64)(at), turns, (*[4]uint64)(v), &found)
		for i := range found {
			for _, less := range found[i] {
				counts[i] -= int(less)
			}
		}
	}
	return turns * each
}

// count32 and count64 count words two vectors at a time; turns > 0 is the number of such
// steps.

//go:noescape
func count32(words *uint32, turns int, values *[4]uint32, counts *[4][8]uint32)

//go:noescape
func count64(words *uint64, turns int, values *[4]uint64, counts *[4][4]uint64)
