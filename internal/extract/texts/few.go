package texts

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu"
)

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
				next = Common(low, high, with)
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

// Common returns the length of the longest common prefix of a and b, given
// that their first skip bytes agree. It does not read strings that
// begin at the same address.
func Common(a, b string, skip int) int {
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
