package bucket

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/presorted"
)

// TestSplitCodes sorts codes of every distribution, around the lengths of vectors and of rounds.
func TestSplitCodes(t *testing.T) {
	if !Splits() {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testSplitCodes(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testSplitCodes(t, func(v uint64) uint64 { return v }) })
}

func testSplitCodes[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range append(seq(2, 140), 255, 256, 1000, 1023, 1024, 1025, 4095, 20_000) {
		for _, d := range dist.All {
			const guard = 16
			codes := make([]C, n+guard+1)[1:] // not aligned to vectors
			for i, v := range d.Draw(n, r) {
				codes[i] = code(v)
			}
			above := make([]C, n+guard)
			for i := range guard {
				codes[n+i], above[n+i] = C(i), C(i)
			}
			want := slices.Clone(codes)
			slices.Sort(want[:n])
			splitCodes(codes[:n:n], above[:n:n])
			if !slices.Equal(codes, want) {
				t.Fatalf("%d codes, %s: not sorted, or written after their end", n, d.Name)
			}
			for i := range guard {
				if above[n+i] != C(i) {
					t.Fatalf("%d codes, %s: written after the end of the memory", n, d.Name)
				}
			}
		}
	}
}

func seq(from, to int) (s []int) {
	for i := from; i < to; i++ {
		s = append(s, i)
	}
	return s
}

// TestSplitRounds has no rounds left at once: codes are sorted all the same.
func TestSplitRounds(t *testing.T) {
	if !Splits() {
		t.Skip("no AVX-512")
	}
	for rounds := range 4 {
		codes := make([]uint32, 1000)
		for i := range codes {
			codes[i] = rand.Uint32N(500)
		}
		want := slices.Clone(codes)
		slices.Sort(want)
		own, other := slices.Clone(codes), make([]uint32, 1000)
		if splitRounds(own, other, rounds); !slices.Equal(own, want) {
			t.Fatalf("%d rounds: not sorted", rounds)
		}
		if splitTo(other, codes, rounds); !slices.Equal(other, want) {
			t.Fatalf("%d rounds: not sorted beside", rounds)
		}
	}
}

// TestSplitParts sorts lists that are split where they lie, in few rounds and in all, and joins the codes that are written.
func TestSplitParts(t *testing.T) {
	if !Splits() {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testSplitParts(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testSplitParts(t, func(v uint64) uint64 { return v }) })
}

func testSplitParts[C Code](t *testing.T, code func(v uint64) C) {
	r, most := rand.New(rand.NewPCG(13, 14)), MostBeside[C]()
	w := Worker[C]{Env: newEnv()}
	draws := []func(n int) []uint64{
		func(n int) []uint64 { return make([]uint64, n) },
		func(n int) []uint64 { return slices.Repeat([]uint64{math.MaxUint64}, n) },
		func(n int) []uint64 {
			return append(make([]uint64, n/2), slices.Repeat([]uint64{math.MaxUint64}, n-n/2)...)
		},
	}
	for _, d := range dist.All {
		draws = append(draws, func(n int) []uint64 { return d.Draw(n, r) })
	}
	for _, n := range []int{1, most, most + 1, 2*most + 3, 20*most + 5} {
		for _, draw := range draws {
			codes := make([]C, n)
			for i, v := range draw(n) {
				codes[i] = code(v)
			}
			want := slices.Sorted(slices.Values(codes))
			for rounds := range 8 {
				own, joined := slices.Clone(codes), []C(nil)
				write := func(at int, some []C) {
					if at != len(joined) {
						t.Fatalf("%d codes from %d on are written after %d", len(some), at, len(joined))
					}
					joined = append(joined, some...)
				}
				if rounds == 7 {
					w.SortPart(PartOf(own), write)
				} else {
					s := splitter[C]{make([]C, min(n, most)), write}
					s.sort(PartOf(own), rounds)
				}
				if !slices.Equal(own, want) || !slices.Equal(joined, want) {
					t.Fatalf("%d codes, %d rounds: not sorted", n, rounds)
				}
			}
		}
	}
}

// TestSelectCode selects from codes of every distribution, with any number of rounds.
func TestSelectCode(t *testing.T) {
	if !Splits() {
		t.Skip("no AVX-512")
	}
	t.Run("32", func(t *testing.T) { testSelectCode(t, func(v uint64) uint32 { return uint32(v >> 32) }) })
	t.Run("64", func(t *testing.T) { testSelectCode(t, func(v uint64) uint64 { return v }) })
}

