package perm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// shuffled returns a random permutation of n elements.
func shuffled(n int, seed uint64) perm.Perm {
	p := perm.Identity(n)
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// shapes are permutations whose cycles stress Apply.
func shapes(n int) map[string]perm.Perm {
	rotate, swaps, reverse := perm.Identity(n), perm.Identity(n), perm.Identity(n)
	for i := range n {
		rotate[i] = uint32((i + 1) % n)
		reverse[i] = uint32(n - 1 - i)
		if j := i ^ 1; j < n {
			swaps[i] = uint32(j)
		}
	}
	return map[string]perm.Perm{
		"identity": perm.Identity(n), "random": shuffled(n, 1), "rotate": rotate,
		"rotate back": rotate.Inverse(), "swaps": swaps, "reverse": reverse,
	}
}

type wide struct {
	id   int
	name *int
	_    [3]uint64
}

func sameWide(a, b wide) bool { return a == b }

func sameIndex(a, b uint32) bool { return a == b }

func TestMoves(t *testing.T) {
	turn := 0
	for _, n := range []int{1, 2, 63, 64, 65, 1023, 1024, 1025, 1<<15 - 1, 1 << 15, 1<<15 + 1, 100_003, 150_001} {
		src := make([]wide, n)
		for i := range src {
			src[i] = wide{id: i, name: &src[i].id}
		}
		for name, p := range shapes(n) {
			want := make([]wide, n)
			for i, v := range p {
				want[i] = src[v]
			}
			for _, workers := range []int{1, 2, 5, 0} {
				if turn++; testkit.ThinnedTo(3, turn) {
					continue
				}
				got := make([]wide, n)
				perm.Gather(got, src, p, workers)
				if d := oracle.Diff(got, want, sameWide); d != "" {
					t.Fatalf("Gather: n=%d %s workers=%d: %s", n, name, workers, d)
				}
				back := make([]wide, n)
				perm.Scatter(back, got, p, workers)
				if d := oracle.Diff(back, src, sameWide); d != "" {
					t.Fatalf("Scatter: n=%d %s workers=%d does not undo Gather: %s", n, name, workers, d)
				}
				before := slices.Clone(p)
				perm.Apply(back, p, workers)
				if d := oracle.Diff(back, want, sameWide); d != "" {
					t.Fatalf("Apply: n=%d %s workers=%d: %s", n, name, workers, d)
				}
				if d := oracle.Diff(p, before, sameIndex); d != "" {
					t.Fatalf("Apply: n=%d %s changed the permutation: %s", n, name, d)
				}
			}
		}
	}
}

func TestLaws(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 5000} {
		p, q := shuffled(n, 1), shuffled(n, 2)
		if err := p.Valid(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Compose(p.Inverse()), perm.Identity(n)) || !slices.Equal(p.Inverse().Compose(p), perm.Identity(n)) {
			t.Errorf("n=%d: p and its inverse do not compose to the identity", n)
		}
		src := shuffled(n, 3)
		once, twice := make(perm.Perm, n), make(perm.Perm, n)
		perm.Gather(once, src, q, 1)
		perm.Gather(twice, once, p, 1)
		direct := make(perm.Perm, n)
		perm.Gather(direct, src, p.Compose(q), 1)
		if d := oracle.Diff(direct, twice, sameIndex); d != "" {
			t.Errorf("n=%d: Compose is not q, then p: %s", n, d)
		}
	}
}

func TestValidNamesTheFault(t *testing.T) {
	for _, c := range []struct {
		p    perm.Perm
		want string
	}{
		{perm.Perm{0, 3, 1}, "perm: p[1] = 3 is not below the length 3"},
		{perm.Perm{2, 0, 2}, "perm: p[2] = 2 occurs a second time"},
	} {
		if err := c.p.Valid(); err == nil || err.Error() != c.want {
			t.Errorf("Valid(%v) = %v, want %q", c.p, err, c.want)
		}
	}
}

