package sorter

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// Column is one key of an [Ordering]: a key function, a direction, and where
// nulls and NaNs go. Its methods return a changed copy.
type Column[E any] struct {
	column
	compares comparer[E]
	isNull   func(E) bool
}

// column is a [Column] without the type of its elements, which only its getters know:
// code that is generic in E is compiled for every type that a program sorts.
type column struct {
	key     keyColumn
	kind    kind
	get     getter // of keys that are not given
	order   order
	areNull nullGetter // unless nulls is noNulls
	nulls   nullPlace
	paces   paces // of its functions in a sort
}

type nullPlace uint8

const (
	noNulls nullPlace = iota
	nullsFirst
	nullsLast
)

// Asc returns a column that orders by key, smallest first. It panics if key is
// nil.
func Asc[E any, K Key](key func(E) K) Column[E] {
	if key == nil {
		panic("sorter: nil key function")
	}
	return Column[E]{column: columnOf[K](keyFunc[E, K](key)), compares: compareFunc[E, K](key)}
}

// columnOf returns the ascending column of the keys of a getter.
func columnOf[K Key](get getter) column {
	return column{key: keyType[K]{}, kind: kindOf[K](), get: get}
}

// Desc returns a column that orders by key, largest first. It panics if key is
// nil.
func Desc[E any, K Key](key func(E) K) Column[E] {
	c := Asc(key)
	c.order.desc = true
	return c
}

// AscOf returns a column for [OrderN] whose keys are the elements of col by row number,
// smallest first. It orders like Asc(func(row int) K { return col[row] }), without a
// call for each row, and keys are not copied unless the column has nulls.
//
// Sorts panic if a row that is not null has a number not below len(col), [OrderN] of a
// column without nulls before it begins. col must not change while they run.
func AscOf[K Key](col []K) Column[int] {
	c := Asc(func(row int) K { return col[row] })
	c.key = sliceKey[K]{col: col[:len(col):len(col)]}
	return c
}

// DescOf is [AscOf], largest first.
func DescOf[K Key](col []K) Column[int] {
	c := AscOf(col)
	c.order.desc = true
	return c
}

// NullsFirst puts the elements for which isNull holds before all others,
// whatever the direction; they tie with each other, and the key function is
// not called for them. It panics if isNull is nil.
func (c Column[E]) NullsFirst(isNull func(E) bool) Column[E] {
	return c.withNulls(isNull, nullsFirst)
}

// NullsLast puts the elements for which isNull holds after all others,
// whatever the direction; they tie with each other, and the key function is
// not called for them. It panics if isNull is nil.
func (c Column[E]) NullsLast(isNull func(E) bool) Column[E] {
	return c.withNulls(isNull, nullsLast)
}

func (c Column[E]) withNulls(isNull func(E) bool, place nullPlace) Column[E] {
	if isNull == nil {
		panic("sorter: nil null function")
	}
	c.isNull, c.areNull, c.nulls = isNull, nullFunc[E](isNull), place
	return c
}

// NaNsLast puts NaN keys of this column after all other keys, whatever the
// direction.
func (c Column[E]) NaNsLast() Column[E] {
	c.order.nansLast = true
	return c
}

// under returns the column as the options of a call change it.
func (c column) under(cfg config) column {
	c.order.desc = c.order.desc != cfg.descending
	c.order.nansLast = c.order.nansLast || cfg.nansLast
	return c
}

// bits returns the width of the column's code, its null flag included. Above 64 a code is
// a prefix, and the key has to be kept.
func (c column) bits() int {
	if c.kind.wide() {
		return 128
	}
	if c.nulls != noNulls {
		return codeBits[c.kind] + 1
	}
	return codeBits[c.kind]
}

// nullCode returns the code of a null and the number added to other codes, for a
// null flag at the given bit, at most 63: a 64-bit kind with a flag is a prefix.
func (c column) nullCode(bit int) (null, other uint64) {
	if c.nulls == nullsFirst {
		return 0, 1 << bit
	}
	return 1 << bit, 0
}

// given reports whether the column's keys lie in a slice and no function has to
// be called for them.
func (c column) given() bool { return c.key.given() && c.nulls == noNulls }

// codes writes the column's codes of the len(dst) elements of b; bits() <= 64. A
// cancelled context leaves codes out.
func (c *column) codes(dst []uint64, b batch) {
	b.pace = c.paces.key
	if c.nulls == noNulls {
		c.key.codes64(dst, b, c)
		return
	}
	null, other := c.nullCode(codeBits[c.kind])
	for lo := 0; lo < len(dst); lo += 64 {
		hi := min(lo+64, len(dst))
		nulls := c.key.codesOrNull(dst[lo:hi], b.part(lo, hi), c)
		for i := range dst[lo:hi] {
			if nulls>>i&1 != 0 {
				dst[lo+i] = null
			} else {
				dst[lo+i] |= other
			}
		}
	}
}

