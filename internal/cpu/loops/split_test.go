package loops

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

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

// TestSplitInPlace splits lists of all lengths, at all alignments, by pivots that few or most codes are below.
func TestSplitInPlace(t *testing.T) {
	if runtime.GOARCH == "amd64" && !processor.AVX512 {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testSplitInPlace(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testSplitInPlace(t, func(v uint64) uint64 { return v }) })
}

func testSplitInPlace[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(9, 10))
	least := LeastInPlace / int(unsafe.Sizeof(C(0)))
	const guard = 32
	for n := least; n < least+700; n++ {
		for _, draw := range []func() uint64{r.Uint64, func() uint64 { return r.Uint64N(3) << 62 }, func() uint64 { return -r.Uint64N(2) }} {
			at := r.IntN(guard)
			all := make([]C, n+guard)
			for i := range all {
				all[i] = code(draw())
			}
			switch list := all[at : at+n]; r.IntN(8) { // one end gets full while the other is read
			case 0:
				slices.Sort(list)
			case 1:
				slices.Sort(list)
				slices.Reverse(list)
			}
			for _, pivot := range []C{all[at], code(r.Uint64()), code(r.Uint64()) >> 4, ^code(r.Uint64() >> 4), 0, ^C(0)} {
				own := slices.Clone(all)
				below := SplitInPlace(own[at:at+n], pivot)
				for i, c := range own[at : at+n] {
					if (c < pivot) != (i < below) {
						t.Fatalf("%d codes by %d: code %d is %d, %d are below", n, pivot, i, c, below)
					}
				}
				if slices.Sort(own[at : at+n]); !slices.Equal(own[:at], all[:at]) || !slices.Equal(own[at+n:], all[at+n:]) ||
					!slices.Equal(own[at:at+n], slices.Sorted(slices.Values(all[at:at+n]))) {
					t.Fatalf("%d codes by %d: other codes, or written beyond the ends", n, pivot)
				}
			}
		}
	}
}
