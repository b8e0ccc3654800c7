package sortkey

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// TextOf views a string or a byte slice as a string.
//
// Sound: both begin with where their bytes are and how many, which is a string. The
// string is only read while the sort runs; a caller who changes key bytes meanwhile
// gets a wrong order from any sort.
func TextOf[K Key](k *K) string { return *(*string)(unsafe.Pointer(k)) }

// Prefixes writes the prefixes of keys with the bits of flip flipped. It returns the
// length of the longest key, at least longest, more if one of at most 8 bytes has a zero
// byte. Processors wait for the memory of many keys at once, as nothing depends on it.
func Prefixes[K Key](codes []uint64, keys []K, flip uint64, longest int) int {
	codes = codes[:len(keys)]
	for i := range keys {
		s := TextOf(&keys[i])
		code := Prefix(s)
		if longest = max(longest, len(s)); longest <= 8 {
			longest = max(longest, zeroByte(code, len(s)))
		}
		codes[i] = code ^ flip
	}
	return longest
}

func writePrefixes[K string | []byte](codes []uint64, keys []K, flip uint64) {
	for i := range keys {
		codes[i] = Prefix(TextOf(&keys[i])) ^ flip
	}
}

// Prefix returns the first eight bytes of s, big-endian, padded with zeros.
func Prefix(s string) uint64 {
	p := unsafe.StringData(s)
	if len(s) >= 8 {
		// Sound: the eight bytes are inside s.
		return binary.BigEndian.Uint64((*[8]byte)(unsafe.Pointer(p))[:])
	}
	return shortPrefix(s)
}

// zeroByte returns 9 if one of the n bytes that gave the prefix is zero, and
// otherwise 0.
func zeroByte(prefix uint64, n int) int {
	const ones = 0x0101010101010101
	if n < 8 {
		prefix |= math.MaxUint64 >> (8 * n)
	}
	if (prefix-ones)&^prefix&(ones<<7) != 0 {
		return 9
	}
	return 0
}

// shortPrefix is prefix of fewer than eight bytes, read in parts that overlap: the end of
// a loop over them would be unpredictable.
func shortPrefix(s string) uint64 {
	n := len(s)
	if n >= 4 {
		p := unsafe.StringData(s)
		// Sound: both times, the four bytes are inside s.
		head := binary.BigEndian.Uint32((*[4]byte)(unsafe.Pointer(p))[:])
		tail := binary.BigEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(p), n-4))[:])
		return uint64(head)<<32 | uint64(tail)<<(64-8*n)
	}
	if n == 0 {
		return 0
	}
	return uint64(s[0])<<56 | uint64(s[n/2])<<(56-8*(n/2)) | uint64(s[n-1])<<(64-8*n)
}
