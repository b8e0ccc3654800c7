package conformance_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Rows in order, or nearly, by fields are found by comparing neighbours where they lie.

// fieldOrderCases change rows that are in order at a few places, or at all; rows tie often.
var fieldOrderCases = []struct {
	name  string
	shape string // "" for any
	spoil func(s []orderRow)
}{
	{"in order", "sorted", func([]orderRow) {}},
	{"reversed", "", func(s []orderRow) { slices.Reverse(s) }},
	{"equal", "flat", func(s []orderRow) {
		for i := range s {
			s[i] = s[0]
		}
	}},
	{"first last", "", func(s []orderRow) { s[0], s[len(s)-1] = s[len(s)-1], s[0] }},
	{"one exchange", "", func(s []orderRow) { s[2048], s[len(s)/2] = s[len(s)/2], s[2048] }},
	{"second half first", "", func(s []orderRow) { copy(s, append(slices.Clone(s[len(s)/2:]), s[:len(s)/2]...)) }},
	{"one in thirty", "", func(s []orderRow) {
		for i := 30; i < len(s); i += 30 {
			s[i], s[len(s)-i] = s[len(s)-i], s[i]
		}
	}},
}

func TestFieldsInOrder(t *testing.T) {
	t.Parallel()
	n := testkit.Pick(5000, 20_000)
	in := specialRows(n)
	for i, f := range byField {
		for j, second := range []int{-1, (7*i + 3) % len(byField)} {
			inOrder := map[int][]orderRow{} // by options of the columns
			for k, c := range fieldOrderCases {
				if j > 0 && (i+k)%3 != 0 || testkit.Thinned(i+3*j+k) {
					continue
				}
				names, cols := []string{f.name}, []sorter.Column[orderRow]{f.column}
				if second >= 0 {
					names, cols = append(names, byField[second].name), append(cols, byField[second].column)
				}
				opts := []sorter.Option{sorter.Stable(), sorter.Workers(1 + 2*(k%2))}
				switch (i + k) % 4 {
				case 0:
					opts = append(opts, sorter.WithContext(neverCancelled))
				case 1:
					opts = append(opts, sorter.NaNsLast())
					for c := range cols {
						cols[c] = cols[c].NaNsLast()
					}
				case 2:
					opts = append(opts, sorter.TotalOrder())
					for c := range cols {
						cols[c] = cols[c].TotalOrder()
					}
				}
				if inOrder[(i+k)%4%3] == nil { // the first and the last are the same for columns
					inOrder[(i+k)%4%3] = ranked(in, sorter.By(cols...))
				}
				s := slices.Clone(inOrder[(i+k)%4%3])
				c.spoil(s)
				checkFieldOrder(t, fmt.Sprintf("%s by %q, n=%d, options %d", c.name, names, n, (i+k)%4), s, names, c.shape, opts)
			}
		}
	}
}

// specialRows have NaNs with and without a sign, and zeros of both.
func specialRows(n int) []orderRow {
	r, rows := dist.Rand(91), orderRows(n)
	special := []float64{math.NaN(), -math.NaN(), math.Copysign(0, -1), 0, math.Inf(-1), 1}
	for i := range rows {
		x, y := special[r.IntN(len(special))], special[r.IntN(len(special))]
		rate := float32(y)
		rows[i].Total, rows[i].Corner[1], rows[i].Tax = amount(x), float32(y), sql.NullFloat64{Float64: x, Valid: r.IntN(3) > 0}
		if rows[i].Rate != nil {
			rows[i].Rate = &rate
		}
	}
	return rows
}

// ranked returns rows in order, with numbers of runs of equal rows in pos.
func ranked(rows []orderRow, by sorter.Ordering[orderRow]) []orderRow {
	guess, _ := by.Order(rows)
	s := sortedStably(rows, guess, by.Compare)
	for i := range s {
		switch {
		case i == 0:
			s[i].pos = 0
		case by.Compare(s[i-1], s[i]) == 0:
			s[i].pos = s[i-1].pos
		default:
			s[i].pos = s[i-1].pos + 1
		}
	}
	return s
}

// checkFieldOrder sorts rows, which are ranked, and compares with a stable sort of their ranks.
func checkFieldOrder(t *testing.T, name string, s []orderRow, names []string, shape string, opts []sorter.Option) {
	t.Helper()
	ranks := make([]int, len(s))
	for i := range s {
		ranks[i], s[i].pos = s[i].pos, i
	}
	guess, _ := sorter.OrderKeys(ranks, sorter.Stable())
	want := oracle.StableRows(len(s), guess, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	fields, err := sorter.ByFields[orderRow](names...)
	if err != nil {
		t.Fatal(name, err)
	}
	var st sorter.Stats
	err = fields.Sort(s, append(opts, sorter.Report(&st))...)
	position := func(r orderRow) int { return r.pos }
	checkSame(t, name, err, mapped(s, position), want)
	if shape != "" && st.Shape != shape && st.Shape != "flat" {
		t.Errorf("%s: the shape is %q", name, st.Shape)
	}
}

// TestFieldsInOrderCancelled cancels at every question: the rows stay as they were, or are sorted.
func TestFieldsInOrderCancelled(t *testing.T) {
	t.Parallel()
	in := orderRows(testkit.Pick(6000, 20_000))
	fields, err := sorter.ByFields[orderRow]("Country", "-Total")
	if err != nil {
		t.Fatal(err)
	}
	testkit.SortStable(in, fields.Compare)
	slices.Reverse(in)
	in[100], in[3000] = in[3000], in[100]
	want := slices.Clone(in)
	testkit.SortStable(want, fields.Compare)
	position := func(r orderRow) int { return r.pos }
	cancellable, stop := context.WithCancel(context.Background())
	defer stop()
	ask := func(questions int64) int64 {
		ctx := &testkit.Ending{Context: cancellable}
		ctx.Left.Store(questions)
		got := slices.Clone(in)
		wanted := want
		if err := fields.Sort(got, sorter.Workers(2), sorter.WithContext(ctx), sorter.Stable()); err != nil {
			wanted = in
		}
		checkSame(t, fmt.Sprintf("over after %d questions", questions), nil, mapped(got, position), mapped(wanted, position))
		return questions - ctx.Left.Load()
	}
	all := ask(1 << 40)
	for questions := int64(1); questions < all; questions += max(1, all/testkit.Pick[int64](20, 200)) {
		ask(questions)
	}
}
