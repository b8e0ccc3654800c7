package sorter

import (
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

// small reports whether n elements of kind k are sorted on the calling
// goroutine without a run: nobody asks for more than the result.
func (c config) small(n int, k kind) bool {
	return n <= cpu.SmallLen && !k.wide() && c.backend == nil && c.stats == nil &&
		c.limit == 0 && c.progress == nil && c.algorithm == Auto && c.ctx == nil
}

func (c config) order() order { return order{c.descending, c.nansLast} }

// sortSmall sorts s with pooled memory only.
func sortSmall[E any, K Key](s []E, key func(E) K, cfg config) {
	var e E
	switch {
	case len(s) <= tinySort && unsafe.Sizeof(e) <= tinyBytes:
		sortTiny(s, key, cfg.order())
	case codeBits[kindOf[K]()] <= 32:
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

// orderSmall returns the order of s with pooled memory only.
func orderSmall[C code, E any, K Key](s []E, key func(E) K, o order) perm.Perm {
	p := make(perm.Perm, len(s))
	w := cpu.GetSmall[C]()
	extract(w.Codes[:len(s)], s, key, o)
	w.Order(p)
	w.Put()
	return p
}

// sortKeysSmall sorts keys with pooled memory only.
func sortKeysSmall[C code, K Key](keys []K, o order) {
	w := cpu.GetSmall[C]()
	encodeKeys(w.Codes[:len(keys)], keys, o)
	decodeKeys(keys, w.Sort(len(keys)), o)
	w.Put()
}
