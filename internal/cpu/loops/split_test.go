package loops

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/sorter/internal/processor"
)

// TestSplit splits lists of all lengths by every place of a pivot, at all alignments.
func TestSplit(t *testing.T) {
	if runtime.GOARCH == "amd64" && !processor.AVX512 {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testSplit(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testSplit(t, func(v uint64) uint64 { return v }) })
}

func testSplit[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(7, 8))
	spreads := []func() uint64{r.Uint64, func() uint64 { return r.Uint64N(3) << 62 }, func() uint64 { return -r.Uint64N(2) },
		func() uint64 { return 1<<63 - 1<<31 + r.Uint64N(3)<<30 }, func() uint64 { return 5 << 40 }}
	const guard = 16
	for n := 1; n <= 300; n++ {
		for _, draw := range spreads {
			at := r.IntN(guard)
			all, other := make([]C, n+2*guard), make([]C, n+2*guard)
			for i := range all {
				all[i], other[i] = code(draw()), code(draw())
			}
			for _, pivot := range []C{all[at], all[at+n/2], 0, ^C(0), code(draw())} {
				var below, above []C
				for _, c := range all[at : at+n] {
					if c < pivot {
						below = append(below, c)
					} else if c > pivot {
						above = append(above, c)
					}
				}
				for _, keepsBelow := range []bool{true, false} {
					own, beside := slices.Clone(all), slices.Clone(other)
					stay, move := below, above
					split := SplitBelow[C]
					if !keepsBelow {
						stay, move = above, below
						split = SplitAbove[C]
					}
					stayed, moved := split(own[at:at+n], beside[guard-at:guard-at+n], pivot)
					if stayed != len(stay) || moved != len(move) || !slices.Equal(own[at:at+stayed], stay) || !slices.Equal(beside[guard-at:][:moved], move) {
						t.Fatalf("%d codes by %d: %d and %d, want %d and %d", n, pivot, own[at:at+stayed], beside[guard-at:][:moved], stay, move)
					}
					if !slices.Equal(own[:at], all[:at]) || !slices.Equal(own[at+n:], all[at+n:]) ||
						!slices.Equal(beside[:guard-at], other[:guard-at]) || !slices.Equal(beside[guard-at+n:], other[guard-at+n:]) {
						t.Fatalf("%d codes by %d: written beyond the ends", n, pivot)
					}
				}
			}
		}
	}
}