func testSelectCode[C Code](t *testing.T, code func(v uint64) C) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 2, 16, 100, 127, 128, 129, 256, 257, 1000, 5000, 20_000} {
		for _, d := range dist.All {
			codes := make([]C, n)
			for i, v := range d.Draw(n, r) {
				codes[i] = code(v)
			}
			sorted := slices.Sorted(slices.Values(codes))
			for turn := range 12 {
				k, rounds := r.IntN(n), 40
				switch turn {
				case 0:
					k = 0
				case 1:
					k = n - 1
				default:
					rounds = min(turn-2, 40)
				}
				before, _ := slices.BinarySearch(sorted, sorted[k])
				if got, less := selectRounds(slices.Clone(codes), make([]C, n), k, rounds); got != sorted[k] || less != before {
					t.Fatalf("rank %d of %d codes, %s, %d rounds: %d after %d, want %d after %d", k, n, d.Name, rounds, got, less, sorted[k], before)
				}
			}
		}
	}
}

func TestMedian9(t *testing.T) {
	for range 1000 {
		codes := make([]uint32, 9)
		for i := range codes {
			codes[i] = rand.Uint32N(12)
		}
		want := slices.Sorted(slices.Values(codes))
		if got := median9(codes, 0, 1); got < want[3] || got > want[5] {
			t.Fatalf("median of %d is %d", codes, got)
		}
	}
}

// BenchmarkSplitCodes sorts lists of a bucket's length beside the radix sort.
func BenchmarkSplitCodes(b *testing.B) {
	if !Splits() {
		b.Skip("no AVX-512")
	}
	for _, n := range []int{100, 1000, 4000, 20_000} {
		for _, name := range []string{"uniform", "zipf", "16 values", "log", "gauss"} {
			lists := 1_000_000 / n
			source := make([]uint32, 0, n*lists)
			for _, v := range dist.Named(name).Draw(n*lists, rand.New(rand.NewPCG(1, 2))) {
				source = append(source, uint32(v>>32))
			}
			codes, above := make([]uint32, len(source)), make([]uint32, n)
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					copy(codes, source)
					b.StartTimer()
					for at := 0; at < len(codes); at += n {
						splitCodes(codes[at:at+n], above)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(source)), "ns/code")
			})
		}
	}
}

// TestEven says which codes of a bucket a matrix is tried for.
func TestEven(t *testing.T) {
	if !Splits() {
		t.Skip("no AVX-512")
	}
	r := rand.New(rand.NewPCG(11, 12))
	float := func(x float64) uint64 { return math.Float64bits(x) | 1<<63 }
	for name, code := range map[string]struct {
		even bool
		at   func() uint64
	}{
		"uniform":               {true, r.Uint64},
		"floats from 0 to 1":    {false, func() uint64 { return float(r.Float64()) }},
		"16 floats":             {false, func() uint64 { return float(float64(r.IntN(16)) + 1) }},
		"16 codes":              {false, func() uint64 { return r.Uint64N(16) << 60 }},
		"floats of all binades": {false, func() uint64 { return float(math.Ldexp(1+r.Float64(), -r.IntN(60)*r.IntN(16))) }},
		"most in a sixteenth":   {false, func() uint64 { return r.Uint64() >> (4 * min(r.IntN(10), 1)) }},
	} {
		for _, n := range []int{3000, 1 << 14} {
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = code.at()
			}
			v := presorted.SummaryOf(codes)
			if got := even(codes, v.Span()); got != code.even {
				t.Errorf("%d codes, %s: even is %t", n, name, got)
			}
		}
	}
}

// TestSortCodes sorts as many codes as registers hold, and more.
func TestSortCodes(t *testing.T) {
	testSortCodes[uint32](t)
	testSortCodes[uint64](t)
}

func testSortCodes[C Code](t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for n := 0; n < 2000; n += 1 + n/8 {
		codes := make([]C, n)
		for i := range codes {
			codes[i] = C(r.Uint64())
		}
		want := slices.Sorted(slices.Values(codes))
		if SortCodes(codes, make([]C, n)); !slices.Equal(codes, want) {
			t.Errorf("%d codes: wrong order", n)
		}
	}
}

// TestCrowded samples codes of which just as many as matter, or one less, lie close or come again.
func TestCrowded(t *testing.T) {
	const span, most, close = 1 << 40, MostSample / 8, 38
	for _, c := range []struct {
		close, again int
		uneven, tied bool
	}{
		{0, 0, false, false}, {close, 0, false, false}, {close + 1, 0, true, false}, {0, most - 1, false, false}, {0, most, false, true}, {close + 1, most, true, true},
	} {
		sample := make([]uint64, MostSample)
		for i := range sample {
			sample[i] = uint64(i) * span / MostSample
		}
		for i := range c.again { // pairs from the end
			sample[len(sample)-1-2*i] = sample[len(sample)-2-2*i]
		}
		for i := range max(0, c.close-1) { // within a share of the range, its ends included
			sample[i+1] = uint64(i+1) * (span / (MostSample / 16)) / (uint64(c.close) - 1)
		}
		rand.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
		if uneven, tied := Crowded(sample, span); uneven != c.uneven || tied != c.tied {
			t.Errorf("%d are close, %d come again: uneven %t, tied %t", c.close, c.again, uneven, tied)
		}
	}
}
