package sorter

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/parallel"
)

// tellingKeys are kept keys that compare each with the one before while they are
// read.
type tellingKeys interface {
	// prefixTied is prefix for elements that follow each other, with room for 64
	// bits and without nulls. It counts how they follow on each other, the first on
	// the one before it unless it is alone, and returns those that tie, which are not
	// counted, in room.
	prefixTied(dst []uint64, b batch, alone bool, room []uint32) (tied []uint32, seen cpu.Steps)
}

// keptStrings keeps strings and byte slices. Depth counts bytes.
type keptStrings[K Key] struct {
	*store[K]
	longest atomic.Int64 // bytes of the longest string; more if one has a zero byte
}

// text returns the key of element x as a string.
func (t *keptStrings[K]) text(x uint32) string {
	k := t.at(x)
	return textOf(&k)
}

// textOf views a string or a byte slice as a string.
//
// Sound: both begin with where their bytes are and how many, which is a string. The
// string is only read while the sort runs; a caller who changes key bytes meanwhile
// gets a wrong order from any sort.
func textOf[K Key](k *K) string { return *(*string)(unsafe.Pointer(k)) }

const (
	// longText is the number of bytes from which on a comparison may take long.
	longText = 4 << 10
	// textTurn is the number of bytes of a string that are compared between two questions
	// to the context, at most. They take 0.1 ms from memory (EPYC of 2022).
	textTurn = 1 << 20
)

// loop returns the loop whose context may cancel comparisons, nil if none does.
func (t *keptStrings[K]) loop() *parallel.Loop {
	if t.paces.key == nil {
		return nil
	}
	return t.paces.key.loop
}

// compareTexts compares two strings. Before it compares long ones, and in turns while it
// does, it asks the context of loop: the result means nothing in a cancelled sort.
func compareTexts(loop *parallel.Loop, a, b string) int {
	for n := min(len(a), len(b)); n > longText && loop != nil; n = min(len(a), len(b)) {
		if loop.Err() != nil {
			return 0
		}
		n = min(n, textTurn)
		if c := strings.Compare(a[:n], b[:n]); c != 0 {
			return c
		}
		a, b = a[n:], b[n:]
	}
	return strings.Compare(a, b)
}

func (t *keptStrings[K]) compare(i, j uint32) int {
	if t.order.desc {
		i, j = j, i
	}
	return compareTexts(t.loop(), t.text(i), t.text(j))
}

func (t *keptStrings[K]) prefix(dst []uint64, b batch, room int) {
	if len(dst) <= few {
		var keys [few]K
		t.prefixThrough(keys[:], dst, b, room)
		return
	}
	var keys [piece]K
	t.prefixThrough(keys[:], dst, b, room)
}

func (t *keptStrings[K]) prefixThrough(buf []K, dst []uint64, b batch, room int) {
	var nulls nullBits
	flip, longest := t.flip(), 0
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		codes := dst[i:j]
		keys := t.put(buf[:j-i], &nulls, b.part(i, j))[:len(codes)]
		longest = writePrefixes(codes, keys, flip, longest)
		t.flag(codes, &nulls, room)
	}
	t.note(longest)
}

// writePrefixes writes the prefixes of keys with the bits of flip flipped. It returns the
// length of the longest key, at least longest, more if one of at most 8 bytes has a zero
// byte. Processors wait for the memory of many keys at once, as nothing depends on it.
func writePrefixes[K Key](codes []uint64, keys []K, flip uint64, longest int) int {
	codes = codes[:len(keys)]
	for i := range keys {
		s := textOf(&keys[i])
		code := prefix(s)
		if longest = max(longest, len(s)); longest <= 8 {
			longest = max(longest, zeroByte(code, len(s)))
		}
		codes[i] = code ^ flip
	}
	return longest
}

