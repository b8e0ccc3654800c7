package extract

import (
	"slices"
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Word is a code of up to 64 bits made from consecutive columns: narrow columns, packed
// side by side, followed by the prefix of at most one wide column. An engine sorts by the
// first word. Codes of the others are extracted only for ties of the words before.
type Word struct {
	narrow         []Column
	wide           *Column  // its full keys break ties before the next word does
	PrefixBits     int      // bits of the wide column's prefix
	Bits           int      // of the whole code
	InMemory       bool     // all keys lie in slices: no element is read for a code, no function called
	needsNoElement bool     // no element is read for a code: functions are of row numbers
	Full           FullKeys // of the wide column, made when the word is first used
	sample         sample   // codes that were sampled before an engine was chosen
	Early          Early    // codes that were extracted before the ties of earlier words were known
	Extracted      bool     // some of its codes were extracted before it became the first
}

// minPrefix is the least number of free bits of a word into which the prefix of a wide
// column is packed; with fewer, the column begins a word. So does one of 64-bit keys with nulls: a prefix
// of 32 bits takes 2.0 times as long where the columns before decide (bench/results/constants.md).
const minPrefix = 24

// Words packs columns into as few codes as their widths allow.
func Words(cols []Column, o sortkey.Order) []Word { return WordsEnding(cols, o, nil) }

// WordsEnding is [Words] where a word ends after column i if ends(i) holds.
func WordsEnding(cols []Column, o sortkey.Order, ends func(i int) bool) []Word {
	var all []Word
	open := Word{InMemory: true, needsNoElement: true}
	flush := func() {
		if open.Bits > 0 {
			all = append(all, open)
			open = Word{InMemory: true, needsNoElement: true}
		}
	}
	for i, c := range cols {
		c = c.Under(o)
		bits := c.Bits()
		if free := 64 - open.Bits; bits > 64 && (free < minPrefix || !c.kind.Wide()) || bits <= 64 && bits > free {
			flush()
		}
		open.InMemory, open.needsNoElement = open.InMemory && c.InMemory(), open.needsNoElement && c.needsNoElement()
		if bits > 64 {
			open.wide, open.PrefixBits, open.Bits = &c, 64-open.Bits, 64
			flush()
		} else {
			open.narrow = append(open.narrow, c)
			open.Bits += bits
		}
		if ends != nil && ends(i) {
			flush()
		}
	}
	flush()
	return all
}

// Columns returns the number of columns in a word.
func (l *Word) Columns() int {
	if l.wide != nil {
		return len(l.narrow) + 1
	}
	return len(l.narrow)
}

// Fresh returns the words without state of earlier elements.
func Fresh(words []Word) []Word {
	all := make([]Word, len(words))
	for i, l := range words {
		all[i] = Word{narrow: slices.Clone(l.narrow), PrefixBits: l.PrefixBits, Bits: l.Bits, InMemory: l.InMemory, needsNoElement: l.needsNoElement}
		if l.wide != nil {
			wide := *l.wide
			all[i].wide = &wide
		}
	}
	return all
}

// FreshScattered is [Fresh] for elements that do not lie in one slice: full keys are kept even
// if they are the elements.
func FreshScattered(words []Word) []Word {
	all := Fresh(words)
	for i := range all {
		wide := all[i].wide
		if wide == nil {
			continue
		}
		if _, self := wide.Key.(selfKey); self {
			wide.Key, wide.made, all[i].InMemory, all[i].needsNoElement = keyType{}, column.SpecOf(wide.kind, column.Own(wide.kind)), false, false
		}
	}
	return all
}

// Exact reports whether equal codes mean equal keys.
func (l *Word) Exact() bool { return l.wide == nil }

// FindsTies reports whether the codes are prefixes of keys that report ties themselves, and
// no code was made before.
func (l *Word) FindsTies() bool {
	if l.Extracted || len(l.narrow) > 0 || l.Exact() || l.wide.Nulls != column.NoNulls || l.sample.at != nil {
		return false
	}
	_, ok := l.Full.(TieFinder)
	return ok
}

// OwnTexts reports whether words are those of strings that are their own keys.
func OwnTexts(words []Word) bool {
	if len(words) != 1 || words[0].wide == nil || len(words[0].narrow) > 0 || words[0].wide.kind != sortkey.String {
		return false
	}
	_, self := words[0].wide.Key.(selfKey)
	return self
}

// Decisive reports whether equal codes of the first word mean that everything
// is equal.
func Decisive(words []Word) bool { return len(words) == 1 && words[0].Exact() }

// Open takes memory for the full keys of rows. It precedes all calls for codes.
func (l *Word) Open(rows Input, env *engine.Env) {
	for i := range l.narrow {
		l.narrow[i].Paces = newPaces(&env.Loop)
	}
	if l.wide != nil && l.Full == nil {
		l.wide.Paces = newPaces(&env.Loop)
		l.Full = l.wide.Key.keep(*l.wide, l.PrefixBits, rows, &env.Arena)
	}
}

// Codes writes the codes of the len(dst) elements of b. If the context is cancelled, codes
// may be missing.
func (l *Word) Codes(dst []uint64, b Batch) {
	if len(l.narrow) == 0 {
		l.Full.Prefix(dst, b, l.PrefixBits)
		return
	}
	l.narrow[0].Codes(dst, b)
	if len(l.narrow) == 1 && l.wide == nil {
		return
	}
	part := pieces.Get().(*[Piece]uint64)
	defer pieces.Put(part)
	for i := 0; i < len(dst); i += Piece {
		j := min(i+Piece, len(dst))
		some := b.part(i, j)
		for k := range l.narrow[1:] {
			c := &l.narrow[1+k]
			c.Codes(part[:j-i], some)
			join(dst[i:j], part, c.Bits())
		}
		if l.wide != nil {
			l.Full.Prefix(part[:j-i], some, l.PrefixBits)
			join(dst[i:j], part, l.PrefixBits)
		}
	}
}

// join appends a part of the given width to packed codes.
func join(dst []uint64, part *[Piece]uint64, width int) {
	for i := range dst {
		dst[i] = dst[i]<<width | part[i%Piece]
	}
}

// Codes32 is Codes for words of at most 32 bits, which are exact.
func (l *Word) Codes32(dst []uint32, b Batch) {
	if c := &l.narrow[0]; len(l.narrow) == 1 && c.Nulls == column.NoNulls && c.width == 0 {
		b.Pace = c.Paces.Key
		c.Key.codes32(dst, b, c)
		return
	}
	wide := pieces.Get().(*[Piece]uint64)
	defer pieces.Put(wide)
	for i := 0; i < len(dst); i += Piece {
		j := min(i+Piece, len(dst))
		l.Codes(wide[:j-i], b.part(i, j))
		for k, c := range wide[:j-i] {
			dst[i+k] = uint32(c)
		}
	}
}

// CodeSize is the size of a code of the first word, in bytes.
func CodeSize(words []Word) uintptr {
	if len(words) > 0 && words[0].Bits <= 32 {
		return 4
	}
	return 8
}

// FullSize is the size in bytes of an entry of the wide column's store: a key, or a word of
// its code. It is 0 if the column stores nothing.
func (l *Word) FullSize() uintptr {
	switch {
	case l.wide == nil || l.wide.InMemory():
		return 0
	case l.wide.kind >= sortkey.String:
		return l.wide.kind.Size()
	case l.wide.alone(l.PrefixBits):
		return 1
	}
	return 8
}

// FullBytes bounds the memory, in bytes, of the stores of the wide columns of n elements.
func FullBytes(n int, words []Word) int64 {
	bytes := int64(0)
	for i := range words {
		bytes += scratch.Size(n, words[i].FullSize()) * words[i].stores()
	}
	return bytes
}

// stores is the number of entries, of FullSize each, that the wide column stores per element.
func (l *Word) stores() int64 {
	if l.wide == nil || l.wide.kind >= sortkey.String {
		return 1
	}
	return int64(l.wide.kind.Words() - firstWord(l.wide, l.PrefixBits))
}

// AllInMemory reports whether no word has to read elements.
func AllInMemory(words []Word) bool {
	return !slices.ContainsFunc(words, func(l Word) bool { return !l.InMemory })
}

// sample holds the codes of the sampled chunks. They are not extracted again: a key
// function is called once.
type sample struct {
	at    []int    // the first elements of the chunks, ascending
	codes []uint64 // presorted.SampleLen of each
}

// known returns the sampled codes of elements in [lo, hi), which is at most a block: those
// of elements [lo+i, lo+j).
func (g *sample) known(lo, hi int) (codes []uint64, i, j int) {
	for k, at := range g.at {
		from, to := max(at, lo), min(at+presorted.SampleLen, hi)
		if from < to {
			return g.codes[k*presorted.SampleLen+from-at : k*presorted.SampleLen+to-at], from - lo, to - lo
		}
	}
	return nil, hi - lo, hi - lo
}

// Early holds codes of a word that were extracted before the ties of the words before it
// were known. Each code is extracted at most once and read again when these ties are broken.
type Early struct {
	Codes []uint64
	Done  []byte // by element: 1 if its code is there
}

// newEarly takes memory for the codes of n elements. None of them is extracted yet.
func newEarly(n int, arena *scratch.Arena) Early {
	e := Early{scratch.Take[uint64](arena, n), scratch.Take[byte](arena, n)}
	clear(e.Done)
	return e
}

// EarlyBytes bounds the memory, in bytes, of the Early codes of all words after the first.
func EarlyBytes(n int, words []Word) int64 {
	return int64(max(1, len(words))-1) * (scratch.Size(n, 8) + scratch.Size(n, 1))
}

// pieces are buffers for the codes of one column while several are packed.
var pieces = sync.Pool{New: func() any { return new([Piece]uint64) }}
