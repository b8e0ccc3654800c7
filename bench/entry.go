package main

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// entry is sorted by two columns: names ascending, equal names by falling score.
type entry struct {
	Name  string
	Score float64
	ID    uint64
	Note  uint64
}

// scoreBits are the bits of a value that the name does not use.
const scoreBits = 1<<52 - 1

// newEntries makes the score fall as the value rises within a name, so that
// sorted values give sorted rows.
func newEntries(values []uint64, n int) *data[entry] {
	arena := make(stringArena, 0, len(values)*nameMax)
	return newData(values, n, func(v uint64, i int) entry {
		return entry{Name: arena.addName(v), Score: float64(scoreBits - v&scoreBits), ID: uint64(i)}
	})
}

// compareEntries is the comparator that a careful user writes: the second column
// only where the first ties.
func compareEntries(a, b entry) int {
	if c := cmp.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return cmp.Compare(b.Score, a.Score)
}

func lessEntries(a, b *entry) bool {
	if a.Name != b.Name {
		return a.Name < b.Name
	}
	return a.Score > b.Score
}

func buildEntries(values []uint64, n int) *workload {
	d := newEntries(values, n)
	order := sorter.By(
		sorter.Asc(func(e entry) string { return e.Name }),
		sorter.Desc(func(e entry) float64 { return e.Score }),
	)
	rows := owned(func(run int, opts ...sorter.Option) error { return order.Sort(d.run(run), opts...) })
	rows = append(rows,
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compareEntries) }),
		std(sortSlice, func(run int) {
			s := d.run(run)
			sort.Slice(s, func(i, j int) bool { return lessEntries(&s[i], &s[j]) })
		}),
		other(sortyName, func(run int) { sortyEntries(d.run(run)) }),
		other(pargoName, func(run int) { pargo.Sort(entries(d.run(run))) }),
	)
	return d.workload(compareEntries, append(rows, entryPeers(d)...)...)
}

func sortyEntries(s []entry) {
	sorty.Sort(len(s), func(i, k, r, q int) bool {
		if lessEntries(&s[i], &s[k]) {
			if r != q {
				s[r], s[q] = s[q], s[r]
			}
			return true
		}
		return false
	})
}

// entries is for pargo's quicksort.
type entries []entry

func (s entries) Len() int                { return len(s) }
func (s entries) Less(i, j int) bool      { return lessEntries(&s[i], &s[j]) }
func (s entries) Swap(i, j int)           { s[i], s[j] = s[j], s[i] }
func (s entries) SequentialSort(i, j int) { slices.SortFunc(s[i:j], compareEntries) }
