package conformance_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Inputs against sorts by the bits of codes: constant bits, digits of which nearly
// all elements share one value, clusters inside clusters, and samples that mislead.

// adversary draws the i-th of n 64-bit values.
type adversary struct {
	name string
	at   func(i, n int, r *rand.Rand) uint64
}

var adversaries = []adversary{
	{"all equal but the first", func(i, _ int, _ *rand.Rand) uint64 { return pick(i == 0, 9, 7) }},
	{"all equal but the last", func(i, n int, _ *rand.Rand) uint64 { return pick(i == n-1, 0, 7) }},
	{"all equal but one in the middle", func(i, n int, _ *rand.Rand) uint64 { return pick(i == n/2, math.MaxUint64, 0) }},
	{"exponential", func(i, _ int, _ *rand.Rand) uint64 { return 1 << (i * 7 % 64) }},
	{"exponential, dense", func(_, _ int, r *rand.Rand) uint64 { return 1<<r.IntN(64) | r.Uint64N(4) }},
	{"lowest bit", func(_, _ int, r *rand.Rand) uint64 { return 0xabcdef0123456788 | r.Uint64N(2) }},
	{"highest bit", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64N(2) << 63 }},
	{"lowest and highest bit", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64N(2)<<63 | r.Uint64N(2) }},
	{"middle bits", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64() & 0x0000_0fff_f000_0000 }},
	{"every other bit", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64() & 0x5555_5555_5555_5555 }},
	{"two clusters", func(i, _ int, r *rand.Rand) uint64 { return pick(i%2 == 0, 0, 1<<64-1<<20) + r.Uint64N(1<<20) }},
	{"one cluster and an outlier", func(i, n int, r *rand.Rand) uint64 { return pick(i == n-1, math.MaxUint64, r.Uint64N(1<<16)) }},
	{"skewed 16-bit digits", func(_, _ int, r *rand.Rand) uint64 { return skewed(r, 16) }},
	{"skewed 11-bit digits", func(_, _ int, r *rand.Rand) uint64 { return skewed(r, 11) }},
	{"skewed 8-bit digits", func(_, _ int, r *rand.Rand) uint64 { return skewed(r, 8) }},
	{"clusters in clusters", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64() >> (r.IntN(4) * 16) }},
	{"one duplicate in half", func(i, _ int, r *rand.Rand) uint64 { return pick(i%2 == 0, 1<<40+12345, r.Uint64()) }},
	{"sample misled", func(i, _ int, r *rand.Rand) uint64 { return pick(i%64 == 0, r.Uint64(), 1<<50+r.Uint64N(1<<10)) }},
	{"sorted but the last", func(i, n int, _ *rand.Rand) uint64 { return pick(i == n-1, 0, uint64(i)+1) }},
	{"sorted but the first", func(i, n int, _ *rand.Rand) uint64 { return pick(i == 0, uint64(n), uint64(i)) }},
	{"reversed with one tie", func(i, n int, _ *rand.Rand) uint64 { return uint64(n - i + i/(n-n/4)) }},
	{"reversed in pairs", func(i, n int, _ *rand.Rand) uint64 { return uint64(n-i) / 2 }},
	{"alternating", func(i, n int, _ *rand.Rand) uint64 { return pick(i%2 == 0, uint64(i), uint64(n-i)) }},
	{"sorted blocks", func(i, _ int, _ *rand.Rand) uint64 { return uint64(i) % 2048 }},
	{"blocks in reverse", func(i, n int, _ *rand.Rand) uint64 { return uint64(n-i)/2048*2048 + uint64(i)%2048 }},
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

// skewed returns a value whose every digit of the given width is 0 in 15 of 16
// cases: partition by any digit leaves one large bucket.
func skewed(r *rand.Rand, width int) uint64 {
	v := uint64(0)
	for at := 0; at < 64; at += width {
		if r.IntN(16) == 0 {
			v |= r.Uint64N(1<<width) << at
		}
	}
	return v
}

func (a adversary) draw(n int) []uint64 {
	r := dist.Rand(uint64(n))
	v := make([]uint64, n)
	for i := range v {
		v[i] = a.at(i, n, r)
	}
	return v
}

