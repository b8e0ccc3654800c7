package loops

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/sorter/internal/processor"
)

// TestWithin takes spans of lists of all lengths, at all alignments.
func TestWithin(t *testing.T) {
	if runtime.GOARCH == "amd64" && !processor.AVX512 {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testWithin(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testWithin(t, func(v uint64) uint64 { return v }) })
}

func testWithin[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(11, 12))
	const guard = 16
	for n := range 200 {
		for _, draw := range []func() uint64{r.Uint64, func() uint64 { return r.Uint64N(5) << 61 }, func() uint64 { return -r.Uint64N(2) }} {
			at := r.IntN(guard)
			codes, dst := make([]C, n+guard), make([]C, n+2*guard+WithinSlack)
			for i := range codes {
				codes[i] = code(draw())
			}
			for i := range dst {
				dst[i] = C(i)
			}
			for _, span := range [][2]C{{0, ^C(0)}, {codes[at], codes[at]}, {code(1 << 61), code(1 << 63)}, {code(r.Uint64()), code(r.Uint64())}, {^C(0), ^C(0)}} {
				least, most := min(span[0], span[1]), max(span[0], span[1])
				var want []C
				low, own, to := 0, codes[at:at+n], slices.Clone(dst)
				for _, c := range own {
					if c < least {
						low++
					} else if c <= most {
						want = append(want, c)
					}
				}
				below, within := Within(to[guard:][:n+WithinSlack], own, least, most)
				if below != low || within != len(want) || !slices.Equal(to[guard:][:within], want) {
					t.Fatalf("%d codes from %d to %d: %d below and %d, want %d and %d", n, least, most, below, to[guard:][:within], low, want)
				}
				if end := guard + n + WithinSlack; !slices.Equal(to[:guard], dst[:guard]) || !slices.Equal(to[end:], dst[end:]) {
					t.Fatalf("%d codes: written beyond the ends", n)
				}
			}
		}
	}
}
