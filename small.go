package sorter

import (
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/perm"
)

const (
	// tinySort is the length up to which elements are moved by insertion, with
	// nothing but the stack.
	tinySort = 16

	// tinyBytes is the largest element that insertion moves.
	tinyBytes = 128
)

// small reports whether n elements are sorted on the calling goroutine without
// a run: nobody asks for more than the result.
func (c config) small(n int) bool {
	return n <= cpu.SmallLen && c.backend == nil && c.stats == nil &&
		c.limit == 0 && c.progress == nil && c.algorithm == Auto && c.ctx == nil
}

func (c config) order() order { return order{c.descending, c.nansLast} }

// sortSmall sorts s with pooled memory only.
func sortSmall[E any, K Key](s []E, key func(E) K, cfg config) {
	var e E
	tiny := len(s) <= tinySort && unsafe.Sizeof(e) <= tinyBytes
	switch k := kindOf[K](); {
	case k.wide() && tiny:
		sortTinyWide(s, key, cfg.order())
	case k.wide():
		sortSmallWide(s, key, cfg.order())
	case tiny:
		sortTiny(s, key, cfg.order())
	case codeBits[k] <= 32:
		moveSmall[uint32](s, key, cfg.order())
	default:
		moveSmall[uint64](s, key, cfg.order())
	}
}

func moveSmall[C code, E any, K Key](s []E, key func(E) K, o order) {
	w := cpu.GetSmall[C]()
	extract(w.Codes[:len(s)], s, key, o)
	cpu.MoveSmall(w, s)
	w.Put()
}

// sortSmallWide sorts by keys wider than 64 bits: by prefix, and the ties by
// comparing keys.
func sortSmallWide[E any, K Key](s []E, key func(E) K, o order) {
	index := orderSmallWide(s, key, o)
	cpu.FollowCycles(s, index.order)
	index.space.Put()
}

// smallIndex is an order that lives in a pooled workspace.
type smallIndex struct {
	order []uint32
	space *cpu.Small[uint64]
}

func orderSmallWide[E any, K Key](s []E, key func(E) K, o order) smallIndex {
	keys := make([]K, len(s))
	for i := range s {
		keys[i] = key(s[i])
	}
	w := cpu.GetSmall[uint64]()
	codes := w.Codes[:len(s)]
	prefixes(codes, keys, o)
	index := w.Index[:len(s)]
	w.Order(index)
	var compare func(a, b K) int
	for i := 1; i < len(index); i++ {
		if codes[index[i]] != codes[index[i-1]] {
			continue
		}
		from := i - 1
		for i < len(index) && codes[index[i]] == codes[index[from]] {
			i++
		}
		if compare == nil {
			compare = ascending[K](o.nansLast && !o.desc)
		}
		slices.SortStableFunc(index[from:i], func(a, b uint32) int {
			if o.desc {
				a, b = b, a
			}
			return compare(keys[a], keys[b])
		})
	}
	return smallIndex{index, w}
}

// prefixes writes the leading 64 bits of the codes of wide keys.
func prefixes[K Key](dst []uint64, keys []K, o order) {
	flip := uint64(0)
	if o.desc {
		flip = math.MaxUint64
	}
	switch kindOf[K]() {
	case kindString:
		for i, s := range as[string](keys) {
			dst[i] = prefix(s) ^ flip
		}
	case kindBytes:
		for i, b := range as[[]byte](keys) {
			dst[i] = prefix(bytesAsString(b)) ^ flip
		}
	default:
		encodeWord(dst, keys, 0, o)
	}
}

// sortTiny sorts by insertion.
func sortTiny[E any, K Key](s []E, key func(E) K, o order) {
	var codes [tinySort]uint64
	var keys [tinySort]K
	for i := range s {
		keys[i%tinySort] = key(s[i])
	}
	encode(codes[:len(s)], keys[:len(s)], o)
	for i := 1; i < len(s); i++ {
		c := codes[i%tinySort]
		if codes[(i-1)%tinySort] <= c {
			continue
		}
		e := s[i]
		j := i
		for ; j > 0 && codes[(j-1)%tinySort] > c; j-- {
			codes[j%tinySort], s[j] = codes[(j-1)%tinySort], s[j-1]
		}
		codes[j%tinySort], s[j] = c, e
	}
}