// sameTexts returns how many of the first keys are equal to s. Where that has 4 to 16
// bytes, as most names have, it takes no call to see it.
func (t *keptStrings[K]) sameTexts(keys []K, s string) int {
	n := len(s)
	switch {
	case n > longText:
		for i := range keys {
			if len(textOf(&keys[i])) != n || compareTexts(t.loop(), textOf(&keys[i]), s) != 0 {
				return i
			}
		}
	case n < 4 || n > 16:
		for i := range keys {
			if textOf(&keys[i]) != s {
				return i
			}
		}
	case n < 8:
		head, tail := ends4(unsafe.Pointer(unsafe.StringData(s)), n)
		for i := range keys {
			h := (*header)(unsafe.Pointer(&keys[i]))
			if h.len != n {
				return i
			}
			if a, b := ends4(h.data, n); a != head || b != tail {
				return i
			}
		}
	default:
		head, tail := ends8(unsafe.Pointer(unsafe.StringData(s)), n)
		for i := range keys {
			h := (*header)(unsafe.Pointer(&keys[i]))
			if h.len != n {
				return i
			}
			if a, b := ends8(h.data, n); a != head || b != tail {
				return i
			}
		}
	}
	return len(keys)
}

// sameMemory returns how many of the first keys are s and in its memory.
func sameMemory[K Key](keys []K, s string) int {
	for i := range keys {
		if k := textOf(&keys[i]); len(k) != len(s) || unsafe.StringData(k) != unsafe.StringData(s) {
			return i
		}
	}
	return len(keys)
}

// ends4 and ends8 return the first and the last four, or eight, of n bytes at p,
// which are that many.
func ends4(p unsafe.Pointer, n int) (head, tail uint32) {
	last := unsafe.Add(p, n-4)
	return binary.LittleEndian.Uint32((*[4]byte)(p)[:]), binary.LittleEndian.Uint32((*[4]byte)(last)[:])
}

func ends8(p unsafe.Pointer, n int) (head, tail uint64) {
	last := unsafe.Add(p, n-8)
	return binary.LittleEndian.Uint64((*[8]byte)(p)[:]), binary.LittleEndian.Uint64((*[8]byte)(last)[:])
}

// prefixTied compares neighbours once where their codes tie, and after two equal keys all
// that follow: names in order come in runs. Keys in the same memory are not read.
func (t *keptStrings[K]) prefixTied(dst []uint64, b batch, alone bool, room []uint32) (tied []uint32, seen cpu.Steps) {
	if alone {
		t.prefix(dst[:1], b.part(0, 1), 64)
		dst, b = dst[1:], b.part(1, len(dst))
	}
	var buf [piece]K
	n, above, flip, longest, last := 0, 0, t.flip(), 0, t.text(uint32(b.lo-1))
	code := prefix(last)
	for i := 0; i < len(dst); i += len(buf) {
		j := min(i+len(buf), len(dst))
		codes, first := dst[i:j], b.lo+i
		keys := t.put(buf[:j-i], nil, b.part(i, j))[:len(codes)]
		same := sameMemory(keys, last)
		for i := range same {
			codes[i] = code ^ flip
			room[n+i] = uint32(first + i)
		}
		n += same
		longest = writePrefixes(codes[same:], keys[same:], flip, longest)
		for i := same; i < len(keys); i++ {
			s, before := textOf(&keys[i]), code
			code = codes[i] ^ flip
			if code > before {
				above++
				continue
			}
			if code < before {
				continue
			}
			if i > 0 {
				last = textOf(&keys[i-1])
			}
			switch c := compareTexts(t.loop(), s, last); {
			case c < 0:
			case c > 0:
				above++
			default:
				end := i + 1 + t.sameTexts(keys[i+1:], s)
				for ; i < end; i++ {
					room[n] = uint32(first + i)
					n++
				}
				i--
			}
		}
		last = textOf(&keys[len(keys)-1])
	}
	t.note(longest)
	if seen = (cpu.Steps{Rises: above, Falls: len(dst) - above - n}); t.order.desc {
		seen.Rises, seen.Falls = seen.Falls, seen.Rises
	}
	return room[:n], seen
}

func (t *keptStrings[K]) forget(n int) {
	t.store.forget(n)
	t.longest.Store(0)
}

// note records the longest string of a piece.
func (t *keptStrings[K]) note(longest int) {
	for {
		known := t.longest.Load()
		if int64(longest) <= known || t.longest.CompareAndSwap(known, int64(longest)) {
			return
		}
	}
}