// keysOrNull writes the keys of at most 64 elements that are not null, and zeros for the
// others, which have a bit each in nulls. It returns the number written, like keysFrom.
func keysOrNull[K Key](keys []K, b batch, c *column) (nulls uint64, n int) {
	b.pace = c.paces.null
	if nulls, n = nullsFrom(len(keys), b, c.areNull); n < len(keys) {
		return nulls, 0
	}
	b.pace = c.paces.key
	return nulls, keysFrom(keys, b, c.get, nulls)
}

// nullsFrom returns which of the first n elements of b are null, at most 64 of them, and
// how many were asked about, as keysFrom does.
func nullsFrom(n int, b batch, areNull nullGetter) (nulls uint64, asked int) {
	block := b.block.Part(0, n)
	if b.pace == nil {
		return areNull.nulls(block.Data(), n), n
	}
	t := turns{pace: b.pace, n: n}
	for t.begin(); t.lo < n && t.next(); t.end() {
		nulls |= areNull.nulls(block.Part(t.lo, t.hi).Data(), t.hi-t.lo) << t.lo
	}
	return nulls, t.lo
}

// comparator returns the comparison of two elements by this column.
func (c Column[E]) comparator() func(a, b E) int {
	compare := c.compares.comparator(c.order)
	if c.nulls == noNulls {
		return compare
	}
	return func(a, b E) int {
		null := c.isNull(a)
		switch {
		case null && c.isNull(b):
			return 0
		case !null && !c.isNull(b):
			return compare(a, b)
		case null == (c.nulls == nullsFirst):
			return -1
		}
		return 1
	}
}

// keyColumn is the type of a column's keys, hidden, and where they lie if they are
// given.
type keyColumn interface {
	codes32(dst []uint32, b batch, c *column)                    // of len(dst) elements; narrow kinds of at most 32 bits
	codes64(dst []uint64, b batch, c *column)                    // the same; narrow kinds
	codesOrNull(dst []uint64, b batch, c *column) (nulls uint64) // the same for at most 64, of which some are null
	keep(c column, rows rows, arena *scratch.Arena) keptKeys
	keptSize() uintptr              // bytes that keep takes per element, unless keys are given
	given() bool                    // keys lie in a slice by element: no function is called, no element read
	forRows(c column, n int) column // the column for elements that are the row numbers 0 … n-1
	holds(p perm.Perm) bool         // keys lie in a slice that shares memory with p
}

// getter is a key function with both of its types hidden.
type getter interface {
	// get writes the keys of n elements; both addresses are of the first one, and are not
	// kept. If nulls is not 0, n is at most 64, and an element whose bit is set is null:
	// its key is zero. Unless ask is nil it is asked before each call of a key function,
	// and no call follows once it is cancelled. get returns the number of keys written.
	get(keys, elements unsafe.Pointer, n int, nulls uint64, ask context.Context) int
}

// keyFunc is the key function of a slice's elements. Besides code that moves elements,
// only get is compiled for every pair of E and K.
type keyFunc[E any, K Key] func(E) K

