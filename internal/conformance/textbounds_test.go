package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestTextsAtBounds has texts that agree up to lengths at which the ways to compare them change.
func TestTextsAtBounds(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, bound := range []int{24, 1 << 10, 4 << 10, 1 << 20} {
		for _, length := range []int{bound - 9, bound - 1, bound, bound + 1, bound + 8} {
			for _, n := range []int{20, 300, 5000} {
				if turn++; n*length > testkit.Pick(20<<20, 300<<20) || testkit.ThinnedTo(4, turn) {
					continue
				}
				checkTextsOf(t, length, n)
			}
		}
	}
}

// textRow is a text and where it was.
type textRow struct {
	text string
	at   int
}

func checkTextsOf(t *testing.T, length, n int) {
	t.Helper()
	r, common := dist.Rand(uint64(length+n)), strings.Repeat("x", length)
	rows := mapped(ascending(n), func(i int) textRow {
		switch r.IntN(4) {
		case 0:
			return textRow{common, i} // the same memory
		case 1:
			return textRow{common[:length-1-r.IntN(2)], i}
		}
		return textRow{strings.Clone(common) + string(rune('a'+r.IntN(3))), i}
	})
	want := append([]textRow(nil), rows...)
	testkit.SortStable(want, func(a, b textRow) int { return strings.Compare(a.text, b.text) })
	name := fmt.Sprintf("%d texts of %d bytes", n, length)
	for _, opts := range [][]sorter.Option{nil, {sorter.Workers(1)}, {sorter.WithContext(neverCancelled), sorter.Workers(3)}} {
		got := append([]textRow(nil), rows...)
		checkSame(t, name+", Sort", sorter.Sort(got, func(e textRow) string { return e.text }, opts...), got, want)
		got = append([]textRow(nil), rows...)
		by := sorter.By(sorter.Asc(func(e textRow) string { return e.text }), sorter.Asc(func(e textRow) int { return e.at }))
		checkSame(t, name+", Ordering.Sort", by.Sort(got, opts...), got, want)
		texts := mapped(rows, func(e textRow) string { return e.text })
		checkSame(t, name+", SortKeys", sorter.SortKeys(texts, opts...), texts, mapped(want, func(e textRow) string { return e.text }))
		top, err := sorter.By(sorter.Asc(func(e textRow) string { return e.text })).TopOrder(rows, n/40+1, opts...)
		checkSame(t, name+", TopOrder", err, top, mapped(want[:n/40+1], func(e textRow) uint32 { return uint32(e.at) }))
	}
}
