package sortkey

import (
	"bytes"
	"cmp"
	"math"
	"net/netip"
	"unsafe"

	"golang.org/x/exp/constraints"

	"example.com/sorter/internal/floats"
)

// Comparator returns the comparison of two keys under o; for every kind it
// agrees with the codes, which the tests hold it to.
func Comparator[K Key](o Order) func(a, b K) int {
	ascending := ascending[K](o.ascending())
	if !o.Desc {
		return ascending
	}
	return func(a, b K) int { return ascending(b, a) }
}

// ascending returns the ascending order that, reversed if o is descending, is o.
func (o Order) ascending() Order {
	switch {
	case o.NaNs == TotalOrder:
		return Order{NaNs: TotalOrder}
	case o.NaNsAfter() != o.Desc:
		return Order{NaNs: NaNsLast}
	}
	return Order{NaNs: NaNsFirst}
}

// ascending returns the comparison of two keys under an ascending order.
func ascending[K Key](o Order) func(a, b K) int {
	switch KindOf[K]() {
	case Bool:
		return retype[K](func(a, b uint8) int { return cmp.Compare(a&1, b&1) })
	case Int8:
		return retype[K](cmp.Compare[int8])
	case Int16:
		return retype[K](cmp.Compare[int16])
	case Int32:
		return retype[K](cmp.Compare[int32])
	case Int64:
		return retype[K](cmp.Compare[int64])
	case Uint8:
		return retype[K](cmp.Compare[uint8])
	case Uint16:
		return retype[K](cmp.Compare[uint16])
	case Uint32:
		return retype[K](cmp.Compare[uint32])
	case Uint64:
		return retype[K](cmp.Compare[uint64])
	case Float32:
		if o.NaNs == TotalOrder {
			return retype[K](totalOrder32)
		}
		return retype[K](floatOrder[float32](o.NaNs == NaNsLast))
	case Float64:
		if o.NaNs == TotalOrder {
			return retype[K](totalOrder64)
		}
		return retype[K](floatOrder[float64](o.NaNs == NaNsLast))
	case String:
		return retype[K](cmp.Compare[string])
	case Bytes:
		return retype[K](compareBytes)
	default:
		k := KindOf[K]()
		return func(a, b K) int { return CompareAt(k, unsafe.Pointer(&a), unsafe.Pointer(&b), o) }
	}
}

// retype gives a comparison of T the type of a comparison of K.
//
// Sound: as for [As], K's underlying type is T or a scalar of T's size and
// register class, and function values whose parameters have the same
// underlying types share one calling convention.
func retype[K, T any](f func(a, b T) int) func(a, b K) int {
	return *(*func(a, b K) int)(unsafe.Pointer(&f))
}

func floatOrder[T constraints.Float](nansLast bool) func(a, b T) int {
	if !nansLast {
		return cmp.Compare[T]
	}
	return func(a, b T) int {
		if a != a || b != b { // a NaN among them: swapping the sides puts it last
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}
}

func totalOrder32(a, b float32) int {
	f := floats.Total[uint32](false)
	return cmp.Compare(f.Of(math.Float32bits(a)), f.Of(math.Float32bits(b)))
}

func totalOrder64(a, b float64) int {
	f := floats.Total[uint64](false)
	return cmp.Compare(f.Of(math.Float64bits(a)), f.Of(math.Float64bits(b)))
}

func compareBytes(a, b []byte) int {
	// Sound: the strings live no longer than this call and nothing writes to
	// the bytes meanwhile.
	return cmp.Compare(unsafe.String(unsafe.SliceData(a), len(a)), unsafe.String(unsafe.SliceData(b), len(b)))
}

// CompareAt compares two keys of a kind whose keys are no texts.
func CompareAt(k Kind, a, b unsafe.Pointer, o Order) int { return compareWords(k, a, b, 0, o) }

// CompareRest compares two wide keys that are no texts whose leading words tie.
func CompareRest(k Kind, a, b unsafe.Pointer, o Order) int { return compareWords(k, a, b, 1, o) }

// compareWords compares keys by their codes, from word j on, or as a whole if they have any number of words. Times are among
// them: time.Time.Compare prefers monotonic clock readings to the instant.
func compareWords(k Kind, a, b unsafe.Pointer, j int, o Order) int {
	var words [2]uint64
	switch {
	case k == Addr:
		return compareAddrs((*netip.Addr)(a), (*netip.Addr)(b), o.Desc)
	case k.IsArray():
		if o.Desc {
			a, b = b, a
		}
		n := int(k.Size())
		return bytes.Compare(At[byte](a, n)[8*j:], At[byte](b, n)[8*j:])
	}
	for ; j < k.Words(); j++ {
		EncodeWordAt(k, words[:1], a, j, o)
		EncodeWordAt(k, words[1:], b, j, o)
		if c := cmp.Compare(words[0], words[1]); c != 0 {
			return c
		}
	}
	return 0
}
