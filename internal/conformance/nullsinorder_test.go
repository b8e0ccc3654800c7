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
	"example.com/sorter/perm"
)

// nullRise is a column whose values are in order, or nearly. Nulls have any keys.
type nullRise struct {
	name string
	key  func(i, n int) int64
	rest bool // rows tie, and another column decides
}

var nullRises = []nullRise{
	{"rising", func(i, _ int) int64 { return int64(i) - 1000 }, false},
	{"ties", func(i, _ int) int64 { return int64(i / 100) }, false},
	{"rising, then by another column", func(i, _ int) int64 { return int64(i) }, true},
	{"ties, then by another column", func(i, _ int) int64 { return int64(i / 3000) }, true},
	{"a tie across blocks, then by another column", func(i, _ int) int64 { return int64(i - b2i(i == 2048)) }, true},
	{"a tie across pieces, then by another column", func(i, _ int) int64 { return int64(i - b2i(i == 2048+256)) }, true},
	{"from the least on", func(i, _ int) int64 { return math.MinInt64 + int64(i) }, true},
	{"a fall between blocks", func(i, _ int) int64 { return int64(i - 5*b2i(i == 4096)) }, false},
	{"a fall between pieces", func(i, _ int) int64 { return int64(i - 5*b2i(i == 2048+512)) }, false},
	{"the second falls", func(i, _ int) int64 { return int64(i - 2*b2i(i == 1)) }, false},
	{"the last falls", func(i, n int) int64 { return int64(i - n*b2i(i == n-1)) }, false},
	{"falling", func(i, _ int) int64 { return -int64(i) }, false},
}

// TestNullsInOrder orders rows by a column whose values are in order, except for its nulls.
func TestNullsInOrder(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, n := range []int{3, 40, 5000, 9000, 70_001} {
		for p, pattern := range nullPatterns {
			for k, rise := range nullRises {
				if turn++; n > 9000 && (p+k)%4 != 0 || testkit.ThinnedTo(5, turn) {
					continue
				}
				checkNullRise(t, fmt.Sprintf("%s, %s nulls, n=%d", rise.name, pattern.name, n), n, pattern.null, rise, turn)
			}
		}
	}
}

// callOrders are options of a whole call, and the sign by which they change the order of values.
var callOrders = []struct {
	sign int
	opts []sorter.Option
}{
	{1, nil},
	{-1, []sorter.Option{sorter.Descending()}},
	{-1, []sorter.Option{sorter.Descending(), sorter.NaNsLast(), sorter.MemoryLimit(1 << 30)}},
	{1, []sorter.Option{sorter.TotalOrder(), sorter.OnProgress(func(sorter.Progress) {})}},
	{-1, []sorter.Option{sorter.Descending(), sorter.Use(sorter.Radix)}},
	{-1, []sorter.Option{sorter.Descending(), sorter.MarkRuns(new(perm.Runs))}},
	{1, []sorter.Option{sorter.NaNsFirst()}},
}

func checkNullRise(t *testing.T, name string, n int, isNull func(i, n int, r *rand.Rand) bool, rise nullRise, turn int) {
	t.Helper()
	r := dist.Rand(uint64(n))
	keys, other, null, valid := make([]int64, n), make([]int32, n), make([]bool, n), make([]byte, n/8+2)
	for i := range n {
		if null[i] = isNull(i, n, r); null[i] {
			keys[i] = int64(r.Uint64())
		} else {
			keys[i] = rise.key(i, n)
			valid[(i+3)/8] |= 1 << ((i + 3) % 8)
		}
		other[i] = int32(-i / 2)
	}
	function := func(i int) bool { return null[i] }
	col, down := sorter.AscOf(keys), sorter.DescOf(mapped(keys, func(k int64) int64 { return ^k }))
	reals := sorter.AscOf(mapped(keys, func(k int64) float64 { return float64(k) })) // exact, if keys are of few bits
	call := callOrders[turn%len(callOrders)]
	for c, first := range []sorter.Column[int]{
		col.NullsFirst(function), col.NullsLast(function), col.NullsFirstBits(valid, 3), col.NullsLastBits(valid, 3),
		down.NullsFirstBits(valid, 3), reals.NullsLastBits(valid, 3),
	} {
		if c == 5 && rise.name == "from the least on" {
			continue
		}
		nullsFirst := c == 0 || c == 2 || c == 4
		want := perm.Identity(n)
		testkit.SortStable(want, func(a, b uint32) int {
			switch {
			case null[a] != null[b] && null[a] == nullsFirst:
				return -1
			case null[a] != null[b]:
				return 1
			case !null[a] && keys[a] != keys[b]:
				return call.sign * cmp.Compare(keys[a], keys[b])
			case rise.rest:
				return call.sign * cmp.Compare(other[a], other[b])
			}
			return 0
		})
		cols := []sorter.Column[int]{first}
		if rise.rest {
			cols = append(cols, sorter.AscOf(other))
		}
		p, err := sorter.RowsBy(n, cols...).Order(append([]sorter.Option{sorter.Workers(1 + 2*(c&1))}, call.opts...)...)
		checkSame(t, fmt.Sprintf("%s, column %d", name, c), err, p, want)

		var rows, named []uint32 // every other row
		for i := 1; i < n; i += 2 {
			rows = append(rows, uint32(i))
		}
		for _, x := range want {
			if x%2 == 1 {
				named = append(named, x)
			}
		}
		err = sorter.RowsBy(n, cols...).Sort(rows, call.opts...)
		checkSame(t, fmt.Sprintf("%s, column %d, some rows", name, c), err, rows, named)
	}
}

// TestNullsInOrderOnce has values in order: their codes are checked, and nothing is sorted.
func TestNullsInOrderOnce(t *testing.T) {
	const n = 200_000
	keys := mapped(ascending(n), func(i int) int64 { return int64(i) })
	null := func(i int) bool { return i%10 == 3 }
	for _, cols := range [][]sorter.Column[int]{
		{sorter.AscOf(keys).NullsFirst(null)},
		{sorter.AscOf(keys).NullsFirst(null), sorter.Asc(func(i int) int32 { // only nulls tie
			if !null(i) {
				t.Errorf("the second key of row %d was asked for", i)
			}
			return int32(-i)
		})},
	} {
		var st sorter.Stats
		p, err := sorter.RowsBy(n, cols...).Order(sorter.Report(&st))
		if err != nil || len(cols) == 1 && len(st.Stages) != 1 || st.Scratch > 4*n || st.CodeBits != 64 || st.Engine != "cpu" {
			t.Errorf("%v, %+v", err, st)
		}
		if values := p[n/10:]; !slices.IsSorted(values) || len(cols) == 2 && p[0] != n-7 {
			t.Errorf("%d columns: rows %d, … and %d, …", len(cols), p[0], values[0])
		}
	}
}