// get calls f for eight elements a turn: a call spills the
// registers of the loop, so that a turn costs as much as the call of a key that is a field.
//
// Sound: callers have n elements of E, and room for as many keys.
//
//go:noinline
func (f keyFunc[E, K]) get(to, elements unsafe.Pointer, n int, nulls uint64, ask context.Context) int {
	keys, block := unsafe.Slice((*K)(to), n), unsafe.Slice((*E)(elements), n)
	if nulls != 0 || ask != nil {
		for i := range keys {
			if ask != nil && ask.Err() != nil {
				return i
			}
			var k K
			if nulls>>i&1 == 0 {
				k = f(block[i])
			}
			keys[i] = k
		}
		return n
	}
	for len(block) >= 8 && len(keys) >= 8 {
		e, k := (*[8]E)(block), (*[8]K)(keys)
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

// ownKeys is the getter of elements that are keys.
type ownKeys[K Key] struct{}

func (*ownKeys[K]) get(keys, elements unsafe.Pointer, n int, _ uint64, _ context.Context) int {
	return copy(unsafe.Slice((*K)(keys), n), unsafe.Slice((*K)(elements), n)) // sound as in keyFunc
}

// keysFrom writes the keys of b's elements and returns the number written: all of them
// unless the context was cancelled. b has at most 64 elements if nulls is not 0.
func keysFrom[K Key](keys []K, b batch, get getter, nulls uint64) int {
	if len(keys) == 0 {
		return 0
	}
	block := b.block.Part(0, len(keys))
	if b.pace == nil || b.pace.few {
		return get.get(cpu.Hidden(unsafe.Pointer(&keys[0])), block.Data(), len(keys), nulls, b.pace.each())
	}
	t := turns{pace: b.pace, n: len(keys)}
	for t.begin(); t.lo < len(keys) && t.next(); t.end() {
		get.get(cpu.Hidden(unsafe.Pointer(&keys[t.lo])), block.Part(t.lo, t.hi).Data(), t.hi-t.lo, nulls>>t.lo, nil)
	}
	return t.lo
}

// nullGetter is a null function with the type of its elements hidden.
type nullGetter interface {
	// nulls returns a bit for each of n elements, at most 64, the first at the address:
	// 1 if it is null.
	nulls(elements unsafe.Pointer, n int) uint64
}

type nullFunc[E any] func(E) bool

// nulls is sound: callers have n elements of E.
func (f nullFunc[E]) nulls(elements unsafe.Pointer, n int) (nulls uint64) {
	for i, e := range unsafe.Slice((*E)(elements), n) {
		if f(e) {
			nulls |= 1 << i
		}
	}
	return nulls
}

// comparer is a key function that elements can be compared by.
type comparer[E any] interface {
	comparator(o order) func(a, b E) int
}

type compareFunc[E any, K Key] func(E) K

func (f compareFunc[E, K]) comparator(o order) func(a, b E) int {
	compare := comparator[K](o)
	return func(a, b E) int { return compare(f(a), f(b)) }
}

// keyType is the keys of a key function.
type keyType[K Key] struct{}

func (keyType[K]) given() bool { return false }

func (keyType[K]) forRows(c column, _ int) column { return c }

func (keyType[K]) holds(perm.Perm) bool { return false }

func (keyType[K]) codes32(dst []uint32, b batch, c *column) {
	extractAs[K](c.kind, dst, b, c.get, c.order)
}

func (keyType[K]) codes64(dst []uint64, b batch, c *column) {
	extractAs[K](c.kind, dst, b, c.get, c.order)
}

func (keyType[K]) codesOrNull(dst []uint64, b batch, c *column) (nulls uint64) {
	if len(dst) <= few {
		var keys [few]K
		return encodeOrNull(dst, keys[:len(dst)], b, c)
	}
	var keys [64]K
	return encodeOrNull(dst, keys[:len(dst)], b, c)
}

func encodeOrNull[K Key](dst []uint64, keys []K, b batch, c *column) (nulls uint64) {
	nulls, _ = keysOrNull(keys, b, c)
	encodeAs(c.kind, dst, keys, c.order)
	return nulls
}

// sliceKey is the keys of a slice that row numbers refer to.
type sliceKey[K Key] struct {
	keyType[K]
	col      []K  // without more capacity
	numbered bool // elements are their own numbers: keys lie in col by element
}

func (f sliceKey[K]) given() bool { return f.numbered }

func (f sliceKey[K]) forRows(c column, n int) column {
	if c.nulls == noNulls && n > len(f.col) {
		panic(fmt.Sprintf("sorter: OrderN of %d rows by a column of %d", n, len(f.col)))
	}
	f.numbered = true
	c.key = f
	return c
}

func (f sliceKey[K]) holds(p perm.Perm) bool { return overlap(p, f.col) }

func (f sliceKey[K]) codes32(dst []uint32, b batch, c *column) {
	encodeRows(dst, b, f, c.get, c.order)
}

func (f sliceKey[K]) codes64(dst []uint64, b batch, c *column) {
	encodeRows(dst, b, f, c.get, c.order)
}

// encodeRows encodes keys where they are, if rows follow each other.
func encodeRows[K Key, C code](dst []C, b batch, f sliceKey[K], get getter, o order) {
	switch {
	case !f.numbered:
		extract[K](dst, b, get, o)
	case b.at == nil:
		encode(dst, f.col[b.lo:b.lo+len(dst)], o)
	default:
		var keys [piece]K
		for at := b.at; len(dst) > 0; {
			n := min(piece, len(dst))
			for i, row := range at[:n] {
				keys[i] = f.col[row]
			}
			encode(dst[:n], keys[:n], o)
			dst, at = dst[n:], at[n:]
		}
	}
}

// piece is the number of keys that are extracted before they are encoded: their buffer
// stays in the first-level cache and on the stack.
const piece = 256

// few is a number of keys whose buffer costs next to nothing to clear.
const few = 16

// extract reads the keys of the elements of b and writes their codes. A cancelled context
// leaves codes out.
func extract[K Key, C code](dst []C, b batch, get getter, o order) {
	extractAs[K](kindOf[K](), dst, b, get, o)
}

// extractAs is extract of keys of a kind that is known.
func extractAs[K Key, C code](k kind, dst []C, b batch, get getter, o order) {
	if len(dst) <= few {
		var keys [few]K
		keysFrom(keys[:len(dst)], b, get, 0)
		encodeAs(k, dst, keys[:len(dst)], o)
		return
	}
	var keys [piece]K
	for i := 0; i < len(dst); i += piece {
		j := min(i+piece, len(dst))
		keysFrom(keys[:j-i], b.part(i, j), get, 0)
		encodeAs(k, dst[i:j], keys[:j-i], o)
	}
}

// pieces are buffers for the codes of one column while several are packed.
var pieces = sync.Pool{New: func() any { return new([piece]uint64) }}
