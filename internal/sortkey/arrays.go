package sortkey

import (
	"encoding/binary"
	"unsafe"
)

// Arrays of bytes are big-endian numbers: of up to 8 bytes one, of more several words. The last word overlaps the one
// before: it is read where that ties. One encoder serves all lengths, so a length costs no code.

// encodeArrays writes the codes of arrays of 2 to 8 bytes, which may lie in the memory of dst if they are as wide as
// codes.
//
// Sound: there are as many arrays at keys as codes, and none is read past the last.
func encodeArrays[C Code](dst []C, keys unsafe.Pointer, size uintptr, o Order) {
	n, flip := len(dst), C(0)
	if o.Desc {
		flip = C(^uint64(0) >> (64 - 8*size))
	}
	switch size {
	case 4:
		for i, a := range At[[4]byte](keys, n) {
			dst[i] = C(binary.BigEndian.Uint32(a[:])) ^ flip
		}
		return
	case 8:
		for i, a := range At[[8]byte](keys, n) {
			dst[i] = C(binary.BigEndian.Uint64(a[:])) ^ flip
		}
		return
	}
	data, shift := At[byte](keys, n*int(size)), 64-8*size
	i := 0
	for ; i < n && len(data) >= 8; i++ {
		dst[i] = C(binary.BigEndian.Uint64(data)>>shift) ^ flip
		data = data[size:]
	}
	for ; i < n; i++ {
		var last [8]byte
		copy(last[:], data[:size])
		dst[i] = C(binary.BigEndian.Uint64(last[:])>>shift) ^ flip
		data = data[size:]
	}
}

// encodeArrayWords writes word j of arrays of 9 to 64 bytes.
//
// Sound: there are as many arrays at keys as words, and the eight bytes that are read end with an array, if not before.
func encodeArrayWords(dst []uint64, keys unsafe.Pointer, size uintptr, j int, flip uint64) {
	at := min(uintptr(8*j), size-8)
	for i := range dst {
		a := (*[8]byte)(unsafe.Add(keys, uintptr(i)*size+at))
		dst[i] = binary.BigEndian.Uint64(a[:]) ^ flip
	}
}
