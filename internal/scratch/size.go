package scratch

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// Sizes are computed in 64 bits, whatever the width of an int. A size that an int cannot count
// is [TooLarge].

// TooLarge is the size of memory that cannot exist. It exceeds every address space, and an
// int64 holds the sum of a hundred of it.
const TooLarge = 1 << 56

// most is the largest request of Take in bytes: rounded up, it still fits an int.
const most = min(math.MaxInt, TooLarge) - exact*8

// line is the size of a cache line in bytes.
const line = 64

// Size bounds what Take holds for n >= 0 elements of the given size, in bytes.
func Size(n int, size uintptr) int64 { return sizeOf(n, size, 0) }

// AlignedSize bounds what TakeAligned holds for n >= 0 elements of the given size.
func AlignedSize(n int, size uintptr) int64 { return sizeOf(n, size, line) }

// sizeOf bounds the bytes of a block for n elements of the given size and for more bytes.
func sizeOf(n int, size uintptr, more int) int64 {
	words, ok := wordsOf(n, size, more)
	if !ok {
		return TooLarge
	}
	return held(words)
}

// held bounds the bytes of a block with room for words: a pooled one may be larger.
func held(words int) int64 {
	block := int64(blockWords(words))
	if block >= exact {
		block += block / 7
	}
	return 8 * block
}

// Shares bounds what Take holds, in bytes, for parts pieces of memory that have room for
// n elements of the given size together, none of them for more than largest.
func Shares(n, parts, largest int, size uintptr) int64 {
	parts, largest = max(1, min(parts, n)), min(largest, n)
	one, all := Size(largest, size), Size(n, size)
	if one == TooLarge || all == TooLarge {
		return TooLarge
	}
	// A block is less than twice as large as requested, plus two words.
	return min(int64(parts)*one, 2*int64(n)*int64(size)+16*int64(parts), TooLarge)
}

// Fit returns how many elements of T a new block has room for that is taken for n of
// them: at least n, and the memory held is the same. T has a size.
func Fit[T any](n int) int { return fit(n, unsafe.Sizeof(*new(T))) }

func fit(n int, size uintptr) int { return blockWords(wordsFor(n, size, 0)) * 8 / int(size) }

// wordsOf returns the words that n elements of the given size and more bytes take;
// false if they cannot exist.
func wordsOf(n int, size uintptr, more int) (words int, ok bool) {
	over, bytes := bits.Mul64(uint64(n), uint64(size))
	if over != 0 || bytes > most {
		return 0, false
	}
	return (int(bytes) + more + 7) / 8, true
}

// wordsFor is wordsOf for callers that know that the memory can exist.
func wordsFor(n int, size uintptr, more int) int {
	words, ok := wordsOf(n, size, more)
	if !ok {
		panic(fmt.Sprintf("sorter: scratch for %d elements of %d bytes", n, size))
	}
	return words
}

// blockWords returns the words of a new block that has room for words.
func blockWords(words int) int {
	if words == 0 {
		return 0
	}
	if words < exact {
		return 1 << bits.Len(uint(words-1))
	}
	return (words + 1023) &^ 1023 // so that sizes that differ by an alignment share blocks
}
