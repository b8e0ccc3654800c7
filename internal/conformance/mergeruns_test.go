package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// cutAt returns s cut into runs at the given places, which ascend.
func cutAt(s []int, places ...int) (runs [][]int) {
	from := 0
	for _, at := range append(places, len(s)) {
		runs = append(runs, s[from:at])
		from = at
	}
	return runs
}

// evenCuts returns the places that cut n elements into k runs.
func evenCuts(n, k int) (places []int) {
	for i := 1; i < k; i++ {
		places = append(places, i*n/k)
	}
	return places
}

// ways to cut n elements into runs.
var cuts = []struct {
	name   string
	places func(r *rand.Rand, n int) []int
}{
	{"one run", func(*rand.Rand, int) []int { return nil }},
	{"three runs", func(_ *rand.Rand, n int) []int { return evenCuts(n, 3) }},
	{"empty runs", func(_ *rand.Rand, n int) []int { return []int{0, 0, n / 3, n / 3, n} }},
	{"five runs", func(_ *rand.Rand, n int) []int { return evenCuts(n, 5) }},
	{"64 runs", func(_ *rand.Rand, n int) []int { return evenCuts(n, 64) }},
	{"1000 runs", func(_ *rand.Rand, n int) []int { return evenCuts(n, 1000) }},
	{"runs of one", func(_ *rand.Rand, n int) []int { return evenCuts(n, max(1, n)) }},
	{"one long, many short", func(_ *rand.Rand, n int) []int {
		places := evenCuts(n/8, 200)
		return append(places, n/8)
	}},
	{"random runs", func(r *rand.Rand, n int) []int {
		places := make([]int, r.IntN(40))
		for i := range places {
			places[i] = r.IntN(n + 1)
		}
		slices.Sort(places)
		return places
	}},
}

func TestMergeRuns(t *testing.T) {
	eachVerbInput(t, func(t *testing.T, _ keyCase, ref *reference, turn int) {
		for l := range 3 {
			ref.checkMergeRuns(t, (turn+4*l)%len(cuts), modes[(turn+l)%len(modes)])
		}
	})
}

func TestMergeRunsLarge(t *testing.T) {
	eachLargeKind(t, 90_000, []string{"sprinkled", "16 values"}, func(t *testing.T, ref *reference, turn int) {
		ref.checkMergeRuns(t, turn%len(cuts), modes[turn%len(modes)])
		ref.checkMergeRuns(t, (turn+3)%len(cuts), modes[(turn+7)%len(modes)])
	})
}

// checkMergeRuns cuts the rows into runs, sorts each and merges them: the result is the stable
// sort of the whole, because ties take earlier runs first.
func (r *reference) checkMergeRuns(t *testing.T, cut int, m mode) {
	t.Helper()
	name := fmt.Sprintf("%s, %s", cuts[cut].name, m.name)
	all := slices.Clone(r.rows)
	runs := cutAt(all, cuts[cut].places(dist.Rand(uint64(len(all))), len(all))...)
	of, ends := make([]int, 0, len(all)), make([]int, len(runs)) // the run of each row, and the rows placed in each run
	for i, run := range runs {
		of = append(of, slices.Repeat([]int{i}, len(run))...)
	}
	for _, row := range r.in(m.order) { // sorted rows come to their runs in order
		run := of[row]
		runs[run][ends[run]] = row
		ends[run]++
	}
	kept := slices.Clone(all)
	dst := make([]int, len(r.rows))
	err := r.mergeRuns(dst, runs, m.opts...)
	r.check(t, name, err, dst, r.in(m.order))
	r.check(t, name+": the runs changed", nil, all, kept)
}

// mergeShapes are keys of element i of a run of k.
var mergeShapes = []struct {
	name string
	key  func(r *rand.Rand, run, k, i int) uint64
}{
	{"uniform", func(r *rand.Rand, _, _, _ int) uint64 { return r.Uint64() }},
	{"equal", func(*rand.Rand, int, int, int) uint64 { return 7 }},
	{"few values", func(r *rand.Rand, _, _, _ int) uint64 { return r.Uint64N(5) << 40 }},
	{"disjoint", func(r *rand.Rand, run, _, _ int) uint64 { return uint64(run)<<32 + r.Uint64N(1<<30) }},
	{"disjoint, backward", func(r *rand.Rand, run, k, _ int) uint64 { return uint64(k-run)<<32 + r.Uint64N(1<<30) }},
	{"one outlier", func(r *rand.Rand, _, _, i int) uint64 { return r.Uint64N(1<<20) + uint64(max(0, 1-i))<<63 }},
	{"low bits", func(r *rand.Rand, _, _, _ int) uint64 { return 1<<63 + r.Uint64N(1<<12) + r.Uint64N(2)<<50 }},
	{"half in one key", func(r *rand.Rand, _, _, _ int) uint64 { return r.Uint64() * r.Uint64N(2) }},
	{"runs of other widths", func(r *rand.Rand, run, _, _ int) uint64 { return r.Uint64() >> (run % 4 * 15) }},
}

