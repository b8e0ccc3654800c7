package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Argsort, top-k, merge and the questions asked of sorted slices.

func TestOrder(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		for l := range 3 {
			ref.checkOrder(t, modes[(turn+3*l)%len(modes)])
		}
		ref.checkOrderDefault(t, directions[turn%len(directions)])
	})
}

func TestOrderLarge(t *testing.T) {
	eachLargeKind(t, 70_000, []string{"sprinkled"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkOrder(t, modes[turn%len(modes)])
		ref.checkOrderDefault(t, directions[turn%len(directions)])
	})
}

func (r *reference) checkOrder(t *testing.T, m mode) {
	t.Helper()
	name, want := r.name+", "+m.name, permOf(r.in(m.order))
	rows := slices.Clone(r.rows)
	p, err := r.argsort(rows, m.stable()...)
	checkSame(t, "Order: "+name, err, p, want)
	checkSame(t, "Order changed its input: "+name, nil, rows, r.rows)

	left, p, err := r.orderKeys(m.stable()...)
	checkSame(t, "OrderKeys: "+name, err, p, want)
	if d := r.diff(left, r.rows); d != "" {
		t.Fatalf("OrderKeys changed its input: %s: %s", name, d)
	}

	p, err = r.orderRows(m.stable()...)
	checkSame(t, "Rows.Order: "+name, err, p, want)
}

// checkOrderDefault holds argsort without Stable to the order and to being a
// permutation, the same one every time.
func (r *reference) checkOrderDefault(t *testing.T, m mode) {
	t.Helper()
	name := r.name + ", " + m.name
	p, err := r.argsort(r.rows, m.opts...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := p.Valid(); err != nil || len(p) != len(r.rows) {
		t.Fatalf("%s: %d indices for %d elements: %v", name, len(p), len(r.rows), err)
	}
	got := make([]int, len(p))
	perm.Gather(got, r.rows, p, 2)
	checkTies(t, name, r.compare(m.order), got)
	again, err := r.argsort(r.rows, m.opts...)
	checkSame(t, name+", a second time", err, again, p)
}

func TestTopK(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		n := ref.len()
		for i, k := range []int{0, 1, 2, n / 100, n / 2, max(n-1, 0), n, n + 5} {
			if n < 50 || (i+turn)%2 == 0 {
				ref.checkTopK(t, k, modes[(turn+k)%len(modes)])
			}
			if (i+turn)%4 == 0 {
				ref.checkTopKDefault(t, k, directions[turn%len(directions)])
			}
		}
	})
}

func TestTopKLarge(t *testing.T) {
	eachLargeKind(t, 60_000, []string{"sprinkled", "16 values"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkTopK(t, 100, modes[turn%len(modes)])
		ref.checkTopK(t, 30_000, modes[(turn+6)%len(modes)])
		ref.checkTopKDefault(t, 1000, directions[turn%len(directions)])
	})
}

// checkTopK holds the first k elements to those of the whole stable sort.
func (r *reference) checkTopK(t *testing.T, k int, m mode) {
	t.Helper()
	name := fmt.Sprintf("k=%d, %s", k, m.name)
	got := slices.Clone(r.rows)
	err := r.topK(got, k, m.stable()...)
	k = min(k, len(got))
	r.check(t, name, err, got[:k], r.in(m.order)[:k])
	checkPermuted(t, r.name+", "+name, got, len(r.rows))

	keys, err := r.topKeys(k, m.stable()...)
	if err != nil {
		t.Fatalf("TopKeys: %s, %s: %v", r.name, name, err)
	}
	if d := r.diff(keys, r.in(m.order)[:k]); d != "" {
		t.Fatalf("TopKeys: %s, %s: %s", r.name, name, d)
	}
}

// checkTopKDefault holds top-k without Stable to keys equal to those of the
// whole sort, and to the same elements every time.
func (r *reference) checkTopKDefault(t *testing.T, k int, m mode) {
	t.Helper()
	name := fmt.Sprintf("k=%d, %s, default ties", k, m.name)
	got, again := slices.Clone(r.rows), slices.Clone(r.rows)
	if err := r.topK(got, k, m.opts...); err != nil {
		t.Fatalf("%s, %s: %v", r.name, name, err)
	}
	compare, want := r.compare(m.order), r.in(m.order)
	for i := range min(k, len(got)) {
		if compare(got[i], want[i]) != 0 {
			t.Fatalf("%s, %s: position %d holds key %v, want %v", r.name, name, i, r.show(got[i]), r.show(want[i]))
		}
	}
	checkPermuted(t, r.name+", "+name, got, len(r.rows))
	err := r.topK(again, k, m.opts...)
	r.check(t, name+", a second time", err, again, got)
}

