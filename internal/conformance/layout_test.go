package conformance_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// laidOut are the shapes of [shapes] that need no partition: all that the standard
// library sorts in a few passes.
var laidOut = map[string]string{
	"sorted, smallest last":            "nearly sorted",
	"sorted, largest first":            "nearly sorted",
	"sorted, smallest in the middle":   "nearly sorted",
	"sorted, one moved":                "nearly sorted",
	"sorted, first and last exchanged": "nearly sorted",
	"sorted, 10 at the end":            "nearly sorted",
	"reversed, one moved":              "nearly reversed",
	"reversed, 10 strays":              "nearly reversed",
	"reversed, each twice":             "reversed",
	"reversed, each 3 times":           "reversed",
	"reversed, each 100 times":         "reversed",
	"reversed, each twice, one moved":  "nearly reversed",
	"rotated by a third":               "rotated",
	"rotated by all but 10":            "nearly sorted",
	"reversed, rotated by a third":     "rotated",
	"2 far apart, reversed":            "rotated",
	"equal, 10 outliers":               "nearly sorted", // SortKeys counts these two, which are equal first
	"equal, smallest last":             "nearly sorted",
}

// TestLaidOut sorts such lists in every way on one worker and on two: the order is that
// of a stable sort, and no round of a partition was made.
func TestLaidOut(t *testing.T) {
	const n = 40_000
	for i, shape := range shapes {
		if want, ok := laidOut[shape.name]; ok {
			for workers := 1; workers <= 2; workers++ {
				if testkit.ThinnedTo(2, i+workers) {
					continue
				}
				checkLaidOut(t, shape.name, want, shape.keys(n), workers)
			}
		}
	}
}

func checkLaidOut(t *testing.T, name, want string, keys []int64, workers int) {
	t.Helper()
	var st sorter.Stats
	opts := []sorter.Option{sorter.Workers(workers), sorter.Report(&st)}
	found := func(verb string) {
		t.Helper()
		if st.Rounds != 0 || st.Shape != want {
			t.Errorf("%s, %s, %d workers: %d rounds, shape %q, want %q", name, verb, workers, st.Rounds, st.Shape, want)
		}
	}
	rows := rows24(keys)
	sorted := slices.Clone(rows)
	testkit.SortStable(sorted, func(a, b row24) int { return cmp.Compare(a.key, b.key) })

	got := slices.Clone(rows)
	checkSame(t, name+", Sort", sorter.Sort(got, func(r row24) int64 { return r.key }, opts...), got, sorted)
	found("Sort")
	p, err := sorter.OrderKeys(keys, opts...)
	checkSame(t, name+", OrderKeys", err, mapped(p, func(i uint32) row24 { return rows[i] }), sorted)
	found("OrderKeys")
	own := slices.Clone(keys)
	checkSame(t, name+", SortKeys", sorter.SortKeys(own, opts...), own, mapped(sorted, func(r row24) int64 { return r.key }))
	if strings.HasPrefix(name, "equal, ") {
		want = "few values"
	}
	found("SortKeys")
	want = laidOut[name]
	own, values := slices.Clone(keys), slices.Clone(rows)
	checkSame(t, name+", SortPairs", sorter.SortPairs(own, values, opts...), values, sorted)
	found("SortPairs")
}

// TestFewValues sorts keys of few values, with strays and without: they are counted, unless there are strays and AVX-512 splits
// them, and every key keeps its bits.
func TestFewValues(t *testing.T) {
	const n = 60_000
	negative := math.Copysign(0, -1)
	values := []float64{negative, 0, math.NaN(), 1e300}
	for used := 2; used <= len(values); used++ {
		for _, strays := range []int{0, 1, 50, n / 10} {
			keys := make([]float64, n)
			for i := range keys {
				keys[i] = values[i%used]
			}
			for i := range strays {
				keys[(i*7919+n-1)%n] = float64(i%97) - 40.5
			}
			checkFewValues(t, keys, strays <= 1)
			undo := vecsort.Restrict("avx2")
			checkFewValues(t, keys, true)
			undo()
		}
	}
}

func checkFewValues(t *testing.T, keys []float64, counted bool) {
	t.Helper()
	want := slices.Clone(keys)
	slices.SortFunc(want, func(a, b float64) int {
		return cmp.Or(cmp.Compare(a, b), cmp.Compare(b2i(math.Signbit(b)), b2i(math.Signbit(a))))
	})
	for workers := 1; workers <= 2; workers++ {
		var st sorter.Stats
		got := slices.Clone(keys)
		err := sorter.SortKeys(got, sorter.Workers(workers), sorter.Report(&st))
		checkSame(t, "few values", err, mapped(got, math.Float64bits), mapped(want, math.Float64bits))
		if (st.Shape == "few values" && st.Algorithm == "Counting") != counted && (counted || vecsort.AVX512()) {
			t.Errorf("%d workers: shape %q, algorithm %q", workers, st.Shape, st.Algorithm)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
