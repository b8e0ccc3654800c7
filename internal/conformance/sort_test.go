package conformance_test

import (
	"errors"
	"slices"
	"testing"

	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// The oracle of the library: with Stable, Sort equals slices.SortStableFunc by
// the key's order, element for element, whatever the key, the distribution, the
// options and the size.

// alone is the most elements that the calling goroutine sorts by itself.
const alone = 4096

// thinned leaves case i of n elements to other runs, see [testkit.Thinned]: more of those where one
// goroutine sorts.
func thinned(n, i int) bool {
	if n > alone {
		return testkit.ThinnedTo(3, i)
	}
	return testkit.Thinned(i)
}

// smallSizes take the paths without goroutines and without tables.
var smallSizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 33, 40}

func TestSortSmall(t *testing.T) {
	testkit.SkipRace(t)
	eachKind(t, func(k keyCase, t *testing.T) {
		for _, input := range inputs {
			for _, n := range smallSizes {
				ref := drawn(k, input, n, uint64(n))
				for i, m := range modes {
					if testkit.Long() || (i+n)%2 == 0 {
						ref.checkSort(t, m)
					}
				}
			}
		}
	})
}

// around returns 2^k−1, 2^k and 2^k+1 for every k of [from, to].
func around(from, to int) []int {
	var sizes []int
	for k := from; k <= to; k++ {
		sizes = append(sizes, 1<<k-1, 1<<k, 1<<k+1)
	}
	return sizes
}

// TestSortBoundaries meets every size around a power of two up to 2^13 with
// every kind, and up to 2^17 over the encoders. Inputs and modes take turns:
// over the kinds, each meets each.
func TestSortBoundaries(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		turn := len(k.Name()) // another start for every kind
		for _, n := range around(5, 13) {
			ref := drawn(k, inputs[turn%len(inputs)], n, uint64(turn))
			for i, m := range modes {
				if n >= 1000 && (i+turn)%3 != 0 || thinned(n, i/3+turn) {
					continue
				}
				ref.checkSort(t, m)
			}
			turn++
		}
		if !k.isLarge() || !testkit.Long() {
			return
		}
		for bits := 14; bits <= 17; bits++ {
			ref := drawn(k, inputs[turn%len(inputs)], 1<<bits-1+turn%3, uint64(turn))
			for i := range 3 {
				ref.checkSort(t, modes[(turn+i*5)%len(modes)])
			}
			turn++
		}
	})
}

// largeInputs are the distributions that large sorts treat in different ways.
var largeInputs = []string{"uniform", "zipf", "16 values", "nearly sorted", "log", "sprinkled", "low bits", "two outliers", "appended", "gauss"}

func TestSortLarge(t *testing.T) {
	testkit.SkipUnlessLong(t)
	eachKind(t, func(k keyCase, t *testing.T) {
		if !k.isLarge() {
			return
		}
		turn := len(k.Name())
		ref := drawn(k, largeInputs[turn%len(largeInputs)], 149_993+turn, 1)
		for _, m := range modes[4:] {
			if !m.order.Desc {
				ref.checkSort(t, m)
			}
		}
	})
}

// TestSortMillions sorts more than the caches hold.
func TestSortMillions(t *testing.T) {
	testkit.SkipUnlessLong(t)
	inputs := map[string]string{"float32": "uniform", "int64": "zipf", "[4]float32": "gauss", "string": "log"}
	eachKind(t, func(k keyCase, t *testing.T) {
		if input, ok := inputs[k.Name()]; ok {
			ref := drawn(k, input, 1_200_000, 1)
			for _, m := range []mode{modes[0], modes[4], modes[6]} {
				ref.checkSort(t, m)
			}
		}
	})
}

// TestEverySize sorts every size of a range once: buckets, tiles and blocks of
// any size have their edges somewhere in it.
func TestEverySize(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		if !k.isLarge() {
			return
		}
		for n := range scaled(300) {
			drawn(k, "sprinkled", n, uint64(n)).checkSort(t, modes[n%len(modes)])
			drawn(k, "log", 4*n+n%4, uint64(n)).checkSort(t, modes[0])
		}
	})
}

func (r *reference) checkSort(t *testing.T, m mode) {
	t.Helper()
	got, outside := guarded(r.rows, len(r.rows)+len(m.name))
	err := errors.Join(r.sort(got, m.stable()...), outside())
	r.check(t, m.name, err, got, r.in(m.order))
}

// check fails t if got is not want, naming the first difference and its keys.
func (r *reference) check(t *testing.T, name string, err error, got, want []int) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s, %s: unexpected error: %v", r.name, name, err)
	}
	d := oracle.Diff(got, want, same[int])
	if d == "" {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s, %s: %s; keys %#v and %#v", r.name, name, d, r.show(got[i]), r.show(want[i]))
		}
	}
	t.Fatalf("%s, %s: %s", r.name, name, d)
}

// TestSortDefault holds sorts without Stable to what is left: the order, the
// permutation, and the same ties every time.
func TestSortDefault(t *testing.T) {
	eachKind(t, func(k keyCase, t *testing.T) {
		for i, input := range inputs {
			for j, n := range []int{3, 50, scaled(1000), scaled(3000)} {
				if testkit.Thinned(i + 3*j + len(k.Name())) {
					continue
				}
				ref := drawn(k, input, n, uint64(n))
				for _, m := range directions {
					ref.checkSortDefault(t, m)
				}
			}
		}
	})
}

func (r *reference) checkSortDefault(t *testing.T, m mode) {
	t.Helper()
	name := r.name + ", " + m.name
	got, again := slices.Clone(r.rows), slices.Clone(r.rows)
	if err := r.sort(got, m.opts...); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	checkPermuted(t, name, got, len(r.rows))
	checkTies(t, name, r.compare(m.order), got)
	err := r.sort(again, m.opts...)
	r.check(t, m.name+", a second time", err, again, got)
}