func TestAdversaries(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	sizes := testkit.Pick(nil, []int{5, 100, 2500, 30_000})
	for i, a := range adversaries {
		for j, n := range sizes {
			values := a.draw(n)
			for l := range testkit.Pick(0, 2) {
				m := modes[(i+j+l*4)%len(modes)]
				checkAdversary(t, a.name, m, keyKind[uint64]{name: "uint64", order: oracle.Ordered[uint64]}, values)
				checkAdversary(t, a.name, m, keyKind[uint32]{name: "uint32", order: oracle.Ordered[uint32]}, mapped(values, func(v uint64) uint32 { return uint32(v>>32 ^ v) }))
			}
			m := modes[(i+j)%len(modes)]
			checkAdversary(t, a.name, m, keyKind[float64]{name: "float64", order: oracle.Ordered[float64]}, mapped(values, math.Float64frombits))
			checkAdversary(t, a.name, m, keyKind[uint16]{name: "uint16", order: oracle.Ordered[uint16]}, mapped(values, func(v uint64) uint16 { return uint16(v>>48 ^ v) }))
			checkAdversary(t, a.name, m, keyKind[[16]byte]{name: "[16]byte", order: oracle.Bytes16[[16]byte]}, mapped(values, bytes16Of))
		}
	}
}

func checkAdversary[K sorter.Key](t *testing.T, name string, m mode, k keyKind[K], keys []K) {
	t.Helper()
	ref := newReference(k.name+", "+name, k.set(keys))
	ref.checkSort(t, m)
	ref.checkSortKeys(t, m)
	if len(keys) < 3000 {
		ref.checkOrder(t, m)
	}
}

// TestClustersInClusters has most elements in a cell that is too large for the
// cache whichever bits are read first, and in it most in such a cell again.
func TestClustersInClusters(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	const n = 300_000
	r := dist.Rand(n)
	for _, c := range []struct {
		name  string
		depth []int // bits that are zero in front, one element in five each
	}{
		{"two levels", []int{0, 17, 17, 17, 17}},
		{"three levels", []int{0, 20, 40, 40, 40}},
		{"four levels", []int{0, 16, 32, 47, 47}},
		{"one value", []int{0, 24, 63, 63, 63}},
	} {
		values := make([]uint64, n)
		for i := range values {
			values[i] = r.Uint64() >> c.depth[r.IntN(len(c.depth))]
		}
		for _, m := range []mode{modes[0], modes[4], modes[7], modes[10]} {
			checkAdversary(t, c.name, m, keyKind[uint64]{name: "uint64", order: oracle.Ordered[uint64]}, values)
		}
		narrow := mapped(values, func(v uint64) uint32 { return uint32(v >> 32) })
		checkAdversary(t, c.name, modes[0], keyKind[uint32]{name: "uint32", order: oracle.Ordered[uint32]}, narrow)
		ref := newReference("uint64, "+c.name, keyKind[uint64]{order: oracle.Ordered[uint64]}.set(values))
		ref.checkOrder(t, modes[6])
		ref.checkTopK(t, n/2, modes[0])
	}
}

// TestStringAdversaries has prefixes that every level of eight or seven bytes
// shares except for a few strings.
func TestStringAdversaries(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	k := keyKind[string]{name: "string", order: oracle.Ordered[string]}
	for _, c := range []struct {
		name string
		at   func(i int, r *rand.Rand) string
	}{
		{"prefixes of one string", func(_ int, r *rand.Rand) string { return strings.Repeat("ab", 60)[:r.IntN(121)] }},
		{"NULs of any length", func(_ int, r *rand.Rand) string { return strings.Repeat("\x00", r.IntN(40)) }},
		{"0xff of any length", func(_ int, r *rand.Rand) string { return strings.Repeat("\xff", r.IntN(40)) }},
		{"equal, long", func(int, *rand.Rand) string { return strings.Repeat("equal", 50) }},
		{"last byte", func(_ int, r *rand.Rand) string { return strings.Repeat("x", 100) + string(rune('a'+r.IntN(20))) }},
		{"skewed levels", func(_ int, r *rand.Rand) string {
			b := []byte(strings.Repeat("s", 48))
			for i := range b {
				if r.IntN(40) == 0 {
					b[i] = byte(r.IntN(256))
				}
			}
			return string(b[:r.IntN(49)])
		}},
		{"pairs", func(i int, _ *rand.Rand) string { return strings.Repeat("p", 30) + decimal(uint64(i/2)) }},
	} {
		for i, n := range []int{2, 40, 3000, 20_000} {
			r := dist.Rand(uint64(n))
			keys := make([]string, n)
			for i := range keys {
				keys[i] = c.at(i, r)
			}
			ref := newReference(c.name, k.set(keys))
			for _, m := range []mode{modes[i], modes[i+5]} {
				ref.checkSort(t, m)
				ref.checkSortKeys(t, m)
				ref.checkOrder(t, m)
			}
		}
	}
}

