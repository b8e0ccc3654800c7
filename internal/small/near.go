package small

import (
	"math/bits"
	"net/netip"
	"sync"
	"time"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Texts in order, or of which few are out of place, are ordered by comparisons of neighbours. Others are
// ordered by the bytes after those that all share.

// orderTexts writes the order of keys to index, of which the first known are in order. It reports whether
// all are.
func orderTexts[K texts.Key](w *cpu.Small[uint64], index []uint32, keys []K, known int, o sortkey.Order, c *Call) (same bool) {
	codes := w.Codes[:len(keys)]
	whole := texts.CodesOf(codes, keys, o)
	if same, ok := nearTexts(w, index, keys, known, whole, o, c); ok {
		return same
	}
	if !whole {
		whole = texts.CodesAfterShared(codes, keys, o)
	}
	if w.Order(index); !whole {
		orderTiedTexts(index, codes, keys, o, c)
	}
	return false
}

// orderNearTexts is orderTexts of keys of which few are out of place, if that is so. whole keys are their codes.
func orderNearTexts[K texts.Key](w *cpu.Small[uint64], index []uint32, keys []K, known int, whole bool, o sortkey.Order, c *Call) (same, ok bool) {
	codes, loop := w.Codes[:len(keys)], c.asked()
	rest := func(i, j uint32) int {
		if whole {
			return 0
		}
		return compareTexts(keys, i, j, o.Desc, loop)
	}
	if w.Near.Begin(codes); !whole && !compareTied(&w.Near, keys, known, o.Desc, loop) {
		return false, false
	}
	return w.Near.OrderBy(index, codes, rest)
}

// compareTexts compares two keys.
func compareTexts[K texts.Key](keys []K, i, j uint32, desc bool, loop *parallel.Loop) int {
	if desc {
		i, j = j, i
	}
	return texts.Compare(loop, sortkey.TextOf(&keys[i]), sortkey.TextOf(&keys[j]))
}

// compareTied finds the falls among neighbours whose codes tie, of which the first known do not fall, until
// there are too many falls and too many others.
func compareTied[K texts.Key](near *presorted.Near, keys []K, known int, desc bool, loop *parallel.Loop) bool {
	seen := near.Seen()
	for word := max(known-1, 0) / 64; word < near.Words(); word++ {
		var fell uint64
		for tied := near.Tied(word); tied != 0; tied &= tied - 1 {
			i := 64*word + bits.TrailingZeros64(tied)
			if !falls(sortkey.TextOf(&keys[i]), sortkey.TextOf(&keys[i+1]), desc, loop) {
				seen.Rises++
				continue
			}
			fell |= tied & -tied
			if seen.Falls++; !presorted.MayOrder(len(keys), seen) {
				return false
			}
		}
		near.Settle(word, 0, fell)
	}
	return true
}

// leading writes the leading words of wide keys. It reports whether keys with equal ones are equal.
func leading(k sortkey.Kind, codes []uint64, keys stream.Raw, o sortkey.Order) (whole bool) {
	switch k {
	case sortkey.String:
		return texts.CodesOf(codes, stream.SliceOf[string](keys), o)
	case sortkey.Bytes:
		return texts.CodesOf(codes, stream.SliceOf[[]byte](keys), o)
	}
	sortkey.Leading(k, codes, keys.Data(), o)
	return false
}

// leadingAfterShared is leading after the bytes that all texts share, if these are some.
func leadingAfterShared(k sortkey.Kind, codes []uint64, keys stream.Raw, o sortkey.Order) (whole bool) {
	switch k {
	case sortkey.String:
		return texts.CodesAfterShared(codes, stream.SliceOf[string](keys), o)
	case sortkey.Bytes:
		return texts.CodesAfterShared(codes, stream.SliceOf[[]byte](keys), o)
	}
	return false
}

// compareRest compares wide keys whose leading words tie.
func compareRest(k sortkey.Kind, keys stream.Raw, i, j uint32, o sortkey.Order, loop *parallel.Loop) int {
	switch k {
	case sortkey.String:
		return compareTexts(stream.SliceOf[string](keys), i, j, o.Desc, loop)
	case sortkey.Bytes:
		return compareTexts(stream.SliceOf[[]byte](keys), i, j, o.Desc, loop)
	}
	return sortkey.CompareRest(k, keys.At(int(i)), keys.At(int(j)), o)
}

// wideKeys is memory for wide keys, taken at first use.
type wideKeys struct {
	texts []string
	bytes [][]byte
	times []time.Time
	addrs []netip.Addr
	words [][2]uint64 // of keys without pointers
}

var wideKeysPool = sync.Pool{New: func() any { return new(wideKeys) }}

// places returns places [lo, hi) of memory for n keys of a kind, and the bytes that it grew by.
func (w *wideKeys) places(k sortkey.Kind, lo, hi, n int) (keys stream.Raw, grown int64) {
	switch k {
	case sortkey.String:
		return placesOf(&w.texts, lo, hi, n)
	case sortkey.Bytes:
		return placesOf(&w.bytes, lo, hi, n)
	case sortkey.Time:
		return placesOf(&w.times, lo, hi, n)
	case sortkey.Addr:
		return placesOf(&w.addrs, lo, hi, n)
	}
	pairs := int(k.Size()+15) / 16 // of words, for a key
	keys, grown = placesOf(&w.words, pairs*lo, pairs*hi, pairs*n)
	return stream.RawAt(keys.Data(), k.Size(), hi-lo), grown
}

// placesOf is places of one list.
func placesOf[K any](all *[]K, lo, hi, n int) (keys stream.Raw, grown int64) {
	if len(*all) < n {
		*all = make([]K, 1<<bits.Len(uint(n-1)))
		grown = scratch.Size(len(*all), stream.RawOf(*all).Size())
	}
	return stream.RawOf((*all)[lo:hi]), grown
}

// forget clears references to the first n keys.
func (w *wideKeys) forget(n int) {
	clear(w.texts[:min(n, len(w.texts))])
	clear(w.bytes[:min(n, len(w.bytes))])
	clear(w.times[:min(n, len(w.times))])
	clear(w.addrs[:min(n, len(w.addrs))])
}
