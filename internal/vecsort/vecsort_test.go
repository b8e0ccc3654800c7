package vecsort

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

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

// TestInstructions names the instructions of every bound.
func TestInstructions(t *testing.T) {
	for bound, most := range map[string]string{"none": "", "avx2": "AVX2", "": "AVX-512"} {
		undo := Restrict(bound)
		if name := Instructions(); (name != "") != Enabled() || len(name) > len(most) {
			t.Errorf("bound %q: %q, enabled %v", bound, name, Enabled())
		}
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
	for n := 1; n <= 1100; n += 1 + n/testkit.Pick(10, 200) {
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

// lineValues are values of floats by distribution.
var lineValues = map[string]func(r *rand.Rand) float64{
	"0 to 1":     func(r *rand.Rand) float64 { return r.Float64() },
	"both signs": func(r *rand.Rand) float64 { return r.Float64() - 0.5 },
	"gauss":      func(r *rand.Rand) float64 { return r.NormFloat64() },
	"binades":    func(r *rand.Rand) float64 { return math.Ldexp(r.Float64(), -r.IntN(100)) },
	"clusters":   func(r *rand.Rand) float64 { return []float64{1e-30, 1e30, -1e30}[r.IntN(3)] * (1 + r.Float64()) },
	"denormals":  func(r *rand.Rand) float64 { return []float64{1e-45, 0, math.Copysign(0, -1), -1e-44, 1e-20}[r.IntN(5)] },
	"equal or 1": func(r *rand.Rand) float64 { return []float64{0.3, 0.3, 0.3, 0.3, 1}[r.IntN(5)] },
}

// lineOf returns n codes of floats in order, and a line from the first to the last.
func lineOf[C uint32 | uint64](t *testing.T, r *rand.Rand, n int, value func(r *rand.Rand) float64, flip, turn C) ([]C, Line[C]) {
	t.Helper()
	codes := make([]C, n)
	for range 1000 { // few values may be equal
		for i := range codes {
			codes[i] = codeOf(value(r), flip, turn)
		}
		slices.Sort(codes)
		if l, ok := LineOf(codes[0], codes[n-1], flip, turn); ok {
			return codes, l
		}
	}
	t.Fatalf("no line of %d codes", n)
	return nil, Line[C]{}
}

// codeOf returns the code of a float.
func codeOf[C uint32 | uint64](x float64, flip, turn C) C {
	var b C
	if unsafe.Sizeof(b) == 4 {
		b = C(math.Float32bits(float32(x)))
	} else {
		b = C(math.Float64bits(x))
	}
	top := 8*unsafe.Sizeof(b) - 1
	return ((b ^ (-(b >> top) | 1<<top)) + turn) ^ flip
}

// TestLine compares the offsets of codes in order with those of the twin, and deals codes by them.
func TestLine(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		testLine[uint32](t)
		testLine[uint64](t)
	})
}

func testLine[C uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for name, value := range lineValues {
		for _, n := range []int{2, 3, 7, 8, 9, 16, 100, 255, 256, 257, 3000} {
			for way := range 4 {
				flip, turn := -C(way&1), -C(way>>1)*12345
				codes, l := lineOf(t, r, n, value, flip, turn)
				got, want := make([]C, n+1), make([]C, n)
				l.Offsets(got[:n], codes)
				l.offsetsPlain(want, codes)
				if got[n] != 0 || !slices.Equal(got[:n], want) || !slices.IsSorted(want) || want[0] != 0 || want[n-1] < mostOffset-1 {
					t.Fatalf("%s, %d codes of %T: offsets %x, want %x", name, n, flip, got[:n], want)
				}
				order := append([]C(nil), codes...)
				r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
				if narrow, ok := any(order).([]uint32); ok {
					testDealBy(t, narrow, any(&l).(*Line[uint32]))
				}
				memory, all := guarded(Memory(n))
				m := New(memory, n, 1<<32-1)
				bent := n%2 == 0
				if bent {
					BendBy(&m, &l, order, n%4 == 0)
				}
				dealt := DealPlacesBy(&m, &l, order)
				if unguarded(t, all); !dealt {
					if bent && name == "gauss" && n > 2 || !bent && (name == "0 to 1" || name == "both signs") {
						t.Fatalf("%s: %d codes of %T are not dealt", name, n, flip)
					}
					continue
				}
				offsets := make([]C, n)
				l.Offsets(offsets, order)
				places := m.Join(make([]uint32, n+Slack), 1<<m.PlaceBits()-1)
				last, seen := C(0), make([]bool, n)
				for _, x := range places { // words hold leading bits
					if seen[x] || last > offsets[x] && last-offsets[x] > 1<<22 {
						t.Fatalf("%s, %d codes of %T: offset %#x after %#x", name, n, flip, offsets[x], last)
					}
					last, seen[x] = offsets[x], true
				}
			}
		}
	}
}

// testDealBy sorts codes by a line.
func testDealBy(t *testing.T, codes []uint32, l *Line[uint32]) {
	t.Helper()
	memory, all := guarded(Memory(len(codes)))
	m := New(memory, len(codes), 1<<32-1)
	if m.DealCodesBy(l, codes) {
		if got := m.Join(make([]uint32, len(codes)+Slack), ^uint32(0)); !slices.Equal(got, slices.Sorted(slices.Values(codes))) {
			t.Fatalf("%d codes are not sorted", len(codes))
		}
	}
	unguarded(t, all)
}

// TestNoLine asks for lines that do not exist.
func TestNoLine(t *testing.T) {
	code := func(x float64) uint64 {
		b := math.Float64bits(x)
		return b ^ (-(b >> 63) | 1<<63)
	}
	for _, ends := range [][2]float64{
		{1, 1}, {-math.MaxFloat64, math.MaxFloat64}, {0, math.Inf(1)}, {math.Inf(-1), 0}, {0, math.NaN()},
		{math.Inf(-1), math.Inf(1)}, {0, 5e-324}, {0, 1e-300},
	} {
		if l, ok := LineOf(code(ends[0]), code(ends[1]), 0, 0); ok {
			t.Errorf("%g to %g: %+v", ends[0], ends[1], l)
		}
	}
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

// TestPieces bends a matrix by about as many pieces as lists, or by as many as there may be.
func TestPieces(t *testing.T) {
	for n, want := range map[int][2]int{100: {3, 7}, 2740: {8, 11}, 4097: {11, 11}} {
		codes := make([]uint64, n)
		for i := range codes {
			codes[i] = math.Float64bits(1 + float64(i)/float64(n))
		}
		l, _ := LineOf(codes[0], codes[n-1], 0, 1<<63)
		for i, fine := range []bool{false, true} {
			m := New(make([]uint32, Memory(n)), n, 1<<32-1)
			if BendBy(&m, &l, codes, fine); 32-m.shift != want[i] || HasFine(n) != (want[0] < want[1]) {
				t.Errorf("%d codes, fine %t: %d bits of pieces, want %d", n, fine, 32-m.shift, want[i])
			}
		}
	}
}

// TestMemoryOfAll holds the bound for several matrices to the memory of each.
func TestMemoryOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 10_000 {
		matrices := 1 + r.IntN(8)
		n, all, most := 0, 0, 1+r.IntN(1<<(1+r.IntN(16)))
		for range matrices {
			k := 1 + r.IntN(most)
			n, all = n+k, all+Memory(k)
		}
		if bound := MemoryOfAll(n, matrices); all > bound {
			t.Fatalf("%d matrices for %d words take %d words, want at most %d", matrices, n, all, bound)
		}
	}
}
