package sorter

import (
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// keptKeys are the keys of a wide column, at hand by element so that the key
// function need not be called again when prefixes tie.
type keptKeys interface {
	// prefix keeps the keys of the len(dst) elements of b and writes their first
	// room bits, the null flag included. A cancelled context leaves keys out.
	prefix(dst []uint64, b batch, room int)
	// complete reports whether the prefixes of room bits were the whole keys.
	complete(room int) bool
	// along places the keys like their elements, by p, a *cpu.Placement.
	along(env *engine.Env, p any) error
	// moved tells keys that are their elements, or in them, where those are now.
	moved(payload cpu.Payload)
	// first is the depth at which the ties of a prefix of room bits go on.
	first(room int) int
	// alike reports whether codes depend on no more than the depth.
	alike() bool
	// cut returns p, where the elements numbered by order tie, with what their
	// codes at p depend on. It may draw from order at random.
	cut(order []uint32, p place) place
	// codes writes the codes at p, which cut has returned, of the elements numbered
	// by order.
	codes(dst []uint64, order []uint32, p place)
	// after returns the depth at which elements are told apart that tie on code, made
	// at p; false if their keys are equal.
	after(code uint64, p place) (depth int, more bool)
	// sortFew orders a few elements that tie up to p, ties in their present order, and
	// returns which of them tie with the one before, a bit each; false if they are too
	// many.
	sortFew(order []uint32, p place) (same uint, ok bool)
	// forget drops the first n kept keys.
	forget(n int)
	// compare compares the kept keys of two elements.
	compare(i, j uint32) int
	// follow counts how the keys of the elements numbered by at follow on those
	// of the elements before them, given that prefixes of room bits tie, and
	// returns the elements that tie still, in the place of at; these are not counted.
	follow(at []uint32, room int) (still []uint32, seen cpu.Steps)
}

func (keyType[K]) keep(c column, rows rows, arena *scratch.Arena) keptKeys {
	s := &store[K]{column: c, full: comparator[K](c.order)}
	if k := kindOf[K](); (k == kindString || k == kindBytes) && c.nulls == noNulls {
		s.fields = newFieldKeys[K](rows.s, arena)
	}
	if s.fields == nil {
		s.keys = scratch.Take[K](arena, rows.n)
		s.room = s.keys
	}
	return keptAs(s)
}

func (keyType[K]) keptSize() uintptr {
	var k K
	return unsafe.Sizeof(k)
}

// selfKey is the key column of a slice of keys: every element is its own key.
type selfKey[K Key] struct{ keyType[K] }

// self returns the column of a slice of keys.
func self[K Key]() column { return column{key: selfKey[K]{}, kind: kindOf[K]()} }

func (selfKey[K]) codes32(dst []uint32, b batch, c *column) {
	encodeAs(c.kind, dst, stream.SliceOf[K](b.block), c.order)
}

func (selfKey[K]) codes64(dst []uint64, b batch, c *column) {
	encodeAs(c.kind, dst, stream.SliceOf[K](b.block), c.order)
}

func (selfKey[K]) given() bool { return true }

// keep stores nothing: the keys are there already.
func (selfKey[K]) keep(c column, rows rows, _ *scratch.Arena) keptKeys {
	return keptAs(&store[K]{column: c, full: comparator[K](c.order), keys: cpu.Slice[K](rows.s)})
}

// keep stores keys only if they are not given.
func (f sliceKey[K]) keep(c column, rows rows, arena *scratch.Arena) keptKeys {
	if !c.given() {
		return f.keyType.keep(c, rows, arena)
	}
	return keptAs(&store[K]{column: c, full: comparator[K](c.order), keys: f.col})
}

func keptAs[K Key](s *store[K]) keptKeys {
	switch kindOf[K]() {
	case kindString, kindBytes:
		return &keptStrings[K]{store: s}
	}
	return keptWords[K]{s}
}

// store holds the kept keys of a column.
type store[K Key] struct {
	column
	full func(a, b K) int
	keys []K // by element
	room []K // the same where keys are to be stored, nil where they are given

	fields *fieldKeys[K] // instead of keys, unless nil
}

// at returns the key of element x.
func (s *store[K]) at(x uint32) K {
	if s.fields != nil {
		return s.fields.at(x)
	}
	return s.keys[x]
}

// nullBits has a bit for each of a piece of elements: 1 for nulls.
type nullBits [piece / 64]uint64

// put keeps the keys of a piece of elements and returns them, in buf unless they
// are given and adjacent. It also finds the nulls. A cancelled context leaves keys out.
func (s *store[K]) put(buf []K, nulls *nullBits, b batch) []K {
	if s.given() {
		if b.at == nil {
			return s.keys[b.lo:][:len(buf)]
		}
		for i, x := range b.at {
			buf[i] = s.keys[x]
		}
		return buf
	}
	switch {
	case s.call(buf, nulls, b) < len(buf): // the others are left out
	case s.fields != nil:
		s.fields.put(buf, b)
	default:
		scatter(s.room, buf, b)
	}
	return buf
}

// call calls the column's functions for the elements of b and returns the number of
// elements done, see [keysFrom]. The keys of nulls are the zero value.
func (s *store[K]) call(keys []K, nulls *nullBits, b batch) (n int) {
	if s.nulls == noNulls {
		b.pace = s.paces.key
		return keysFrom(keys, b, s.get, 0)
	}
	for lo := 0; lo < len(keys); lo += 64 {
		hi := min(lo+64, len(keys))
		if nulls[lo/64%len(nulls)], n = keysOrNull(keys[lo:hi], b.part(lo, hi), &s.column); n < hi-lo {
			return lo
		}
	}
	return len(keys)
}

// scatter writes the keys of a batch to their elements' places.
func scatter[K any](room, keys []K, b batch) {
	if b.at == nil {
		copy(room[b.lo:], keys)
		return
	}
	for i, x := range b.at {
		room[x] = keys[i]
	}
}

func (s *store[K]) forget(n int) { clear(s.room[:n]) }

func (s *store[K]) compare(i, j uint32) int {
	return s.full(s.at(i), s.at(j))
}

func (s *store[K]) along(env *engine.Env, p any) (err error) {
	switch {
	case s.fields != nil && s.fields.strays.Load() != nil:
		var strays []K
		strays, err = alongAny(env, p, *s.fields.strays.Load())
		s.fields.strays.Store(&strays)
	case s.room != nil:
		s.keys, err = alongAny(env, p, s.room)
		s.room = s.keys // for keys that are extracted later
	}
	return err
}

// alongAny is cpu.Along for p, a *cpu.Placement.
func alongAny[K any](env *engine.Env, p any, keys []K) ([]K, error) {
	if p, ok := p.(*cpu.Placement[uint32]); ok {
		return cpu.Along(env, p, keys)
	}
	return cpu.Along(env, p.(*cpu.Placement[uint64]), keys)
}

func (s *store[K]) moved(payload cpu.Payload) {
	switch {
	case s.fields != nil:
		s.fields.elems = payload.Raw()
	case s.room == nil:
		s.keys = cpu.Slice[K](payload)
	}
}

// flag shifts the first bits of codes into the room that the column has in a
// packed code, behind its null flag.
func (s *store[K]) flag(dst []uint64, nulls *nullBits, room int) {
	if s.nulls == noNulls {
		if room < 64 {
			for i := range dst {
				dst[i] >>= 64 - room
			}
		}
		return
	}
	nullCode, other := s.nullCode(room - 1)
	for i := range dst {
		if nulls[i/64%len(nulls)]>>(i%64)&1 != 0 {
			dst[i] = nullCode
		} else {
			dst[i] = dst[i]>>(64-room+1) | other
		}
	}
}

// keptWords keeps keys of fixed size. Depth counts words of their codes.
type keptWords[K Key] struct{ *store[K] }

func (w keptWords[K]) prefix(dst []uint64, b batch, room int) {
	if len(dst) <= few {
		var keys [few]K
		w.prefixThrough(keys[:], dst, b, room)
		return
	}
	var keys [piece]K
	w.prefixThrough(keys[:], dst, b, room)
}

func (w keptWords[K]) prefixThrough(buf []K, dst []uint64, b batch, room int) {
	var nulls nullBits
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		encodeWordAs(w.kind, dst[i:j], w.put(buf[:j-i], &nulls, b.part(i, j)), 0, w.order)
		w.flag(dst[i:j], &nulls, room)
	}
}

