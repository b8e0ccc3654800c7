package collation

import (
	"bytes"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/sorter"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collation is the order of text in a language. Its methods and columns may be used by several
// goroutines at a time, unlike a collate.Collator.
type Collation struct {
	free    sync.Pool                  // of *keyer
	packing *packing                   // nil: keys are those of the collator
	numeric bool                       // collate.Numeric, or a tag that says so
	made    atomic.Int64               // keys by collators, and bytes of their texts, up to learnAfter
	learned atomic.Pointer[characters] // nil: not yet, or of no use
}

// keyer makes keys for one goroutine at a time.
type keyer struct {
	collator *collate.Collator
	buffer   collate.Buffer
	text     []byte // with numbers as appendNumeric has them
	memory   []byte // keys are copied to its end, after older ones
	key      []byte // before it is copied to memory

	made    []byte // the text whose key was made last, a copy: the caller may write to its memory
	madeKey []byte
}

// learnAfter is the number of keys and bytes of their texts after which a Collation takes the milliseconds to learn the
// weights of characters.
const learnAfter = 64 << 10

// mostMade bounds the bytes of a text that a keyer holds with its key.
const mostMade = 1 << 10

// chunk is the memory that keys of one goroutine are cut from.
const chunk = 64 << 10

// New returns the order of a language, with the options of package collate. collate.Numeric puts
// "No 9" before "No 12", collate.Loose takes "Ole", "ole" and "olé" as equal. Languages that
// package collate does not know have the order of their parents, and that of Unicode at last.
//
// Under collate.Numeric numbers of all scripts are compared by value,
// those that differ in leading zeros are equal, and 0 is the least. A number is decimal digits, those of scripts that are newer
// than x/text's tables as well, and no others: ² is none. In package collate of x/text v0.41.0 a 0 between other
// characters comes after all numbers, and 19² is one. The order is that of its Key, where CompareString differs, as with the tag en-u-ka-shifted.
//
// collate.Force has no effect, since it is not in the keys of package collate: a second column,
// sorter.Asc of the text itself, has the same. New panics if an option is the zero collate.Option.
func New(tag language.Tag, options ...collate.Option) *Collation {
	for _, o := range options {
		if reflect.ValueOf(o).IsZero() {
			panic("collation: the zero collate.Option")
		}
	}
	options = slices.Clone(options)
	newKeyer := func() *keyer {
		return &keyer{collator: collate.New(tag, slices.Clone(options)...)} // collate.New sorts its options
	}
	first := newKeyer()
	c := &Collation{free: sync.Pool{New: func() any { return newKeyer() }}}
	c.numeric = bytes.Equal(slices.Clone(first.keyOf("01", false)), first.keyOf("1", false)) // nothing else reports it
	c.packing = newPacking(first, tag)
	c.free.Put(first)
	return c
}

// keyOf returns the key of text, which is valid until the next.
func (k *keyer) keyOf(text string, numeric bool) []byte {
	k.buffer.Reset()
	if !numeric {
		return k.collator.KeyFromString(&k.buffer, text)
	}
	k.text = appendNumeric(k.text[:0], text)
	return k.collator.Key(&k.buffer, k.text)
}

// AppendKey appends the collation key of text to dst: bytes.Compare of keys is the order of texts. With a zero after each,
// no key begins with another. Keys of package collate, and of other versions of this package, do not compare with these.
func (c *Collation) AppendKey(dst []byte, text string) []byte {
	k := c.keyer()
	dst = c.append(k, dst, text)
	c.free.Put(k)
	return dst
}

// Key returns the collation key of text, see [Collation.AppendKey]. The memory is the caller's; keys that one goroutine asks
// for share it in pieces of 64 KiB.
func (c *Collation) Key(text string) []byte {
	k := c.keyer()
	k.key = c.append(k, k.key[:0], text)
	if len(k.key) > cap(k.memory)-len(k.memory) {
		k.memory = make([]byte, 0, max(chunk, len(k.key)))
	}
	at := len(k.memory)
	k.memory = append(k.memory, k.key...)
	key := k.memory[at:len(k.memory):len(k.memory)]
	c.free.Put(k)
	return key
}

// Prefix returns the first 16 bytes of the key of text, with zeros after a shorter one. Texts with different prefixes are in
// the order of these, and others in that of their keys. So a column of prefixes may stand before that of keys, which are then
// made of few texts if most differ early. It reads as much of text as these bytes need.
func (c *Collation) Prefix(text string) (prefix [16]byte) {
	k := c.keyer()
	defer c.free.Put(k)
	if a := c.weights(k, text); a != nil {
		if made, ok := a.prefix(text, k); ok {
			return made
		}
	}
	k.key = c.append(k, k.key[:0], text)
	copy(prefix[:], k.key)
	return prefix
}

func (c *Collation) keyer() *keyer {
	k, ok := c.free.Get().(*keyer)
	if !ok {
		panic("collation: a Collation that is not of New")
	}
	return k
}

// append appends the key of text. Texts that tie are often the same, one after the other: their key is made once.
func (c *Collation) append(k *keyer, dst []byte, text string) []byte {
	if k.madeKey != nil && text == string(k.made) {
		return append(dst, k.madeKey...)
	}
	from := len(dst)
	dst = c.make(k, dst, text)
	if len(text) <= mostMade {
		k.made = append(k.made[:0], text...)
		k.madeKey = append(k.madeKey[:0], dst[from:]...)
	}
	return dst
}

// make appends the key of text.
func (c *Collation) make(k *keyer, dst []byte, text string) []byte {
	if a := c.weights(k, text); a != nil {
		if made, ok := a.append(dst, text, k); ok {
			return made
		}
	}
	key := k.keyOf(text, c.numeric)
	if c.packing == nil {
		return append(dst, key...)
	}
	return c.packing.append(dst, key)
}

// weights returns those of characters, or nil. The goroutine that makes learnAfter full, with a text, learns them; the
// garbage collector takes keyers from the pool, so these do not count.
func (c *Collation) weights(k *keyer, text string) *characters {
	a := c.learned.Load()
	if a == nil && !c.numeric && c.packing != nil && c.made.Load() < learnAfter {
		more := int64(1 + len(text))
		if made := c.made.Add(more); made >= learnAfter && made-more < learnAfter {
			c.learned.Store(k.learn(c.packing))
		}
	}
	return a
}

// Sort sorts texts. Equal ones, "Ole" and "ole" under collate.IgnoreCase, keep their input order. It
// makes one key for each text, on all workers; keys take a byte or two for each byte of text and
// are garbage afterwards. Errors are those of sorter.Sort, which it calls with the options.
func (c *Collation) Sort(texts []string, options ...sorter.Option) error {
	return sorter.Sort(texts, c.Key, append([]sorter.Option{sorter.Stable()}, options...)...)
}

// Asc is a column of text in the order of c. It calls text once per element, from several goroutines
// at a time, and makes one key of each; see [sorter.Asc] for everything else. It panics if c or text is nil.
func Asc[E any](c *Collation, text func(E) string) sorter.Column[E] {
	check(c, text)
	return sorter.Asc(func(e E) []byte { return c.Key(text(e)) })
}

// Desc is [Asc] in the opposite order. Equal texts keep their input order nevertheless.
func Desc[E any](c *Collation, text func(E) string) sorter.Column[E] {
	check(c, text)
	return sorter.Desc(func(e E) []byte { return c.Key(text(e)) })
}

// check panics if a column has no collation or no text.
func check[E any](c *Collation, text func(E) string) {
	if c == nil {
		panic("collation: nil Collation")
	}
	checkText(text)
}

// checkText panics if a column has no text.
func checkText[E any](text func(E) string) {
	if text == nil {
		panic("collation: nil text function")
	}
}
