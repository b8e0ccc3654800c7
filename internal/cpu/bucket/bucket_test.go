package bucket

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
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
	lengths := []int{2, ShortSort, ShortSort + 1, 33, 64, 65, 700, 1025, 4097, 1 << 15, MaxLen}
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
		w := Worker[C]{Env: newEnv()}
		for _, n := range lengths {
			name := fmt.Sprintf("%s, %d codes of %d bits", name, n, bits)
			codes := make([]C, n)
			for i := range codes {
				codes[i] = code(i, n)
			}
			sorted := slices.Sorted(slices.Values(codes))
			v := presorted.SummaryOf(codes)
			order := w.Order(codes, v.Min, v.Span())
			for i, x := range order {
				if codes[x] != sorted[i] || i > 0 && sorted[i-1] == sorted[i] && order[i-1] > x {
					t.Errorf("%s: element %d is at place %d", name, x, i)
					break
				}
			}
			if got := w.Sort(codes, v.Min, v.Span()); !slices.Equal(got, sorted) {
				t.Errorf("%s: not sorted", name)
			}
		}
	}
}

// TestRepeated samples codes that come once, a few times, or often.
func TestRepeated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{leastTieSampled, 20_000, MaxLen} {
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
		w := Worker[uint64]{Env: newEnv()}
		list := fillWith(values, func(int) uint64 { return 1 + r.Uint64()>>1 })
		codes := fillWith(n, func(i int) uint64 { return list[i%values] })
		want := slices.Sorted(slices.Values(codes))
		before := slices.Clone(codes)
		order := w.orderValues(codes, want[0], want[n-1]-want[0])
		if (order != nil) != (values <= n/mostCounted) || order != nil && !testkit.IsStable(order, codes) {
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

func fillWith[C Code](n int, of func(i int) C) []C {
	codes := make([]C, n)
	for i := range codes {
		codes[i] = of(i)
	}
	return codes
}

func newEnv() *engine.Env {
	env := new(engine.Env)
	env.Loop.Workers = 1
	return env
}