// TestApplyOfNoPermutation repeats one index at either end and in the middle, in
// cycles short and long, on one worker and on several.
func TestApplyOfNoPermutation(t *testing.T) {
	for _, n := range []int{2, 3, 1000, 1025, 100_003} {
		for name, p := range shapes(n) {
			for _, at := range [][2]int{{0, n - 1}, {n - 1, 0}, {n / 2, n/2 - 1}} {
				p := slices.Clone(p)
				p[at[0]] = p[at[1]]
				for _, workers := range []int{1, 3} {
					s := perm.Identity(n)
					want := fmt.Sprint(p.Valid())
					if got := panicked(func() { perm.Apply(s, p, workers) }); got != want {
						t.Errorf("n=%d %s workers=%d: panicked with %q, want %q", n, name, workers, got, want)
					}
					if !slices.Equal(s, perm.Identity(n)) {
						t.Errorf("n=%d %s workers=%d: elements moved", n, name, workers)
					}
				}
			}
		}
	}
}

// TestMisuse holds the panics to texts of the package.
func TestMisuse(t *testing.T) {
	id := perm.Identity(3)
	for _, c := range []struct {
		name string
		call func()
		want string
	}{
		{"Inverse, outside", func() { perm.Perm{0, 3, 1}.Inverse() }, "perm: p[1] = 3 is not below the length 3"},
		{"Inverse, twice", func() { perm.Perm{2, 0, 2}.Inverse() }, "perm: p[2] = 2 occurs a second time"},
		{"Inverse, the first place twice", func() { perm.Perm{0, 0, 2}.Inverse() }, "perm: p[1] = 0 occurs a second time"},
		{"Inverse, nothing at the first place", func() { perm.Perm{1, 2, 1}.Inverse() }, "perm: p[2] = 1 occurs a second time"},
		{"Apply, negative workers", func() { perm.Apply([]int{1}, perm.Perm{0}, -1) }, "perm: -1 workers: need at least 0"},
		{"Gather, negative workers", func() { perm.Gather([]int{1}, []int{1}, perm.Perm{0}, -2) }, "perm: -2 workers: need at least 0"},
		{"Scatter of nothing, negative workers", func() { perm.Scatter[int](nil, nil, nil, -1) }, "perm: -1 workers: need at least 0"},
		{"Compose, outside", func() { perm.Perm{0, 3, 1}.Compose(id) }, "perm: index 3 is not below the length 3"},
		{"Compose, the other outside", func() { id.Compose(perm.Perm{0, 7, 1}) }, "perm: index 7 is not below the length 3"},
	} {
		if got := panicked(c.call); got != c.want {
			t.Errorf("%s: panicked with %v, want %q", c.name, got, c.want)
		}
	}
	large := perm.Identity(2 << 20) // more than a cache has
	large[1<<20] = 2 << 20
	if got, want := panicked(func() { perm.Identity(len(large)).Compose(large) }), "perm: index 2097152 is not below the length 2097152"; got != want {
		t.Errorf("Compose of many: panicked with %v, want %q", got, want)
	}
	if got, want := (perm.Perm{1, 1, 0}).Compose(perm.Perm{2, 0, 1}), (perm.Perm{0, 0, 2}); !slices.Equal(got, want) {
		t.Errorf("Compose of an index that repeats is %v, want %v", got, want)
	}
}

// TestInverseOfEvery tries all lists of four indices below five.
func TestInverseOfEvery(t *testing.T) {
	for x := range 5 * 5 * 5 * 5 {
		p := perm.Perm{uint32(x % 5), uint32(x / 5 % 5), uint32(x / 25 % 5), uint32(x / 125)}
		var q perm.Perm
		got := panicked(func() { q = p.Inverse() })
		switch err := p.Valid(); {
		case err != nil && got != err.Error():
			t.Errorf("Inverse of %v: panicked with %v, want %q", p, got, err)
		case err == nil && (got != nil || !slices.Equal(p.Compose(q), perm.Identity(4))):
			t.Errorf("Inverse of %v is %v, panicked with %v", p, q, got)
		}
	}
}

