package sorter

import (
	"fmt"
	"sync"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// Column is one key of an [Ordering]: a key function, a direction, and where
// nulls and NaNs go. Its methods return a changed copy.
type Column[E any] struct {
	key    keyColumn[E]
	order  order
	isNull func(E) bool
	nulls  nullPlace
	paces  paces // of its functions in a sort
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
	return Column[E]{key: keyFunc[E, K](key)}
}

// Desc returns a column that orders by key, largest first. It panics if key is
// nil.
func Desc[E any, K Key](key func(E) K) Column[E] {
	c := Asc(key)
	c.order.desc = true
	return c
}

// AscOf returns a column for [OrderN] whose keys are the elements of col by row
// number, smallest first: Asc(func(row int) K { return col[row] }), but read where
// they are, as [OrderKeys] reads its keys: without a call for each row, and kept
// nowhere else unless nulls are among them. Sorts panic if a row that is not null
// has a number not below len(col), [OrderN] without nulls before it begins. col
// must not change while they run.
func AscOf[K Key](col []K) Column[int] {
	return Column[int]{key: sliceKey[K]{func(row int) K { return col[row] }, col[:len(col):len(col)], false}}
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

// NullsLast puts the elements for which isNull holds behind all others,
// whatever the direction; they tie with each other, and the key function is
// not called for them. It panics if isNull is nil.
func (c Column[E]) NullsLast(isNull func(E) bool) Column[E] {
	return c.withNulls(isNull, nullsLast)
}

func (c Column[E]) withNulls(isNull func(E) bool, place nullPlace) Column[E] {
	if isNull == nil {
		panic("sorter: nil null function")
	}
	c.isNull, c.nulls = isNull, place
	return c
}

// NaNsLast puts NaN keys of this column behind all other keys, whatever the
// direction.
func (c Column[E]) NaNsLast() Column[E] {
	c.order.nansLast = true
	return c
}

// under returns the column as the options of a call change it.
func (c Column[E]) under(cfg config) Column[E] {
	c.order.desc = c.order.desc != cfg.descending
	c.order.nansLast = c.order.nansLast || cfg.nansLast
	return c
}

// bits is the width of the column's code, its null flag included; a width
// above 64 means that a code is a prefix and the key has to be kept.
func (c Column[E]) bits() int {
	k := c.key.kind()
	if k.wide() {
		return 128
	}
	if c.nulls != noNulls {
		return codeBits[k] + 1
	}
	return codeBits[k]
}

// nullCode returns the code of a null and what is added to other codes, for a
// null flag at the given bit, at most 63: a kind of 64 bits with a flag is a prefix.
func (c Column[E]) nullCode(bit int) (null, other uint64) {
	if c.nulls == nullsFirst {
		return 0, 1 << bit
	}
	return 1 << bit, 0
}

// given reports whether the column's keys lie in a slice and no function has to
// be called for them.
func (c Column[E]) given() bool { return c.key.given() && c.nulls == noNulls }

// codes writes the column's codes of the len(dst) elements of b; bits() <= 64. A
// cancelled context leaves codes out.
func (c Column[E]) codes(dst []uint64, b batch[E]) {
	b.pace = c.paces.key
	if c.nulls == noNulls {
		c.key.codes64(dst, b, c.order)
		return
	}
	if len(dst) <= few {
		var null [few]bool
		c.codesOrNull(dst, null[:len(dst)], b)
		return
	}
	var null [piece]bool
	for i := 0; i < len(dst); i += piece {
		j := min(i+piece, len(dst))
		c.codesOrNull(dst[i:j], null[:j-i], b.part(i, j))
	}
}

// codesOrNull is codes for at most a piece of elements, of which it makes out the
// nulls.
func (c Column[E]) codesOrNull(dst []uint64, null []bool, b batch[E]) {
	t := c.paces.null.turns(len(null))
	for t.next() {
		for i := t.lo; i < t.hi; i++ {
			null[i] = c.isNull(b.block[i])
		}
	}
	if t.hi < len(null) {
		return
	}
	nullCode, other := c.nullCode(codeBits[c.key.kind()])
	for from := 0; from < len(null); {
		if null[from] {
			dst[from] = nullCode
			from++
			continue
		}
		to := from + 1
		for to < len(null) && !null[to] {
			to++
		}
		c.key.codes64(dst[from:to], b.part(from, to), c.order)
		for i := range dst[from:to] {
			dst[from+i] |= other
		}
		from = to
	}
}

// comparator returns the comparison of two elements by this column.
func (c Column[E]) comparator() func(a, b E) int {
	compare := c.key.comparator(c.order)
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

// keyColumn is a key function with its key type hidden.
type keyColumn[E any] interface {
	kind() kind
	codes32(dst []uint32, b batch[E], o order) // of len(dst) elements; narrow kinds of at most 32 bits
	codes64(dst []uint64, b batch[E], o order) // the same; narrow kinds
	comparator(o order) func(a, b E) int
	keep(c Column[E], rows rows[E], arena *scratch.Arena) keptKeys[E]
	keptSize() uintptr                    // bytes that keep takes per element, unless keys are given
	given() bool                          // keys lie in a slice by element: no function is called, no element read
	forRows(c Column[E], n int) Column[E] // the column for elements that are the row numbers 0 … n-1
	holds(p perm.Perm) bool               // keys lie in a slice that shares memory with p
}

// keyFunc is the key function of a slice's elements.
type keyFunc[E any, K Key] func(E) K

func (f keyFunc[E, K]) kind() kind { return kindOf[K]() }

func (f keyFunc[E, K]) given() bool { return false }

func (f keyFunc[E, K]) forRows(c Column[E], _ int) Column[E] { return c }

func (f keyFunc[E, K]) holds(perm.Perm) bool { return false }

func (f keyFunc[E, K]) codes32(dst []uint32, b batch[E], o order) { extract(dst, b, f, o) }

func (f keyFunc[E, K]) codes64(dst []uint64, b batch[E], o order) { extract(dst, b, f, o) }

func (f keyFunc[E, K]) comparator(o order) func(a, b E) int {
	compare := comparator[K](o)
	return func(a, b E) int { return compare(f(a), f(b)) }
}

// sliceKey is the key function of a slice that row numbers refer to.
type sliceKey[K Key] struct {
	keyFunc[int, K]
	col      []K  // without more capacity
	numbered bool // elements are their own numbers: keys lie in col by element
}

func (f sliceKey[K]) given() bool { return f.numbered }

func (f sliceKey[K]) forRows(c Column[int], n int) Column[int] {
	if c.nulls == noNulls && n > len(f.col) {
		panic(fmt.Sprintf("sorter: OrderN of %d rows by a column of %d", n, len(f.col)))
	}
	f.numbered = true
	c.key = f
	return c
}

func (f sliceKey[K]) holds(p perm.Perm) bool { return overlap(p, f.col) }

func (f sliceKey[K]) codes32(dst []uint32, b batch[int], o order) { encodeRows(dst, b, f, o) }

func (f sliceKey[K]) codes64(dst []uint64, b batch[int], o order) { encodeRows(dst, b, f, o) }

// encodeRows encodes keys where they are, if rows follow each other.
func encodeRows[K Key, C code](dst []C, b batch[int], f sliceKey[K], o order) {
	switch {
	case !f.numbered:
		extract(dst, b, f.keyFunc, o)
	case b.at == nil:
		encode(dst, f.col[b.lo:b.lo+len(dst)], o)
	default:
		extract(dst, batch[uint32]{block: b.at}, func(row uint32) K { return f.col[row] }, o)
	}
}

// piece is how many keys are extracted before they are encoded: their buffer
// stays in the first-level cache and on the stack.
const piece = 256

// few is a number of keys whose buffer costs next to nothing to clear.
const few = 16

// extract calls key for every element of b and writes the codes. A cancelled context
// leaves codes out.
func extract[E any, K Key, C code](dst []C, b batch[E], key func(E) K, o order) {
	if len(dst) <= few {
		var keys [few]K
		keysOf(keys[:len(dst)], b, key)
		encode(dst, keys[:len(dst)], o)
		return
	}
	var keys [piece]K
	for i := 0; i < len(dst); i += piece {
		j := min(i+piece, len(dst))
		keysOf(keys[:j-i], b.part(i, j), key)
		encode(dst[i:j], keys[:j-i], o)
	}
}

// keysOf calls key for the elements of b and returns how many have their key: all
// of them unless the context was cancelled. len(keys) == len(b.block).
func keysOf[E, K any](keys []K, b batch[E], key func(E) K) int {
	if b.pace == nil {
		callAll(keys, b.block, key)
		return len(keys)
	}
	t := b.pace.turns(len(keys))
	for t.next() {
		callAll(keys[t.lo:t.hi], b.block[t.lo:t.hi], key)
	}
	return t.hi
}

// callAll calls key for every element of block, eight a turn: a call loses what
// the loop holds in registers, so that a turn costs as much as the call of a key
// that is a field. len(keys) == len(block).
func callAll[E, K any](keys []K, block []E, key func(E) K) {
	for len(block) >= 8 && len(keys) >= 8 {
		e, k := (*[8]E)(block), (*[8]K)(keys)
		k[0] = key(e[0])
		k[1] = key(e[1])
		k[2] = key(e[2])
		k[3] = key(e[3])
		k[4] = key(e[4])
		k[5] = key(e[5])
		k[6] = key(e[6])
		k[7] = key(e[7])
		block, keys = block[8:], keys[8:]
	}
	for i := range keys {
		keys[i] = key(block[i])
	}
}

// pieces are buffers for the codes of one column while several are packed.
var pieces = sync.Pool{New: func() any { return new([piece]uint64) }}
