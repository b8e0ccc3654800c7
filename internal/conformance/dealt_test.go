package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Rows by a first column of few values, whose keys lie in memory, are ordered by the later columns first.

// dealtLeads are first columns, of which those named last have too many values, or are in order.
var dealtLeads = []struct {
	name  string
	dealt bool
	draw  func(i, n int, r *rand.Rand) int64
}{
	{"two", true, func(_, _ int, r *rand.Rand) int64 { return r.Int64N(2) }},
	{"hundred of both signs", true, func(_, _ int, r *rand.Rand) int64 { return r.Int64N(100) - 50 }},
	{"lowest", true, func(_, _ int, r *rand.Rand) int64 { return math.MinInt64 + r.Int64N(600) }},
	{"highest", true, func(_, _ int, r *rand.Rand) int64 { return math.MaxInt64 - r.Int64N(600) }},
	{"apart", true, func(_, _ int, r *rand.Rand) int64 { return 3 * r.Int64N(200) }},
	{"64 runs", true, func(i, n int, _ *rand.Rand) int64 { return int64(i % (n / 64) * 50 / (n / 64)) }},
	{"too many", false, func(_, n int, r *rand.Rand) int64 { return r.Int64N(int64(n)) }},
	{"an outlier near", false, func(i, n int, r *rand.Rand) int64 { return r.Int64N(100) + int64(bit(i == n/2+1))*5000 }},
	{"an outlier far", false, func(i, n int, r *rand.Rand) int64 { return r.Int64N(100) - int64(bit(i == n-1))<<40 }},
	{"outliers first", false, func(i, n int, r *rand.Rand) int64 { return r.Int64N(100) + int64(bit(i > 0 && i < 300))<<16 }},
	{"in order", false, func(i, n int, _ *rand.Rand) int64 { return int64(i * 50 / n) }},
	{"falling", false, func(i, n int, _ *rand.Rand) int64 { return -int64(i * 50 / n) }},
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

func TestDealt(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, lead := range dealtLeads {
		for _, n := range []int{10_000, 65_536, 70_001} {
			for way := range 8 {
				if turn++; testkit.Thinned(turn) || n > 10_000 && turn%3 != 0 {
					continue
				}
				r := dist.Rand(uint64(turn))
				few, second, last := make([]int64, n), make([]int64, n), make([]float64, n)
				for i := range n {
					few[i], second[i], last[i] = lead.draw(i, n, r), (r.Int64N(30)-15)<<59, specials64[r.IntN(len(specials64))]
					if way == 5 {
						last[i] = float64(-i) // in order
					}
				}
				name := fmt.Sprintf("%s, n=%d, way %d", lead.name, n, way)
				descending := way&1 != 0
				cols := []sorter.Column[int]{sorter.AscOf(few), sorter.Chunks(testkit.Cut(last, r)).Desc()}
				compare := func(a, b int) int { return cmp.Or(cmp.Compare(few[a], few[b]), cmp.Compare(last[b], last[a])) }
				if way&2 != 0 { // a second word of few values, which no word holds with the first, and a third
					cols = slices.Insert(cols, 1, sorter.AscOf(second))
					compare = func(a, b int) int {
						return cmp.Or(cmp.Compare(few[a], few[b]), cmp.Compare(second[a], second[b]), cmp.Compare(last[b], last[a]))
					}
				}
				if descending {
					cols[0] = sorter.DescOf(few)
					up := compare
					compare = func(a, b int) int { return cmp.Or(cmp.Compare(few[b], few[a]), up(a, b)) }
				}
				var st sorter.Stats
				p, err := sorter.RowsBy(n, cols...).Order(sorter.Stable(), sorter.Workers(1+way/4*2), sorter.Report(&st))
				want := make([]uint32, n)
				for i := range want {
					want[i] = uint32(i)
				}
				slices.SortStableFunc(want, func(a, b uint32) int { return compare(int(a), int(b)) })
				checkSame(t, name, err, p, want)
				dealt := slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "deal" })
				if n > 10_000 && dealt != lead.dealt {
					t.Errorf("%s: dealt: %t", name, dealt)
				}
				if dealt && st.Shape != "" { // that of the later columns
					t.Errorf("%s: shape %q", name, st.Shape)
				}
			}
		}
	}
}
