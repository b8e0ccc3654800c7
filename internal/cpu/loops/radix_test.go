package loops

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/testkit"
)

// TestRadix compares the passes of a radix sort with plain loops.
func TestRadix(t *testing.T) {
	testRadix[uint32](t)
	testRadix[uint64](t)
}

func testRadix[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 3))
	bits := int(unsafe.Sizeof(C(0))) * 8
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 1000} {
		lowest, drop, low, digit := C(r.Uint64()), r.IntN(bits-31), r.IntN(9), 6+r.IntN(6)
		span := ^C(0) >> (bits - 32 - drop)
		codes, words := make([]C, n), make([]uint64, n)
		var counts, want [2][1 << MaxDigitBits]uint32
		for i := range codes {
			codes[i] = lowest + C(r.Uint64())&span
			k := uint64(codes[i]-lowest) >> drop >> low
			want[0][k&(1<<digit-1)]++
			want[1][k>>digit&(1<<digit-1)]++
		}
		for way, f := range []func([]uint64, []C, *[1 << MaxDigitBits]uint32, *[1 << MaxDigitBits]uint32, C, int, int, int){build[C], Build[C]} {
			clear(words)
			counts = [2][1 << MaxDigitBits]uint32{}
			f(words, codes, &counts[0], &counts[1], lowest, drop, low, digit)
			for i, c := range codes {
				if want := uint64(c-lowest)>>drop<<32 + uint64(i); words[i] != want {
					t.Fatalf("word %d of %d is %#x, want %#x, by build %d", i, n, words[i], want, way)
				}
			}
			if counts != want {
				t.Fatalf("%d codes of %d bits: other counts by build %d", n, bits, way)
			}
		}
		for way, f := range []func([]C, *[1 << MaxDigitBits]uint32, *[1 << MaxDigitBits]uint32, C, int, int){digits[C], Digits[C]} {
			counts = [2][1 << MaxDigitBits]uint32{}
			if f(codes, &counts[0], &counts[1], lowest, drop+low, digit); counts != want {
				t.Fatalf("%d codes of %d bits: other counts, %d", n, bits, way)
			}
		}
		at, second := uint32(0), &counts[1]
		for d, of := range second {
			second[d], at = at, at+of
		}
		digitOf := func(c C) uint64 { return uint64(c-lowest) >> (drop + low + digit) & (1<<digit - 1) }
		sorted := slices.Clone(codes)
		testkit.SortStable(sorted, func(a, b C) int { return int(digitOf(a)) - int(digitOf(b)) })
		plain, got := *second, make([]C, n)
		scatter(got, codes, &plain, lowest, drop+low+digit, digit)
		if !slices.Equal(got, sorted) {
			t.Fatalf("%d codes of %d bits go to other places, in Go", n, bits)
		}
		clear(got)
		Scatter(got, codes, second, lowest, drop+low+digit, digit)
		if !slices.Equal(got, sorted) || *second != plain {
			t.Fatalf("%d codes of %d bits go to other places", n, bits)
		}
	}
}