// sortTinyWide is sortTiny for keys wider than 64 bits, which are compared where
// their prefixes tie.
func sortTinyWide[E any, K Key](s []E, key func(E) K, o order) {
	var codes [tinySort]uint64
	var keys [tinySort]K
	for i := range s {
		keys[i%tinySort] = key(s[i])
	}
	prefixes(codes[:len(s)], keys[:len(s)], o)
	var compare func(a, b K) int
	for i := 1; i < len(s); i++ {
		c, k, e := codes[i%tinySort], keys[i%tinySort], s[i]
		j := i
		for ; j > 0 && codes[(j-1)%tinySort] >= c; j-- {
			if codes[(j-1)%tinySort] == c {
				if compare == nil {
					compare = comparator[K](o)
				}
				if compare(keys[(j-1)%tinySort], k) <= 0 {
					break
				}
			}
			codes[j%tinySort], keys[j%tinySort], s[j] = codes[(j-1)%tinySort], keys[(j-1)%tinySort], s[j-1]
		}
		if j < i {
			codes[j%tinySort], keys[j%tinySort], s[j] = c, k, e
		}
	}
}

// orderTiny writes the order of s, found by insertion, to p.
func orderTiny[E any, K Key](p perm.Perm, s []E, key func(E) K, o order) {
	var codes [tinySort]uint64
	extract(codes[:len(s)], s, key, o)
	for i := range p {
		c := codes[i%tinySort]
		j := i
		for ; j > 0 && codes[(j-1)%tinySort] > c; j-- {
			codes[j%tinySort], p[j] = codes[(j-1)%tinySort], p[j-1]
		}
		codes[j%tinySort], p[j] = c, uint32(i)
	}
}

// topSmall moves the first k elements of s to the front with pooled memory
// only, but for the k elements.
func topSmall[E any, K Key](s []E, k int, key func(E) K, o order) {
	if kindOf[K]().wide() {
		index := orderSmallWide(s, key, o)
		toFront(s, index.order[:k])
		index.space.Put()
		return
	}
	w := cpu.GetSmall[uint64]()
	extract(w.Codes[:len(s)], s, key, o)
	w.Order(w.Index[:len(s)])
	toFront(s, w.Index[:k])
	w.Put()
}

// orderSmall returns the order of s with pooled memory only.
func orderSmall[E any, K Key](s []E, key func(E) K, cfg config) perm.Perm {
	p, o := result(sliceRows(s), cfg), cfg.order()
	switch k := kindOf[K](); {
	case k.wide():
		index := orderSmallWide(s, key, o)
		copy(p, index.order)
		index.space.Put()
	case len(s) <= tinySort:
		orderTiny(p, s, key, o)
	case codeBits[k] <= 32:
		orderSmallCodes[uint32](p, s, key, o)
	default:
		orderSmallCodes[uint64](p, s, key, o)
	}
	return p
}

func orderSmallCodes[C code, E any, K Key](p perm.Perm, s []E, key func(E) K, o order) {
	w := cpu.GetSmall[C]()
	extract(w.Codes[:len(s)], s, key, o)
	w.Order(p)
	w.Put()
}

// tinyKeys is the length up to which plain keys are sorted by comparison.
const tinyKeys = 128

// sortKeysTiny sorts a few keys with nothing but the stack.
func sortKeysTiny[C code, K Key](keys []K, o order) {
	if !o.desc && sortInts(keys) {
		return
	}
	if len(keys) <= tinySort {
		var room [tinySort]C
		sortKeysThrough(room[:len(keys)], keys, o)
		return
	}
	var room [tinyKeys]C
	sortKeysThrough(room[:len(keys)], keys, o)
}

// sortInts sorts keys that are integers as common as to need no code, and
// reports whether they are.
func sortInts[K Key](keys []K) bool {
	switch kindOf[K]() {
	case kindInt32:
		slices.Sort(as[int32](keys))
	case kindInt64:
		slices.Sort(as[int64](keys))
	case kindUint32:
		slices.Sort(as[uint32](keys))
	case kindUint64:
		slices.Sort(as[uint64](keys))
	default:
		return false
	}
	return true
}

func sortKeysThrough[C code, K Key](codes []C, keys []K, o order) {
	encodeKeys(codes, keys, o)
	slices.Sort(codes)
	decodeKeys(keys, codes, o)
}

// sortKeysSmall sorts keys with pooled memory only.
func sortKeysSmall[C code, K Key](keys []K, o order) {
	if len(keys) <= tinyKeys {
		sortKeysTiny[C](keys, o)
		return
	}
	w := cpu.GetSmall[C]()
	encodeKeys(w.Codes[:len(keys)], keys, o)
	decodeKeys(keys, w.Sort(len(keys)), o)
	w.Put()
}
