package loops

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKeysWithin compares the vectors with the loop, for spans of lists of all lengths, at all alignments, of integers and floats.
func TestKeysWithin(t *testing.T) {
	t.Run("32", func(t *testing.T) { testKeysWithin(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testKeysWithin(t, func(v uint64) uint64 { return v }) })
}

func testKeysWithin[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(13, 14))
	const guard = 16
	sign := code(1 << 63)
	for n := range 200 {
		for _, draw := range []func() uint64{r.Uint64, func() uint64 { return r.Uint64N(5) << 61 }, func() uint64 { return -r.Uint64N(2) }} {
			at := r.IntN(guard)
			all := make([]C, n+guard)
			for i := range all {
				all[i] = code(draw())
			}
			keys := all[at : at+n]
			for _, s := range []KeySpan[C]{{}, {Plus: sign}, {^sign, sign, 0, 0}, {^sign, sign + code(r.Uint64()), 0, 0}} {
				for _, span := range [][2]C{{0, ^C(0)}, {s.Of(all[at]), s.Of(all[at])}, {code(1 << 61), sign}, {code(r.Uint64()), code(r.Uint64())}, {0, code(r.Uint64())}, {^C(0), ^C(0)}} {
					s.Least, s.Most = min(span[0], span[1]), max(span[0], span[1])
					dst, want := make([]C, n+2*guard+WithinSlack), make([]C, n)
					for i := range dst {
						dst[i] = C(i)
					}
					masks, wantMasks := make([]uint64, (n+63)/64+1), make([]uint64, (n+63)/64+1)
					for i := range masks {
						masks[i] = r.Uint64()
					}
					last := masks[len(masks)-1]
					wantBelow, wantWithin := keysWithin(want, wantMasks, keys, s)
					wantMasks[len(masks)-1] = last
					below, within := KeysWithin(dst[guard:][:n+WithinSlack], masks, keys, s)
					if below != wantBelow || within != wantWithin || !slices.Equal(dst[guard:][:within], want[:within]) || !slices.Equal(masks, wantMasks) {
						t.Fatalf("%d keys in %+v: %d below and %d, want %d and %d, masks %x and %x", n, s, below, within, wantBelow, wantWithin, masks, wantMasks)
					}
					if end := guard + n + WithinSlack; dst[guard-1] != guard-1 || dst[end] != C(end) {
						t.Fatalf("%d keys: written beyond the ends", n)
					}
				}
			}
		}
	}
}

// TestKeysWithinByDefinition compares the loop with comparisons of floats and integers.
func TestKeysWithinByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	s := KeySpan[uint32]{1<<31 - 1, 1 << 31, 0, 0}
	for range 10_000 {
		a, b := r.Uint32(), r.Uint32()
		x, y := math.Float32frombits(a), math.Float32frombits(b)
		if x < y && s.Of(a) >= s.Of(b) || x > y && s.Of(a) <= s.Of(b) {
			t.Fatalf("codes %x and %x of %v and %v", s.Of(a), s.Of(b), x, y)
		}
	}
}
