package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Nulls of later columns, and of the first where rows are not ordered apart, have a code of their own
// if 64-bit keys leave one. Keys have the lowest code, the highest, both or neither.

// laterKeys are values of keys, of which rows draw.
type laterKeys[K sorter.Key] struct {
	name  string
	draw  func(r *rand.Rand) K
	under K // the key of a null
}

func laterInts() (all []laterKeys[int64]) {
	one := func(name string, under int64, values ...int64) {
		all = append(all, laterKeys[int64]{name, func(r *rand.Rand) int64 { return values[r.IntN(len(values))] }, under})
	}
	one("both ends", 0, math.MinInt64, math.MaxInt64, -1, 0, 1)
	one("lowest", 7, math.MinInt64, math.MinInt64+1, math.MaxInt64-1)
	one("highest", 7, math.MaxInt64, math.MaxInt64-1, math.MinInt64+1)
	one("ends under nulls", math.MinInt64, math.MaxInt64-1, 0)
	all = append(all, laterKeys[int64]{"narrow", func(r *rand.Rand) int64 { return 1e15 + r.Int64N(1e12) }, 0},
		laterKeys[int64]{"any", func(r *rand.Rand) int64 { return int64(r.Uint64()) }, 0})
	return all
}

func laterFloats() []laterKeys[float64] {
	return []laterKeys[float64]{
		{"specials", func(r *rand.Rand) float64 { return specials64[r.IntN(len(specials64))] }, math.NaN()},
		{"no NaN", func(r *rand.Rand) float64 {
			return []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, 0, r.NormFloat64()}[r.IntN(5)]
		}, 0},
		{"NaN", func(r *rand.Rand) float64 { return []float64{math.NaN(), math.MaxFloat64, r.NormFloat64()}[r.IntN(3)] }, 0},
		{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }, math.Inf(1)},
	}
}

func laterUints() []laterKeys[uint64] {
	return []laterKeys[uint64]{
		{"both ends", func(r *rand.Rand) uint64 { return []uint64{0, 1, math.MaxUint64 - 1, math.MaxUint64}[r.IntN(4)] }, 5},
		{"small", func(r *rand.Rand) uint64 { return r.Uint64N(50) }, math.MaxUint64},
	}
}

// laterLeads are first columns, by row.
var laterLeads = map[string]func(i, n int, r *rand.Rand) int32{
	"equal":    func(int, int, *rand.Rand) int32 { return 3 },
	"few":      func(_, _ int, r *rand.Rand) int32 { return r.Int32N(5) },
	"in order": func(i, n int, _ *rand.Rand) int32 { return int32(i * 7 / n) },
	"short":    func(i, _ int, _ *rand.Rand) int32 { return int32(i / 3) },
}

func TestNullsLater(t *testing.T) {
	t.Parallel()
	for _, keys := range laterInts() {
		testNullsLater(t, keys)
	}
	for _, keys := range laterUints() {
		testNullsLater(t, keys)
	}
	for _, keys := range laterFloats() {
		testNullsLater(t, keys)
	}
}

func testNullsLater[K interface {
	sorter.Key
	cmp.Ordered
}](t *testing.T, keys laterKeys[K]) {
	turn := 0
	for lead, first := range laterLeads {
		for _, n := range []int{4500, 20_000} {
			for _, pattern := range nullPatterns {
				if turn++; testkit.Thinned(turn) || turn%testkit.Pick(2, 1) != 0 || n > 10_000 && turn%testkit.Pick(9, 3) != 0 {
					continue
				}
				r := dist.Rand(uint64(turn))
				leads, col, null, valid := make([]int32, n), make([]K, n), make([]bool, n), make([]byte, n/8+2)
				for i := range n {
					leads[i], col[i] = first(i, n, r), keys.draw(r)
					if null[i] = pattern.null(i, n, r); null[i] {
						col[i] = keys.under
					} else {
						valid[(i+3)/8] |= 1 << ((i + 3) % 8)
					}
				}
				each := testkit.Pick(4, 1)
				if n > 10_000 {
					each = 5
				}
				for way := turn % each; way < 12; way += each {
					c := laterCase[K]{
						name: fmt.Sprintf("%s, lead %s, n=%d, %s null, way %d", keys.name, lead, n, pattern.name, way),
						lead: leads, col: col, null: null, desc: way&1 != 0, first: way&2 != 0,
					}
					c.key = c.column(way&4 != 0, way >= 8, valid, r)
					c.check(t, nullOptions[turn%3].opts, nullOptions[turn%3].order, r)
				}
			}
		}
	}
}

