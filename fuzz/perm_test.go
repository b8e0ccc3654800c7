package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter/perm"
)

// permutation decodes a permutation of n elements: data chooses swaps, stride
// rotates it.
func permutation(n int, stride uint16, data []byte) perm.Perm {
	p := perm.Identity(n)
	if n == 0 {
		return p
	}
	state := uint64(stride)
	for i, b := range expand(data, n, 0xff) {
		state = state*6364136223846793005 + uint64(b)
		j, k := i%n, int(state>>33)%n
		p[j], p[k] = p[k], p[j]
	}
	shift := int(stride) % n
	return append(p[shift:], p[:shift]...)
}

// FuzzPerm holds the operations on permutations to their laws.
func FuzzPerm(f *testing.F) {
	f.Add(byte(0), uint16(0), byte(1), []byte(nil), []byte(nil))
	f.Add(byte(1), uint16(1), byte(1), []byte("one"), []byte("two"))
	f.Add(byte(39), uint16(1), byte(3), []byte(nil), []byte("identity, rotated"))
	f.Add(byte(180), uint16(64), byte(4), []byte("cycles of any length"), []byte("and others"))
	f.Add(byte(220), uint16(4096), byte(2), []byte("many"), []byte(nil))
	f.Fuzz(func(t *testing.T, size byte, stride uint16, workers byte, dataP, dataQ []byte) {
		n, crew := elements(size), 1+int(workers%6)
		p, q := permutation(n, stride, dataP), permutation(n, stride/2, dataQ)
		for _, x := range []perm.Perm{p, q, p.Inverse(), p.Compose(q), q.Compose(p)} {
			if err := x.Valid(); err != nil || len(x) != n {
				t.Fatalf("n=%d: %d indices: %v", n, len(x), err)
			}
		}
		checkLaws(t, p, q)
		checkMoves(t, p, q, crew)
		if n > 0 {
			checkInvalid(t, p, int(stride)%n)
		}
	})
}

func checkLaws(t *testing.T, p, q perm.Perm) {
	t.Helper()
	one := perm.Identity(len(p))
	for _, law := range []struct {
		name      string
		got, want perm.Perm
	}{
		{"p after its inverse", p.Compose(p.Inverse()), one},
		{"the inverse after p", p.Inverse().Compose(p), one},
		{"the inverse of the inverse", p.Inverse().Inverse(), p},
		{"p after the identity", p.Compose(one), p},
		{"the identity after p", one.Compose(p), p},
		{"the inverse of a composition", p.Compose(q).Inverse(), q.Inverse().Compose(p.Inverse())},
		{"associativity", p.Compose(q).Compose(p), p.Compose(q.Compose(p))},
	} {
		check(t, law.name, nil, ints(law.got), ints(law.want))
	}
}

// checkMoves applies p and q to elements in every way that there is.
func checkMoves(t *testing.T, p, q perm.Perm, workers int) {
	t.Helper()
	n := len(p)
	src := sorted(n, func(a, b int) int { return a*7919%(n+1) - b*7919%(n+1) })
	keptP := slices.Clone(p)
	want := make([]int, n)
	for i, v := range p {
		want[i] = src[v]
	}
	gathered, applied, back := make([]int, n), slices.Clone(src), make([]int, n)
	perm.Gather(gathered, src, p, workers)
	check(t, "Gather", nil, gathered, want)
	perm.Apply(applied, p, workers)
	check(t, "Apply", nil, applied, want)
	perm.Scatter(back, gathered, p, workers)
	check(t, "Scatter does not undo Gather", nil, back, src)
	perm.Apply(applied, p.Inverse(), workers)
	check(t, "Apply of the inverse does not undo Apply", nil, applied, src)

	twice, composed := make([]int, n), make([]int, n)
	perm.Gather(gathered, src, q, workers)
	perm.Gather(twice, gathered, p, workers)
	perm.Gather(composed, src, p.Compose(q), workers)
	check(t, "Compose is not q, then p", nil, composed, twice)
	check(t, "p was changed", nil, ints(p), ints(keptP))
}

// checkInvalid breaks p at one position in both ways that there are.
func checkInvalid(t *testing.T, p perm.Perm, at int) {
	t.Helper()
	broken := slices.Clone(p)
	broken[at] = uint32(len(p))
	if broken.Valid() == nil {
		t.Fatalf("Valid accepts the index %d of %d elements", len(p), len(p))
	}
	if len(p) > 1 {
		broken[at] = p[(at+1)%len(p)]
		if broken.Valid() == nil {
			t.Fatalf("Valid accepts the index %d twice", broken[at])
		}
	}
}
