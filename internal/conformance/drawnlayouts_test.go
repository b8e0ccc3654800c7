package conformance_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// layoutRow is an element with keys that tie at several depths.
type layoutRow struct {
	coarse int64
	text   string
	fine   float64
	null   bool
	at     int
}

// layoutColumns are the columns that orderings are drawn from.
var layoutColumns = []func() (sorter.Column[layoutRow], string){
	func() (sorter.Column[layoutRow], string) {
		return sorter.Asc(func(r layoutRow) int64 { return r.coarse }), "coarse"
	},
	func() (sorter.Column[layoutRow], string) {
		return sorter.Asc(func(r layoutRow) string { return r.text }), "text"
	},
	func() (sorter.Column[layoutRow], string) {
		return sorter.Asc(func(r layoutRow) string { return r.text[:len(r.text)/2] }), "half a text"
	},
	func() (sorter.Column[layoutRow], string) {
		return sorter.Asc(func(r layoutRow) float64 { return r.fine }), "fine"
	},
	func() (sorter.Column[layoutRow], string) {
		return sorter.Desc(func(r layoutRow) float64 { return -r.fine }).NullsLast(func(r layoutRow) bool { return r.null }), "fine or null"
	},
	func() (sorter.Column[layoutRow], string) {
		return sorter.Asc(func(r layoutRow) [16]byte {
			var k [16]byte
			copy(k[8:], fmt.Sprintf("%08d", r.coarse))
			return k
		}), "16 bytes"
	},
}

// drawLayout returns rows that are in some order by value, and what was done to them.
func drawLayout(r *rand.Rand) (rows []layoutRow, name string) {
	n := 3 + r.IntN(1<<(2+r.IntN(15)))
	each, scale := 1+r.IntN(1<<r.IntN(8)), 1+r.IntN(1<<r.IntN(8))
	values := make([]int, n)
	for i := range values {
		values[i] = i / each
	}
	name = fmt.Sprintf("n=%d, each %d times, coarse by %d", n, each, scale)
	for range 1 + r.IntN(3) {
		switch r.IntN(6) {
		case 0:
			slices.Reverse(values)
			name += ", reversed"
		case 1:
			k := r.IntN(n)
			values = slices.Concat(values[k:], values[:k])
			name += fmt.Sprintf(", rotated by %d", k)
		case 2:
			k := r.IntN(1 + n>>r.IntN(10))
			for range k {
				values[r.IntN(n)] = r.IntN(n)
			}
			name += fmt.Sprintf(", %d strays", k)
		case 3:
			k := r.IntN(1 + n>>(3+r.IntN(8)))
			at := r.IntN(n - k + 1)
			r.Shuffle(k, func(i, j int) { values[at+i], values[at+j] = values[at+j], values[at+i] })
			name += fmt.Sprintf(", %d shuffled at %d", k, at)
		case 4:
			i, j := r.IntN(n), r.IntN(n)
			values[i], values[j] = values[j], values[i]
			name += ", two exchanged"
		}
	}
	nulls := r.IntN(3) == 0
	rows = make([]layoutRow, n)
	for i, v := range values {
		rows[i] = layoutRow{int64(v / scale), fmt.Sprintf("%s%07d", strings.Repeat("p", v/scale%3*5), v), float64(v), nulls && v%11 == 0, i}
	}
	return rows, name
}

// TestDrawnLayouts sorts lists in some order by drawn columns in every way and compares
// with a stable sort.
func TestDrawnLayouts(t *testing.T) {
	draws := testkit.Pick(15, 300)
	r := rand.New(rand.NewPCG(11, 12))
	for i := range draws {
		if testkit.ThinnedTo(2, i) {
			continue
		}
		rows, name := drawLayout(r)
		var cols []sorter.Column[layoutRow]
		for range 1 + r.IntN(3) {
			c, of := layoutColumns[r.IntN(len(layoutColumns))]()
			cols, name = append(cols, c), name+", "+of
		}
		opts := []sorter.Option{sorter.Workers(1 + r.IntN(5))}
		order := sorter.By(cols...)
		want := slices.Clone(rows)
		oracle.SortStable(want, order.Compare)

		got := slices.Clone(rows)
		checkSame(t, name+", Sort", order.Sort(got, opts...), got, want)
		p, err := order.Order(rows, opts...)
		checkSame(t, name+", Order", err, mapped(p, func(i uint32) layoutRow { return rows[i] }), want)
		checkDrawnKeys(t, name, rows, r.IntN(2) == 0, opts)
	}
}

// checkDrawnKeys sorts the rows' keys alone, and with rows.
func checkDrawnKeys(t *testing.T, name string, rows []layoutRow, desc bool, opts []sorter.Option) {
	t.Helper()
	sign := 1
	if desc {
		sign, opts = -1, append(opts, sorter.Descending())
	}
	want := slices.Clone(rows)
	oracle.SortStable(want, func(a, b layoutRow) int { return sign * cmp.Compare(a.text, b.text) })
	texts := mapped(rows, func(r layoutRow) string { return r.text })
	checkSame(t, name+", SortKeys of texts", sorter.SortKeys(texts, opts...), texts, mapped(want, func(r layoutRow) string { return r.text }))

	oracle.SortStable(want, func(a, b layoutRow) int { return cmp.Or(sign*cmp.Compare(a.coarse, b.coarse), cmp.Compare(a.at, b.at)) })
	wanted := mapped(want, func(r layoutRow) int64 { return r.coarse })
	keys := mapped(rows, func(r layoutRow) int64 { return r.coarse })
	checkSame(t, name+", SortKeys", sorter.SortKeys(keys, opts...), keys, wanted)
	keys, values := mapped(rows, func(r layoutRow) int64 { return r.coarse }), slices.Clone(rows)
	checkSame(t, name+", SortPairs", sorter.SortPairs(keys, values, opts...), values, want)
	checkSame(t, name+", keys of SortPairs", nil, keys, wanted)
}
