package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
)

// surveyOf is a survey of codes whose blocks are not known.
func surveyOf[C Code](codes []C) survey[C] {
	v := summaryOf(codes)
	return survey[C]{min: v.min, max: v.max, marks: marks{falls: v.falls, rises: v.rises}}
}

// TestLook compares summaryOf, and its vectors, with a loop, at all lengths and
// alignments and with the extreme codes anywhere.
func TestLook(t *testing.T) {
	checkLook[uint32](t)
	checkLook[uint64](t)
}

func checkLook[C Code](t *testing.T) {
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
				want := summary[C]{min: codes[0], max: codes[0]}
				for i := 1; i < n; i++ {
					want.min, want.max = min(want.min, codes[i]), max(want.max, codes[i])
					if codes[i] < codes[i-1] {
						want.falls++
					}
					if codes[i] > codes[i-1] {
						want.rises++
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

func checkFallBits[C Code](t *testing.T) {
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