func TestMerge(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		n := ref.len()
		for l, cut := range []int{0, min(1, n), n / 3, n / 2, n - min(1, n), n} {
			ref.checkMerge(t, cut, modes[(turn+l)%len(modes)])
		}
	})
}

func TestMergeLarge(t *testing.T) {
	eachLargeKind(t, 60_000, []string{"sprinkled"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkMerge(t, 30_000, modes[turn%len(modes)])
		ref.checkMerge(t, 1000, modes[6])
	})
}

// checkMerge cuts the rows in two, sorts both parts and merges them: the result
// is the stable sort of the whole, because ties take a first.
func (r *reference) checkMerge(t *testing.T, cut int, m mode) {
	t.Helper()
	name := fmt.Sprintf("cut at %d, %s", cut, m.name)
	a, b := r.among(m.order, 0, cut), r.among(m.order, cut, len(r.rows))
	keptA, keptB := slices.Clone(a), slices.Clone(b)
	dst := make([]int, len(r.rows))
	err := r.merge(dst, a, b, m.opts...)
	r.check(t, name, err, dst, r.in(m.order))
	r.check(t, name+": a changed", nil, a, keptA)
	r.check(t, name+": b changed", nil, b, keptB)
}

func TestIsSorted(t *testing.T) {
	testkit.SkipRace(t)
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		for _, m := range directions {
			ref.checkIsSorted(t, m)
		}
		ref.checkIsSorted(t, modes[turn%len(modes)])
	})
}

// checkIsSorted asks about the input, its sorted form, and that with two
// neighbours swapped at the front, in the middle and at the end.
func (r *reference) checkIsSorted(t *testing.T, m mode) {
	t.Helper()
	compare := r.compare(m.order)
	ask := func(what string, s []int) {
		t.Helper()
		if got, want := r.isSorted(s, m.opts...), slices.IsSortedFunc(s, compare); got != want {
			t.Fatalf("%s, %s, %s: IsSorted is %v", r.name, m.name, what, got)
		}
	}
	ask("as drawn", r.rows)
	s := slices.Clone(r.in(m.order))
	ask("sorted", s)
	for _, i := range []int{0, len(s) / 2, len(s) - 2} {
		if i >= 0 && i+1 < len(s) {
			s[i], s[i+1] = s[i+1], s[i]
			ask(fmt.Sprintf("swapped at %d", i), s)
			s[i], s[i+1] = s[i+1], s[i]
		}
	}
}

// TestSearch looks for edge values, for keys of the slice and for keys drawn
// like them.
func TestSearch(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, k keyCase, ref *reference, turn int) {
		s := ref.in(oracle.Order{})
		for _, targets := range []keySet{k.edges(), k.draw(inputs[turn%len(inputs)], 40, 99), ref.keySet} {
			for i := range min(targets.len(), 100) {
				at, found := ref.search(s, targets, i)
				wantAt, wantFound := ref.wantSearch(s, targets, i)
				if at != wantAt || found != wantFound {
					t.Fatalf("%s: Search(%#v) = %d, %v, want %d, %v", ref.name, targets.show(i), at, found, wantAt, wantFound)
				}
			}
		}
	})
}

func TestGroups(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, _ int) { ref.checkGroups(t) })
}

// checkGroups holds the groups of the sorted rows to their runs of equal keys,
// lying in the slice in sequence, also when the loop ends early.
func (r *reference) checkGroups(t *testing.T) {
	t.Helper()
	s, compare := r.in(oracle.Order{}), r.compare(oracle.Order{})
	at, count := 0, 0
	for g := range r.groups(s) {
		end := at + 1
		for end < len(s) && compare(s[at], s[end]) == 0 {
			end++
		}
		if len(g) != end-at || cap(g) != len(g) || &g[0] != &s[at] {
			t.Fatalf("%s: group %d has %d elements from %+v on and capacity %d, want s[%d:%d:%d]", r.name, count, len(g), g[0], cap(g), at, end, end)
		}
		at = end
		count++
	}
	if at != len(s) {
		t.Fatalf("%s: %d groups end at %d of %d", r.name, count, at, len(s))
	}
	for stop := 1; stop <= min(count, 3); stop++ {
		seen := 0
		for range r.groups(s) {
			if seen++; seen == stop {
				break
			}
		}
		if seen != stop {
			t.Fatalf("%s: %d groups before the break, want %d", r.name, seen, stop)
		}
	}
}

// TestGroupsTwice ranges over one sequence twice: it is not used up.
func TestGroupsTwice(t *testing.T) {
	seq := sorter.Groups([]int{1, 1, 2, 3, 3, 3}, func(i int) int { return i })
	for pass := range 2 {
		var sizes []int
		for g := range seq {
			sizes = append(sizes, len(g))
		}
		checkSame(t, fmt.Sprintf("pass %d", pass), nil, sizes, []int{2, 1, 3})
	}
}
