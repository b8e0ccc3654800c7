package sorter

import (
	"math"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// keptKeys are the keys of a wide column, stored by element so that the key
// function need not be called again when prefixes tie.
type keptKeys[E any] interface {
	// prefix stores the keys of block, whose elements are numbered by at, or
	// from lo on if at is nil, and writes their first room bits, the null flag
	// included.
	prefix(dst []uint64, block []E, lo int, at []uint32, room int)
	// complete reports whether the prefixes of room bits were the whole keys.
	complete(room int) bool
	// moved renumbers the keys: elements have become payload, placed by p, a
	// *cpu.Placement.
	moved(env *engine.Env, payload []E, p any) error
	// first is the depth at which the ties of a prefix of room bits go on.
	first(room int) int
	// skip returns the first depth, not before the given one, at which the
	// elements numbered by order may differ from element base. They tie on
	// everything before depth.
	skip(base uint32, order []uint32, depth int) int
	// codes writes the codes at depth of the elements numbered by order and
	// returns the depth behind them.
	codes(dst []uint64, order []uint32, depth int) int
	// compare compares the kept keys of two elements.
	compare(i, j uint32) int
	// last reports whether elements that tie on code, which ends at depth,
	// have equal keys.
	last(code uint64, depth int) bool
}

func (f keyFunc[E, K]) keep(c Column[E], rows rows[E], arena *scratch.Arena) keptKeys[E] {
	keys := scratch.Take[K](arena, rows.n)
	return keptAs(&store[E, K]{Column: c, full: comparator[K](c.order), get: f, keys: keys, room: keys})
}

func (f keyFunc[E, K]) keptSize() uintptr {
	var k K
	return unsafe.Sizeof(k)
}

// selfKey is the key function of a slice of keys: every element is its own.
type selfKey[K Key] struct{ keyFunc[K, K] }

func self[K Key]() Column[K] {
	return Column[K]{key: selfKey[K]{func(k K) K { return k }}}
}

func (f selfKey[K]) codes32(dst []uint32, block []K, o order) { encode(dst, block, o) }
func (f selfKey[K]) codes64(dst []uint64, block []K, o order) { encode(dst, block, o) }

func (f selfKey[K]) repeatable() bool { return true }

// keep stores nothing: the keys are there already.
func (f selfKey[K]) keep(c Column[K], rows rows[K], _ *scratch.Arena) keptKeys[K] {
	return keptAs(&store[K, K]{Column: c, full: comparator[K](c.order), get: f.keyFunc, keys: rows.s})
}

func (f selfKey[K]) keptSize() uintptr { return 0 }

func keptAs[E any, K Key](s *store[E, K]) keptKeys[E] {
	switch kindOf[K]() {
	case kindString:
		// Sound: K's underlying type is string.
		return &keptStrings[E, K]{store: s, text: func(k K) string { return *(*string)(unsafe.Pointer(&k)) }}
	case kindBytes:
		return &keptStrings[E, K]{store: s, text: bytesAsString[K]}
	}
	return keptWords[E, K]{s}
}

// bytesAsString views a byte slice as a string.
//
// Sound: K is a byte slice here, and the string is only read while the sort
// runs; a caller who changes key bytes meanwhile gets a wrong order from any
// sort.
func bytesAsString[K any](k K) string {
	b := *(*[]byte)(unsafe.Pointer(&k))
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// store holds the kept keys of a column.
type store[E any, K Key] struct {
	Column[E]
	full func(a, b K) int
	get  func(E) K
	keys []K // by element
	room []K // the same where keys are to be stored, nil where they are given
}

// put stores the keys of a piece of elements, also in keys, and makes out the
// nulls, whose keys are the zero value.
func (s *store[E, K]) put(keys []K, null *[piece]bool, block []E, lo int, at []uint32) {
	for i, e := range block {
		var k K
		null[i] = s.nulls != noNulls && s.isNull(e)
		if !null[i] {
			k = s.get(e)
		}
		keys[i] = k
		switch {
		case s.room == nil:
		case at == nil:
			s.room[lo+i] = k
		default:
			s.room[at[i]] = k
		}
	}
}

func (s *store[E, K]) compare(i, j uint32) int {
	return s.full(s.keys[i], s.keys[j])
}

func (s *store[E, K]) moved(env *engine.Env, payload []E, p any) (err error) {
	if s.room == nil {
		s.keys = as[K](payload)
		return nil
	}
	switch p := p.(type) {
	case *cpu.Placement[uint32]:
		s.keys, err = cpu.Along(env, p, s.room)
	case *cpu.Placement[uint64]:
		s.keys, err = cpu.Along(env, p, s.room)
	}
	return err
}

// flag shifts the first bits of codes into the room that the column has in a
// packed code, behind its null flag.
func (s *store[E, K]) flag(dst []uint64, null *[piece]bool, room int) {
	if s.nulls == noNulls {
		for i := range dst {
			dst[i] >>= 64 - room
		}
		return
	}
	nullCode, other := s.nullCode(room - 1)
	for i := range dst {
		if null[i] {
			dst[i] = nullCode
		} else {
			dst[i] = dst[i]>>(64-room+1) | other
		}
	}
}

// eachPiece calls f for pieces of block with the numbers of their elements.
func eachPiece[E any](dst []uint64, block []E, lo int, at []uint32, f func(dst []uint64, block []E, lo int, at []uint32)) {
	for i := 0; i < len(block); i += piece {
		j := min(i+piece, len(block))
		if at == nil {
			f(dst[i:j], block[i:j], lo+i, nil)
		} else {
			f(dst[i:j], block[i:j], 0, at[i:j])
		}
	}
}

// keptWords keeps keys of fixed size. Depth counts words of their codes.
type keptWords[E any, K Key] struct{ *store[E, K] }

func (w keptWords[E, K]) prefix(dst []uint64, block []E, lo int, at []uint32, room int) {
	var keys [piece]K
	var null [piece]bool
	eachPiece(dst, block, lo, at, func(dst []uint64, block []E, lo int, at []uint32) {
		w.put(keys[:len(block)], &null, block, lo, at)
		encodeWord(dst, keys[:len(block)], 0, w.order)
		w.flag(dst, &null, room)
	})
}

// complete is false: even word 0 of narrow kinds has lost the bit that tells
// nulls.
func (w keptWords[E, K]) complete(int) bool { return false }

func (w keptWords[E, K]) first(room int) int {
	if room == 64 && w.nulls == noNulls {
		return 1 // word 0 was the prefix
	}
	return 0
}

func (w keptWords[E, K]) skip(_ uint32, _ []uint32, depth int) int { return depth }

func (w keptWords[E, K]) codes(dst []uint64, order []uint32, depth int) int {
	var keys [piece]K
	for len(order) > 0 {
		n := min(piece, len(order))
		for i, at := range order[:n] {
			keys[i] = w.keys[at]
		}
		encodeWord(dst[:n], keys[:n], depth, w.order)
		dst, order = dst[n:], order[n:]
	}
	return depth + 1
}

func (w keptWords[E, K]) last(_ uint64, depth int) bool { return depth == kindOf[K]().words() }

// keptStrings keeps strings and byte slices. Depth counts bytes.
type keptStrings[E any, K Key] struct {
	*store[E, K]
	text    func(K) string
	longest atomic.Int64 // bytes of the longest string; more if one has a zero byte
}

func (t *keptStrings[E, K]) prefix(dst []uint64, block []E, lo int, at []uint32, room int) {
	var keys [piece]K
	var null [piece]bool
	flip := t.flip()
	eachPiece(dst, block, lo, at, func(dst []uint64, block []E, lo int, at []uint32) {
		t.put(keys[:len(block)], &null, block, lo, at)
		longest := 0
		for i := range dst {
			s := t.text(keys[i])
			code := prefix(s)
			longest = max(longest, len(s), zeroByte(code, len(s)))
			dst[i] = code ^ flip
		}
		t.note(longest)
		t.flag(dst, &null, room)
	})
}

// note records the longest string of a piece.
func (t *keptStrings[E, K]) note(longest int) {
	for {
		known := t.longest.Load()
		if int64(longest) <= known || t.longest.CompareAndSwap(known, int64(longest)) {
			return
		}
	}
}

// complete: padding cannot be told from zero bytes, but from all others.
func (t *keptStrings[E, K]) complete(room int) bool {
	if t.nulls != noNulls {
		room--
	}
	return t.longest.Load() <= int64(room/8)
}

func (t *keptStrings[E, K]) flip() uint64 {
	if t.order.desc {
		return math.MaxUint64
	}
	return 0
}

func (t *keptStrings[E, K]) first(int) int { return 0 }

// skip returns the length of what all strings share, so that long shared
// prefixes are read once and not level by level.
func (t *keptStrings[E, K]) skip(base uint32, order []uint32, depth int) int {
	shared := t.text(t.keys[base])
	for _, at := range order {
		shared = shared[:common(shared, t.text(t.keys[at]), depth)]
	}
	return len(shared)
}

func (t *keptStrings[E, K]) codes(dst []uint64, order []uint32, depth int) int {
	flip := t.flip()
	for i, at := range order {
		dst[i] = rest(t.text(t.keys[at]), depth) ^ flip
	}
	return depth + 7
}

func (t *keptStrings[E, K]) last(code uint64, _ int) bool { return (code^t.flip())&0xff < 8 }
