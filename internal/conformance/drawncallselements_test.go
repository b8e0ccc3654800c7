package conformance_test

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// orderingOf is the verbs of an Ordering of elements that carry their rows.
type orderingOf[E any] struct {
	by  sorter.Ordering[E]
	of  func(row int) E
	row func(E) int
}

func carry(row int) carried { return carried{row: row, name: &row, more: [3]uint64{2: uint64(row)}} }

// rowOf returns the row of an element, which must be whole.
func rowOf(e carried) int {
	if e.name == nil && e != (carried{}) || e.name != nil && *e.name != e.row || e.more[2] != uint64(e.row) {
		panic(fmt.Sprintf("a torn element: %+v", e))
	}
	return e.row
}

// writing calls f with the elements of rows, and brings these in their order.
func (o orderingOf[E]) writing(rows []int, f func(s []E) error) error {
	s := mapped(rows, o.of)
	err := f(s)
	copy(rows, mapped(s, o.row))
	return err
}

func (o orderingOf[E]) Sort(rows []int, opts ...sorter.Option) error {
	return o.writing(rows, func(s []E) error { return o.by.Sort(s, opts...) })
}

func (o orderingOf[E]) SortWithin(rows, offsets []int, opts ...sorter.Option) error {
	return o.writing(rows, func(s []E) error { return o.by.SortWithin(s, offsets, opts...) })
}

func (o orderingOf[E]) Order(rows []int, opts ...sorter.Option) (perm.Perm, error) {
	return o.by.Order(mapped(rows, o.of), opts...)
}

func (o orderingOf[E]) TopK(rows []int, k int, opts ...sorter.Option) error {
	return o.writing(rows, func(s []E) error { return o.by.TopK(s, k, opts...) })
}

func (o orderingOf[E]) TopOrder(rows []int, k int, opts ...sorter.Option) ([]uint32, error) {
	return o.by.TopOrder(mapped(rows, o.of), k, opts...)
}

func (o orderingOf[E]) Nth(rows, ks []int, opts ...sorter.Option) ([]uint32, error) {
	return o.by.Nth(mapped(rows, o.of), ks, opts...)
}

func (o orderingOf[E]) Merge(dst []int, runs [][]int, opts ...sorter.Option) error {
	s := make([]E, len(dst))
	err := o.by.Merge(s, mapped(runs, func(run []int) []E { return mapped(run, o.of) }), opts...)
	copy(dst, mapped(s, o.row))
	return err
}

func (o orderingOf[E]) IsSorted(rows []int) bool { return o.by.IsSorted(mapped(rows, o.of)) }

func (o orderingOf[E]) Search(rows []int, target int) (int, bool) {
	return o.by.Search(mapped(rows, o.of), o.of(target))
}

func (o orderingOf[E]) SearchRange(rows []int, target int) (lo, hi int) {
	return o.by.SearchRange(mapped(rows, o.of), o.of(target))
}

func (o orderingOf[E]) Groups(rows []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for g := range o.by.Groups(mapped(rows, o.of)) {
			if r := mapped(g, o.row); cap(g) != len(g) || !yield(r[:len(r):len(r)]) {
				return
			}
		}
	}
}

// sized is an element of some words, the first of which is its row, and so are the others.
type sized interface {
	[1]uint32 | [2]uint64 | [3]uint64 | [8]uint64 | [17]uint64 | [70]uint64
}

func sizedOf[E sized](row int) (e E) {
	switch e := any(&e).(type) {
	case *[1]uint32:
		e[0] = uint32(row)
	case *[2]uint64:
		*e = [2]uint64{uint64(row), uint64(row)}
	case *[3]uint64:
		*e = [3]uint64{uint64(row), uint64(row), uint64(row)}
	case *[8]uint64:
		e[0], e[7] = uint64(row), uint64(row)
	case *[17]uint64:
		e[0], e[16] = uint64(row), uint64(row)
	case *[70]uint64:
		e[0], e[69] = uint64(row), uint64(row)
	}
	return e
}

func rowOfSized[E sized](e E) int {
	first, last := 0, 0
	switch e := any(&e).(type) {
	case *[1]uint32:
		return int(e[0])
	case *[2]uint64:
		first, last = int(e[0]), int(e[1])
	case *[3]uint64:
		first, last = int(e[0]), int(e[2])
	case *[8]uint64:
		first, last = int(e[0]), int(e[7])
	case *[17]uint64:
		first, last = int(e[0]), int(e[16])
	case *[70]uint64:
		first, last = int(e[0]), int(e[69])
	}
	if first != last {
		panic(fmt.Sprintf("a torn element: %v", e))
	}
	return first
}

// drawSized draws an Ordering of elements of some size, nil if a column has none of the keys that these
// are sorted by.
func (x *drawnCall) drawSized() onSlices {
	of := []func(*drawnCall) onSlices{sizedBy[[1]uint32], sizedBy[[2]uint64], sizedBy[[3]uint64], sizedBy[[8]uint64], sizedBy[[17]uint64], sizedBy[[70]uint64]}
	if x.n > 20_000 {
		of = of[:5]
	}
	i := x.IntN(len(of))
	if layout, is := x.sought.of("layout"); is {
		i = min(max(0, slices.Index(sizedLayouts, layout)), len(of)-1)
	}
	return of[i](x)
}

// sizedLayouts are the names of elements of these sizes.
var sizedLayouts = []string{"elements of 4 bytes", "elements of 16 bytes", "elements of 24 bytes", "elements of 64 bytes", "elements of 136 bytes", "elements of 560 bytes"}

func sizedBy[E sized](x *drawnCall) onSlices {
	var cols []sorter.Column[E]
	for _, c := range x.cols {
		col, ok := sizedColumn[E](c)
		if !ok {
			return nil
		}
		cols = append(cols, col)
	}
	x.elementColumns(fmt.Sprintf("elements of %d bytes", unsafe.Sizeof(*new(E))))
	return orderingOf[E]{sorter.By(cols...), sizedOf[E], rowOfSized[E]}
}

// sizedColumn makes a column of elements of drawn keys of some types.
func sizedColumn[E sized](c drawnColumn) (sorter.Column[E], bool) {
	switch c := c.(type) {
	case *columnOf[int32]:
		return columnThrough(c, rowOfSized[E]), true
	case *columnOf[uint64]:
		return columnThrough(c, rowOfSized[E]), true
	case *columnOf[int16]:
		return columnThrough(c, rowOfSized[E]), true
	case *columnOf[float64]:
		return columnThrough(c, rowOfSized[E]), true
	case *columnOf[string]:
		return columnThrough(c, rowOfSized[E]), true
	}
	return sorter.Column[E]{}, false
}
