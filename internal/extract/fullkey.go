package extract

import (
	"cmp"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// FullKeys are the keys of a wide column, at hand by element so that the key
// function need not be called again when prefixes tie.
type FullKeys interface {
	// Prefix keeps the keys of the len(dst) elements of b and writes their first
	// room bits, the null flag included. A cancelled context leaves keys out.
	Prefix(dst []uint64, b Batch, room int)
	// PrefixIsWhole reports whether the prefixes of room bits were the whole keys.
	PrefixIsWhole(room int) bool
	// Along places the keys like their elements, by p, a *cpu.Placement.
	Along(env *engine.Env, p any) error
	// Moved tells keys that are their elements, or in them, where those are now.
	Moved(payload cpu.Payload)
	// TieDepth is the depth at which the ties of a prefix of room bits go on.
	TieDepth(room int) int
	// ByDepth reports whether codes depend on no more than the depth.
	ByDepth() bool
	// WithPivot returns p, where the elements numbered by order tie, with what their
	// codes at p depend on. It may draw from order at random.
	WithPivot(order []uint32, p Place) Place
	// Codes writes the codes at p, which cut has returned, of the elements numbered
	// by order.
	Codes(dst []uint64, order []uint32, p Place)
	// NextDepth returns the depth at which elements are told apart that tie on code, made
	// at p; false if their keys are equal.
	NextDepth(code uint64, p Place) (depth int, more bool)
	// SortFew orders a few elements that tie up to p, ties in their present order, and
	// returns which of them tie with the one before, a bit each; false if they are too
	// many.
	SortFew(order []uint32, p Place) (same uint, ok bool)
	// Forget drops the first n full keys.
	Forget(n int)
	// Compare compares the full keys of two elements.
	Compare(i, j uint32) int
	// Follow counts how the keys of the elements numbered by at follow on those
	// of the elements before them, given that prefixes of room bits tie, and
	// returns the elements that tie still, in the place of at; these are not counted.
	Follow(at []uint32, room int) (still []uint32, seen cpu.Steps)
}

// keep stores the keys of a wide kind, or of one of 64 bits with nulls. These are kept as
// words, which the kind tells apart. All stores are instantiated here: see [TextKey].
func (keyType) keep(c Column, rows Input, arena *scratch.Arena) FullKeys {
	switch c.kind {
	case sortkey.String:
		return keepStrings(c, rows, arena)
	case sortkey.Bytes:
		return keepByteSlices(c, rows, arena)
	case sortkey.Floats3:
		return keepFixed[[3]float32](c, rows, arena)
	case sortkey.Floats4:
		return keepFixed[[4]float32](c, rows, arena)
	case sortkey.Bytes16:
		return keepFixed[[16]byte](c, rows, arena)
	case sortkey.Time:
		return keepFixed[time.Time](c, rows, arena)
	}
	keys := scratch.Take[uint64](arena, rows.Len)
	return fixedKeys[uint64]{&Store[uint64]{Column: c, full: compareWords(c.kind, c.Order), Keys: keys, room: keys}}
}

func keepFixed[K sortkey.Key](c Column, rows Input, arena *scratch.Arena) FullKeys {
	keys := scratch.Take[K](arena, rows.Len)
	return fixedKeys[K]{&Store[K]{Column: c, full: sortkey.Comparator[K](c.Order), Keys: keys, room: keys}}
}

// compareWords compares keys of a kind of 64 bits, given as words, by their codes.
func compareWords(k sortkey.Kind, o sortkey.Order) func(a, b uint64) int {
	return func(a, b uint64) int {
		var codes [2]uint64
		words := [2]uint64{a, b}
		sortkey.EncodeAt(k, codes[:], unsafe.Pointer(&words), o)
		return cmp.Compare(codes[0], codes[1])
	}
}

// selfKey is the key column of a slice of keys: every element is its own key.
type selfKey struct{ keyType }

// Self returns the column of a slice of keys.
func Self[K sortkey.Key]() Column { return SelfAs(sortkey.KindOf[K]()) }

// SelfAs returns the column of a slice of keys of a kind.
func SelfAs(k sortkey.Kind) Column { return Column{Key: selfKey{}, kind: k} }

func (selfKey) codes32(dst []uint32, b Batch, c *Column) {
	sortkey.EncodeAt(c.kind, dst, b.Block.Part(0, len(dst)).Data(), c.Order)
}

func (selfKey) codes64(dst []uint64, b Batch, c *Column) {
	sortkey.EncodeAt(c.kind, dst, b.Block.Part(0, len(dst)).Data(), c.Order)
}

func (selfKey) given() bool { return true }

// keep stores nothing: the keys are there already.
func (selfKey) keep(c Column, rows Input, _ *scratch.Arena) FullKeys {
	return keepGiven(c, rows.Slice.Raw())
}

// keep stores keys only if they are not given.
func (f sliceKey) keep(c Column, rows Input, arena *scratch.Arena) FullKeys {
	if !c.given() {
		return f.keyType.keep(c, rows, arena)
	}
	return keepGiven(c, f.col)
}

// keepGiven returns keys of a wide kind that lie in a slice.
func keepGiven(c Column, keys stream.Raw) FullKeys {
	switch c.kind {
	case sortkey.String:
		return givenStrings(c, stream.SliceOf[string](keys))
	case sortkey.Bytes:
		return givenByteSlices(c, stream.SliceOf[[]byte](keys))
	case sortkey.Floats3:
		return givenFixed[[3]float32](c, keys)
	case sortkey.Floats4:
		return givenFixed[[4]float32](c, keys)
	case sortkey.Bytes16:
		return givenFixed[[16]byte](c, keys)
	}
	return givenFixed[time.Time](c, keys)
}

func givenFixed[K sortkey.Key](c Column, keys stream.Raw) FullKeys {
	return fixedKeys[K]{&Store[K]{Column: c, full: sortkey.Comparator[K](c.Order), Keys: stream.SliceOf[K](keys)}}
}

// Store holds the full keys of a column.
type Store[K sortkey.Key] struct {
	Column
	full func(a, b K) int
	Keys []K // by element
	room []K // the same where keys are to be stored, nil where they are given

	fields *inPlaceKeys[K] // instead of keys, unless nil
}

// at returns the key of element x.
func (s *Store[K]) at(x uint32) K {
	if s.fields != nil {
		return s.fields.at(x)
	}
	return s.Keys[x]
}

// nullBits has a bit for each of a piece of elements: 1 for nulls.
type nullBits [Piece / 64]uint64

// put keeps the keys of a piece of elements and returns them, in buf unless they
// are given and adjacent. It also finds the nulls. A cancelled context leaves keys out.
func (s *Store[K]) put(buf []K, nulls *nullBits, b Batch) []K {
	if s.given() {
		if b.at == nil {
			return s.Keys[b.Lo:][:len(buf)]
		}
		for i, x := range b.at {
			buf[i] = s.Keys[x]
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
// elements done, see [KeysFrom]. The keys of nulls are the zero value.
func (s *Store[K]) call(keys []K, nulls *nullBits, b Batch) (n int) {
	if s.Nulls == NoNulls {
		b.Pace = s.Paces.Key
		return KeysFrom(keys, b, s.get, 0)
	}
	for lo := 0; lo < len(keys); lo += 64 {
		hi := min(lo+64, len(keys))
		if nulls[lo/64%len(nulls)], n = keysOrNull(hidden(keys[lo:hi]), b.part(lo, hi), &s.Column); n < hi-lo {
			return lo
		}
	}
	return len(keys)
}

// scatter writes the keys of a batch to their elements' places.
func scatter[K any](room, keys []K, b Batch) {
	if b.at == nil {
		copy(room[b.Lo:], keys)
		return
	}
	for i, x := range b.at {
		room[x] = keys[i]
	}
}

func (s *Store[K]) Forget(n int) { clear(s.room[:n]) }

func (s *Store[K]) Compare(i, j uint32) int {
	return s.full(s.at(i), s.at(j))
}

func (s *Store[K]) Along(env *engine.Env, p any) (err error) {
	switch {
	case s.fields != nil && s.fields.strays.Load() != nil:
		var strays []K
		strays, err = alongAny(env, p, *s.fields.strays.Load())
		s.fields.strays.Store(&strays)
	case s.room != nil:
		s.Keys, err = alongAny(env, p, s.room)
		s.room = s.Keys // for keys that are extracted later
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

func (s *Store[K]) Moved(payload cpu.Payload) {
	switch {
	case s.fields != nil:
		s.fields.elems = payload.Raw()
	case s.room == nil:
		s.Keys = cpu.Slice[K](payload)
	}
}

// flag shifts the first bits of codes into the room that the column has in a
// packed code, behind its null flag.
func (s *Store[K]) flag(dst []uint64, nulls *nullBits, room int) {
	if s.Nulls == NoNulls {
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

// fixedKeys keeps keys of fixed size. Depth counts words of their codes.
type fixedKeys[K sortkey.Key] struct{ *Store[K] }

func (w fixedKeys[K]) Prefix(dst []uint64, b Batch, room int) {
	if len(dst) <= Few {
		var keys [Few]K
		w.prefixThrough(keys[:], dst, b, room)
		return
	}
	var keys [Piece]K
	w.prefixThrough(keys[:], dst, b, room)
}

func (w fixedKeys[K]) prefixThrough(buf []K, dst []uint64, b Batch, room int) {
	var nulls nullBits
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		sortkey.EncodeWordAs(w.kind, dst[i:j], w.put(buf[:j-i], &nulls, b.part(i, j)), 0, w.Order)
		w.flag(dst[i:j], &nulls, room)
	}
}

// PrefixIsWhole is false: even word 0 of narrow kinds has lost the bit that tells
// nulls.
func (w fixedKeys[K]) PrefixIsWhole(int) bool { return false }

func (w fixedKeys[K]) TieDepth(room int) int {
	if room == 64 && w.Nulls == NoNulls {
		return 1 // word 0 was the prefix
	}
	return 0
}

func (w fixedKeys[K]) ByDepth() bool { return true }

func (w fixedKeys[K]) WithPivot(_ []uint32, p Place) Place { return p }

func (w fixedKeys[K]) SortFew([]uint32, Place) (same uint, ok bool) { return 0, false }

func (w fixedKeys[K]) Codes(dst []uint64, order []uint32, p Place) {
	if len(order) <= Few {
		var keys [Few]K
		w.codesThrough(keys[:], dst, order, p)
		return
	}
	var keys [Piece]K
	w.codesThrough(keys[:], dst, order, p)
}

func (w fixedKeys[K]) codesThrough(buf []K, dst []uint64, order []uint32, p Place) {
	for len(order) > 0 {
		n := min(len(buf), len(order))
		for i, at := range order[:n] {
			buf[i] = w.Keys[at]
		}
		sortkey.EncodeWordAs(w.kind, dst[:n], buf[:n], p.Depth, w.Order)
		dst, order = dst[n:], order[n:]
	}
}

// Follow reads word after word: comparing key by key would encode each alone.
func (w fixedKeys[K]) Follow(at []uint32, room int) (still []uint32, seen cpu.Steps) {
	var keys [2 * Piece]K
	var words [2 * Piece]uint64
	for depth := w.TieDepth(room); depth < w.kind.Words() && len(at) > 0; depth++ {
		still = at[:0]
		for i := 0; i < len(at); i += Piece {
			part := at[i:min(i+Piece, len(at))]
			for j, x := range part {
				keys[2*j], keys[2*j+1] = w.Keys[x-1], w.Keys[x]
			}
			sortkey.EncodeWordAs(w.kind, words[:2*len(part)], keys[:2*len(part)], depth, w.Order)
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

func (w fixedKeys[K]) NextDepth(_ uint64, p Place) (depth int, more bool) {
	return p.Depth + 1, p.Depth+1 < w.kind.Words()
}
