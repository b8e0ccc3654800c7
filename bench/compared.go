package main

import (
	"slices"
	"strings"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// Elements of which every contender knows a comparison alone, the same for all.

// buildCompared24 is of 24-byte structs that are compared by a float32.
func buildCompared24(values []uint64, n int) *workload {
	return buildCompared(newData(values, n, newRec24), compareRec24)
}

// named24 is a record of 24 bytes that is compared by a string.
type named24 struct {
	Name string
	ID   uint64 // position in the input
}

func compareNamed24(a, b named24) int { return strings.Compare(a.Name, b.Name) }

func buildComparedNames(values []uint64, n int) *workload {
	arena := make(stringArena, 0, len(values)*nameMax)
	d := newData(values, n, func(v uint64, i int) named24 { return named24{arena.addName(v), uint64(i)} })
	return buildCompared(d, compareNamed24)
}

// buildCompared has stable sorts and others. Equal elements may come in any order.
func buildCompared[E comparable](d *data[E], compare func(a, b E) int) *workload {
	rows := owned(func(run int, opts ...sorter.Option) error { return sorter.SortFunc(d.run(run), compare, opts...) })
	return d.workload(compare, append(rows,
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compare) }),
		std(sortStableFunc, func(run int) { slices.SortStableFunc(d.run(run), compare) }),
		other(sortyName, func(run int) { sortyCompared(d.run(run), compare) }),
		other(pargoName, func(run int) { pargo.Sort(&compared[E]{d.run(run), compare, nil}) }),
		other(pargoStable, func(run int) { pargo.StableSort(&compared[E]{d.run(run), compare, d.borrow}) }),
	)...)
}

func sortyCompared[E any](s []E, compare func(a, b E) int) {
	sorty.Sort(len(s), func(i, k, r, q int) bool {
		if compare(s[i], s[k]) < 0 {
			if r != q {
				s[r], s[q] = s[q], s[r]
			}
			return true
		}
		return false
	})
}

// compared is for pargo's quicksort and merge sort, whose buffer is kept between sorts.
type compared[E any] struct {
	s       []E
	compare func(a, b E) int
	borrow  func() []E // nil: quicksort
}

func (c *compared[E]) Len() int           { return len(c.s) }
func (c *compared[E]) Less(i, j int) bool { return c.compare(c.s[i], c.s[j]) < 0 }
func (c *compared[E]) Swap(i, j int)      { c.s[i], c.s[j] = c.s[j], c.s[i] }
func (c *compared[E]) SequentialSort(i, j int) {
	if c.borrow == nil {
		slices.SortFunc(c.s[i:j], c.compare)
	} else {
		slices.SortStableFunc(c.s[i:j], c.compare)
	}
}
func (c *compared[E]) NewTemp() pargo.StableSorter {
	return &compared[E]{c.borrow(), c.compare, c.borrow}
}
func (c *compared[E]) Assign(source pargo.StableSorter) func(i, j, n int) {
	dst, src := c.s, source.(*compared[E]).s
	return func(i, j, n int) { copy(dst[i:i+n], src[j:j+n]) }
}
