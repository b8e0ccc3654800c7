package extract

import (
	"math/bits"
	"strings"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// TieFinder are full keys that find ties of neighbours while keys are extracted.
type TieFinder interface {
	// PrefixTied is Prefix of consecutive elements, for 64 bits and without nulls. It
	// compares each element with its predecessor, the first one unless alone is set. seen
	// counts rises and falls; tied, in the memory of ties, are the elements whose keys
	// equal that of their predecessor, which are not counted.
	PrefixTied(dst []uint64, b Batch, alone bool, ties []uint32) (tied []uint32, seen presorted.Steps)
}

// keepTexts reads keys in their elements if it can, and otherwise takes memory for them.
func keepTexts[K texts.Key](c Column, rows Input, arena *scratch.Arena) FullKeys {
	t := &Strings[K]{Column: c}
	if c.Nulls == column.NoNulls && rows.Picked == nil {
		t.fields = newInPlaceKeys[K](rows.Slice, arena)
	}
	if t.fields == nil {
		t.Keys = scratch.Take[K](arena, rows.Len)
		t.stored = t.Keys
	}
	return t
}

// Strings holds the full keys of a column of strings or byte slices. Depth counts bytes.
type Strings[K texts.Key] struct {
	Column
	Keys   []K // by element
	stored []K // Keys where these own them, nil where they are given

	fields *inPlaceKeys[K]   // instead of keys, unless nil
	format column.TextFormat // instead of keys, which are strings, unless nil

	longest atomic.Int64 // bytes of the longest string, without those skipped; more if one has a zero byte
	skipped int          // leading bytes that are not in codes, see [Word.SkipShared]
}

// at returns the key of element x.
func (t *Strings[K]) at(x uint32) K {
	if t.fields != nil {
		return t.fields.at(x)
	}
	return t.Keys[x]
}

// put stores the keys of at most Piece elements and returns them, in buf unless they are
// given and adjacent. It also finds the nulls. If the context is cancelled, keys may be
// missing.
func (t *Strings[K]) put(buf []K, nulls *nullBits, b Batch) []K {
	if t.InMemory() {
		switch {
		case t.format != nil:
			return t.putFormat(buf, b)
		case b.at == nil:
			return t.Keys[b.Lo:][:len(buf)]
		}
		for i, x := range b.at {
			buf[i] = t.Keys[x]
		}
		return buf
	}
	switch {
	case t.call(hidden(buf), nulls, b) < len(buf): // the others are left out
	case t.fields != nil:
		t.fields.put(buf, b)
	default:
		scatter(t.stored, buf, b)
	}
	return buf
}

// putFormat is put of keys that lie in a format.
func (t *Strings[K]) putFormat(buf []K, b Batch) []K {
	at := cpu.Hidden(unsafe.Pointer(unsafe.SliceData(buf)))
	if b.at == nil {
		at = t.format.Read(at, b.Lo, len(buf))
	} else {
		column.GatherRows(t.format, at, b.at[:len(buf)])
	}
	return sortkey.At[K](at, len(buf)) // sound: K is string
}

func (t *Strings[K]) Along(env *engine.Env, p any) (err error) {
	switch {
	case t.fields != nil && t.fields.strays.Load() != nil:
		var strays []K
		strays, err = alongAny(env, p, *t.fields.strays.Load())
		t.fields.strays.Store(&strays)
	case t.stored != nil:
		t.Keys, err = alongAny(env, p, t.stored)
		t.stored = t.Keys // for keys that are extracted later
	}
	return err
}

func (t *Strings[K]) Moved(payload cpu.Payload) {
	switch {
	case t.fields != nil:
		t.fields.elems = payload.Raw()
	case t.stored == nil:
		t.Keys = cpu.Slice[K](payload)
	}
}

// text returns the key of element x as a string.
func (t *Strings[K]) text(x uint32) string {
	if t.format != nil {
		return t.format.Text(int(x))
	}
	k := t.at(x)
	return sortkey.TextOf(&k)
}

// loop returns the loop whose context may cancel comparisons, nil if none does.
func (t *Strings[K]) loop() *parallel.Loop {
	if t.Paces.Key == nil {
		return nil
	}
	return t.Paces.Key.Loop
}

func (t *Strings[K]) Compare(i, j uint32) int {
	if t.Order.Desc {
		i, j = j, i
	}
	return texts.Compare(t.loop(), t.text(i), t.text(j))
}

func (t *Strings[K]) Prefix(dst []uint64, b Batch, prefixBits int) {
	if len(dst) <= column.OnStack {
		var keys [column.OnStack]K
		t.prefixThrough(keys[:], dst, b, prefixBits)
		return
	}
	var keys [Piece]K
	t.prefixThrough(keys[:], dst, b, prefixBits)
}

func (t *Strings[K]) prefixThrough(buf []K, dst []uint64, b Batch, prefixBits int) {
	var nulls nullBits
	flip, longest := t.flip(), 0
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		codes := dst[i:j]
		keys := t.put(buf[:j-i], &nulls, b.part(i, j))[:len(codes)]
		longest = sortkey.Prefixes(codes, keys, flip, longest)
		t.flag(codes, &nulls, prefixBits)
	}
	t.note(longest)
}