// TestMergeRunsShapes merges runs of elements of several sizes, with and without pointers, whose
// keys have shapes that ranges depend on.
func TestMergeRunsShapes(t *testing.T) {
	for i, shape := range mergeShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			for j, check := range []func(){
				func() {
					checkMergeShape(t, i, func(key uint64, _ int) uint8 { return uint8(key >> 56) }, func(e uint8) uint64 { return uint64(e) })
				},
				func() {
					checkMergeShape(t, i, func(key uint64, at int) [3]uint64 { return [3]uint64{key, uint64(at), 1} }, func(e [3]uint64) uint64 { return e[0] })
				},
				func() {
					checkMergeShape(t, i, func(key uint64, at int) [13]uint64 { return [13]uint64{key, 12: uint64(at)} }, func(e [13]uint64) uint64 { return e[0] })
				},
				func() {
					checkMergeShape(t, i, func(key uint64, at int) [25]uint64 { return [25]uint64{7: key, 24: uint64(at)} }, func(e [25]uint64) uint64 { return e[7] })
				},
				func() {
					checkMergeShape(t, i, func(key uint64, at int) trade {
						return trade{name: fmt.Sprintf("shared by all %016x", key), at: uint32(at)}
					}, func(e trade) string { return e.name })
				},
			} {
				if j != i%5 && (!testkit.Long() || (i+j)%2 != 0) { // every shape, and every element
					continue
				}
				check()
			}
		})
	}
}

// checkMergeShape merges runs of elements that of makes.
func checkMergeShape[E comparable, K orderedKey](t *testing.T, shape int, of func(key uint64, at int) E, key func(E) K) {
	t.Helper()
	n, r := testkit.Pick(24_000, 40_000), dist.Rand(uint64(shape))
	for i, k := range []int{2, 3, 9, 70, 700} {
		if testkit.ThinnedByRace(4 * (i + shape)) { // three of four
			continue
		}
		places := evenCuts(n, k)
		if k == 9 { // one long run and short ones
			places = []int{1, 3, 6, 100, n - 100, n - 10, n - 9, n - 9}
		}
		var all []E
		var runs [][]E
		for run, end := range append(places, n) {
			from := len(all)
			for i := range end - from {
				all = append(all, of(mergeShapes[shape].key(r, run, k, i), from+i))
			}
			testkit.SortStable(all[from:], func(a, b E) int { return cmp.Compare(key(a), key(b)) })
			runs = append(runs, all[from:len(all):len(all)])
		}
		for i := range runs { // all may have moved
			lo := 0
			if i > 0 {
				lo = places[i-1]
			}
			runs[i] = all[lo : lo+len(runs[i])]
		}
		want := slices.Clone(all)
		testkit.SortStable(want, func(a, b E) int { return cmp.Compare(key(a), key(b)) })
		dst, outside := guarded(make([]E, n), i)
		err := errors.Join(sorter.Merge(dst, runs, key, sorter.Workers(1+(i+shape)%8)), outside())
		checkSame(t, fmt.Sprintf("%s, %d runs of %T", mergeShapes[shape].name, k, all[0]), err, dst, want)
	}
}

func TestMergeRunsOfNothing(t *testing.T) {
	id := func(i int) int { return i }
	for _, runs := range [][][]int{nil, {}, {nil}, {nil, {}, nil}} {
		checkSame(t, fmt.Sprintf("%d runs", len(runs)), sorter.Merge(nil, runs, id), nil, []int(nil))
	}
	dst := make([]int, 3)
	err := sorter.Merge(dst, [][]int{nil, {1, 2, 3}}, id)
	checkSame(t, "one run", err, dst, []int{1, 2, 3})
	err = sorter.Ordering[int]{}.Merge(dst, [][]int{{3, 1}, nil, {2}})
	checkSame(t, "no columns", err, dst, []int{3, 1, 2})
}

// TestMergeRunsUnsorted merges runs that are not sorted: every element comes once.
func TestMergeRunsUnsorted(t *testing.T) {
	r := dist.Rand(5)
	n := scaled(300_000)
	all := ascending(n)
	r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, k := range []int{2, 3, 40, 5000} {
		for _, text := range []bool{false, true} {
			dst := make([]int, n)
			var err error
			if runs := cutAt(all, evenCuts(n, k)...); text {
				err = sorter.Merge(dst, runs, func(i int) string { return fmt.Sprint("prefix of all ", i) })
			} else {
				err = sorter.Merge(dst, runs, func(i int) int { return i })
			}
			checkSame(t, "error", err, nil, []int(nil))
			checkPermuted(t, fmt.Sprintf("%d unsorted runs", k), dst, n)
		}
	}
}
