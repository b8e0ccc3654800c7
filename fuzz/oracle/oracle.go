// Package oracle states the order that package sorter promises, in the
// plainest words Go has: one comparison function for every kind of key. Tests
// and fuzz targets compare the library with it; it shares no code with it.
package oracle

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"net/netip"
	"reflect"
	"time"
	"unsafe"

	"example.com/sorter"
)

// Order is the direction of a key, and the place of its NaNs. The zero Order is ascending with
// NaNs first.
type Order struct {
	Desc bool
	NaNs NaNs
}

// NaNs is the place of NaNs among other keys.
type NaNs int

const (
	Least NaNs = iota // below all others
	First             // first, whatever the direction
	Last              // last, whatever the direction
	Total             // floats by sign and bits: the total order of IEEE 754
)

// Of returns the order of a column in a sort whose options ask for o.
func (o Order) Of(column Order) Order {
	column.Desc = column.Desc != o.Desc
	if column.NaNs == Least {
		column.NaNs = o.NaNs
	}
	return column
}

// Ordered returns the order of integers, floats and strings.
func Ordered[K cmp.Ordered](o Order) func(a, b K) int {
	return func(a, b K) int {
		aNaN, bNaN := a != a, b != b
		switch {
		case o.NaNs == Total && o.Desc:
			return total(b, a)
		case o.NaNs == Total:
			return total(a, b)
		case o.NaNs == First && (aNaN || bNaN):
			return falseFirst(bNaN, aNaN)
		case o.NaNs == Last && (aNaN || bNaN):
			return falseFirst(aNaN, bNaN)
		case o.Desc:
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}
}

// total compares floats by the total order of IEEE 754, and other keys by value.
func total[K cmp.Ordered](a, b K) int {
	switch reflect.TypeFor[K]().Kind() {
	case reflect.Float32:
		x, y := math.Float32bits(*(*float32)(unsafe.Pointer(&a))), math.Float32bits(*(*float32)(unsafe.Pointer(&b)))
		return bySign(x>>31, y>>31, uint64(x<<1), uint64(y<<1))
	case reflect.Float64:
		x, y := math.Float64bits(*(*float64)(unsafe.Pointer(&a))), math.Float64bits(*(*float64)(unsafe.Pointer(&b)))
		return bySign(x>>63, y>>63, x<<1, y<<1)
	}
	return cmp.Compare(a, b)
}

// bySign compares numbers by sign, 1 if negative, and magnitude.
func bySign[S cmp.Ordered](aSign, bSign S, a, b uint64) int {
	var positive S
	switch {
	case aSign != bSign:
		return cmp.Compare(bSign, aSign)
	case aSign != positive:
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// Int128 returns the order of integers of two words.
func Int128(o Order) func(a, b sorter.Int128) int {
	return directed(o, func(a, b sorter.Int128) int { return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo)) })
}

// Uint128 returns the order of unsigned integers of two words.
func Uint128(o Order) func(a, b sorter.Uint128) int {
	return directed(o, func(a, b sorter.Uint128) int { return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo)) })
}

// Bools returns the order of bools: false first.
func Bools[K ~bool](o Order) func(a, b K) int {
	return directed(o, func(a, b K) int { return falseFirst(bool(a), bool(b)) })
}

// Bytes returns the order of byte strings: bytewise.
func Bytes[K ~[]byte](o Order) func(a, b K) int {
	return directed(o, func(a, b K) int { return bytes.Compare(a, b) })
}

// ByteArrays returns the order of arrays of bytes: bytewise.
func ByteArrays[K sorter.ByteArray](o Order) func(a, b K) int {
	return directed(o, func(a, b K) int { return bytes.Compare(memory(&a), memory(&b)) })
}

// Addrs returns the order of addresses.
func Addrs(o Order) func(a, b netip.Addr) int { return directed(o, netip.Addr.Compare) }

// Bytes16 returns the order of 16-byte arrays: bytewise.
func Bytes16[K ~[16]byte](o Order) func(a, b K) int {
	return directed(o, func(a, b K) int { return bytes.Compare(a[:], b[:]) })
}

// Floats returns the order of vectors: that of the first component that
// differs.
func Floats[K ~[2]float32 | ~[3]float32 | ~[4]float32](o Order) func(a, b K) int {
	component := Ordered[float32](o)
	return func(a, b K) int {
		for i := range len(a) {
			if c := component(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	}
}

// Times returns the order of instants: neither locations nor monotonic clock
// readings count.
func Times(o Order) func(a, b time.Time) int {
	return directed(o, func(a, b time.Time) int { return a.Round(0).Compare(b.Round(0)) })
}

func directed[K any](o Order, ascending func(a, b K) int) func(a, b K) int {
	if !o.Desc {
		return ascending
	}
	return func(a, b K) int { return ascending(b, a) }
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Same reports whether a and b are the same bit for bit: NaN payloads, signs
// of zeros, the identity of strings and byte slices. K must have no padding,
// which holds for every kind of key.
func Same[K any](a, b K) bool { return bytes.Equal(memory(&a), memory(&b)) }

// Hash returns a hash of the bits of k, the same for the same bits while the
// process runs: equal sums of the hashes of many keys mean the same keys in any
// order.
func Hash[K any](k K) uint64 { return maphash.Bytes(seed, memory(&k)) }

var seed = maphash.MakeSeed()

// memory views the bytes of *k. Sound: the view has the size of k, is only
// read, and keeps k alive.
func memory[K any](k *K) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(k)), unsafe.Sizeof(*k))
}
