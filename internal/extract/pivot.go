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
// of the run, the pivot. The code of a string is where it leaves the pivot, on which
// side, and the bytes that follow: strings below the pivot come in ascending order of
// their common prefixes with it, those above it in descending order after them.

// pivot is a string with which others are compared that tie with it up to depth.
type pivot struct {
	text   string // its bytes up to the end of the window
	whole  bool   // those are all
	stem   bool   // those are a stem: see stemCode
	depth  int
	window int // bytes of text from depth on

	touched byte // sum of bytes that were read ahead, which keeps the reads
}

func pivotOf(s string, p Place) pivot {
	end := p.Depth + p.Window
	return pivot{text: s[:end], whole: end == len(s), stem: p.stem, depth: p.Depth, window: p.Window}
}

// PivotSeed makes pivots differ from process to process: no input is slow in all of
// them. In one process, the same run has the same pivot.
var PivotSeed = rand.Uint64()

// Drawer returns a generator that draws from a run of n elements, of which first is the
// first. It is a value, so that it stays on the stack.
func Drawer(first uint32, n, depth int) rand.PCG {
	return *rand.NewPCG(PivotSeed^uint64(first), uint64(n)<<32^uint64(depth))
}

// Drawn returns a number below n.
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

// codes writes the codes of strings, every bit of which differs where flip is set. It
// reads a byte of each before it compares any: processors wait for all of them at once.
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

// narrow is the number of bytes in which strings part from a pivot at about one byte.
const narrow = 4

// stemCode returns the code of s where most strings of a run begin with one text, the
// stem, and many part soon after it: seven bytes after the stem, and how many there are, up
// to eight. Strings without the stem have the code 0 if they come before it, and
// otherwise one above all others: they tie, and have another pivot.
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

// afterStem is after for codes of the bytes after a stem.
func (p Place) afterStem(code uint64) (depth int, more bool) {
	if code>>60 != 1 {
		return p.Depth, true // without the pivot, they are fewer
	}
	return p.Depth + p.Window + 7, code&15 == 8
}

// code returns the code of s. Its rank is the length of the common prefix, from depth
// on, of a string below the pivot, the window if that is all common, and above it,
// descending with the common prefix, of a string above the pivot.
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

// after returns the depth up to which strings tie whose codes at p are equal; false if
// they are equal.
func (p Place) after(code uint64) (depth int, more bool) {
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

// fewTexts is the number of strings of a run up to which they are sorted by insertion.
const fewTexts = 8

// SortFew sorts at most cpu.Few strings that tie up to depth, and their numbers with
// them, ties in their present order. It returns which of them equal the one before, a
// bit each.
//
// This is insertion that knows what neighbours share: a string that shares less with
// the one after its place than that does with its predecessor comes before both, and
// after the predecessor if it shares more. Bytes are read only where it is the same,
// and none of the string twice.
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

// block is how many bytes of long strings are compared at a time: the runtime does it by
// vectors. The block that differs is read again, word by word.
const block = 256

// common returns the length of the longest common prefix of a and b, given
// that their first skip bytes agree. Of strings that begin at the same byte it reads
// nothing.
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

// differ returns which bits differ of the eight bytes from i on, the first byte lowest.
// Both strings have these.
func differ(x, y *byte, i int) uint64 {
	// Sound: the bytes are inside of both strings.
	a, b := (*[8]byte)(unsafe.Add(unsafe.Pointer(x), i)), (*[8]byte)(unsafe.Add(unsafe.Pointer(y), i))
	return binary.LittleEndian.Uint64(a[:]) ^ binary.LittleEndian.Uint64(b[:])
}
