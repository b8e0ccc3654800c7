package vecsort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// eachPath runs f for every set of instructions of this processor, and without vectors.
func eachPath(t *testing.T, f func(t *testing.T)) {
	for _, bound := range []string{"", "avx2", "none"} {
		undo := Restrict(bound)
		t.Run("vectors="+bound, f)
		undo()
	}
}

// spreads are the codes of inputs, below 1<<28.
var spreads = map[string]func(r *rand.Rand, i, n int) uint32{
	"uniform":  func(r *rand.Rand, _, _ int) uint32 { return r.Uint32N(1 << 28) },
	"equal":    func(*rand.Rand, int, int) uint32 { return 5 },
	"few":      func(r *rand.Rand, _, _ int) uint32 { return r.Uint32N(5) << 25 },
	"sorted":   func(_ *rand.Rand, i, n int) uint32 { return uint32(i << 28 / n) },
	"reversed": func(_ *rand.Rand, i, n int) uint32 { return uint32((n - 1 - i) << 28 / n) },
	"binades":  func(r *rand.Rand, _, _ int) uint32 { return (1<<27 + r.Uint32N(1<<27)) >> r.IntN(20) },
	"heap":     func(r *rand.Rand, _, n int) uint32 { return r.Uint32N(1<<20) * uint32(1+255*(r.IntN(n)/(n-n/70))) },
	"low zeros": func(r *rand.Rand, i, _ int) uint32 {
		return uint32(i%3) * r.Uint32N(1<<27)
	},
}

// guarded returns n words between guards that unguarded checks.
func guarded(n int) (words, all []uint32) {
	all = make([]uint32, n+128)
	for i := range all {
		all[i] = 0xdeadbeef
	}
	return all[64 : 64+n : 64+n], all
}

func unguarded(t *testing.T, all []uint32) {
	t.Helper()
	for i := range 64 {
		if all[i] != 0xdeadbeef || all[len(all)-1-i] != 0xdeadbeef {
			t.Fatalf("guard %d is overwritten", i)
		}
	}
}

// sorted sorts codes at offset at of memory by one path; nil if they are not spread well enough.
func sorted(t *testing.T, codes []uint32, lowest uint32, bent, places bool, at int) []uint32 {
	t.Helper()
	n := len(codes)
	memory, all := guarded(2*at + Memory(n))
	out, outer := guarded(at + n + Slack)
	m := New(memory[2*at:], n, slices.Max(codes)-lowest)
	if bent {
		Bend(&m, codes, lowest, 0)
	}
	var words []uint32
	switch {
	case !places && m.DealCodes(codes, lowest):
		words = m.Join(out[at:], ^uint32(0))
	case places && DealPlaces(&m, codes, lowest, 0):
		words = m.Join(out[at:], 1<<m.PlaceBits()-1)
	}
	unguarded(t, all)
	unguarded(t, outer)
	if places && words != nil && !m.Exact() {
		return nil // places of words that agree need a repair
	}
	return words
}

// TestTwins sorts lists of all lengths around those where the shape of a matrix changes, at every
// alignment, by every set of instructions.
func TestTwins(t *testing.T) {
	var lengths []int
	for n := 1; n <= 1100; n += 1 + n/testkit.Pick(10, 40, 200) {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 2047, 2048, 2049, 2303, 2304, 2305, 9_999, 50_000, MostWords-1, MostWords)
	eachPath(t, func(t *testing.T) {
		r, turn := rand.New(rand.NewPCG(1, 2)), 0
		for name, code := range spreads {
			took := 0
			for _, n := range lengths {
				if turn++; n > 3000 && testkit.Thinned(turn) {
					continue
				}
				const lowest = 77
				codes := make([]uint32, n)
				for i := range codes {
					codes[i] = lowest + code(r, i, n)
				}
				want := slices.Sorted(slices.Values(codes))
				for way := range 4 {
					bent, places := way&1 > 0, way&2 > 0
					got := sorted(t, codes, lowest, bent, places, turn%16)
					if got == nil {
						continue
					}
					took++
					got = slices.Clone(got)
					for i, x := range got {
						if places {
							got[i] = codes[x]
						}
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %d codes, bent %t, places %t: not sorted", name, n, bent, places)
					}
				}
			}
			if took == 0 {
				t.Errorf("%s: no list was sorted", name)
			}
		}
	})
}

// TestStable holds equal codes to the order of their places.
func TestStable(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int{30, 700, 5000} {
			codes := make([]uint32, n)
			for i := range codes {
				codes[i] = r.Uint32N(uint32(n/4+1)) << 8
			}
			order := sorted(t, codes, 0, false, true, 0)
			if order == nil {
				t.Fatalf("%d codes are not sorted", n)
			}
			for i, x := range order[1:] {
				if before := order[i]; codes[before] > codes[x] || codes[before] == codes[x] && before > x {
					t.Fatalf("%d codes: place %d before %d", n, before, x)
				}
			}
		}
	})
}

// TestUnknownCodes deals codes beyond the range of the matrix: keys that change during a sort.
func TestUnknownCodes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		codes := make([]uint32, 1000)
		for i := range codes {
			codes[i] = 1000 + uint32(i)
		}
		for _, wrong := range []uint32{0, 999, 2001, 1 << 20, 1<<32 - 1} {
			for _, bent := range []bool{false, true} {
				memory, all := guarded(Memory(len(codes)))
				m := New(memory, len(codes), 1000)
				if bent {
					Bend(&m, codes, 1000, 0)
				}
				own := slices.Clone(codes)
				own[500] = wrong
				if m.DealCodes(own, 1000) { // in whatever list
					out, outer := guarded(len(own) + Slack)
					m.Join(out, ^uint32(0))
					unguarded(t, outer)
				}
				unguarded(t, all)
			}
		}
	})
}

// BenchmarkMatrix sorts uniform codes, and codes of binades by a bent matrix.
func BenchmarkMatrix(b *testing.B) {
	for _, n := range []int{100, 1000, 8192, 50_000} {
		r := rand.New(rand.NewPCG(1, 2))
		codes := make([]uint32, n)
		for i := range codes {
			codes[i] = r.Uint32()
		}
		memory, out := make([]uint32, Memory(n)), make([]uint32, n+Slack)
		for _, bent := range []bool{false, true} {
			b.Run(fmt.Sprintf("bent=%t/n=%d", bent, n), func(b *testing.B) {
				for b.Loop() {
					m := New(memory, n, ^uint32(0))
					if bent {
						Bend(&m, codes, 0, 0)
					}
					if !m.DealCodes(codes, 0) {
						b.Fatal("not dealt")
					}
					m.Join(out, ^uint32(0))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/code")
			})
		}
	}
}
