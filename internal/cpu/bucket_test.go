package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestLocal sorts buckets of all lengths around those where digits change, of codes
// whose leading bits separate most, few and none of them: themselves and by their
// order.
func TestLocal(t *testing.T) {
	for _, bound := range []string{"", "avx2", "none"} {
		undo := vecsort.Restrict(bound)
		locally[uint32](t)
		locally[uint64](t)
		undo()
	}
}

func locally[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	bits := int(unsafe.Sizeof(C(0))) * 8
	lengths := []int{2, shortSort, shortSort + 1, 33, 64, 65, 700, 1025, 4097, 1 << 15, maxLocal}
	if !testkit.Long() {
		lengths = lengths[:len(lengths)-2]
	}
	for name, code := range map[string]func(i, n int) C{
		"uniform":   func(int, int) C { return C(r.Uint64()) },
		"16 values": func(int, int) C { return C(r.Uint64N(16)) << (bits - 7) },
		"narrow":    func(int, int) C { return C(r.Uint64N(100)) },
		"nested":    func(int, int) C { return C(r.Uint64()) >> (bits / 5 * r.IntN(5)) },
		"falling runs": func(i, n int) C {
			return C(r.Uint64N(3))<<(bits-3) + C(n-i)
		},
		"short runs": func(i, n int) C {
			return C(r.IntN(n/16+1))*(^C(0)/C(n/16+1)) + C(r.Uint64N(100))
		},
		"two signs": func(int, int) C { return C(1)<<(bits-1) ^ C(r.Uint64())>>r.IntN(bits) },
		"equal in part": func(i, n int) C {
			if r.IntN(40) > 0 {
				return C(r.Uint64())
			}
			return 1 << (bits - 3)
		},
		"hashed keys":          func(_, n int) C { return C(r.Uint64N(uint64(n/7+1))+1) * (^C(0)/3*2 - 5) },
		"few hashed keys":      func(_, n int) C { return C(r.Uint64N(uint64(n/60+1))+1) * (^C(0)/3*2 - 5) },
		"few and the extremes": func(_, n int) C { return []C{0, 1, ^C(0), ^C(0) / 3}[r.IntN(4)] },
		"clusters": func(_, n int) C { // of codes that differ in low bits
			return C(r.Uint64N(uint64(n/50+1)))*(^C(0)/C(n/50+1)) + C(r.Uint64N(200))
		},
		"ties in long runs": func(i, n int) C { // which agree in leading bits, and fall
			return C(r.Uint64N(8))<<(bits-4) + C((n-i)/100)
		},
		"ties and others in long runs": func(i, n int) C {
			return C(r.Uint64N(8))<<(bits-4) + C(r.Uint64N(2))*C(r.Uint64N(100))
		},
		"outliers": func(i, n int) C {
			switch i {
			case n / 3:
				return 0
			case n / 2:
				return ^C(0)
			}
			return 1<<(bits-2) + C(r.Uint64N(1<<20))
		},
	} {
		w := local[C]{env: newEnv(1)}
		for _, n := range lengths {
			name := fmt.Sprintf("%s, %d codes of %d bits", name, n, bits)
			codes := make([]C, n)
			for i := range codes {
				codes[i] = code(i, n)
			}
			sorted := slices.Sorted(slices.Values(codes))
			v := surveyOf(codes)
			order := w.order(codes, v.Min, v.Span())
			for i, x := range order {
				if codes[x] != sorted[i] || i > 0 && sorted[i-1] == sorted[i] && order[i-1] > x {
					t.Errorf("%s: element %d is at place %d", name, x, i)
					break
				}
			}
			if got := w.sortCodes(codes, v.Min, v.Span()); !slices.Equal(got, sorted) {
				t.Errorf("%s: not sorted", name)
			}
		}
	}
}

// TestRadixLoops compares the passes of a radix sort in assembly with those in Go.
func TestRadixLoops(t *testing.T) {
	radixLoops[uint32](t)
	radixLoops[uint64](t)
}

