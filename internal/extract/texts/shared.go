package texts

import (
	"math"
	"math/bits"
	"slices"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/sortkey"
)

// Texts often begin alike: "user-", "https://www.". Codes of the bytes after those that all texts share
// tie seldom, and hold short texts whole.

const (
	// mostSampled is the number of codes that are sampled for ties. If two of them tie, codes are made
	// again (2 cores of an EPYC, 2026-11, 10^6 strings: 18 instead of 42 ns per row for an order of
	// "name-" and 6 digits; bench/results/constants.md).
	mostSampled = 1 << 10

	// MostShared is the number of bytes from which on texts keep their codes: pivots skip longer
	// texts, without a read where texts are the same memory.
	MostShared = 1 << 10
)

// Flip returns the bits of codes that are flipped.
func Flip(o sortkey.Order) uint64 {
	if o.Desc {
		return math.MaxUint64
	}
	return 0
}

// fewShared is the number of bytes that up to cpu.SmallLen texts share for their codes to be made again.
// Few codes tie after fewer bytes.
const fewShared = 4

// CodesOf writes the codes of the first bytes of texts. It reports whether texts with equal codes are equal.
func CodesOf[K Key](codes []uint64, keys []K, o sortkey.Order) (whole bool) {
	return sortkey.Prefixes(codes, keys, Flip(o), 0) <= 8
}

// CodesAfterShared makes codes of the first bytes of texts again, of the bytes after those that all texts
// share, if these are some. It reports whether texts with equal codes are equal then.
func CodesAfterShared[K Key](codes []uint64, keys []K, o sortkey.Order) (whole bool) {
	flip, differ := Flip(o), uint64(0)
	for _, c := range codes {
		differ |= c ^ codes[0]
	}
	n := SharedBytes(codes[0]^flip, codes[0]^flip^differ)
	if n == 8 {
		text := sortkey.TextOf(&keys[0])
		for i := range keys {
			text = text[:Shared(text, sortkey.TextOf(&keys[i]))]
		}
		n = len(text)
	}
	if n < fewShared || n == MostShared {
		return false
	}
	var texts [cpu.Few]string
	longest := 0
	for len(keys) > 0 {
		some := min(cpu.Few, len(keys))
		for i := range keys[:some] {
			texts[i%cpu.Few] = sortkey.TextOf(&keys[i])[n:]
		}
		longest = sortkey.Prefixes(codes[:some], texts[:some], flip, longest)
		codes, keys = codes[some:], keys[some:]
	}
	return longest <= 8
}

// TieOften reports whether two codes of a sample tie.
func TieOften(codes []uint64) bool {
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

// SharedBytes returns the number of leading bytes that the texts of all prefixes from least to most
// share. Zero bytes do not count: they may be padding.
func SharedBytes(least, most uint64) int {
	n := bits.LeadingZeros64(least^most) / 8
	for i := range n {
		if byte(least>>(56-8*i)) == 0 {
			return i
		}
	}
	return n
}

// Shared returns the number of leading bytes that a and b share, at most [MostShared].
func Shared(a, b string) int { return Common(a[:min(len(a), MostShared)], b, 0) }
