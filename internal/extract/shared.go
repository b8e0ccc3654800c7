package extract

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
)

// Texts often begin alike: "user-", "https://www.". Codes of the bytes after those that all texts share
// tie seldom, and hold short texts whole.

const (
	// mostSampled is the number of codes that are sampled for ties. If two of them tie, codes are made
	// again (2 cores of an EPYC, 2026-11, 10^6 strings: 18 instead of 42 ns per row for an order of
	// "name-" and 6 digits; bench/results/constants.md).
	mostSampled = 1 << 10

	// mostShared is the number of bytes from which on texts keep their codes: pivots skip longer
	// texts, without a read where texts are the same memory.
	mostShared = 1 << 10
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

// leastShared is the number of bytes that up to cpu.SmallLen texts share for their codes to be made again.
// Few codes tie after fewer bytes.
const leastShared = 4

// CodesOf writes the codes of the first bytes of texts. It reports whether texts with equal codes are equal.
func CodesOf[K TextKey](codes []uint64, keys []K, o sortkey.Order) (whole bool) {
	return sortkey.Prefixes(codes, keys, flipOf(o), 0) <= 8
}

// CodesAfterShared makes codes of the first bytes of texts again, of the bytes after those that all texts
// share, if these are some. It reports whether texts with equal codes are equal then.
func CodesAfterShared[K TextKey](codes []uint64, keys []K, o sortkey.Order) (whole bool) {
	flip, differ := flipOf(o), uint64(0)
	for _, c := range codes {
		differ |= c ^ codes[0]
	}
	n := sharedBytes(codes[0]^flip, codes[0]^flip^differ)
	if n == 8 {
		text := sortkey.TextOf(&keys[0])
		for i := range keys {
			text = text[:sharedText(text, sortkey.TextOf(&keys[i]))]
		}
		n = len(text)
	}
	if n < leastShared || n == mostShared {
		return false
	}
	var texts [OnStack]string
	longest := 0
	for len(keys) > 0 {
		some := min(OnStack, len(keys))
		for i := range keys[:some] {
			texts[i%OnStack] = sortkey.TextOf(&keys[i])[n:]
		}
		longest = sortkey.Prefixes(codes[:some], texts[:some], flip, longest)
		codes, keys = codes[some:], keys[some:]
	}
	return longest <= 8
}

// SkipShared reports whether [Word.Again] makes codes that tie less often than those known, which are
// from least to most: without the bytes that all keys share.
func (l *Word) SkipShared(env *engine.Env, codes []uint64, least, most uint64) bool {
	keys, ok := l.texts(codes)
	if !ok {
		return false
	}
	n := sharedBytes(least^keys.flip(), most^keys.flip())
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
		first = first[:sharedText(first, keys.text(uint32(from)))]
		first = first[:sharedText(first, keys.text(uint32(end-1)))]
		from = end
	}
	return skipShared(keys, len(first))
}

func skipShared(keys sharedKeys, n int) bool {
	if n == 0 || n == mostShared {
		return false
	}
	keys.skip(n)
	return true
}

// texts returns the keys of a word of texts without nulls, if many of their codes tie.
func (l *Word) texts(codes []uint64) (sharedKeys, bool) {
	if l.Exact() || len(l.narrow) > 0 || l.wide.Nulls != NoNulls || l.Whole() || !tieOften(codes) {
		return nil, false
	}
	keys, ok := l.Full.(sharedKeys)
	return keys, ok
}

// Again writes the codes of elements from lo on, after the bytes that all keys share.
func (l *Word) Again(dst []uint64, lo int) { l.Full.(sharedKeys).again(dst, lo) }

// Whole reports whether the codes that were made hold whole keys.
func (l *Word) Whole() bool { return l.Exact() || l.Full.PrefixIsWhole(l.PrefixBits) }

// tieOften reports whether two codes of a sample tie.
func tieOften(codes []uint64) bool {
	var sampled [mostSampled]uint64
	sample := sampled[:min(len(codes)/16, mostSampled)]
	for i := range sample {
		sample[i] = codes[i*(len(codes)/len(sample))]
	}
	slices.Sort(sample)
	for i := 1; i < len(sample); i++ {
		if sample[i] == sample[i-1] {
			return true
		}
	}
	return false
}

// sharedBytes returns the number of leading bytes that the texts of all prefixes from least to most
// share. Zero bytes do not count: they may be padding.
func sharedBytes(least, most uint64) int {
	n := bits.LeadingZeros64(least^most) / 8
	for i := range n {
		if byte(least>>(56-8*i)) == 0 {
			return i
		}
	}
	return n
}

// sharedByAll returns the number of leading bytes that the keys of n elements share.
func sharedByAll(env *engine.Env, keys sharedKeys, n int) int {
	first := keys.text(0)
	var shared atomic.Int64
	shared.Store(int64(min(len(first), mostShared)))
	err := env.Stage("extract", n, engine.Block, func(_, lo, hi int) {
		text := first[:shared.Load()]
		for ; lo < hi; lo++ {
			text = text[:sharedText(text, keys.text(uint32(lo)))]
		}
		for known := shared.Load(); int64(len(text)) < known && !shared.CompareAndSwap(known, int64(len(text))); {
			known = shared.Load()
		}
	})
	if err != nil || env.Loop.Err() != nil {
		return 0
	}
	return int(shared.Load())
}

// sharedText returns the number of leading bytes that a and b share, at most [mostShared].
func sharedText(a, b string) int { return common(a[:min(len(a), mostShared)], b, 0) }

func (t *Strings[K]) skip(n int) {
	t.skipped = n
	t.longest.Store(0)
}

// again takes keys that are shorter than the bytes skipped for empty ones. There are some only if runs
// are not in order.
func (t *Strings[K]) again(dst []uint64, lo int) {
	var texts [OnStack]string
	flip, longest := t.flip(), 0
	for i := 0; i < len(dst); i += OnStack {
		codes := dst[i:min(i+OnStack, len(dst))]
		for k := range codes {
			s := t.text(uint32(lo + i + k))
			texts[k%OnStack] = s[min(t.skipped, len(s)):]
		}
		longest = sortkey.Prefixes(codes, texts[:len(codes)], flip, longest)
	}
	t.note(longest)
}
