package texts

import (
	"math/bits"
	"math/rand/v2"

	"example.com/sorter/internal/sortkey"
)

// A run of strings that tie up to a depth is sorted by comparing each with one string
// of the run, the pivot. The code of a string holds the length of its common prefix with
// the pivot, whether it is below or above the pivot, and the bytes that follow the prefix.
// Strings below the pivot ascend by the length of the prefix; strings above it come after
// them and descend by that length.

// Pivot is a string with which other strings are compared; all tie up to depth.
type Pivot struct {
	text   string // its bytes up to the end of the window
	whole  bool   // text is the whole string
	stem   bool   // text is a stem: codes are of the bytes after it, see stemCode
	depth  int
	window int // bytes of text from depth on

	touched byte // sum of the bytes read ahead; without it the compiler drops the reads
}

// PivotOf returns the pivot s, of which window bytes are compared from depth on; with stem, they are a stem.
func PivotOf(s string, depth, window int, stem bool) Pivot {
	end := depth + window
	return Pivot{text: s[:end], whole: end == len(s), stem: stem, depth: depth, window: window}
}

// PivotSeed makes pivots differ from process to process: no input is slow in all of
// them. In one process, the same run has the same pivot.
var PivotSeed = rand.Uint64()

// Drawer returns a generator for a run of n elements that begins with element first. It is
// a value, so that it stays on the stack.
func Drawer(first uint32, n, depth int) rand.PCG {
	return *rand.NewPCG(PivotSeed^uint64(first), uint64(n)<<32^uint64(depth))
}

// Drawn returns a uniform random number in [0, n).
func Drawn(r *rand.PCG, n int) int {
	at, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(at)
}

const (
	// leftBits hold the number of bytes that follow the common prefix, up to one
	// more than the code has of them. It distinguishes padding from zero bytes.
	leftBits = 3
	leftMask = 1<<leftBits - 1
)

// following returns the number of bytes after the common prefix in a code, 1 to 6.
func following(window int) int {
	return min((64-leftBits-bits.Len64(uint64(2*window+1)))/8, leftMask-1)
}

// Codes writes the codes of strings, xor flip. It first reads a byte of each string, so that
// their cache misses overlap.
func (v *Pivot) Codes(dst []uint64, texts []string, flip uint64) {
	tail := following(v.window)
	for _, s := range texts {
		if v.depth < len(s) {
			v.touched += s[v.depth]
		}
	}
	if v.stem {
		for i, s := range texts {
			dst[i] = v.stemCode(s) ^ flip
		}
		return
	}
	for i, s := range texts {
		dst[i] = v.code(s, tail) ^ flip
	}
}

// stemCode returns the code of s if most strings of a run begin with one text, the stem, and
// many differ soon after it. The code holds seven bytes after the stem and the number of
// bytes that follow it, at most eight. Strings without the stem have the lowest code if they
// come before it, and otherwise the highest. They tie, and are sorted by another pivot.
func (v *Pivot) stemCode(s string) uint64 {
	at := Common(v.text, s, v.depth)
	switch {
	case at == len(v.text):
		rest := s[at:]
		return 1<<60 | sortkey.Prefix(rest)>>8<<4 | uint64(min(len(rest), 8))
	case at < len(s) && s[at] > v.text[at]:
		return 2 << 60
	}
	return 0
}

// code returns the code of s. Let m be the length of its common prefix with the pivot, from
// depth on. The leading bits are the rank: m below the pivot, the window if the whole window
// agrees, and 2*window+1-m above the pivot.
func (v *Pivot) code(s string, tail int) uint64 {
	at := Common(v.text, s, v.depth)
	rank := at - v.depth
	switch {
	case at < len(v.text):
		if at < len(s) && s[at] > v.text[at] {
			rank = 2*v.window + 1 - rank
		}
	case !v.whole:
		return uint64(rank)<<(8*tail+leftBits) | leftMask
	case at == len(s):
		return uint64(rank) << (8*tail + leftBits)
	default:
		rank++
	}
	rest := s[at:]
	return (uint64(rank)<<(8*tail)|sortkey.Prefix(rest)>>(64-8*tail))<<leftBits | uint64(min(len(rest), tail+1))
}

// After returns the depth up to which strings with equal codes tie, by a pivot as in [PivotOf]; false if these
// strings are equal.
func After(code uint64, depth, window int, stem bool) (next int, more bool) {
	switch {
	case stem && code>>60 == 1:
		return depth + window + 7, code&15 == 8
	case stem: // without the stem: a smaller run
		return depth, true
	}
	tail := following(window)
	rank := int(code >> (8*tail + leftBits))
	switch {
	case int(code&leftMask) <= tail:
		return 0, false
	case rank == window:
		return depth + rank, true
	case rank > window:
		rank = 2*window + 1 - rank
	}
	return depth + rank + tail, true
}
