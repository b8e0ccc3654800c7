package pipeline

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// keysOf returns n keys by row number.
func keysOf(n int, of func(row int) int64) []int64 {
	keys := make([]int64, n)
	for i := range keys {
		keys[i] = of(i)
	}
	return keys
}

// few returns a key that most rows share with others, whatever their places.
func few(row int) int64 { return int64(row*7919%100) - 50 }

// apart returns a key that no other row has.
func apart(row int) int64 { return int64(row * 7919 % 1_000_003) }

// withBits returns a column of which the rows that are null, by number, have no valid bit.
func withBits(c column.Spec, n int, place column.NullPlace, null func(row int) bool) column.Spec {
	valid := make([]byte, (n+7)/8)
	for i := range n {
		if !null(i) {
			valid[i/8] |= 1 << (i % 8)
		}
	}
	return c.WithBits(column.NewNullBits(valid, 0), place)
}

func fifth(row int) bool { return row%5 == 0 }

// byFunction returns a column of keys that a function returns.
func byFunction(of func(row int) int64) column.Spec {
	return column.SpecOf(sortkey.Int64, column.Func[int, int64](of))
}

// requestOf returns a call on n rows, and their columns.
func requestOf(n int, o call.Options, specs ...column.Spec) (*Request, []extract.Column) {
	r, _ := Begin(o, n)
	cols := extract.AppendColumns(nil, specs)
	extract.ForRows(cols, n)
	return r, cols
}

// TestFindSpare gives nulls codes of their own where a pass over the keys pays: not if nulls are ordered apart, nor if rows do not tie
// on the columns before.
func TestFindSpare(t *testing.T) {
	const n = leastSampled
	nulls := func(of func(row int) int64) column.Spec {
		return withBits(columnOf(keysOf(n, of)), n, column.NullsLast, fifth)
	}
	late := func(row int) int64 { return int64(max(0, n/2-row)) } // rows tie in the second half alone
	lone := func(row int) int64 { return int64(row) / 2 * 2 }
	texts := make([]string, n)
	text := column.SpecOfSlice(sortkey.String, unsafe.Pointer(&texts[0]), n)
	narrow := make([]int32, n)
	int32s := withBits(column.SpecOfSlice(sortkey.Int32, unsafe.Pointer(&narrow[0]), n), n, column.NullsLast, fifth)
	for _, c := range []struct {
		name  string
		n     int
		apart bool
		specs []column.Spec
		may   bool
		want  []int // bits of columns
	}{
		{"nulls that are ordered apart", n, true, []column.Spec{nulls(few)}, false, []int{65}},
		{"nulls of the first column", n, false, []column.Spec{nulls(few)}, true, []int{64}},
		{"nulls after keys that tie", n, true, []column.Spec{columnOf(keysOf(n, few)), nulls(few)}, true, []int{64, 64}},
		{"nulls after keys that tie late", n, true, []column.Spec{columnOf(keysOf(n, late)), nulls(few)}, true, []int{64, 64}},
		{"nulls after keys that tie in pairs, of which a sample has one each", n, true, []column.Spec{columnOf(keysOf(n, lone)), nulls(few)}, true, []int{64, 65}},
		{"nulls after keys that differ", n, true, []column.Spec{columnOf(keysOf(n, apart)), nulls(few)}, true, []int{64, 65}},
		{"nulls after keys that differ, of fewer rows", n - 1, true, []column.Spec{columnOf(keysOf(n, apart)), nulls(few)}, true, []int{64, 64}},
		{"nulls after texts that tie", n, true, []column.Spec{text, nulls(few)}, true, []int{128, 64}},
		{"nulls after a function", n, true, []column.Spec{byFunction(apart), nulls(few)}, true, []int{64, 64}},
		{"nulls after two columns that differ together", n, true, []column.Spec{columnOf(keysOf(n, few)), columnOf(keysOf(n, apart)), nulls(few)}, true, []int{64, 64, 64}},
		{"nulls of both", n, true, []column.Spec{nulls(few), nulls(few)}, true, []int{65, 64}},
		{"nulls of both, none apart", n, false, []column.Spec{nulls(few), nulls(few)}, true, []int{64, 64}},
		{"nulls of both, of which the first tie", n, false, []column.Spec{nulls(apart), nulls(few)}, true, []int{64, 64}},
		{"nulls of 32-bit keys", n, false, []column.Spec{int32s}, false, []int{33}},
		{"no nulls", n, false, []column.Spec{columnOf(keysOf(n, few))}, false, []int{64}},
	} {
		r, cols := requestOf(c.n, call.Options{Workers: 2}, c.specs...)
		if may := r.mayHaveSpare(cols, c.apart); may != c.may {
			t.Errorf("%s: may have spare codes: %t", c.name, may)
		}
		r.findSpare(extract.RowNumbers(c.n), cols, c.apart)
		var got []int
		for i := range cols {
			got = append(got, cols[i].Bits())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: columns of %d bits, want %d", c.name, got, c.want)
		}
		r.End()
	}
}

