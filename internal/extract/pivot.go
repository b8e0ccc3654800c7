package extract

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/sortkey"
)

// A run of strings that tie up to a depth is sorted by comparing each with one string
// of the run, the pivot. The code of a string holds the length of its common prefix with
// the pivot, whether it is below or above the pivot, and the bytes that follow the prefix.
// Strings below the pivot ascend by the length of the prefix; strings above it come after
// them and descend by that length.

// pivot is a string with which other strings are compared; all tie up to depth.
type pivot struct {
	text   string // its bytes up to the end of the window
	whole  bool   // text is the whole string
	stem   bool   // text is a stem: see stemCode
	depth  int
	window int // bytes of text from depth on

	touched byte // sum of the bytes read ahead; without it the compiler drops the reads
}

func pivotOf(s string, p Level) pivot {
	end := p.Depth + p.Window
	return pivot{text: s[:end], whole: end == len(s), stem: p.stem, depth: p.Depth, window: p.Window}
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

// codes writes the codes of strings, xor flip. It first reads a byte of each string, so that
// their cache misses overlap.
func (v *pivot) codes(dst []uint64, texts []string, flip uint64) {
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

// narrow is the number of bytes within which strings differ from a pivot at about one place.
const narrow = 4

// stemCode returns the code of s if most strings of a run begin with one text, the stem, and
// many differ soon after it. The code holds seven bytes after the stem and the number of
// bytes that follow it, at most eight. Strings without the stem have the lowest code if they
// come before it, and otherwise the highest. They tie, and are sorted by another pivot.
func (v *pivot) stemCode(s string) uint64 {
	at := common(v.text, s, v.depth)
	switch {
	case at == len(v.text):
		rest := s[at:]
		return 1<<60 | sortkey.Prefix(rest)>>8<<4 | uint64(min(len(rest), 8))
	case at < len(s) && s[at] > v.text[at]:
		return 2 << 60
	}
	return 0
}

// afterStem is after for codes of stemCode.
func (p Level) afterStem(code uint64) (depth int, more bool) {
	if code>>60 != 1 {
		return p.Depth, true // without the stem: a smaller run
	}
	return p.Depth + p.Window + 7, code&15 == 8
}

// code returns the code of s. Let m be the length of its common prefix with the pivot, from
// depth on. The leading bits are the rank: m below the pivot, the window if the whole window
// agrees, and 2*window+1-m above the pivot.
func (v *pivot) code(s string, tail int) uint64 {
	at := common(v.text, s, v.depth)
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

// after returns the depth up to which strings with equal codes at p tie; false if these
// strings are equal.
func (p Level) after(code uint64) (depth int, more bool) {
	if p.stem {
		return p.afterStem(code)
	}
	tail := following(p.Window)
	rank := int(code >> (8*tail + leftBits))
	switch {
	case int(code&leftMask) <= tail:
		return 0, false
	case rank == p.Window:
		return p.Depth + rank, true
	case rank > p.Window:
		rank = 2*p.Window + 1 - rank
	}
	return p.Depth + rank + tail, true
}

// fewTexts is the largest number of strings that Strings.SortFew sorts, by insertion.
const fewTexts = 8

// SortFew sorts at most cpu.Few strings that tie up to depth, and their numbers with
// them, stably. Bit i of same is set if string i equals its predecessor.
//
// It is insertion by longest common prefixes (LCP). Let a, b be the neighbours before and
// after the place of string s, with lcp(s, b) known. If lcp(s, b) < lcp(a, b), s comes
// before a; if lcp(s, b) > lcp(a, b), s comes after a. Only if they are equal are bytes of
// s and a compared, from there on: no byte of s is read twice.
func SortFew(texts []string, order []uint32, depth int, desc bool) (same uint) {
	var shared [cpu.Few + 1]int // bytes, with the string before
	for k := 1; k < len(texts); k++ {
		s, number, with := texts[k], order[k], depth // shared with the string after
		i := k
		for ; i > 0; i-- {
			gap := shared[i]
			if i < k && gap < with {
				break
			}
			next := with
			if i == k || gap == with {
				low, high := texts[i-1], s
				next = common(low, high, with)
				if desc {
					low, high = high, low
				}
				if next == len(low) || next < len(high) && low[next] < high[next] {
					shared[i] = next
					break
				}
			}
			texts[i], order[i] = texts[i-1], order[i-1]
			shared[i+1], with = gap, next
		}
		texts[i], order[i] = s, number
		if i < k {
			shared[i+1] = with
		}
	}
	for i := 1; i < len(texts); i++ {
		if n := shared[i]; n == len(texts[i]) && n == len(texts[i-1]) {
			same |= 1 << i
		}
	}
	return same
}

// block is the number of bytes of long strings that are compared at a time, by the
// runtime's vector instructions. The block that differs is read again, word by word.
const block = 256

// common returns the length of the longest common prefix of a and b, given
// that their first skip bytes agree. It does not read strings that
// begin at the same address.
func common(a, b string, skip int) int {
	n := min(len(a), len(b))
	x, y := unsafe.StringData(a), unsafe.StringData(b)
	if x == y {
		return n
	}
	i := min(skip, n)
	for i+block <= n && a[i:i+block] == b[i:i+block] {
		i += block
	}
	for i+32 <= n && differ(x, y, i)|differ(x, y, i+8)|differ(x, y, i+16)|differ(x, y, i+24) == 0 {
		i += 32
	}
	for ; i+8 <= n; i += 8 {
		if d := differ(x, y, i); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	if n >= 8 { // the last 8 bytes, of which those before i agree
		return min(n, n-8+bits.TrailingZeros64(differ(x, y, n-8))/8)
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// differ returns the xor of the eight bytes from i on, the first byte lowest. Both strings
// have at least i+8 bytes.
func differ(x, y *byte, i int) uint64 {
	// Sound: the bytes are inside of both strings.
	a, b := (*[8]byte)(unsafe.Add(unsafe.Pointer(x), i)), (*[8]byte)(unsafe.Add(unsafe.Pointer(y), i))
	return binary.LittleEndian.Uint64(a[:]) ^ binary.LittleEndian.Uint64(b[:])
}
