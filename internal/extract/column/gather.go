package column

import (
	"net/netip"
	"time"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// rowNumber is the type of the numbers of rows.
type rowNumber interface{ int | uint32 }

// gatherKeys writes the keys numbered by at.
func gatherKeys[I rowNumber](k sortkey.Kind, keys unsafe.Pointer, col stream.Raw, at []I) {
	switch k { // vectors are aligned as their elements are
	case sortkey.Floats2:
		gatherAs[[2]uint32](keys, col, at)
		return
	case sortkey.Floats3:
		gatherAs[[3]uint32](keys, col, at)
		return
	case sortkey.Floats4:
		gatherAs[[4]uint32](keys, col, at)
		return
	case sortkey.Integer128, sortkey.Unsigned128:
		gatherAs[[2]uint64](keys, col, at)
		return
	case sortkey.Time:
		gatherAs[time.Time](keys, col, at)
		return
	case sortkey.String:
		gatherAs[string](keys, col, at)
		return
	case sortkey.Bytes:
		gatherAs[[]byte](keys, col, at)
		return
	case sortkey.Addr:
		gatherAs[netip.Addr](keys, col, at)
		return
	}
	if k.IsArray() {
		gatherArrays(int(k.Size()), keys, col, at)
		return
	}
	switch k.Size() {
	case 1:
		gatherAs[uint8](keys, col, at)
	case 2:
		gatherAs[uint16](keys, col, at)
	case 4:
		gatherAs[uint32](keys, col, at)
	default:
		gatherAs[uint64](keys, col, at)
	}
}

func gatherAs[T any, I rowNumber](keys unsafe.Pointer, col stream.Raw, at []I) {
	to, from := sortkey.At[T](keys, len(at)), stream.SliceOf[T](col)
	for i, row := range at {
		to[i] = from[row]
	}
}

// gatherArrays writes the arrays numbered by at. Lengths that are common are moved without a call each.
func gatherArrays[I rowNumber](size int, keys unsafe.Pointer, col stream.Raw, at []I) {
	switch size {
	case 4:
		gatherAs[[4]byte](keys, col, at)
	case 8:
		gatherAs[[8]byte](keys, col, at)
	case 16:
		gatherAs[[16]byte](keys, col, at)
	case 20:
		gatherAs[[20]byte](keys, col, at)
	case 32:
		gatherAs[[32]byte](keys, col, at)
	default:
		to := sortkey.At[byte](keys, len(at)*size)
		for i, row := range at {
			copy(to[i*size:][:size], sortkey.At[byte](col.At(int(row)), size))
		}
	}
}

// clearKey writes the zero key of a kind.
func clearKey(kind sortkey.Kind, key unsafe.Pointer) {
	switch kind {
	case sortkey.String:
		*(*string)(key) = ""
	case sortkey.Time:
		*(*time.Time)(key) = time.Time{}
	case sortkey.Addr:
		*(*netip.Addr)(key) = netip.Addr{}
	default:
		clear(unsafe.Slice((*byte)(key), kind.Size()))
	}
}
