package floats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// mappings are all that can be asked for.
var mappings = []struct {
	name                  string
	exact, desc, nansLast bool
}{
	{"ordered", false, false, false},
	{"ordered, NaNs last", false, false, true},
	{"ordered, descending", false, true, false},
	{"ordered, descending, NaNs last", false, true, true},
	{"exact", true, false, false},
	{"exact, NaNs last", true, false, true},
	{"exact, descending", true, true, false},
	{"exact, descending, NaNs last", true, true, true},
}

func mapping[B Bits](exact, desc, nansLast bool) *Code[B] {
	if exact {
		return Exact[B](desc, nansLast)
	}
	return Ordered[B](desc, nansLast)
}

// compare is the order that codes are to have, by floating-point comparison.
func compare(a, b float64, desc, nansLast bool) int {
	if c := cmp.Compare(boolInt(a != a), boolInt(b != b)); c != 0 {
		if nansLast {
			return c
		}
		return -c
	}
	c := cmp.Compare(a, b)
	if desc {
		c = -c
	}
	return c
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// edges are the bits of floats around everything that a mapping distinguishes.
func edges[B Bits]() (all []B) {
	r := rand.New(rand.NewPCG(1, uint64(top[B]())))
	for _, at := range []B{0, 1, inf[B]() / 2, inf[B](), ^sign[B]()} {
		for d := B(0); d < 4; d++ {
			all = append(all, at+d, at-d, sign[B]()|(at+d), sign[B]()|(at-d))
		}
	}
	for range 60 {
		x := B(r.Uint64())
		all = append(all, x, x|inf[B](), sign[B]()|x|inf[B]())
	}
	return all
}

func TestOrder(t *testing.T) {
	checkOrder(t, func(b uint32) float64 { return float64(math.Float32frombits(b)) })
	checkOrder(t, math.Float64frombits)
}

// checkOrder compares the codes of all pairs of edges.
func checkOrder[B Bits](t *testing.T, value func(B) float64) {
	t.Helper()
	for _, m := range mappings {
		c := mapping[B](m.exact, m.desc, m.nansLast)
		if first := c.Of(sign[B]()) < c.Of(0); m.exact && first == m.desc {
			t.Errorf("%s: −0 before +0: %v", m.name, first)
		}
		for _, a := range edges[B]() {
			for _, b := range edges[B]() {
				want := compare(value(a), value(b), m.desc, m.nansLast)
				got := cmp.Compare(c.Of(a), c.Of(b))
				if want != 0 && got != want || !m.exact && got != want || m.exact && (got == 0) != (a == b) {
					t.Fatalf("%s: the codes of %#x and %#x compare as %d, the floats as %d", m.name, a, b, got, want)
				}
			}
		}
	}
}

// TestEncode holds vectors to Of, at all lengths and alignments, and the way back
// to where they came from.
func TestEncode(t *testing.T) {
	checkEncode(t, edges[uint32]())
	checkEncode(t, edges[uint64]())
}

func checkEncode[B Bits](t *testing.T, all []B) {
	t.Helper()
	for _, m := range mappings {
		c := mapping[B](m.exact, m.desc, m.nansLast)
		for n := range 45 {
			for shift := range 5 {
				src := all[shift*n:][:n]
				name := fmt.Sprintf("%s, %d of %T from %d on", m.name, n, src, shift)
				dst := slices.Repeat([]B{7}, n+9)
				c.Encode(dst[shift:], src)
				for i, got := range dst {
					want := B(7)
					if i >= shift && i < shift+n {
						want = c.Of(src[i-shift])
					}
					if got != want {
						t.Fatalf("%s: place %d is %#x, want %#x", name, i-shift, got, want)
					}
				}
				if !m.exact {
					continue
				}
				back := slices.Repeat([]B{7}, n+9)
				c.Decode(back[shift:], dst[shift:shift+n])
				if !slices.Equal(back[shift:shift+n], src) || back[shift+n] != 7 || shift > 0 && back[shift-1] != 7 {
					t.Fatalf("%s: back from codes: %#x, want %#x", name, back[shift:shift+n], src)
				}
			}
		}
	}
}

// TestAlike checks all pairs of edges, together and each alone, among others.
func TestAlike(t *testing.T) {
	checkAlike(t, func(b uint32) float64 { return float64(math.Float32frombits(b)) })
	checkAlike(t, math.Float64frombits)
}

func checkAlike[B Bits](t *testing.T, value func(B) float64) {
	t.Helper()
	others := []B{1, inf[B](), sign[B]() | 1, sign[B]() | inf[B](), inf[B]() / 2}
	for _, a := range edges[B]() {
		for _, b := range edges[B]() {
			var together, one, two Alike[B]
			together.Add(append(append([]B{a}, others...), b))
			one.Add([]B{a})
			two.Add(append([]B{b}, others...))
			one.Join(two)
			want := a == b || compare(value(a), value(b), false, false) != 0
			if together.Same() != want || one.Same() != want {
				t.Fatalf("%#x and %#x: the same if equal %v, joined %v, want %v", a, b, together.Same(), one.Same(), want)
			}
		}
	}
}

// TestNaNs encodes every NaN of 32 bits, and a NaN of 64 bits for each.
func TestNaNs(t *testing.T) {
	const block, mantissas = 1 << 12, 1 << 23
	step := 1
	if !testkit.Long() {
		step = 37
	}
	for _, m := range mappings {
		narrow, wide := mapping[uint32](m.exact, m.desc, m.nansLast), mapping[uint64](m.exact, m.desc, m.nansLast)
		for lo := 0; lo < 2*mantissas; lo += step * block {
			var src32 [block]uint32
			var src64 [block]uint64
			for i := range src32 {
				payload := max(1, uint32(lo+i)%mantissas)
				sign := uint32(lo) / mantissas << 31
				src32[i] = sign | inf[uint32]() | payload
				src64[i] = uint64(sign)<<32 | inf[uint64]() | uint64(payload)<<29 | uint64(i)
			}
			checkBlock(t, m.name, narrow, src32[:])
			checkBlock(t, m.name, wide, src64[:])
		}
	}
}

func checkBlock[B Bits](t *testing.T, name string, c *Code[B], src []B) {
	t.Helper()
	dst := make([]B, len(src))
	c.Encode(dst, src)
	for i, b := range src {
		if dst[i] != c.Of(b) {
			t.Fatalf("%s: the code of %#x is %#x, want %#x", name, b, dst[i], c.Of(b))
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	benchmarkKinds(b, "float32", edges[uint32]())
	benchmarkKinds(b, "float64", edges[uint64]())
}

// benchmarkKinds encodes and decodes blocks that fit the first-level cache.
func benchmarkKinds[B Bits](b *testing.B, name string, special []B) {
	const block = 2048 // as sources are pulled
	src, dst := make([]B, block), make([]B, block)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = inf[B]()/2 + B(r.Uint64())>>4
	}
	run := func(kind string, f func()) {
		b.Run(name+"/"+kind, func(b *testing.B) {
			b.SetBytes(int64(block * (top[B]() + 1) / 8))
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*block), "ns/float")
		})
	}
	ordered, exact := Ordered[B](false, false), Exact[B](false, false)
	run("ordered", func() { ordered.Encode(dst, src) })
	run("exact", func() { exact.Encode(dst, src) })
	run("decode", func() { exact.Decode(dst, src) })
	run("without vectors", func() { ordered.encode(dst, src) })
	for i := range src {
		src[i] = special[i%len(special)]
	}
	run("ordered, edges", func() { ordered.Encode(dst, src) })
}
