package rowsort

import (
	"cmp"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// collation makes the keys of text: the weights of its runes, one after the other.
type collation struct {
	bytewise bool // the order of keys is that of the text itself
	utf8     bool // text is UTF-8, otherwise bytes

	next   func(string) (rune, int)
	weight sql.CollationSorter
	ascii  [utf8.RuneSelf]int32  // weights of ASCII
	codes  [utf8.RuneSelf][]byte // their codes; nil if the weight has none
}

// collations are made when they are first met. Numbers of collations are below 2048.
var collations [2048]atomic.Pointer[collation]

// collationOf returns the collation numbered id, or nil if the engine cannot compare by it.
func collationOf(id sql.CollationID) *collation {
	if int(id) >= len(collations) {
		return nil
	}
	if c := collations[id].Load(); c != nil {
		return c
	}
	c := newCollation(id)
	if c != nil {
		collations[id].Store(c)
	}
	return c
}

func newCollation(id sql.CollationID) *collation {
	encoder := id.CharacterSet().Encoder()
	weight := id.Sorter()
	if encoder == nil || weight == nil {
		return nil
	}
	c := &collation{utf8: id.CharacterSet() != sql.CharacterSet_binary, next: encoder.NextRune, weight: weight}
	switch id {
	case sql.Collation_binary, sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_0900_bin:
		c.bytewise = true
	}
	for r := range c.ascii {
		c.ascii[r] = weight(rune(r))
		c.codes[r], _ = appendWeight(nil, c.ascii[r])
	}
	return c
}

// compare compares texts as far as they are alike.
func (c *collation) compare(a, b string) int {
	if !c.utf8 && c.bytewise {
		return strings.Compare(a, b)
	}
	for a != "" && b != "" {
		var r int
		na, nb := 1, 1
		if a[0]|b[0] < utf8.RuneSelf {
			r = cmp.Compare(c.ascii[a[0]], c.ascii[b[0]])
		} else {
			var ra, rb rune
			ra, na = c.next(a)
			rb, nb = c.next(b)
			r = cmp.Compare(c.weight(ra), c.weight(rb))
		}
		if r != 0 {
			return r
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

// appendKey appends the key of s, which is not shorter than another's if s is not.
// It reports whether all weights have codes.
func (c *collation) appendKey(key []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf && c.codes[b] != nil {
			key = append(key, c.codes[b]...)
			i++
			continue
		}
		r, size := c.next(s[i:])
		if size == 0 {
			return key, false
		}
		i += size
		var ok bool
		if key, ok = appendWeight(key, c.weight(r)); !ok {
			return key, false
		}
	}
	return key, true
}

// maxWeight is the length of the longest code of a weight.
const maxWeight = 5

// appendWeight appends a code of one, two or five bytes. Codes are in the order of weights, and
// none begins another: so are texts, and those that begin another come first. Negative weights
// have no code.
func appendWeight(key []byte, w int32) ([]byte, bool) {
	const one, two = 0x80, 0x80 + 0x4000
	switch {
	case w < 0:
		return key, false
	case w < one:
		return append(key, byte(w)), true
	case w < two:
		w -= one
		return append(key, 0x80|byte(w>>8), byte(w)), true
	}
	return append(key, 0xc0, byte(w>>24), byte(w>>16), byte(w>>8), byte(w)), true
}

// textKey returns the key of s, which lies in the arena or is s itself.
func (c *column) textKey(s string) (string, error) {
	if c.collation.bytewise {
		if c.collation.utf8 && !utf8.ValidString(s) {
			s = string([]rune(s)) // every byte that is no UTF-8 counts as U+FFFD
		}
		return s, nil
	}
	c.reserve(maxWeight * len(s))
	begin := len(c.arena)
	var ok bool
	if c.arena, ok = c.collation.appendKey(c.arena, s); !ok {
		return "", errNoKey
	}
	return encodings.BytesToString(c.arena[begin:]), nil
}

// textOf returns v as the comparator of text reads it.
func (c *column) textOf(ctx *sql.Context, v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	s, err := c.convert(ctx, v)
	if err != nil {
		return "", errNoKey
	}
	return s, nil
}

// convert returns v, which is no string, as text.
func (c *column) convert(ctx *sql.Context, v any) (string, error) {
	v, _, err := c.typ.Convert(ctx, v)
	if err == nil {
		v, err = sql.UnwrapAny(ctx, v)
	}
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		if !types.IsBinaryType(c.typ) {
			return v, nil
		}
	case []byte:
		if types.IsBinaryType(c.typ) {
			return encodings.BytesToString(v), nil
		}
	}
	return "", errNoKey
}

// arenaBytes is the size of an arena's first block.
const arenaBytes = 1 << 10

// reserve makes room for n bytes in the arena, in a new block if there is none: keys keep the
// old block, and bytes of it that are a key are never written again while the key is in use.
func (c *column) reserve(n int) {
	if cap(c.arena)-len(c.arena) < n {
		c.arena = make([]byte, 0, max(n, min(2*cap(c.arena), 1<<20), arenaBytes))
	}
}
