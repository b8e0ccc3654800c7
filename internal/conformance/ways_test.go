package conformance_test

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
)

// The special ways of the library are taken with rows that lead to them, under options and properties of
// columns that a way need not consult. Nothing of that may change an order.

// way is a special way, and rows that lead to it.
type way struct {
	name  string
	n     int
	shape string // that statistics report without options; "": any
	cols  drawColumns
}

var wayShapes = []way{
	{"in order", 5000, "sorted", one("int64", rises(3))},
	{"reversed", 40_000, "reversed", one("float64", falls(2))},
	{"rotated", 9000, "rotated", one("int64", func(i, n int, _ *rand.Rand) int64 { return int64((i + n/3) % n) })},
	{"nearly in order", 20_000, "nearly sorted", one("int64", strayed)},
	{"texts in order", 9000, "sorted", one("string", rises(2))},
	{"texts reversed", 9000, "reversed", one("string", falls(2))},
	{"texts nearly in order", 20_000, "nearly sorted", one("string", strayed)},
	{"texts with a common prefix", 6000, "", one("string", below(1e9))},
	{"few values", 70_000, "", one("int64", fromFew(5))},
	{"a narrow range", 30_000, "", one("int64", below(300))},
	{"a crowd", 70_000, "", one("int64", func(_, _ int, r *rand.Rand) int64 { return max(0, r.Int64N(2e15)-1e15) })},
	{"unlike magnitudes", 8000, "", one("int64", func(_, _ int, r *rand.Rand) int64 { return 1 << r.IntN(53) })},
	{"NaNs", 9000, "", one("float64", orNaN(3, below(1e6)))},
	{"nulls apart", 9000, "", someNull(0.3, one("int64", below(1e15)))},
	{"nulls of floats apart", 9000, "", someNull(0.3, one("float64", orNaN(9, below(9000))))},
	{"nulls apart, in order", 9000, "", someNull(0.1, one("int64", rises(1)))},
	{"nulls apart, in order, then another column", 9000, "", someNull(0.1, two("int64", rises(7), "int64", below(1e15)))},
	{"nulls apart, rising, then another column", 9000, "", someNull(0.1, two("float64", rises(1), "int64", falls(3)))},
	{"nulls apart, reversed", 9000, "", someNull(0.1, one("float64", falls(1)))},
	{"all null", 5000, "", someNull(1, two("int64", below(9), "string", below(1e15)))},
	{"nulls of texts", 5000, "", someNull(0.5, two("string", below(40), "int64", below(1e15)))},
	{"a spare code for nulls", 140_000, "", second(someNull(0.2, one("int64", below(1e15))), "int8", below(100))},
	{"a leading column in order", 20_000, "segments", two("int64", rises(40), "int64", below(1e15))},
	{"a leading text in order", 20_000, "segments", two("string", rises(40), "int64", below(1e15))},
	{"a leading column is constant", 9000, "", two("int64", below(1), "string", below(1e15))},
	{"two columns in order", 20_000, "sorted", two("int64", rises(50), "int64", rises(1))},
	{"a second column that falls", 20_000, "", two("int64", rises(50), "int64", falls(1))},
	{"dealt", 20_000, "", two("int8", below(60), "int64", below(1e15))},
	{"three columns in one code", 20_000, "", second(two("int8", below(9), "int8", below(9)), "int8", below(5))},
	{"few rows", 300, "", two("int8", below(9), "int64", below(1e15))},
	{"very few rows", 9, "", someNull(0.3, two("int64", below(3), "string", below(1e15)))},
}

// drawValue draws the number of row i of n.
type drawValue func(i, n int, r *rand.Rand) int64

// drawColumns draws columns of n rows.
type drawColumns func(n int, r *rand.Rand) []wayColumn

func below(values int64) drawValue {
	return func(_, _ int, r *rand.Rand) int64 { return r.Int64N(values) }
}

// fromFew draws from a number of values that are far from each other.
func fromFew(values int64) drawValue {
	return func(_, _ int, r *rand.Rand) int64 { return r.Int64N(values) * 1e14 }
}

func rises(each int) drawValue { return func(i, _ int, _ *rand.Rand) int64 { return int64(i / each) } }

func falls(each int) drawValue {
	return func(i, n int, _ *rand.Rand) int64 { return int64((n - i) / each) }
}

func strayed(i, n int, r *rand.Rand) int64 {
	if r.IntN(2000) == 0 {
		return r.Int64N(int64(n))
	}
	return int64(i)
}

func orNaN(each int, value drawValue) drawValue {
	return func(i, n int, r *rand.Rand) int64 {
		if r.IntN(each) == 0 {
			return wayNaN
		}
		return value(i, n, r)
	}
}

func one(kind string, value drawValue) drawColumns {
	return func(n int, r *rand.Rand) []wayColumn {
		return []wayColumn{{kind: kind, values: mapped(ascending(n), func(i int) int64 { return value(i, n, r) })}}
	}
}

func two(kind string, value drawValue, then string, rest drawValue) drawColumns {
	return second(one(then, rest), kind, value)
}

// second puts a column before others.
func second(rest drawColumns, kind string, value drawValue) drawColumns {
	return func(n int, r *rand.Rand) []wayColumn { return append(one(kind, value)(n, r), rest(n, r)...) }
}

// someNull makes a share of the first keys nulls.
func someNull(share float64, cols drawColumns) drawColumns {
	return func(n int, r *rand.Rand) []wayColumn {
		all := cols(n, r)
		all[0].null = mapped(ascending(n), func(int) bool { return r.Float64() < share })
		return all
	}
}

func TestWays(t *testing.T) {
	t.Parallel()
	for i, w := range wayShapes {
		if testkit.ThinnedTo(3, i) {
			continue
		}
		r := dist.Rand(uint64(i))
		cols := w.cols(w.n, r)
		if w.shape != "" {
			var st sorter.Stats
			_, err := sorter.RowsBy(w.n, columnsOfWay(cols, ofRow)...).Order(sorter.Report(&st))
			if err != nil || st.Shape != w.shape {
				t.Errorf("%s: shape %q, want %q, error %v", w.name, st.Shape, w.shape, err)
			}
		}
		for range testkit.Pick(5, 30) {
			checkWay(t, w.name, cols, r)
		}
	}
}

// TestWaysInChunks takes them with more rows than are sorted as one.
func TestWaysInChunks(t *testing.T) {
	for i, w := range wayShapes {
		if testkit.ThinnedTo(5, i) || w.n > 20_000 {
			continue
		}
		restore := pipeline.LowerLimit(w.n/3 + 1)
		r := dist.Rand(uint64(i))
		for range testkit.Pick(1, 6) {
			checkWaySorted(t, w.name+", in chunks", w.cols(w.n, r), r)
		}
		restore()
	}
}
