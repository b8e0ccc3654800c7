package conformance_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// fewRow is a row of a few, with keys of which many tie.
type fewRow struct {
	small int8
	num   int64
	real  float64
	text  string
	bytes []byte
	wide  [16]byte
	at    time.Time
	null  bool
}

func fewRowsOf(n int, seed uint64) []fewRow {
	r, rows := dist.Rand(seed), make([]fewRow, n)
	for i := range rows {
		rows[i] = fewRow{
			small: int8(r.IntN(3) - 1), num: r.Int64N(3) - 1, real: float64(r.IntN(3)) - 1,
			text: []string{"", "a", "a\x00", "the same eight bytes", "the same eight bytes, and more"}[r.IntN(5)],
			at:   time.Unix(r.Int64N(2), r.Int64N(2)).In(time.FixedZone("", int(r.Int64N(2)))),
			null: r.IntN(3) == 0,
		}
		rows[i].bytes, rows[i].wide[r.IntN(2)*15] = []byte(rows[i].text), byte(r.IntN(2))
	}
	return rows
}

// fewColumn is a column of the rows, by their numbers in several ways and by themselves, beside its
// comparison.
type fewColumn struct {
	name    string
	numbers func(rows []fewRow) []sorter.Column[int]
	column  sorter.Column[fewRow]
	compare func(a, b fewRow) int
}

// fewColumnsOf are the columns of a key, in both directions, without nulls and with nulls on each side.
func fewColumnsOf[K sorter.Key](name string, key func(e fewRow) K, compare func(a, b K) int) (all []fewColumn) {
	for _, desc := range []bool{false, true} {
		for side := -1; side <= 1; side++ { // of nulls; 0: none
			all = append(all, fewColumn{
				fmt.Sprintf("%s, descending %v, nulls %d", name, desc, side),
				func(rows []fewRow) []sorter.Column[int] { return numbered(rows, key, desc, side) },
				nullsOn(directed(desc, sorter.Asc(key), sorter.Desc(key)), side, func(e fewRow) bool { return e.null }),
				func(a, b fewRow) int {
					switch {
					case side != 0 && a.null && b.null:
						return 0
					case side != 0 && a.null:
						return side
					case side != 0 && b.null:
						return -side
					case desc:
						return compare(key(b), key(a))
					}
					return compare(key(a), key(b))
				},
			})
		}
	}
	return all
}

// numbered are the columns of a key by row number: in a slice, by a function, in chunks.
func numbered[K sorter.Key](rows []fewRow, key func(e fewRow) K, desc bool, side int) (all []sorter.Column[int]) {
	keys, valid := mapped(rows, key), make([]byte, len(rows)/8+1)
	for i, e := range rows {
		if !e.null {
			valid[i/8] |= 1 << (i % 8)
		}
	}
	at, half := func(row int) K { return key(rows[row]) }, len(keys)/2
	chunks := sorter.Chunks([][]K{keys[:half], keys[half:]})
	for _, col := range []sorter.Column[int]{
		directed(desc, sorter.AscOf(keys), sorter.DescOf(keys)), directed(desc, sorter.Asc(at), sorter.Desc(at)), directed(desc, chunks.Asc(), chunks.Desc()),
	} {
		all = append(all, nullsOn(col, side, func(row int) bool { return rows[row].null }))
		if side < 0 {
			all = append(all, col.NullsFirstBits(valid, 0))
		} else if side > 0 {
			all = append(all, col.NullsLastBits(valid, 0))
		}
	}
	return all
}

func directed[C any](desc bool, up, down C) C {
	if desc {
		return down
	}
	return up
}

func nullsOn[E any](c sorter.Column[E], side int, isNull func(E) bool) sorter.Column[E] {
	switch {
	case side < 0:
		return c.NullsFirst(isNull)
	case side > 0:
		return c.NullsLast(isNull)
	}
	return c
}

// TestFewRows orders few rows, about as many as are ordered on the stack and some more, by a column of
// each kind and another after it, in every way that a call takes rows.
func TestFewRows(t *testing.T) {
	all := slices.Concat(
		fewColumnsOf("int8", func(e fewRow) int8 { return e.small }, cmp.Compare[int8]),
		fewColumnsOf("int64", func(e fewRow) int64 { return e.num }, cmp.Compare[int64]),
		fewColumnsOf("float64", func(e fewRow) float64 { return e.real }, cmp.Compare[float64]),
		fewColumnsOf("string", func(e fewRow) string { return e.text }, cmp.Compare[string]),
		fewColumnsOf("bytes", func(e fewRow) []byte { return e.bytes }, bytes.Compare),
		fewColumnsOf("wide", func(e fewRow) [16]byte { return e.wide }, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) }),
		fewColumnsOf("time", func(e fewRow) time.Time { return e.at }, time.Time.Compare),
	)
	r := dist.Rand(1)
	for n := range 22 {
		if n > 18 {
			n = []int{40, 100, 300}[n-19]
		}
		for _, c := range all {
			checkFewRows(t, fewRowsOf(n, r.Uint64()), c, all[r.IntN(len(all))])
		}
	}
}

