package extract

import (
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/sortkey"
)

// sharedKeys are full keys that may share leading bytes.
type sharedKeys interface {
	// text returns the key of element x, whose code is known.
	text(x uint32) string
	// flip returns the bits of codes that are flipped.
	flip() uint64
	// skip makes again begin after n bytes, which all keys share.
	skip(n int)
	// again writes the codes of elements from lo on.
	again(dst []uint64, lo int)
}

// SkipShared reports whether [Word.Again] makes codes that tie less often than those known, which are
// from least to most: without the bytes that all keys share.
func (l *Word) SkipShared(env *engine.Env, codes []uint64, least, most uint64) bool {
	keys, ok := l.texts(codes)
	if !ok {
		return false
	}
	n := texts.SharedBytes(least^keys.flip(), most^keys.flip())
	if n == 8 {
		n = sharedByAll(env, keys, len(codes))
	}
	return skipShared(keys, n)
}

// SkipSharedOf is [Word.SkipShared] for runs of elements in order, which end where ends say.
func (l *Word) SkipSharedOf(codes []uint64, ends []int) bool {
	keys, ok := l.texts(codes)
	if !ok {
		return false
	}
	first, from := keys.text(0), 0
	for _, end := range ends {
		first = first[:texts.Shared(first, keys.text(uint32(from)))]
		first = first[:texts.Shared(first, keys.text(uint32(end-1)))]
		from = end
	}
	return skipShared(keys, len(first))
}

func skipShared(keys sharedKeys, n int) bool {
	if n == 0 || n == texts.MostShared {
		return false
	}
	keys.skip(n)
	return true
}

// texts returns the keys of a word of texts without nulls, if many of their codes tie.
func (l *Word) texts(codes []uint64) (sharedKeys, bool) {
	if l.Exact() || len(l.narrow) > 0 || l.wide.Nulls != column.NoNulls || l.Whole() || !texts.TieOften(codes) {
		return nil, false
	}
	keys, ok := l.Full.(sharedKeys)
	return keys, ok
}

// Again writes the codes of elements from lo on, after the bytes that all keys share.
func (l *Word) Again(dst []uint64, lo int) { l.Full.(sharedKeys).again(dst, lo) }

// Whole reports whether the codes that were made hold whole keys.
func (l *Word) Whole() bool { return l.Exact() || l.Full.PrefixIsWhole(l.PrefixBits) }

// sharedByAll returns the number of leading bytes that the keys of n elements share.
func sharedByAll(env *engine.Env, keys sharedKeys, n int) int {
	first := keys.text(0)
	var mu sync.Mutex
	shared := min(len(first), texts.MostShared)
	err := env.Stage("extract", n, engine.Block, func(_, lo, hi int) {
		mu.Lock()
		text := first[:shared]
		mu.Unlock()
		for ; lo < hi; lo++ {
			text = text[:texts.Shared(text, keys.text(uint32(lo)))]
		}
		mu.Lock()
		shared = min(shared, len(text))
		mu.Unlock()
	})
	if err != nil || env.Loop.Err() != nil {
		return 0
	}
	return shared
}

func (t *Strings[K]) skip(n int) {
	t.skipped = n
	t.longest.Store(0)
}

// again takes keys that are shorter than the bytes skipped for empty ones. There are some only if runs
// are not in order.
func (t *Strings[K]) again(dst []uint64, lo int) {
	var texts [column.OnStack]string
	flip, longest := t.flip(), 0
	for i := 0; i < len(dst); i += column.OnStack {
		codes := dst[i:min(i+column.OnStack, len(dst))]
		for k := range codes {
			s := t.text(uint32(lo + i + k))
			texts[k%column.OnStack] = s[min(t.skipped, len(s)):]
		}
		longest = sortkey.Prefixes(codes, texts[:len(codes)], flip, longest)
	}
	t.note(longest)
}