// TestNoQuadraticInput bounds the rounds of every adversary, in each of which the
// elements are partitioned, sorted or merged once: a digit or a sample that
// splits nothing would show in as many of them as there are elements.
func TestNoQuadraticInput(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	const n, rounds = 100_000, 8
	inputs := slices.Clone(adversaries)
	for _, d := range dist.All {
		values := d.Draw(n, dist.Rand(2))
		inputs = append(inputs, adversary{d.Name, func(i, _ int, _ *rand.Rand) uint64 { return values[i] }})
	}
	for _, a := range inputs {
		values := a.draw(n)
		for _, verb := range adversaryVerbs {
			var st sorter.Stats
			if err := verb.call(slices.Clone(values), sorter.Report(&st)); err != nil {
				t.Fatal(err)
			}
			if st.Rounds > rounds {
				t.Errorf("%s of %d elements, %s: %d rounds", verb.name, n, a.name, st.Rounds)
			}
		}
	}
}

// adversaryVerbs are the verbs that read the bits of codes, each in another way.
var adversaryVerbs = []struct {
	name string
	call func(s []uint64, opts ...sorter.Option) error
}{
	{"Sort", func(s []uint64, opts ...sorter.Option) error { return sorter.Sort(s, uint64Key, opts...) }},
	{"SortKeys", sorter.SortKeys[uint64]},
	{"TopK", func(s []uint64, opts ...sorter.Option) error { return sorter.TopK(s, len(s)/2, uint64Key, opts...) }},
	{"TopK of 100", func(s []uint64, opts ...sorter.Option) error { return sorter.TopK(s, 100, uint64Key, opts...) }},
}

func uint64Key(v uint64) uint64 { return v }

// BenchmarkAdversaries is to be compared with its first line.
func BenchmarkAdversaries(b *testing.B) {
	n := 1_000_000
	if !testkit.Long() {
		n = 10_000
	}
	uniform := adversary{"uniform", func(_, _ int, r *rand.Rand) uint64 { return r.Uint64() }}
	for _, verb := range adversaryVerbs {
		for _, a := range append([]adversary{uniform}, adversaries...) {
			values := a.draw(n)
			s := slices.Clone(values)
			b.Run(verb.name+"/"+a.name, func(b *testing.B) {
				for b.Loop() {
					copy(s, values)
					if err := verb.call(s); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}

// BenchmarkTies orders keys that differ in their first half, and keys that tie
// in it, as many as it takes for the number of pieces to count.
func BenchmarkTies(b *testing.B) {
	n := 1 << 24
	if !testkit.Long() {
		n = 1 << 17
	}
	keys := make([]sorter.Float4, n)
	for _, c := range []struct {
		name string
		at   int
	}{{"differ", 0}, {"tie", 3}} {
		for i := range keys {
			keys[i] = sorter.Float4{1, 1, 1, 1}
			keys[i][c.at] = float32(i * 7919 % n)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := sorter.OrderKeys(keys); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}

// TestTopKIsNotASort selects the first hundred of inputs where a heap or a bound
// learned from the front fails, and of keys that tie on the code that is read first:
// the elements held at a time do not grow with the input.
func TestTopKIsNotASort(t *testing.T) {
	testkit.SkipRace(t)
	const k = 100
	n := scaled(500_000)
	for _, name := range []string{"uniform", "reversed", "equal", "16 values", "sawtooth", "log"} {
		values := dist.Named(name).Draw(n, dist.Rand(2))
		want := slices.Sorted(slices.Values(values))[:k]
		checkFewHeld(t, name, values, want, 0, func(s []uint64, k int, opts ...sorter.Option) error {
			return sorter.TopK(s, k, uint64Key, opts...)
		})
		text := func(v uint64) string { return "https://www.example.com/" + decimal(v) } // in the order of the values
		checkFewHeld(t, name+" after a shared prefix", mapped(values, text), mapped(want, text), 16, func(s []string, k int, opts ...sorter.Option) error {
			return sorter.TopK(s, k, func(s string) string { return s }, opts...)
		})
		second := sorter.By(sorter.Asc(func(uint64) int64 { return 1 }), sorter.Asc(uint64Key))
		checkFewHeld(t, name+" in the second column", values, want, 9, second.TopK)
	}
}

// checkFewHeld selects the first elements of in, which it wants, with the scratch that the keys
// themselves take, and some that depends on the workers alone.
func checkFewHeld[K cmp.Ordered](t *testing.T, name string, in, want []K, kept int, top func(s []K, k int, opts ...sorter.Option) error) {
	t.Helper()
	k := len(want)
	for _, workers := range []int{1, 3} {
		s := slices.Clone(in)
		var st sorter.Stats
		var err error
		used := allocated(func() { err = top(s, k, sorter.Workers(workers), sorter.Report(&st)) })
		checkSame(t, name, err, s[:k], want)
		if limit := int64(len(in)*kept)*8/7 + int64(workers+1)<<18; st.Scratch > limit || used > limit {
			t.Errorf("the first %d of %d, %s, %d workers: Stats.Scratch %d, allocated %d, want at most %d", k, len(in), name, workers, st.Scratch, used, limit)
		}
	}
}