// complete is false: even word 0 of narrow kinds has lost the bit that tells
// nulls.
func (w keptWords[K]) complete(int) bool { return false }

func (w keptWords[K]) first(room int) int {
	if room == 64 && w.nulls == noNulls {
		return 1 // word 0 was the prefix
	}
	return 0
}

func (w keptWords[K]) alike() bool { return true }

func (w keptWords[K]) cut(_ []uint32, p place) place { return p }

func (w keptWords[K]) sortFew([]uint32, place) (same uint, ok bool) { return 0, false }

func (w keptWords[K]) codes(dst []uint64, order []uint32, p place) {
	if len(order) <= few {
		var keys [few]K
		w.codesThrough(keys[:], dst, order, p)
		return
	}
	var keys [piece]K
	w.codesThrough(keys[:], dst, order, p)
}

func (w keptWords[K]) codesThrough(buf []K, dst []uint64, order []uint32, p place) {
	for len(order) > 0 {
		n := min(len(buf), len(order))
		for i, at := range order[:n] {
			buf[i] = w.keys[at]
		}
		encodeWordAs(w.kind, dst[:n], buf[:n], p.depth, w.order)
		dst, order = dst[n:], order[n:]
	}
}

// follow reads word after word: comparing key by key would encode each alone.
func (w keptWords[K]) follow(at []uint32, room int) (still []uint32, seen cpu.Steps) {
	var keys [2 * piece]K
	var words [2 * piece]uint64
	for depth := w.first(room); depth < w.kind.words() && len(at) > 0; depth++ {
		still = at[:0]
		for i := 0; i < len(at); i += piece {
			part := at[i:min(i+piece, len(at))]
			for j, x := range part {
				keys[2*j], keys[2*j+1] = w.keys[x-1], w.keys[x]
			}
			encodeWordAs(w.kind, words[:2*len(part)], keys[:2*len(part)], depth, w.order)
			for j, x := range part {
				switch a, b := words[2*j], words[2*j+1]; {
				case a == b:
					still = append(still, x)
				case a < b:
					seen.Rises++
				default:
					seen.Falls++
				}
			}
		}
		at = still
	}
	return at, seen
}

func (w keptWords[K]) after(_ uint64, p place) (depth int, more bool) {
	return p.depth + 1, p.depth+1 < w.kind.words()
}
