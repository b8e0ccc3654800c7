package extract

import (
	"cmp"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// follow is [FullKeys.Follow] by comparisons.
func follow(at []uint32, compare func(i, j uint32) int) (still []uint32, seen presorted.Steps) {
	still = at[:0]
	for _, x := range at {
		switch c := compare(x-1, x); {
		case c == 0:
			still = append(still, x)
		case c < 0:
			seen.Rises++
		default:
			seen.Falls++
		}
	}
	return still, seen
}

// byWords are the methods of [FullKeys] whose codes are words of a key: they need no pivot.
type byWords struct{}

func (byWords) ByDepth() bool { return true }

func (byWords) WithPivot(_ []uint32, p Level) Level { return p }

func (byWords) ForAll(p Level, _ int) Level { return p }

func (byWords) SortFew([]uint32, Level) (same uint, ok bool) { return 0, false }

// ended is [FullKeys.Ended] of keys whose codes are words.
func ended(keys FullKeys, p Level) bool {
	_, more := keys.NextDepth(0, p)
	return !more
}

// selfKey is the key column of a slice of keys: every element is its own key.
type selfKey struct{ keyType }

// Self returns the column of a slice of keys.
func Self[K sortkey.Key]() Column { return ColumnAs(sortkey.KindOf[K](), nil) }

func (selfKey) codes32(dst []uint32, b Batch, c *Column) {
	sortkey.EncodeAt(c.kind, dst, b.Block.Part(0, len(dst)).Data(), c.Order)
}

func (selfKey) codes64(dst []uint64, b Batch, c *Column) {
	sortkey.EncodeAt(c.kind, dst, b.Block.Part(0, len(dst)).Data(), c.Order)
}

func (selfKey) inMemory(*Column) bool { return true }

// nullBits has a bit for each of a piece of elements: 1 for nulls.
type nullBits [Piece / 64]uint64

// call calls the column's functions for the elements of b and returns the number of
// elements done, see [KeysFrom]. The keys of nulls are the zero value.
func (c *Column) call(keys stream.Raw, nulls *nullBits, b Batch) (n int) {
	if c.Nulls == column.NoNulls {
		b.Pace = c.Paces.Key
		return keysFrom(keys, &b, c.made.Getter(), 0)
	}
	for lo := 0; lo < keys.Len(); lo += 64 {
		hi := min(lo+64, keys.Len())
		if nulls[lo/64%len(nulls)], n = keysOrNull(keys.Part(lo, hi), b.part(lo, hi), c); n < hi-lo {
			return lo
		}
	}
	return keys.Len()
}

// scatter writes the keys of a batch to their elements' places.
func scatter[K any](dst, keys []K, b Batch) {
	if b.at == nil {
		copy(dst[b.Lo:], keys)
		return
	}
	for i, x := range b.at {
		dst[x] = keys[i]
	}
}

// alongAny is cpu.Along for p, a *cpu.Placement.
func alongAny[K any](env *engine.Env, p any, keys []K) ([]K, error) {
	if p, ok := p.(*cpu.Placement[uint32]); ok {
		return cpu.Along(env, p, keys)
	}
	return cpu.Along(env, p.(*cpu.Placement[uint64]), keys)
}

// flag reduces 64-bit codes to the prefixBits bits of the column in a packed code, the first of
// which is its null flag.
func (c *Column) flag(dst []uint64, nulls *nullBits, prefixBits int) {
	if c.Nulls == column.NoNulls {
		if prefixBits < 64 {
			for i := range dst {
				dst[i] >>= 64 - prefixBits
			}
		}
		return
	}
	nullCode, other := c.nullCode(prefixBits - 1)
	for i := range dst {
		if nulls[i/64%len(nulls)]>>(i%64)&1 != 0 {
			dst[i] = nullCode
		} else {
			dst[i] = dst[i]>>(64-prefixBits+1) | other
		}
	}
}

// fixedKeys stores keys of fixed size as the words of their codes, unless the keys lie in
// memory. So one type serves all kinds, and ties are broken word by word. Depth counts words.
type fixedKeys struct {
	Column
	byWords
	from  column.Format // where keys lie, unless nil
	words [8][]uint64   // by element; nil where prefixes were whole words, or keys lie in memory
}

// firstWord is the first word of a key that a prefix of prefixBits bits does not hold whole.
func firstWord(c *Column, prefixBits int) int {
	if prefixBits == 64 && c.Nulls == column.NoNulls {
		return 1 // word 0 was the prefix
	}
	return 0
}

func (w *fixedKeys) Prefix(dst []uint64, b Batch, prefixBits int) {
	switch few := len(dst) <= column.OnStack; {
	case few && w.kind == sortkey.Time:
		prefixIn[[column.OnStack]time.Time](w, column.OnStack, dst, b, prefixBits)
	case few:
		prefixIn[[column.OnStack][2]uint64](w, w.fits(column.OnStack), dst, b, prefixBits)
	case w.kind == sortkey.Time:
		prefixIn[[Piece]time.Time](w, Piece, dst, b, prefixBits)
	default:
		prefixIn[[Piece][2]uint64](w, w.fits(Piece), dst, b, prefixBits)
	}
}

// fits returns how many keys, which are no times, fit in the memory of n pairs of words, at most n.
func (w *fixedKeys) fits(n int) int { return n * 16 / max(16, int(w.kind.Size())) }

// prefixIn is Prefix with a buffer of some keys on the stack. It is not inlined: its caller
// would clear the buffers for other keys.
//
//go:noinline
func prefixIn[Buffer any](w *fixedKeys, size int, dst []uint64, b Batch, prefixBits int) {
	var keys Buffer
	w.prefixThrough(unsafe.Pointer(&keys), size, dst, b, prefixBits)
}

// prefixThrough is Prefix through a buffer for a number of keys.
func (w *fixedKeys) prefixThrough(buf unsafe.Pointer, size int, dst []uint64, b Batch, prefixBits int) {
	var nulls nullBits
	for i := 0; i < len(dst); i += size {
		j := min(i+size, len(dst))
		codes, some := dst[i:j], b.part(i, j)
		keys := w.read(buf, &nulls, some, len(codes))
		sortkey.EncodeWordAt(w.kind, codes, keys, 0, w.Order)
		w.put(codes, keys, some)
		w.flag(codes, &nulls, prefixBits)
	}
}

// read returns the address of the keys of the n elements of b, which is buf unless they are
// given and adjacent. It also finds the nulls. A cancelled context leaves keys out.
func (w *fixedKeys) read(buf unsafe.Pointer, nulls *nullBits, b Batch, n int) unsafe.Pointer {
	switch {
	case !w.InMemory():
		w.call(stream.RawAt(cpu.Hidden(buf), w.kind.Size(), n), nulls, b)
	case b.at == nil:
		return w.from.Read(cpu.Hidden(buf), b.Lo, n)
	default:
		column.GatherRows(w.from, buf, b.at)
	}
	return buf
}

// put stores the words of the keys of at most Piece elements; codes are their words 0.
func (w *fixedKeys) put(codes []uint64, keys unsafe.Pointer, b Batch) {
	for j, all := range w.words {
		switch {
		case all == nil:
		case j == 0:
			scatter(all, codes, b)
		case b.at == nil:
			sortkey.EncodeWordAt(w.kind, all[b.Lo:][:len(codes)], keys, j, w.Order)
		default:
			var encoded [Piece]uint64
			sortkey.EncodeWordAt(w.kind, encoded[:len(codes)], keys, j, w.Order)
			scatter(all, encoded[:len(codes)], b)
		}
	}
}

// PrefixIsWhole is false: keys are longer than a prefix.
func (w *fixedKeys) PrefixIsWhole(int) bool { return false }

func (w *fixedKeys) TieDepth(prefixBits int) int { return firstWord(&w.Column, prefixBits) }

func (w *fixedKeys) Codes(dst []uint64, order []uint32, p Level) {
	if !w.InMemory() {
		all := w.words[p.Depth]
		for i, x := range order {
			dst[i] = all[x]
		}
		return
	}
	switch few := len(order) <= column.OnStack; {
	case few && w.kind == sortkey.Time:
		codesIn[[column.OnStack]time.Time](w, column.OnStack, dst, order, p.Depth)
	case few:
		codesIn[[column.OnStack][2]uint64](w, w.fits(column.OnStack), dst, order, p.Depth)
	case w.kind == sortkey.Time:
		codesIn[[Piece]time.Time](w, Piece, dst, order, p.Depth)
	default:
		codesIn[[Piece][2]uint64](w, w.fits(Piece), dst, order, p.Depth)
	}
}

// codesIn is codesThrough a buffer of its own, like prefixIn.
//
//go:noinline
func codesIn[Buffer any](w *fixedKeys, size int, dst []uint64, order []uint32, j int) {
	var keys Buffer
	w.codesThrough(unsafe.Pointer(&keys), size, dst, order, j)
}

// codesThrough writes word j of given keys, through a buffer for size of them.
func (w *fixedKeys) codesThrough(buf unsafe.Pointer, size int, dst []uint64, order []uint32, j int) {
	for len(order) > 0 {
		n := min(size, len(order))
		column.GatherRows(w.from, buf, order[:n])
		sortkey.EncodeWordAt(w.kind, dst[:n], buf, j, w.Order)
		dst, order = dst[n:], order[n:]
	}
}

// Follow compares all pairs word by word: comparing key by key would encode each key alone.
func (w *fixedKeys) Follow(at []uint32, prefixBits int) (still []uint32, seen presorted.Steps) {
	var pairs [2 * Piece]uint32
	var words [2 * Piece]uint64
	for depth := w.TieDepth(prefixBits); depth < w.kind.Words() && len(at) > 0; depth++ {
		still = at[:0]
		for i := 0; i < len(at); i += Piece {
			part := at[i:min(i+Piece, len(at))]
			for j, x := range part {
				pairs[2*j], pairs[2*j+1] = x-1, x
			}
			w.Codes(words[:2*len(part)], pairs[:2*len(part)], Level{Depth: depth})
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

func (w *fixedKeys) NextDepth(_ uint64, p Level) (depth int, more bool) {
	return p.Depth + 1, p.Depth+1 < w.kind.Words()
}

func (w *fixedKeys) Ended(p Level) bool { return ended(w, p) }

// Compare compares only the stored words: prefixes tie.
func (w *fixedKeys) Compare(i, j uint32) int {
	var pair [2]uint64
	for depth := range w.kind.Words() {
		if w.words[depth] == nil && !w.InMemory() {
			continue
		}
		w.Codes(pair[:], []uint32{i, j}, Level{Depth: depth})
		if c := cmp.Compare(pair[0], pair[1]); c != 0 {
			return c
		}
	}
	return 0
}

// Forget does nothing: words hold nothing that belongs to the caller.
func (w *fixedKeys) Forget(int) {}

func (w *fixedKeys) Along(env *engine.Env, p any) (err error) {
	for j, all := range w.words {
		if all != nil && err == nil {
			w.words[j], err = alongAny(env, p, all)
		}
	}
	return err
}

func (w *fixedKeys) Moved(payload cpu.Payload) {
	if w.InMemory() {
		w.from = column.InMemory(w.kind, payload.Raw())
	}
}
