package conformance_test

import (
	"iter"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// drawnKey is the verbs by the key of one column.
type drawnKey interface {
	onSlices
	IsSorted(rows []int, opts ...sorter.Option) bool
}

// keyFunc is a drawnKey.
type keyFunc[K sorter.Key] func(row int) K

func (c *columnOf[K]) key() drawnKey { return keyFunc[K](c.keyOf) }

func (f keyFunc[K]) Sort(rows []int, opts ...sorter.Option) error {
	return sorter.Sort(rows, f, opts...)
}

func (f keyFunc[K]) SortWithin(rows, offsets []int, opts ...sorter.Option) error {
	return sorter.By(sorter.Asc(f)).SortWithin(rows, offsets, opts...)
}

func (f keyFunc[K]) Order(rows []int, opts ...sorter.Option) (perm.Perm, error) {
	return sorter.Order(rows, f, opts...)
}

func (f keyFunc[K]) TopK(rows []int, k int, opts ...sorter.Option) error {
	return sorter.TopK(rows, k, f, opts...)
}

func (f keyFunc[K]) TopOrder(rows []int, k int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.By(sorter.Asc(f)).TopOrder(rows, k, opts...)
}

func (f keyFunc[K]) Nth(rows, ks []int, opts ...sorter.Option) ([]uint32, error) {
	return sorter.By(sorter.Asc(f)).Nth(rows, ks, opts...)
}

func (f keyFunc[K]) Merge(dst []int, runs [][]int, opts ...sorter.Option) error {
	return sorter.Merge(dst, runs, f, opts...)
}

func (f keyFunc[K]) IsSorted(rows []int, opts ...sorter.Option) bool {
	return sorter.IsSorted(rows, f, opts...)
}

func (f keyFunc[K]) Search(rows []int, target int) (int, bool) {
	return sorter.Search(rows, f, f(target))
}

func (f keyFunc[K]) SearchRange(rows []int, target int) (lo, hi int) {
	return sorter.By(sorter.Asc(f)).SearchRange(rows, target)
}

func (f keyFunc[K]) Groups(rows []int) iter.Seq[[]int] { return sorter.Groups(rows, f) }