func checkFewRows(t *testing.T, rows []fewRow, c, next fewColumn) {
	t.Helper()
	name := fmt.Sprintf("%d rows by %s and %s", len(rows), c.name, next.name)
	compare := func(a, b uint32) int {
		return cmp.Or(c.compare(rows[a], rows[b]), next.compare(rows[a], rows[b]))
	}
	want, selected := perm.Identity(len(rows)), perm.Identity(len(rows))
	slices.Reverse(selected)
	wantSelected := slices.Clone(selected)
	testkit.SortStable(want, compare)
	testkit.SortStable(wantSelected, compare)
	seconds := next.numbers(rows)
	for i, col := range c.numbers(rows) {
		cols := []sorter.Column[int]{col, seconds[i%len(seconds)]}
		p, err := sorter.RowsBy(len(rows), cols...).Order(sorter.Into(make(perm.Perm, 0, len(rows))))
		checkSame(t, name+", Rows.Order", err, p, want)
		some := slices.Clone(selected)
		err = sorter.RowsBy(len(rows), cols...).Sort(some)
		checkSame(t, name+", Rows.Sort", err, some, wantSelected)
		numbers := mapped(selected, func(row uint32) int { return int(row) })
		err = sorter.By(cols...).Sort(numbers)
		checkSame(t, name+", Sort of numbers", err, mapped(numbers, func(row int) uint32 { return uint32(row) }), wantSelected)
	}
	by := sorter.By(c.column, next.column)
	for _, times := range []string{"once", "twice"} {
		p, err := by.Order(rows)
		checkSame(t, name+", Order "+times, err, p, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := sorter.By(c.column, next.column).Order(rows, sorter.WithContext(ctx))
	checkSame(t, name+", Order under a context", err, p, want)
	sorted := slices.Clone(rows)
	if err = sorter.By(c.column, next.column).Sort(sorted); err != nil || !slices.EqualFunc(sorted, want, func(e fewRow, at uint32) bool { return sameRow(e, rows[at]) }) {
		t.Errorf("%s: Sort by a new Ordering returns other rows, %v", name, err)
	}
	for i := 1; i < len(rows); i++ {
		if got := by.Compare(rows[i-1], rows[i]); cmp.Compare(got, 0) != compare(uint32(i-1), uint32(i)) {
			t.Errorf("%s: Compare returns %d", name, got)
		}
	}
}

// TestFewFloats orders two and three floats of all values that have a place of their own, in every mode.
func TestFewFloats(t *testing.T) {
	values := []float64{math.Copysign(math.NaN(), -1), -1, math.Copysign(0, -1), 0, math.NaN()}
	for i := range len(values) * len(values) * (len(values) + 1) {
		keys := []float64{values[i%5], values[i/5%5]}
		if third := i / 25; third < len(values) {
			keys = append(keys, values[third])
		}
		cols := []sorter.Column[int]{sorter.AscOf(keys), sorter.Asc(func(row int) int8 { return int8(-row) })}
		for _, m := range modes {
			compare, descending := oracle.Ordered[float64](m.order), m.order.Desc
			want := perm.Identity(len(keys))
			testkit.SortStable(want, func(a, b uint32) int {
				return cmp.Or(compare(keys[a], keys[b]), directed(descending, cmp.Compare(b, a), cmp.Compare(a, b)))
			})
			name := fmt.Sprint(keys, ", ", m.name)
			p, err := sorter.RowsBy(len(keys), cols...).Order(m.opts...)
			checkSame(t, name, err, p, want)
			p, err = sorter.By(sorter.Asc(func(i int) float64 { return keys[i] }), cols[1]).Order([]int{0, 1, 2}[:len(keys)], m.opts...)
			checkSame(t, name+", by a function", err, p, want)
		}
	}
}

// sameRow reports whether two rows have the same keys, to the byte.
func sameRow(a, b fewRow) bool {
	return a.small == b.small && a.num == b.num && a.real == b.real && a.text == b.text && bytes.Equal(a.bytes, b.bytes) &&
		a.wide == b.wide && a.at == b.at && a.null == b.null
}

// TestFewRowsOfShortColumns orders rows that a null function says have keys, by columns without: that panics
// and reads no memory past the column.
func TestFewRowsOfShortColumns(t *testing.T) {
	for _, n := range []int{3, 10, 20} {
		rows := fewRowsOf(n, 1)
		for i := range rows {
			rows[i].wide[0] = byte(i)
		}
		no := func(int) bool { return false }
		for name, col := range map[string]sorter.Column[int]{
			"int8":   sorter.AscOf(mapped(rows, func(e fewRow) int8 { return e.small })[:n-1]),
			"int64":  sorter.AscOf(mapped(rows, func(e fewRow) int64 { return e.num })[:n-1]),
			"string": sorter.AscOf(mapped(rows, func(e fewRow) string { return e.text })[:n-1]),
			"wide":   sorter.AscOf(mapped(rows, func(e fewRow) [16]byte { return e.wide })[:n-1]),
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%d rows by a column of %d, %s: no panic", n, n-1, name)
					}
				}()
				_, _ = sorter.RowsBy(n, col.NullsLast(no)).Order()
			}()
		}
	}
}

// TestNewOrderingCalls counts the calls of key functions by an Ordering that is new: one at most for each
// element and column.
func TestNewOrderingCalls(t *testing.T) {
	for _, n := range []int{3, 10, 17, 100, 4096} {
		rows := fewRowsOf(n, 1)
		var first, second []int
		count := func(calls *[]int) func(e fewRow) { return func(e fewRow) { (*calls)[int(e.real)]++ } }
		for i := range rows {
			rows[i].real = float64(i)
		}
		first, second = make([]int, n), make([]int, n)
		one, two := count(&first), count(&second)
		p, err := sorter.By(
			sorter.Asc(func(e fewRow) int64 { one(e); return e.num }),
			sorter.Asc(func(e fewRow) string { two(e); return e.text }),
		).Order(rows)
		if err != nil || p.Valid() != nil {
			t.Fatal(err, p.Valid())
		}
		if slices.Max(first) != 1 || slices.Min(first) != 1 || slices.Max(second) > 1 {
			t.Errorf("%d rows: key functions are called up to %d and %d times for a row", n, slices.Max(first), slices.Max(second))
		}
	}
}