func radixLoops[C Code](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 3))
	bits := int(unsafe.Sizeof(C(0))) * 8
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 1000} {
		lowest, drop, low, digit := C(r.Uint64()), r.IntN(bits-31), r.IntN(9), 6+r.IntN(6)
		span := ^C(0) >> (bits - 32 - drop)
		codes := fillWith(n, func(int) C { return lowest + C(r.Uint64())&span })
		var counts, want [2][1 << maxDigitBits]uint32
		for _, c := range codes {
			k := uint64(c-lowest) >> drop >> low
			want[0][k&(1<<digit-1)]++
			want[1][k>>digit&(1<<digit-1)]++
		}
		words := make([]uint64, n)
		if !buildLoop(words, codes, &counts[0], &counts[1], lowest, drop, low, digit) {
			t.Skip("no loops in assembly")
		}
		for i, c := range codes {
			if words[i] != word(c, lowest, drop, i) {
				t.Fatalf("word %d of %d is %#x, want %#x", i, n, words[i], word(c, lowest, drop, i))
			}
		}
		if counts != want {
			t.Fatalf("%d codes of %d bits: other counts by build", n, bits)
		}
		counts = [2][1 << maxDigitBits]uint32{}
		if digitsLoop(codes, &counts[0], &counts[1], lowest, drop+low, digit); counts != want {
			t.Fatalf("%d codes of %d bits: other counts", n, bits)
		}
		got, plain := make([]C, n), make([]C, n)
		skip(counts[1][:1<<digit], n+1, 0)
		skip(want[1][:1<<digit], n+1, 0)
		scatterLoop(got, codes, &counts[1], lowest, drop+low+digit, digit)
		scatterCodes(plain, codes, &want[1], lowest, drop+low+digit, digit)
		if !slices.Equal(got, plain) || counts[1] != want[1] {
			t.Fatalf("%d codes of %d bits go to other places", n, bits)
		}
	}
}

// TestRepeated samples codes that come once, a few times, or often.
func TestRepeated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{leastTieSampled, 20_000, maxLocal} {
		for _, c := range []struct {
			name string
			code func(i int) uint32
			want repeats
		}{
			{"distinct", func(i int) uint32 { return uint32(i) * 0x9e3779b1 }, fewTied},
			{"30 times each", func(int) uint32 { return r.Uint32N(uint32(n/30)) * 0x9e3779b1 }, manyTied},
			{"one value", func(int) uint32 { return 1 << 31 }, manyTied},
		} {
			if got := repeated(fillWith(n, c.code)); got != c.want {
				t.Errorf("%d codes, %s: %d, want %d", n, c.name, got, c.want)
			}
		}
	}
	if got := repeated(make([]uint32, leastTieSampled-1)); got != fewTied {
		t.Errorf("few codes are sampled: %d", got)
	}
}

// TestClustered samples codes of which many agree except in low bits, few do, and equal ones.
func TestClustered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, low = 20_000, 8
	for name, c := range map[string]struct {
		code func(i int) uint32
		want bool
	}{
		"uniform":  {func(int) uint32 { return r.Uint32() }, false},
		"clusters": {func(int) uint32 { return 7 + r.Uint32N(n/50)*0x9e3779b1<<low + r.Uint32N(1<<low) }, true},
		"values":   {func(int) uint32 { return 7 + r.Uint32N(n/50)*0x9e3779b1<<low }, false},
	} {
		if got := clustered(fillWith(n, c.code), 7, low); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCountValues counts as many values as it may, and one more, which it leaves as they are.
func TestCountValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = leastTieSampled + 5
	for _, values := range []int{1, 2, n / mostCounted, n/mostCounted + 1} {
		w := local[uint64]{env: newEnv(1)}
		list := fillWith(values, func(int) uint64 { return 1 + r.Uint64()>>1 })
		codes := fillWith(n, func(i int) uint64 { return list[i%values] })
		want := slices.Sorted(slices.Values(codes))
		before := slices.Clone(codes)
		order := w.orderValues(codes, want[0], want[n-1]-want[0])
		if (order != nil) != (values <= n/mostCounted) || order != nil && !isStable(order, codes) {
			t.Errorf("%d values: not in order", values)
		}
		w.uncounted = 0
		got := w.countValues(codes, want[0], want[n-1]-want[0])
		if !got {
			want = before
		}
		if fits := values <= n/mostCounted; got != fits || !slices.Equal(codes, want) {
			t.Errorf("%d values: counted %v", values, got)
		}
	}
}

// TestCloseCodes counts and moves codes in runs of one cell, and others in the same blocks.
func TestCloseCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	codes := fillWith(150_000, func(i int) uint32 { return uint32(i)*10_007 + r.Uint32N(30_000) })
	for i := range codes {
		if r.IntN(50) == 0 {
			codes[i] = codes[r.IntN(len(codes))]
		}
	}
	v := surveyOf(codes)
	c := cells[uint32]{min: v.Min, shift: uint8(max(0, v.Width()-evenCellBits))}
	if !c.close(codes[:engine.Block]) {
		t.Error("the codes are not close")
	}
	var counts, want [1 << evenCellBits]uint32
	histogram(counts[:], codes, c)
	for _, code := range codes {
		want[c.of(code)]++
	}
	if counts != want {
		t.Error("other counts")
	}
	partitionAll(t, codes, 16, 2)
	if c.close(codes[:1]) || c.close(nil) {
		t.Error("no two codes are close")
	}
}

func fillWith[C Code](n int, of func(i int) C) []C {
	codes := make([]C, n)
	for i := range codes {
		codes[i] = of(i)
	}
	return codes
}