// laterCase is rows by a column that may be null, after one that may not.
type laterCase[K interface {
	sorter.Key
	cmp.Ordered
}] struct {
	name        string
	lead        []int32
	col         []K
	null        []bool
	desc, first bool
	key         sorter.Column[int]
}

// column returns the column that may be null, with bits from 3 on or a function. Unless called is set, its keys
// lie in memory.
func (c *laterCase[K]) column(bits, called bool, valid []byte, r *rand.Rand) sorter.Column[int] {
	col := sorter.AscOf(c.col)
	key := func(row int) K {
		if c.null[row] {
			panic("the key of a null")
		}
		return c.col[row]
	}
	switch chunks := r.IntN(2) == 0; {
	case called && c.desc:
		col = sorter.Desc(key)
	case called:
		col = sorter.Asc(key)
	case chunks && c.desc:
		col = sorter.Chunks(testkit.Cut(c.col, r)).Desc()
	case chunks:
		col = sorter.Chunks(testkit.Cut(c.col, r)).Asc()
	case c.desc:
		col = sorter.DescOf(c.col)
	}
	isNull := func(row int) bool { return c.null[row] }
	switch {
	case bits && c.first:
		return col.NullsFirstBits(valid, 3)
	case bits:
		return col.NullsLastBits(valid, 3)
	case c.first:
		return col.NullsFirst(isNull)
	}
	return col.NullsLast(isNull)
}

// compare compares two rows.
func (c *laterCase[K]) compare(o oracle.Order, lead bool) func(a, b uint32) int {
	of := oracle.Ordered[K](o.Of(oracle.Order{Desc: c.desc}))
	leads := oracle.Ordered[int32](o)
	return func(a, b uint32) int {
		if d := leads(c.lead[a], c.lead[b]); lead && d != 0 {
			return d
		}
		switch x, y := c.null[a], c.null[b]; {
		case x && y:
			return 0
		case x != y && x == c.first:
			return -1
		case x != y:
			return 1
		}
		return of(c.col[a], c.col[b])
	}
}

// check compares orders with the oracle's.
func (c *laterCase[K]) check(t *testing.T, opts []sorter.Option, o oracle.Order, r *rand.Rand) {
	t.Helper()
	n := len(c.col)
	opts = append(slices.Clone(opts), sorter.Stable())
	both, alone := []sorter.Column[int]{sorter.AscOf(c.lead), c.key}, []sorter.Column[int]{c.key}
	compare := c.compare(o, true)
	var runs perm.Runs
	p, err := sorter.RowsBy(n, both...).Order(opts...)
	want := permOf(oracle.StableRows(n, p, func(a, b int) int { return compare(uint32(a), uint32(b)) }))
	checkSame(t, "Rows.Order: "+c.name, err, p, want)
	p, err = sorter.RowsBy(n, both...).Order(append(opts, sorter.MarkRuns(&runs))...)
	checkSame(t, "Rows.Order: "+c.name, err, p, want)
	checkRuns(t, c.name, p, runs, func(a, b uint32) bool { return compare(a, b) == 0 })
	top, err := sorter.RowsBy(n, both...).Top(50, opts...)
	checkSame(t, "Rows.Top: "+c.name, err, top, want[:50])
	k := r.IntN(n)
	at, err := sorter.RowsBy(n, both...).Nth([]int{k}, opts...)
	checkSame(t, "Rows.Nth of one: "+c.name, err, at, want[k:k+1])

	rows := make([]uint32, 0, n)
	for i := range n {
		if i%4 != 1 {
			rows = append(rows, uint32(i))
		}
	}
	some := slices.DeleteFunc(slices.Clone(want), func(row uint32) bool { return row%4 == 1 })
	err = sorter.RowsBy(n, both...).Sort(rows, opts...)
	checkSame(t, "Rows.Sort: "+c.name, err, rows, some)

	offsets := []int{0, 10, 11, n / 3, n / 3, n}
	compare = c.compare(o, false)
	p, err = sorter.RowsBy(n, alone...).Within(offsets, opts...)
	want = permOf(oracle.StableRows(n, p, func(a, b int) int {
		x, _ := slices.BinarySearch(offsets, a+1)
		y, _ := slices.BinarySearch(offsets, b+1)
		return cmp.Or(cmp.Compare(x, y), compare(uint32(a), uint32(b)))
	}))
	checkSame(t, "Rows.Within: "+c.name, err, p, want)
}

// spareCall is a call that looks for codes that no key has.
type spareCall struct {
	name   string
	result int64 // bytes, at most
	run    func(opts ...sorter.Option) (perm.Perm, error)
}

