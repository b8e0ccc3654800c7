package sorter

import (
	"fmt"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/sortkey"
)

// TopN returns the numbers of the first k of the rows 0 … n-1, in order, by columns whose key
// functions take a row number: what ORDER BY … LIMIT k asks for, of data that is stored by
// column. With k >= n these are all rows: [OrderN].
//
// The selection is stable: of rows that tie, those with smaller numbers are taken and come
// first. With k up to n/32 it takes the time and the scratch of [TopK], which is proportional
// to n + k log k, and otherwise those of [OrderN]. The result is new memory of k numbers;
// [Into], [MarkRuns] and [MarkRunsBy] are ignored.
//
// It panics if k is negative. Everything else said of [OrderN] holds, but with k up to n/32 it
// runs on the CPU, whatever [On] says.
func TopN(n, k int, cols []Column[int], opts ...Option) ([]uint32, error) {
	if n < 0 || k < 0 {
		panic(fmt.Sprintf("sorter: TopN of %d of %d rows", k, n))
	}
	o := optionsOf(opts)
	return pipeline.FirstN(columnsOf(cols), n, k, &o)
}

// TopOrder returns the positions in s of the first k elements by key, in order, and leaves s
// alone: the first k of [Order]. [perm.Gather] copies these elements. Everything else said of
// [TopN] holds, and it panics if key is nil.
func TopOrder[E any, K Key](s []E, k int, key func(E) K, opts ...Option) ([]uint32, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	checkTop(k)
	o := optionsOf(opts)
	return pipeline.First(sortkey.KindOf[K](), cpu.PayloadOf(s), k, extract.Func[E, K](key), &o)
}

// TopOrder returns the positions in s of the first k elements of the order, and leaves s alone;
// see [TopOrder].
func (o Ordering[E]) TopOrder(s []E, k int, opts ...Option) ([]uint32, error) {
	checkTop(k)
	options := optionsOf(opts)
	return pipeline.FirstByColumns(o.columns, cpu.PayloadOf(s), k, &options)
}

func checkTop(k int) {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopOrder of %d elements", k))
	}
}

// Nth returns the position in s of the element that comes k-th in the order by key, from 0, and
// leaves s alone: [Order] at k. The median is at k = len(s)/2, the quantile q at
// k = int(q * float64(len(s)-1)).
//
// Ties come in input order: the result is the same on every engine.
//
// It takes time proportional to len(s): codes are extracted, and those that may be the k-th are
// counted by their digits until few are left. If an eighth of the elements, or 2^20, tie on
// the first 8 bytes of wider keys or in the first columns, all are ordered. Scratch is about one code (4 or 8 bytes) per
// element, in the worst case that of [Order] more.
//
// It panics if key is nil, and unless 0 <= k < len(s). Everything else said of [Order] holds,
// but it runs on the CPU, whatever [On] says.
func Nth[E any, K Key](s []E, k int, key func(E) K, opts ...Option) (int, error) {
	if key == nil {
		panic("sorter: nil key function")
	}
	checkNth(len(s), k)
	o := optionsOf(opts)
	return pipeline.Nth(sortkey.KindOf[K](), cpu.PayloadOf(s), k, extract.Func[E, K](key), &o)
}

// NthN returns the number of the row that comes k-th, from 0, in the order of the rows 0 … n-1
// by columns whose key functions take a row number: [OrderN] at k. Everything said of [Nth]
// holds.
func NthN(n, k int, cols []Column[int], opts ...Option) (int, error) {
	checkNth(n, k)
	o := optionsOf(opts)
	return pipeline.NthN(columnsOf(cols), n, k, &o)
}

// Nth returns the position in s of the element that comes k-th in the order, from 0; see [Nth].
func (o Ordering[E]) Nth(s []E, k int, opts ...Option) (int, error) {
	checkNth(len(s), k)
	options := optionsOf(opts)
	return pipeline.NthByColumns(o.columns, cpu.PayloadOf(s), k, &options)
}

func checkNth(n, k int) {
	if k < 0 || k >= n {
		panic(fmt.Sprintf("sorter: Nth at %d of %d elements", k, n))
	}
}

// SearchRangeN returns the rows lo … hi-1 of the rows 0 … n-1, which are in order by cols, that
// tie with row in every column. If there are none, lo == hi is where it belongs. row may be any
// number that the key functions take, such as that of a probe that columns hold after the
// last of n rows.
//
// It compares about 2*log2(n) times, on the calling goroutine, and takes no scratch besides an
// [Ordering] of the columns. It panics if n is negative, or if a column has no key function.
func SearchRangeN(n int, cols []Column[int], row int) (lo, hi int) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: SearchRangeN of %d rows", n))
	}
	by := By(cols...)
	return rangeOf(n, func(i int) int { return by.Compare(row, i) })
}