// PrefixTied compares neighbours whose codes tie. After two equal keys, and at the beginning of a
// piece, it searches for the end of the run: sorted names come in runs, whose prefixes need not be
// made. It does not read keys that share memory.
func (t *Strings[K]) PrefixTied(dst []uint64, b Batch, alone bool, ties []uint32) (tied []uint32, seen presorted.Steps) {
	if alone {
		t.Prefix(dst[:1], b.part(0, 1), 64)
		dst, b = dst[1:], b.part(1, len(dst))
	}
	var buf [Piece]K
	n, above, flip, longest, last := 0, 0, t.flip(), 0, t.text(uint32(b.Lo-1))
	code := sortkey.Prefix(last)
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		codes, first := dst[i:j], b.Lo+i
		keys := t.put(buf[:j-i], nil, b.part(i, j))[:len(codes)]
		same := texts.SameMemory(keys, last)
		if rest := keys[same:]; len(rest) > 0 {
			same += texts.Same(t.loop(), unsafe.Pointer(unsafe.SliceData(rest)), unsafe.Sizeof(rest[0]), len(rest), last)
		}
		for i := range same {
			codes[i] = code ^ flip
			ties[n+i] = uint32(first + i)
		}
		n += same
		longest = sortkey.Prefixes(codes[same:], keys[same:], flip, longest)
		for i := same; i < len(keys); i++ {
			s, before := sortkey.TextOf(&keys[i]), code
			code = codes[i] ^ flip
			if code > before {
				above++
				continue
			}
			if code < before {
				continue
			}
			if i > 0 {
				last = sortkey.TextOf(&keys[i-1])
			}
			if len(s) <= 8 && len(s) == len(last) { // all bytes are in the codes
				ties[n] = uint32(first + i)
				n++
				continue
			}
			switch c := texts.Compare(t.loop(), s, last); {
			case c < 0:
			case c > 0:
				above++
			default:
				rest := keys[i+1:]
				end := i + 1 + texts.Same(t.loop(), unsafe.Pointer(unsafe.SliceData(rest)), unsafe.Sizeof(rest[0]), len(rest), s)
				for ; i < end; i++ {
					ties[n] = uint32(first + i)
					n++
				}
				i--
			}
		}
		last = sortkey.TextOf(&keys[len(keys)-1])
	}
	t.note(longest)
	if seen = (presorted.Steps{Rises: above, Falls: len(dst) - above - n}); t.Order.Desc {
		seen.Rises, seen.Falls = seen.Falls, seen.Rises
	}
	return ties[:n], seen
}

func (t *Strings[K]) Forget(n int) {
	clear(t.stored[:n])
	t.longest.Store(0)
}

// note records the longest string of a piece.
func (t *Strings[K]) note(longest int) {
	for {
		known := t.longest.Load()
		if int64(longest) <= known || t.longest.CompareAndSwap(known, int64(longest)) {
			return
		}
	}
}

// PrefixIsWhole relies on longest: padding can be confused only with zero bytes, and a
// string with one makes longest exceed any prefix.
func (t *Strings[K]) PrefixIsWhole(prefixBits int) bool {
	return t.longest.Load() <= int64(t.whole(prefixBits))
}

func (t *Strings[K]) flip() uint64 { return texts.Flip(t.Order) }

func (t *Strings[K]) TieDepth(int) int { return 0 }

// ByDepth is false: codes depend on the run's pivot.
func (t *Strings[K]) ByDepth() bool { return false }

// narrow is the number of bytes within which strings differ from a pivot at about one place.
const narrow = 4

