package conformance_test

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
)

// way is a special way, and rows that lead to it.
type way struct {
	name  string
	n     int
	shape string // that statistics report
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
	{"a leading column in order", 20_000, "segments", two("int64", rises(40), "int64", below(1e15))},
	{"a leading text in order", 20_000, "segments", two("string", rises(40), "int64", below(1e15))},
	{"two columns in order", 20_000, "sorted", two("int64", rises(50), "int64", rises(1))},
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

// strayedOnce has strays in one block alone: whole keys are moved then, however many rows there are.
func strayedOnce(i, n int, r *rand.Rand) int64 {
	if i < 1000 && r.IntN(300) == 0 {
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

// TestWays reads the shapes that statistics report. TestWaysOff and TestDrawnCalls hold the results to the oracle.
func TestWays(t *testing.T) {
	t.Parallel()
	for i, w := range wayShapes {
		var st sorter.Stats
		_, err := sorter.RowsBy(w.n, columnsOfWay(w.cols(w.n, dist.Rand(uint64(i))), ofRow)...).Order(sorter.Report(&st))
		if err != nil || st.Shape != w.shape {
			t.Errorf("%s: shape %q, want %q, error %v", w.name, st.Shape, w.shape, err)
		}
	}
}
