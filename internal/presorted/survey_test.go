package presorted

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
)

// TestSummary compares SummaryOf, and its vectors, with a loop, at all lengths and
// alignments and with the extreme codes anywhere.
func TestSummary(t *testing.T) {
	checkSummary[uint32](t)
	checkSummary[uint64](t)
}

func checkSummary[C engine.Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 100; n++ {
		for from := range 9 {
			for _, bits := range []int{1, 3, 64} {
				codes := make([]C, from+n)
				for i := range codes {
					codes[i] = C(r.Uint64() << (64 - bits) >> (64 - bits))
				}
				codes = codes[from:]
				codes[r.IntN(n)] = 0
				codes[r.IntN(n)] = ^C(0)
				want := Summary[C]{Min: codes[0], Max: codes[0]}
				for i := 1; i < n; i++ {
					want.Min, want.Max = min(want.Min, codes[i]), max(want.Max, codes[i])
					if codes[i] < codes[i-1] {
						want.Falls++
					}
					if codes[i] > codes[i-1] {
						want.Rises++
					}
				}
				for _, flip := range []C{0, ^C(0) >> 1, ^(^C(0) >> 1), C(r.Uint64())} {
					words := slices.Clone(codes)
					for i := range words {
						words[i] ^= flip
					}
					if got := summaryFlipped(words, flip); got != want {
						t.Fatalf("%d codes %x, flipped by %x: %+v, want %+v", n, codes, flip, got, want)
					}
				}
			}
		}
	}
}

// TestFallBits holds fallBits, with and without vectors, to a plain loop.
func TestFallBits(t *testing.T) {
	checkFallBits[uint32](t)
	checkFallBits[uint64](t)
}

func checkFallBits[C engine.Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= engine.Block; n += 1 + n/100*37 {
		for _, flip := range []C{0, ^C(0), ^C(0) >> 1, ^(^C(0) >> 1), C(r.Uint64())} {
			for _, bits := range []int{1, 64} {
				words := make([]C, n)
				var want, got fallSet
				for i := range words {
					words[i] = C(r.Uint64()<<(64-bits)>>(64-bits)) ^ flip
					if i > 0 && words[i]^flip < words[i-1]^flip {
						want[(i-1)/64] |= 1 << ((i - 1) % 64)
					}
				}
				if fallBits(got[:], words, flip); got != want {
					t.Fatalf("%d words, flipped by %x: %x, want %x", n, flip, got, want)
				}
				got = fallSet{}
				if fallBitsFrom(got[:], words, flip, 0); got != want {
					t.Fatalf("%d words, flipped by %x, without vectors: %x, want %x", n, flip, got, want)
				}
			}
		}
	}
}