func panicked(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestMisusePanicsBeforeAnythingMoves(t *testing.T) {
	s := []int{1, 2, 3}
	for _, c := range []struct {
		call, message string
		f             func()
	}{
		{"Gather length", "perm: gathering 3 indices into 2 elements", func() { perm.Gather(make([]int, 2), s, perm.Identity(3), 1) }},
		{"Gather index", "perm: index 2 is not below the length 2", func() { perm.Gather(make([]int, 3), s[:2], perm.Identity(3), 1) }},
		{"Scatter length", "perm: scattering 3 elements through 2 indices", func() { perm.Scatter(make([]int, 3), s, perm.Identity(2), 1) }},
		{"Scatter index", "perm: index 2 is not below the length 2", func() { perm.Scatter(make([]int, 2), s, perm.Identity(3), 1) }},
		{"Apply length", "perm: applying 2 indices to 3 elements", func() { perm.Apply(s, perm.Identity(2), 1) }},
		{"Apply index", "perm: p[2] = 3 is not below the length 3", func() { perm.Apply(s, perm.Perm{0, 1, 3}, 1) }},
		{"Apply twice", "perm: p[2] = 1 occurs a second time", func() { perm.Apply(s, perm.Perm{0, 1, 1}, 1) }},
		{"Compose", "perm: composing permutations of 2 and 3 elements", func() { perm.Identity(2).Compose(perm.Identity(3)) }},
		{"Identity", "perm: length -1 is not in [0, 1<<32)", func() { perm.Identity(-1) }},
		{"Inverse index", "perm: p[1] = 2 is not below the length 2", func() { perm.Perm{0, 2}.Inverse() }},
		{"Compose index", "perm: index 2 is not below the length 2", func() { perm.Perm{0, 2}.Compose(perm.Identity(2)) }},
		{"Composed index", "perm: index 2 is not below the length 2", func() { perm.Identity(2).Compose(perm.Perm{0, 2}) }},
		{"Gather, many", "perm: index 131072 is not below the length 131072", func() {
			p := perm.Identity(1 << 17)
			p[1<<16] = 1 << 17
			perm.Gather(make([]int, 1<<17), make([]int, 1<<17), p, 3)
		}},
		{"Scatter, many", "perm: index 131072 is not below the length 131072", func() {
			p := perm.Identity(1 << 17)
			p[1<<16] = 1 << 17
			perm.Scatter(make([]int, 1<<17), make([]int, 1<<17), p, 3)
		}},
		{"Apply, many", "perm: p[65536] = 131072 is not below the length 131072", func() { p := perm.Identity(1 << 17); p[1<<16] = 1 << 17; perm.Apply(make([]int, 1<<17), p, 3) }},
	} {
		if value := panicked(c.f); value != c.message {
			t.Errorf("%s: panicked with %v, want %q", c.call, value, c.message)
		}
	}
	if !slices.Equal(s, []int{1, 2, 3}) {
		t.Errorf("misuse moved elements: %v", s)
	}
}

// BenchmarkApply is compared with the check that the permutation is valid, which is part
// of it.
func BenchmarkApply(b *testing.B) {
	n := 1 << 21
	if !testkit.Long() {
		n = 1 << 12
	}
	s, p := make([][3]uint64, n), shuffled(n, 5)
	for name, call := range map[string]func(){
		"valid":              func() { _ = p.Valid() },
		"applied, 1 worker":  func() { perm.Apply(s, p, 1) },
		"applied, 2 workers": func() { perm.Apply(s, p, 2) },
	} {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				call()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}

// BenchmarkInverse inverts and composes permutations, in the cache and out of it.
func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{1 << 12, 1 << 22} {
		if !testkit.Long() && n > 1<<12 {
			continue
		}
		p, q := shuffled(n, 5), shuffled(n, 6)
		for name, call := range map[string]func(){
			"Inverse":             func() { p.Inverse() },
			"Inverse of identity": func() { perm.Identity(n).Inverse() },
			"Compose":             func() { p.Compose(q) },
		} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					call()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}

// BenchmarkGather gathers elements of common sizes, in the cache and out of it.
func BenchmarkGather(b *testing.B) {
	benchmarkGather[[2]uint64](b)
	benchmarkGather[[3]uint64](b)
	benchmarkGather[[8]uint64](b)
}

func benchmarkGather[E any](b *testing.B) {
	sizes := []int{1 << 12, 1 << 21}
	if !testkit.Long() {
		sizes = sizes[:1]
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%T/n=%d", *new(E), n), func(b *testing.B) {
			src, dst, p := make([]E, n), make([]E, n), shuffled(n, 5)
			b.SetBytes(int64(n) * int64(unsafe.Sizeof(src[0])))
			for b.Loop() {
				perm.Gather(dst, src, p, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}