// TestCodeBounds finds the least and the greatest code of a column, by one worker or several, wherever they are, and in descending
// order, too. A call that has ended has none.
func TestCodeBounds(t *testing.T) {
	const n = 40*engine.Block + 5
	for _, workers := range []int32{1, 3} {
		for _, desc := range []bool{false, true} {
			for _, places := range [][2]int{{0, n - 1}, {n - 1, 0}, {0, engine.Block + 1}, {engine.Block + 1, 0}} {
				for _, bounds := range [][2]int64{{-7, 1 << 50}, {math.MinInt64, 9}, {-9, math.MaxInt64}, {math.MinInt64, math.MaxInt64}} {
					keys := make([]int64, n)
					keys[places[0]], keys[places[1]] = bounds[0], bounds[1]
					r, cols := requestOf(n, call.Options{Workers: workers, Descending: desc}, columnOf(keys))
					c := cols[0].Under(r.Order())
					least, most, err := r.codeBounds(extract.RowNumbers(n), &c)
					a, b := uint64(bounds[0])^1<<63, uint64(bounds[1])^1<<63
					if desc {
						a, b = ^b, ^a
					}
					if err != nil || least != a || most != b {
						t.Errorf("keys from %d to %d at %d, descending %t, %d workers: codes from %#x to %#x, want %#x to %#x, %v", bounds[0], bounds[1], places, desc, workers, least, most, a, b, err)
					}
					r.End()
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, cols := requestOf(n, call.Options{Ctx: ctx}, columnOf(make([]int64, n)))
	defer r.End()
	cancel()
	if _, _, err := r.codeBounds(extract.RowNumbers(n), &cols[0]); err != context.Canceled {
		t.Errorf("bounds of a call that has ended: %v", err)
	}
}

// TestSpareNulls orders rows by nullable keys that have the ends of the range, or neither, in both directions.
func TestSpareNulls(t *testing.T) {
	const n = 4200
	lead := keysOf(n, few)
	for _, ends := range [][]int64{{}, {math.MinInt64}, {math.MaxInt64}, {math.MinInt64, math.MaxInt64}} {
		keys := keysOf(n, func(row int) int64 {
			if k := row * 31 % 97; k < len(ends) {
				return ends[k]
			}
			return int64(row % 300)
		})
		for _, place := range []column.NullPlace{column.NullsFirst, column.NullsLast} {
			for _, desc := range []bool{false, true} {
				compare := func(a, b uint32) int {
					c := cmp.Compare(lead[a], lead[b])
					switch x, y := fifth(int(a)), fifth(int(b)); {
					case c != 0 || x && y:
					case x || y:
						if x == (place == column.NullsFirst) {
							return -1
						}
						return 1
					default:
						c = cmp.Compare(keys[a], keys[b])
					}
					if desc {
						c = -c
					}
					return cmp.Or(c, cmp.Compare(a, b))
				}
				var st stats
				var p perm.Perm
				taken := ways.Watch(func() {
					var err error
					p, err = OrderRows(extract.AppendColumns(nil, []column.Spec{columnOf(lead), withBits(columnOf(keys), n, place, fifth)}), n, &call.Options{Workers: 1, Descending: desc, Report: &st})
					if err != nil {
						t.Error(err)
					}
				})
				if !isOrder(p, n, compare) || !taken.Has(ways.SpareNulls) {
					t.Errorf("keys with %d, nulls %d, descending %t: wrong order, ways %v", ends, place, desc, taken)
				}
			}
		}
	}
}

// TestSpareMemory plans no memory of wide keys for nulls that have codes of their own.
func TestSpareMemory(t *testing.T) {
	const n = 5000
	planned := func(specs ...column.Spec) (bytes int64) {
		defer OnPlanned(func(_ string, _, of int64) { bytes = of })()
		if _, err := OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: 1, Limit: 1 << 40}); err != nil {
			t.Error(err)
		}
		return bytes
	}
	first, second := columnOf(keysOf(n, few)), columnOf(keysOf(n, apart))
	if with, without := planned(first, withBits(second, n, column.NullsLast, fifth)), planned(first, second); with != without || with == 0 {
		t.Errorf("planned are %d bytes with nulls, %d without", with, without)
	}
}

// isOrder reports whether p has each of n rows once, in the order of a comparison that no two rows tie by.
func isOrder(p perm.Perm, n int, compare func(a, b uint32) int) bool {
	seen := make([]bool, n)
	for i, x := range p {
		if seen[x] || i > 0 && compare(p[i-1], x) >= 0 {
			return false
		}
		seen[x] = true
	}
	return len(p) == n
}