// spareCalls order n rows by an int64, or a few values and an int64, of which some are null.
func spareCalls(n int) (all []spareCall) {
	r := dist.Rand(uint64(n))
	lead, col, valid, null := make([]int32, n), make([]int64, n), make([]byte, n/8+1), make([]bool, n)
	for i := range n {
		lead[i], col[i], null[i] = r.Int32N(5), int64(r.Uint64()), r.IntN(10) == 0
		if !null[i] {
			valid[i/8] |= 1 << (i % 8)
		}
	}
	some := perm.Identity(n)[:n/2]
	for _, c := range []struct {
		name string
		col  sorter.Column[int]
	}{
		{"bits", sorter.AscOf(col).NullsLastBits(valid, 0)},
		{"function", sorter.DescOf(col).NullsFirst(func(row int) bool { return null[row] })},
		{"chunks", sorter.Chunks([][]int64{col[:n/3], col[n/3:]}).Asc().NullsFirstBits(valid, 0)},
		{"key function", sorter.Asc(func(row int) int64 { return col[row] }).NullsLast(func(row int) bool { return null[row] })},
	} {
		both, alone := []sorter.Column[int]{sorter.AscOf(lead), c.col}, []sorter.Column[int]{c.col}
		add := func(name string, result int, run func(opts ...sorter.Option) (perm.Perm, error)) {
			all = append(all, spareCall{name + ", " + c.name, 4 * int64(result), run})
		}
		add("Rows.Order", n, func(opts ...sorter.Option) (perm.Perm, error) { return sorter.RowsBy(n, both...).Order(opts...) })
		add("Rows.Sort", n, func(opts ...sorter.Option) (perm.Perm, error) {
			rows := slices.Clone(some)
			err := sorter.RowsBy(n, both...).Sort(rows, opts...)
			if err != nil && !slices.Equal(rows, some) {
				return nil, fmt.Errorf("rows changed: %v", err)
			}
			return rows, err
		})
		add("Rows.Within", n, func(opts ...sorter.Option) (perm.Perm, error) {
			return sorter.RowsBy(n, alone...).Within([]int{0, n / 3, n}, opts...)
		})
		add("Rows.Top", n, func(opts ...sorter.Option) (perm.Perm, error) { return sorter.RowsBy(n, alone...).Top(n/4, opts...) })
		add("Rows.Nth of one", 0, func(opts ...sorter.Option) (perm.Perm, error) {
			return sorter.RowsBy(n, alone...).Nth([]int{n / 5}, opts...)
		})
	}
	return all
}

// TestSpareCancelled has the context end at each of its first questions, the search for spare codes
// among them, and some time later.
func TestSpareCancelled(t *testing.T) {
	t.Parallel()
	for i, c := range spareCalls(20_000) {
		if testkit.ThinnedTo(4, i) {
			continue
		}
		want, err := c.run(sorter.Stable())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		ended := 0
		for _, workers := range []int{1, 3} {
			for questions := int64(0); questions < 1<<20; questions += 1 + questions/testkit.Pick[int64](8, 64) {
				ctx := &testkit.Ending{Context: t.Context()}
				ctx.Left.Store(questions)
				got, err := c.run(sorter.Stable(), sorter.WithContext(ctx), sorter.Workers(workers))
				if err == nil {
					checkSame(t, c.name, nil, got, want)
					break
				}
				if ended++; !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, %d workers, after %d questions: %v", c.name, workers, questions, err)
				}
			}
		}
		if ended < 8 {
			t.Errorf("%s: %d ends before the result", c.name, ended)
		}
	}
}

// TestSpareMemoryLimit holds the same calls to limits from one that is too low on.
func TestSpareMemoryLimit(t *testing.T) {
	testkit.SkipRace(t)
	const n = 20_000
	for i, c := range spareCalls(n) {
		if testkit.Thinned(i) {
			continue
		}
		var got perm.Perm
		want, err := c.run(sorter.Stable())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		held := limited{
			name:   c.name,
			result: 2 * c.result, // Rows.Sort here copies the rows
			run: func(opts ...sorter.Option) (err error) {
				got, err = c.run(append(opts, sorter.Stable())...)
				return err
			},
			wrong: func() string { return oracle.Diff(got, want, same[uint32]) },
			clean: func() string { return "" },
		}
		least := int64(0)
		for limit, ok := int64(1000), false; limit < 1024*n; limit *= 2 {
			if _, enough := held.hold(t, "spare", limit, []sorter.Option{sorter.Workers(2)}); enough {
				if !ok {
					least, ok = limit, true
				}
			} else if ok {
				t.Errorf("%s: %d bytes are enough, %d are not", c.name, least, limit)
			}
		}
		if least < 2000 {
			t.Errorf("%s: %d bytes are enough", c.name, least)
		}
	}
}