// complete: padding cannot be told from zero bytes, but from all others.
func (t *keptStrings[K]) complete(room int) bool {
	if t.nulls != noNulls {
		room--
	}
	return t.longest.Load() <= int64(room/8)
}

func (t *keptStrings[K]) flip() uint64 {
	if t.order.desc {
		return math.MaxUint64
	}
	return 0
}

func (t *keptStrings[K]) first(int) int { return 0 }

// alike is false: codes depend on the run's pivot.
func (t *keptStrings[K]) alike() bool { return false }

// cut chooses a pivot, the longest of three strings drawn at random. Only so much of it
// is compared as a sample needs, twice over, and a turn: what agrees with all of that
// ties.
// Where a quarter of the sample parts from it first, at about one byte, its stem up to
// there is the pivot.
// A short run takes the string in its middle, up to a turn of it.
func (t *keptStrings[K]) cut(order []uint32, p place) place {
	n := len(order)
	if n <= few {
		p.pivot = order[n/2]
		p.window = min(len(t.text(p.pivot))-p.depth, textTurn)
		return p
	}
	var room [32]string
	sample, best, r := room[:bits.Len(uint(n))], 0, drawer(order[0], n, p.depth)
	for i := range sample {
		at := order[drawn(r, n)]
		s := t.text(at)
		sample[i] = s[:p.depth+min(len(s)-p.depth, textTurn)]
		if i == 0 || i < 3 && len(sample[i]) > len(sample[best]) {
			p.pivot, best = at, i
		}
	}
	var lengths [32]int // of common prefixes with the pivot
	least, most := len(sample[best]), p.depth
	for i, s := range sample {
		if lengths[i] = common(sample[best], s, p.depth); i != best {
			least, most = min(least, lengths[i]), max(most, lengths[i])
		}
	}
	early := 0 // strings that part from the pivot first
	for _, shared := range lengths[:len(sample)] {
		if shared < least+narrow {
			early++
		}
	}
	if early > len(sample)/4 {
		p.stem, p.window = true, least-p.depth
		return p
	}
	p.window = min(len(sample[best])-p.depth, 2*(most-p.depth)+16)
	return p
}

func (t *keptStrings[K]) sortFew(order []uint32, p place) (same uint, ok bool) {
	if len(order) > fewTexts {
		return 0, false
	}
	var room [fewTexts]string
	texts := room[:len(order)]
	for i, at := range order {
		if texts[i] = t.text(at); len(texts[i])-p.depth > textTurn {
			return 0, false // to be compared in turns
		}
	}
	return sortFew(texts, order, p.depth, t.order.desc), true
}

func (t *keptStrings[K]) codes(dst []uint64, order []uint32, p place) {
	v := pivotOf(t.text(p.pivot), p)
	flip, long := t.flip(), p.window > longText
	var texts [few]string
	for len(order) > 0 && !(long && t.loop() != nil && t.loop().Err() != nil) {
		n := min(few, len(order))
		for i, at := range order[:n] {
			texts[i] = t.text(at)
		}
		v.codes(dst[:n], texts[:n], flip)
		dst, order = dst[n:], order[n:]
	}
}

func (t *keptStrings[K]) after(code uint64, p place) (depth int, more bool) {
	return p.after(code ^ t.flip())
}

func (t *keptStrings[K]) follow(at []uint32, room int) (still []uint32, seen cpu.Steps) {
	if t.nulls != noNulls {
		room--
	}
	whole := room / 8              // bytes that a prefix shows: of one length, and tying there, strings are equal
	n, a, last := 0, "", uint32(0) // whose string a is; the first element follows on nothing
	for _, x := range at {
		if last != x-1 || last == 0 {
			a = t.text(x - 1)
		}
		b := t.text(x)
		c := 0
		if len(a) != len(b) || len(a) > whole {
			c = compareTexts(t.loop(), a, b)
		}
		switch {
		case c == 0:
			at[n] = x
			n++
		case (c < 0) != t.order.desc:
			seen.Rises++
		default:
			seen.Falls++
		}
		a, last = b, x
	}
	return at[:n], seen
}
