package collation

import (
	"slices"
	"sync"

	"example.com/sorter"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collation is the order of text in a language. Its methods and columns may be used by several
// goroutines at a time, unlike a collate.Collator.
type Collation struct {
	free sync.Pool // of *keyer
}

// keyer makes keys for one goroutine at a time.
type keyer struct {
	collator *collate.Collator
	buffer   collate.Buffer
	memory   []byte // keys are copied to its end, after older ones
}

// chunk is the memory that keys of one goroutine are cut from.
const chunk = 64 << 10

// New returns the order of a language, with the options of package collate: collate.Numeric puts
// "No 9" before "No 12", collate.Loose takes "Ole", "ole" and "olé" as equal. Languages that
// package collate does not know have the order of their parents, and that of Unicode at last.
//
// collate.Force has no effect, since it is not in the keys of package collate: a second column,
// sorter.Asc of the text itself, has the same.
func New(tag language.Tag, options ...collate.Option) *Collation {
	options = slices.Clone(options)
	return &Collation{free: sync.Pool{New: func() any {
		return &keyer{collator: collate.New(tag, slices.Clone(options)...)} // collate.New sorts its options
	}}}
}

// Key returns the collation key of text: bytes.Compare of keys is the order of texts. The memory is
// the caller's; keys that one goroutine asks for share it in pieces of 64 KiB.
func (c *Collation) Key(text string) []byte {
	k := c.free.Get().(*keyer)
	k.buffer.Reset()
	key := k.collator.KeyFromString(&k.buffer, text)
	if len(key) > cap(k.memory)-len(k.memory) {
		k.memory = make([]byte, 0, max(chunk, len(key)))
	}
	at := len(k.memory)
	k.memory = append(k.memory, key...)
	key = k.memory[at:len(k.memory):len(k.memory)]
	c.free.Put(k)
	return key
}

// Sort sorts texts. Equal ones, "Ole" and "ole" under collate.IgnoreCase, keep their input order. It
// makes one key for each text, on all workers; keys take about three bytes for each byte of text and
// are garbage afterwards. Errors are those of sorter.Sort, which it calls with the options.
func (c *Collation) Sort(texts []string, options ...sorter.Option) error {
	return sorter.Sort(texts, c.Key, append([]sorter.Option{sorter.Stable()}, options...)...)
}

// Asc is a column of text in the order of c. It calls text once per element, from several goroutines
// at a time, and makes one key of each; see [sorter.Asc] for everything else.
func Asc[E any](c *Collation, text func(E) string) sorter.Column[E] {
	return sorter.Asc(func(e E) []byte { return c.Key(text(e)) })
}

// Desc is [Asc] in the opposite order. Equal texts keep their input order nevertheless.
func Desc[E any](c *Collation, text func(E) string) sorter.Column[E] {
	return sorter.Desc(func(e E) []byte { return c.Key(text(e)) })
}
