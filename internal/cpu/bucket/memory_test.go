package bucket

import (
	"math/bits"
	"testing"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/scratch"
)

// TestNesting holds the bound on workspaces one inside another to the worst runs: each
// level leaves nearly all of its codes, or as many as make the next sort by fewer bits.
func TestNesting(t *testing.T) {
	block := func(n int) int64 { return scratch.Size(n, 8) }
	var worst func(n, width int) int64
	worst = func(n, width int) int64 {
		passes, digit := leading(n, min(width, 32))
		most := int64(0)
		if width -= passes * digit; width > 0 && n > ShortSort {
			most = worst(n, width)
			for fewer := 1 << (bits.Len(uint(n-1)) - 1); fewer > ShortSort; fewer /= 2 {
				most = max(most, worst(fewer, width))
			}
		}
		return block(n) + most
	}
	for n := ShortSort + 1; n <= MaxLen; n += 1 + n/50 {
		for _, code := range []uintptr{4, 8} {
			if got, want := int64(nesting(n, code))*block(n), worst(n, 8*int(code)); got < want {
				t.Errorf("%d codes of %d bytes: %d levels of words take %d bytes, want at least %d", n, code, nesting(n, code), got, want)
			}
		}
	}
}

// TestLeading holds digits to the bits that they cover, in as few passes as they take.
func TestLeading(t *testing.T) {
	for n := 2; n <= MaxLen; n += 1 + n/7 {
		for width := 1; width <= 64; width++ {
			passes, digit := leading(n, width)
			low := bits.Len(uint(n - 1))
			if passes < 1 || passes > maxPasses || digit > loops.MaxDigitBits || passes*digit < min(width, low+spareBits) || digit > (width+passes-1)/passes || passes == 2 && min(width, low+spareBits) <= min(max(low, minDigitBits), loops.MaxDigitBits) {
				t.Fatalf("%d codes of %d bits: %d passes of %d bits", n, width, passes, digit)
			}
		}
	}
}
