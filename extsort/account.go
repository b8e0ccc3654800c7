package extsort

import (
	"sort"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
)

// account counts the memory of elements that wait for their run, where their number is not
// known beforehand.
type account struct {
	total  int64  // bytes for elements, that is without indices and the buffer of a writer
	less   int64  // of them, those that indices take beyond their share
	copies int64  // how often the bytes of elements are in memory while these are sorted
	each   int64  // bytes that an element takes in addition
	places int64  // of them, those that it takes until it is written
	many   bounds // of scratch memory

	out int64 // bytes of the rows that are written
}

// sorting bounds the memory of n elements in memory of some bytes, while they are sorted.
func (a *account) sorting(taken int64, n int) int64 {
	return a.copies*taken + int64(n)*a.each + a.many.of(n)
}

// writing is the memory of n elements while they are written.
func (a *account) writing(taken int64, n int) int64 { return taken + int64(n)*a.places }

// fits reports whether elements can be sorted, and as many be filled while they are written.
func (a *account) fits(taken int64, n int) bool {
	return a.sharing(taken, taken, n) <= a.total-a.less
}

// sharing bounds the memory of elements of several appenders, where those of one are sorted and written
// at a time: at most n, in some of the bytes that are taken.
func (a *account) sharing(taken, bytes int64, n int) int64 {
	return taken - bytes + a.sorting(bytes, n) + max(a.writing(bytes, n), a.out)
}

// begin counts rows that are written from now on.
func (a *account) begin(taken int64, n int) { a.out = a.writing(taken, n) }

// waits reports whether elements will fit once others are written.
func (a *account) waits(taken int64, n int) bool { return a.out > a.writing(taken, n) }

// bounds is the scratch memory of sorts of n elements, for growing n.
type bounds struct {
	n     []int
	bytes []int64
}

// boundsOf returns bounds of up to some bytes, of a sort with a limit of memory.
func boundsOf[E any](o sorter.Ordering[E], bytes int64, workers int, limit int64) bounds {
	var b bounds
	most := int64(0)
	for n := 1; n < 1<<30; n += max(1, n/8) {
		most = max(most, scratchBytes(o, n, workers, limit))
		b.n, b.bytes = append(b.n, n), append(b.bytes, most)
		if most+int64(n) > bytes {
			break
		}
	}
	return b
}

// of bounds the memory of a sort of n elements.
func (b *bounds) of(n int) int64 {
	if n == 0 {
		return 0
	}
	i := sort.SearchInts(b.n, n)
	if i == len(b.n) {
		return scratch.TooLarge
	}
	return b.bytes[i]
}

// mostWhere returns the largest number of elements for which fits is true, of those that the
// bounds know. It is true up to some number.
func (b *bounds) mostWhere(fits func(n int) bool) int {
	i := sort.Search(len(b.n), func(i int) bool { return !fits(b.n[i]) })
	if i == 0 {
		return 0
	}
	return b.n[i-1]
}
