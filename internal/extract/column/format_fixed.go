package column

import (
	"context"
	"encoding/binary"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// inSlice is the format of keys that lie in a slice.
type inSlice struct {
	kind sortkey.Kind
	keys stream.Raw
}

// InSlice returns the format of keys that lie in a slice.
func InSlice[K sortkey.Key](keys []K) Format {
	switch kind := sortkey.KindOf[K](); kind {
	case sortkey.String:
		return &stringSlice{inSlice{kind, stream.RawOf(keys)}}
	case sortkey.Bytes:
		return &textRows[byteSlices]{sortkey.As[[]byte](keys)}
	default:
		return &inSlice{kind, stream.RawOf(keys)}
	}
}

// InMemory returns the format of keys of a kind, no strings, that lie in memory.
func InMemory(k sortkey.Kind, keys stream.Raw) Format { return &inSlice{k, keys} }

func (s *inSlice) Kind() sortkey.Kind { return s.kind }

func (s *inSlice) Len() int { return s.keys.Len() }

func (s *inSlice) Read(_ unsafe.Pointer, lo, n int) unsafe.Pointer {
	return s.keys.Part(lo, lo+n).Data()
}

func (s *inSlice) Gather(buf unsafe.Pointer, rows []uint32) { gatherKeys(s.kind, buf, s.keys, rows) }

func (s *inSlice) GatherInts(buf unsafe.Pointer, rows []int) { gatherKeys(s.kind, buf, s.keys, rows) }

func (s *inSlice) overlaps(m stream.Raw) bool { return s.keys.Overlaps(m) }

func (s *inSlice) slice() stream.Raw { return s.keys }

// stringSlice is [inSlice] of strings.
type stringSlice struct{ inSlice }

// Text is sound: there are strings.
func (s *stringSlice) Text(row int) string { return *(*string)(s.keys.At(row)) }

// sliceKeys is a [Spec] of keys that lie in a slice, as their format and their getter: neither takes memory.
type sliceKeys Spec

func (s *sliceKeys) slice() stream.Raw {
	keys, _ := (*Spec)(s).Slice()
	return keys
}

func (s *sliceKeys) in() *inSlice { return &inSlice{s.Kind(), s.slice()} }

func (s *sliceKeys) Kind() sortkey.Kind { return (*Spec)(s).Kind() }

func (s *sliceKeys) Len() int { return s.slice().Len() }

func (s *sliceKeys) Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer {
	return s.in().Read(buf, lo, n)
}

func (s *sliceKeys) Gather(buf unsafe.Pointer, rows []uint32) { s.in().Gather(buf, rows) }

func (s *sliceKeys) GatherInts(buf unsafe.Pointer, rows []int) { s.in().GatherInts(buf, rows) }

func (s *sliceKeys) overlaps(m stream.Raw) bool { return s.slice().Overlaps(m) }

func (s *sliceKeys) Get(to, elements unsafe.Pointer, n int, nulls uint64, _ context.Context) int {
	return getRows(s, to, elements, n, nulls)
}

func (s *sliceKeys) Comparison(o sortkey.Order) any { return rowsComparator(s, o) }

func (s *sliceKeys) nullsOf(function unsafe.Pointer) NullGetter { return nullsOfRows(function) }

// Octets returns the format of byte strings of one width that lie one after the other; len(data) is
// a multiple of width > 0. Up to 8 bytes are read as a number, 16 as an array, others as text.
func Octets(data []byte, width int) Format {
	switch {
	case width == 1:
		return InSlice(data)
	case width <= 8:
		return &octets{data, width}
	case width == 16:
		return &inSlice{sortkey.Bytes16, stream.RawAt(unsafe.Pointer(unsafe.SliceData(data)), 16, len(data)/16)}
	}
	return &textRows[wideOctets]{wideOctets{stringOf(data), width}}
}

// octets is the format of byte strings of 2 to 8 bytes, as big-endian numbers.
type octets struct {
	data  []byte
	width int
}

func (o *octets) Kind() sortkey.Kind {
	switch {
	case o.width == 2:
		return sortkey.Uint16
	case o.width <= 4:
		return sortkey.Uint32
	}
	return sortkey.Uint64
}

func (o *octets) Len() int { return len(o.data) / o.width }

func (o *octets) overlaps(m stream.Raw) bool { return stream.RawOf(o.data).Overlaps(m) }

func (o *octets) Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer {
	switch data := o.data[lo*o.width : (lo+n)*o.width]; {
	case o.width == 2:
		readOctets(sortkey.At[uint16](buf, n), data, o.width)
	case o.width <= 4:
		readOctets(sortkey.At[uint32](buf, n), data, o.width)
	default:
		readOctets(sortkey.At[uint64](buf, n), data, o.width)
	}
	return buf
}

// readOctets writes the numbers of len(to)*width bytes.
func readOctets[T uint16 | uint32 | uint64](to []T, data []byte, width int) {
	shift := 64 - 8*width
	i := 0
	for ; i < len(to) && len(data) >= 8; i++ {
		to[i] = T(binary.BigEndian.Uint64(data) >> shift)
		data = data[width:]
	}
	for ; i < len(to); i++ {
		to[i] = T(sortkey.Prefix(stringOf(data[:width])) >> shift)
		data = data[width:]
	}
}

func (o *octets) Gather(buf unsafe.Pointer, rows []uint32) { gatherOctets(o, buf, rows) }

func (o *octets) GatherInts(buf unsafe.Pointer, rows []int) { gatherOctets(o, buf, rows) }

func gatherOctets[I rowNumber](o *octets, buf unsafe.Pointer, rows []I) {
	switch {
	case o.width == 2:
		gatherOctetsAs(sortkey.At[uint16](buf, len(rows)), o, rows)
	case o.width <= 4:
		gatherOctetsAs(sortkey.At[uint32](buf, len(rows)), o, rows)
	default:
		gatherOctetsAs(sortkey.At[uint64](buf, len(rows)), o, rows)
	}
}

func gatherOctetsAs[T uint16 | uint32 | uint64, I rowNumber](to []T, o *octets, rows []I) {
	for i, row := range rows {
		lo := int(row) * o.width
		to[i] = T(sortkey.Prefix(stringOf(o.data[lo:lo+o.width])) >> (64 - 8*o.width))
	}
}

// stringOf views bytes as a string. Sound: they do not change while sorts run.
func stringOf(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }
