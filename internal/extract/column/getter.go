package column

import (
	"context"
	"math"
	"math/bits"
	"net/netip"
	"time"
	"unsafe"

	"example.com/sorter/internal/sortkey"
)

// Getter is a key function with both of its types hidden.
type Getter interface {
	// Get writes the keys of n elements. keys and elements are the addresses of the first
	// of each; Get does not retain them. If nulls is not 0, n is at most 64, and an element
	// whose bit is set is null: its key is zero. Unless ask is nil, Get checks it before
	// each call of a key function and stops once it is cancelled. It returns the number of
	// keys written.
	Get(keys, elements unsafe.Pointer, n int, nulls uint64, ask context.Context) int
	// Comparison returns the comparison of two elements by their keys: a func(a, b E) int, where E
	// is their type, or a func(a, b unsafe.Pointer) int of their addresses.
	Comparison(o sortkey.Order) any
	// nullsOf returns the nulls that a [Spec] has as an address: the value of a func(E) bool, or the
	// field whose keys these are.
	nullsOf(nulls unsafe.Pointer) NullGetter
}

// Func is the key function of a slice's elements. Besides the code that moves elements,
// only Get is compiled for every pair of E and K.
type Func[E any, K sortkey.Key] func(E) K

// Get calls f for eight elements per iteration. A call spills the loop's registers, which
// costs as much as the call of a function that returns a field.
//
// Sound: callers have n elements of E, and room for as many keys.
//
//go:noinline
func (f Func[E, K]) Get(to, elements unsafe.Pointer, n int, nulls uint64, ask context.Context) int {
	keys, block := unsafe.Slice((*K)(to), n), unsafe.Slice((*E)(elements), n)
	if nulls == 0 && ask != nil {
		for i := range keys {
			if ask.Err() != nil {
				return i
			}
			keys[i] = f(block[i])
		}
		return n
	}
	if nulls != 0 {
		return f.getOthers(keys, block, nulls, ask)
	}
	for len(block) >= 8 && len(keys) >= 8 {
		e, k := block[:8:8], keys[:8:8] // no [8]E, of which the linker would keep the comparison: 3 KB per type of elements
		k[0] = f(e[0])
		k[1] = f(e[1])
		k[2] = f(e[2])
		k[3] = f(e[3])
		k[4] = f(e[4])
		k[5] = f(e[5])
		k[6] = f(e[6])
		k[7] = f(e[7])
		block, keys = block[8:], keys[8:]
	}
	for i := range keys {
		keys[i] = f(block[i])
	}
	return n
}

// getOthers is Get of at most 64 elements, of which some are null. No branch asks which: it would be mispredicted.
func (f Func[E, K]) getOthers(keys []K, block []E, nulls uint64, ask context.Context) int {
	clear(keys)
	for others := ^nulls & (math.MaxUint64 >> (64 - len(keys))); others != 0; others &= others - 1 {
		i := bits.TrailingZeros64(others)
		if ask != nil && ask.Err() != nil {
			return i
		}
		keys[i] = f(block[i])
	}
	return len(keys)
}

// Comparison calls f for both elements.
func (f Func[E, K]) Comparison(o sortkey.Order) any {
	compare := sortkey.Comparator[K](o)
	return func(a, b E) int { return compare(f(a), f(b)) }
}

// nullsOf is sound: a function value is an address.
func (f Func[E, K]) nullsOf(function unsafe.Pointer) NullGetter {
	return *(*NullFunc[E])(unsafe.Pointer(&function))
}

// NullGetter is a null function with the type of its elements hidden.
type NullGetter interface {
	// Nulls returns a bit for each of n elements, at most 64, the first at the address:
	// 1 if it is null.
	Nulls(elements unsafe.Pointer, n int) uint64
}

// NullPlace is where a column puts its nulls.
type NullPlace uint8

const (
	NoNulls NullPlace = iota
	NullsFirst
	NullsLast
)

// NullFunc is the null function of a slice's elements.
type NullFunc[E any] func(E) bool

// Nulls is sound: callers have n elements of E.
func (f NullFunc[E]) Nulls(elements unsafe.Pointer, n int) (nulls uint64) {
	block := unsafe.Slice((*E)(elements), n)
	for len(block) >= 8 { // as [Func.Get]
		e := block[:8:8]
		some := bit(f(e[0])) | bit(f(e[1]))<<1 | bit(f(e[2]))<<2 | bit(f(e[3]))<<3 |
			bit(f(e[4]))<<4 | bit(f(e[5]))<<5 | bit(f(e[6]))<<6 | bit(f(e[7]))<<7
		nulls = nulls>>8 | some<<56
		block = block[8:]
	}
	nulls >>= (64 - n&^7) & 63
	for i, e := range block {
		nulls |= bit(f(e)) << (n&^7 + i)
	}
	return nulls
}

// nullsOfRows is nullsOf of elements that are row numbers.
func nullsOfRows(function unsafe.Pointer) NullFunc[int] {
	return *(*NullFunc[int])(unsafe.Pointer(&function)) // sound as Func's
}

// bit returns 1 if set, without a branch, which would be mispredicted.
func bit(set bool) (b uint64) {
	if set {
		b = 1
	}
	return b
}

// Own returns the getter of elements that are keys of a kind.
func Own(k sortkey.Kind) Getter {
	if k.IsArray() {
		return ownArrays(k.Size())
	}
	return own[k]
}

var own = [sortkey.Kinds]Getter{
	sortkey.Bool: (*ownKeys[uint8])(nil), sortkey.Int8: (*ownKeys[uint8])(nil), sortkey.Uint8: (*ownKeys[uint8])(nil),
	sortkey.Int16: (*ownKeys[uint16])(nil), sortkey.Uint16: (*ownKeys[uint16])(nil),
	sortkey.Int32: (*ownKeys[uint32])(nil), sortkey.Uint32: (*ownKeys[uint32])(nil), sortkey.Float32: (*ownKeys[uint32])(nil),
	sortkey.Int64: (*ownKeys[uint64])(nil), sortkey.Uint64: (*ownKeys[uint64])(nil), sortkey.Float64: (*ownKeys[uint64])(nil),
	sortkey.Floats2: (*ownKeys[[2]uint32])(nil), sortkey.Floats3: (*ownKeys[[3]uint32])(nil), sortkey.Floats4: (*ownKeys[[4]uint32])(nil),
	sortkey.Integer128: (*ownKeys[[2]uint64])(nil), sortkey.Unsigned128: (*ownKeys[[2]uint64])(nil), sortkey.Time: (*ownKeys[time.Time])(nil),
	sortkey.String: (*ownKeys[string])(nil), sortkey.Bytes: (*ownKeys[[]byte])(nil), sortkey.Addr: (*ownKeys[netip.Addr])(nil),
}

// ownKeys is the getter of elements that are keys.
type ownKeys[K any] struct{}

func (*ownKeys[K]) Get(keys, elements unsafe.Pointer, n int, _ uint64, _ context.Context) int {
	return copy(unsafe.Slice((*K)(keys), n), unsafe.Slice((*K)(elements), n)) // sound as in Func
}

// Elements that are keys are those of no column of an ordering.

func (*ownKeys[K]) Comparison(sortkey.Order) any { return nil }

func (*ownKeys[K]) nullsOf(unsafe.Pointer) NullGetter { return nil }

// ownArrays is [ownKeys] of arrays: their length.
type ownArrays uint8

// Get is sound: callers have n arrays, and room for as many.
func (size ownArrays) Get(keys, elements unsafe.Pointer, n int, _ uint64, _ context.Context) int {
	copy(sortkey.At[byte](keys, n*int(size)), sortkey.At[byte](elements, n*int(size)))
	return n
}

func (ownArrays) Comparison(sortkey.Order) any { return nil }

func (ownArrays) nullsOf(unsafe.Pointer) NullGetter { return nil }
