package main

import (
	"cmp"
	"slices"
	"unsafe"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// plainCase is a slice that is its own key. more adds the peers that know the
// type and are not served by every module proxy.
func plainCase[T sortable](name string, convert func(v uint64) T, size int, more func(*data[T]) []contender) benchCase {
	build := func(values []uint64, n int) *workload {
		d := newData(values, n, func(v uint64, _ int) T { return convert(v) })
		return plainWorkload(d, more)
	}
	return benchCase{name, name, size, size, slicesSort, build}
}

type sortable interface {
	uint32 | uint64 | float32 | float64 | string
}

// stringCase counts the strings' headers, not their bytes, as elements.
var stringCase = benchCase{"string", "string", int(unsafe.Sizeof("")), 8, slicesSort,
	func(values []uint64, n int) *workload {
		arena := make(stringArena, 0, len(values)*stringMax)
		d := newData(values, n, func(v uint64, _ int) string { return arena.addString(v) })
		return plainWorkload(d, stringPeers)
	}}

func plainWorkload[T sortable](d *data[T], more func(*data[T]) []contender) *workload {
	rows := owned(func(run int, opts ...sorter.Option) error { return sorter.SortKeys(d.run(run), opts...) })
	rows = append(rows,
		std(slicesSort, func(run int) { slices.Sort(d.run(run)) }),
		other(sortyName, func(run int) { sorty.SortSlice(d.run(run)) }),
		other(pargoName, func(run int) { pargo.Sort(ordered[T](d.run(run))) }),
	)
	return d.workload(cmp.Compare[T], append(rows, more(d)...)...)
}

// ordered is a slice as pargo wants it.
type ordered[T cmp.Ordered] []T

func (s ordered[T]) Len() int                { return len(s) }
func (s ordered[T]) Less(i, j int) bool      { return s[i] < s[j] }
func (s ordered[T]) Swap(i, j int)           { s[i], s[j] = s[j], s[i] }
func (s ordered[T]) SequentialSort(i, j int) { slices.Sort(s[i:j]) }
