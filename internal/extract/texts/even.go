package texts

import "example.com/sorter/internal/sortkey"

// Even codes need no pivot, so they are made before anybody knows which strings tie: codes of the bytes from a depth on, and of the
// length. Strings that tie up to the depth are in their order. These are strings that have the bytes before in common, and those
// that end there, of which at most 8 bytes, padded with zeros, are known to be alike.

// EvenBytes is the number of bytes in a code.
const EvenBytes = 7

// lengthBits hold a length, from evenBase on.
const lengthBits = 5

// evenBase is the length from which on lengths differ among strings that tie up to depth.
func evenBase(depth int) int { return max(0, depth-8) }

// Even returns the even code of a string from depth on.
func Even(s string, depth int) uint64 {
	code, base := uint64(0), evenBase(depth)
	if len(s) > depth {
		code = sortkey.Prefix(s[depth:]) >> (64 - 8*EvenBytes)
	}
	return code<<lengthBits | uint64(min(max(len(s)-base, 0), depth-base+EvenBytes+1))
}

// AfterEven returns the depth up to which strings tie that have the same even code from depth on; false if they are equal.
func AfterEven(code uint64, depth int) (next int, more bool) {
	return depth + EvenBytes, int(code&(1<<lengthBits-1)) > depth-evenBase(depth)+EvenBytes
}