// WithPivot chooses a pivot, the longest of three strings drawn at random. Its window has 16
// bytes more than twice the longest common prefix with another string of the sample, at most
// [texts.Turn]. Strings that agree with all of the window tie. If more than a quarter of the
// sample differs from the pivot first within narrow bytes, its stem up to there is the pivot.
// A run of at most Few strings takes its middle one.
func (t *Strings[K]) WithPivot(order []uint32, p Level) Level {
	n := len(order)
	if n <= column.OnStack {
		p.Pivot = order[n/2]
		p.Window = min(len(t.text(p.Pivot))-p.Depth, texts.Turn)
		return p
	}
	var samples [32]string
	sample, best, r := samples[:bits.Len(uint(n))], 0, texts.Drawer(order[0], n, p.Depth)
	for i := range sample {
		at := order[texts.Drawn(&r, n)]
		s := t.text(at)
		sample[i] = s[:p.Depth+min(len(s)-p.Depth, texts.Turn)]
		if i == 0 || i < 3 && len(sample[i]) > len(sample[best]) {
			p.Pivot, best = at, i
		}
	}
	var lengths [32]int // of common prefixes with the pivot
	least, most := len(sample[best]), p.Depth
	for i, s := range sample {
		if lengths[i] = texts.Common(sample[best], s, p.Depth); i != best {
			least, most = min(least, lengths[i]), max(most, lengths[i])
		}
	}
	early := 0 // strings that differ from the pivot first
	for _, shared := range lengths[:len(sample)] {
		if shared < least+narrow {
			early++
		}
	}
	if early > len(sample)/4 {
		p.stem, p.Window = true, least-p.Depth
		return p
	}
	p.Window = min(len(sample[best])-p.Depth, 2*(most-p.Depth)+16)
	return p
}

// ForAll begins after the whole bytes of the prefix.
func (t *Strings[K]) ForAll(p Level, prefixBits int) Level {
	if p.Even = true; p.Depth == 0 {
		p.Depth = t.whole(prefixBits)
	}
	return p
}

// Ended relies on longest, like PrefixIsWhole.
func (t *Strings[K]) Ended(p Level) bool { return t.longest.Load() <= int64(p.Depth+texts.EvenBytes) }

// whole is the number of bytes that a prefix of prefixBits bits holds whole.
func (t *Strings[K]) whole(prefixBits int) int {
	if t.Nulls != column.NoNulls {
		prefixBits--
	}
	return prefixBits / 8
}

// fewTexts is the largest number of strings that Strings.SortFew sorts, by insertion.
const fewTexts = 8

func (t *Strings[K]) SortFew(order []uint32, p Level) (same uint, ok bool) {
	switch {
	case len(order) == 2: // most runs are
		return t.sortTwo(order, p.Depth)
	case len(order) > fewTexts:
		return 0, false
	}
	var memory [fewTexts]string
	few := memory[:len(order)]
	for i, at := range order {
		if few[i] = t.text(at); len(few[i])-p.Depth > texts.Turn {
			return 0, false // to be compared in turns
		}
	}
	return texts.SortFew(few, order, p.Depth, t.Order.Desc), true
}

// sortTwo is SortFew of two elements. It clears no array.
func (t *Strings[K]) sortTwo(order []uint32, depth int) (same uint, ok bool) {
	a, b := t.text(order[0])[depth:], t.text(order[1])[depth:]
	if max(len(a), len(b)) > texts.Turn {
		return 0, false
	}
	c := strings.Compare(a, b)
	switch {
	case c == 0:
		return 1 << 1, true
	case (c > 0) != t.Order.Desc:
		order[0], order[1] = order[1], order[0]
	}
	return 0, true
}

func (t *Strings[K]) Codes(dst []uint64, order []uint32, p Level) {
	if p.Even {
		for i, x := range order {
			dst[i] = texts.Even(t.text(x), p.Depth) ^ t.flip()
		}
		return
	}
	v := texts.PivotOf(t.text(p.Pivot), p.Depth, p.Window, p.stem)
	flip, long := t.flip(), p.Window > texts.Long
	var texts [column.OnStack]string
	for len(order) > 0 && !(long && t.loop() != nil && t.loop().Err() != nil) {
		n := min(column.OnStack, len(order))
		for i, at := range order[:n] {
			texts[i] = t.text(at)
		}
		v.Codes(dst[:n], texts[:n], flip)
		dst, order = dst[n:], order[n:]
	}
}

func (t *Strings[K]) NextDepth(code uint64, p Level) (depth int, more bool) {
	if p.Even {
		return texts.AfterEven(code^t.flip(), p.Depth)
	}
	return texts.After(code^t.flip(), p.Depth, p.Window, p.stem)
}

func (t *Strings[K]) Follow(at []uint32, prefixBits int) (still []uint32, seen presorted.Steps) {
	whole := t.whole(prefixBits)   // bytes in a prefix: tying strings of one length up to this are equal
	n, a, last := 0, "", uint32(0) // the element whose key is a, 0 for none: element 0 has no predecessor
	for _, x := range at {
		if last != x-1 || last == 0 {
			a = t.text(x - 1)
		}
		b := t.text(x)
		c := 0
		if len(a) != len(b) || len(a) > whole {
			c = texts.Compare(t.loop(), a, b)
		}
		switch {
		case c == 0:
			at[n] = x
			n++
		case (c < 0) != t.Order.Desc:
			seen.Rises++
		default:
			seen.Falls++
		}
		a, last = b, x
	}
	return at[:n], seen
}
