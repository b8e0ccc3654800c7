package sorter

import (
	"fmt"
	"math"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/pipeline/ranked"
	"example.com/sorter/internal/small"
	"example.com/sorter/perm"
)

// NoRow stands in results for a row that does not exist. It is no row's number: an order has at most
// 2^32-1 rows.
const NoRow = math.MaxUint32

// Rows are the rows 0 … n-1 of data that is stored by column, in the order of their columns.
// Results are row numbers, and no data moves: the argsort of columns in memory (see [AscOf] and
// [Keys]), in an arena or in a file.
//
// A Rows holds n and the columns only. It is made for one call or for many, costs nothing to make
// and to copy, and is safe for concurrent use. The zero value has no rows.
type Rows struct {
	n    int
	cols []Column[int]
}

// RowsBy returns the rows 0 … n-1 in the order of cols, whose key functions take a row number. The
// first column decides, the next breaks its ties, and so on; without columns all rows tie.
//
// It allocates nothing. A slice that is passed as cols must not change while the result is in use.
// It panics if n is negative. Calls panic if a column has no key function, or, before they order
// anything, if a row that is not null has no key in a column of [AscOf] or [Keys].
func RowsBy(n int, cols ...Column[int]) Rows {
	if n < 0 {
		panicRows(n)
	}
	return Rows{n, cols}
}

// panicRows is apart from RowsBy, which is inlined without it.
func panicRows(n int) { panic(fmt.Sprintf("sorter: RowsBy of %d rows", n)) }

// columns returns the columns, in new memory, for the calls that change them.
func (r Rows) columns() []extract.Column { return columnsOf(r.cols) }

// Order returns the permutation that sorts the rows: p[i] is the number of the row that comes i-th.
// It is in new memory, or in that of [Into].
//
// It is stable where [Sort] is: of rows that tie, those with smaller numbers come first. Each key
// function is called at most once per row. Time, scratch, concurrency and errors are those of
// [Order]; it panics as [RowsBy] says, and with a key function's own value.
func (r Rows) Order(opts ...Option) (perm.Perm, error) {
	var o config
	apply(&o, opts)
	if small.ServesFew(&o, r.n) {
		return small.OrderFew(listOf(r.cols), r.n, &o), nil
	}
	return r.order(&o)
}

// order is Order of more rows. It is not inlined: its columns take as long to clear as a few rows
// take to order.
//
//go:noinline
func (r Rows) order(o *config) (perm.Perm, error) {
	var few [4]extract.Column // more are allocated
	return pipeline.OrderRows(appendColumns(few[:0], r.cols), r.n, o)
}

// Sort reorders rows, a selection of the row numbers in any sequence, such as that of WHERE. A row
// may come more than once.
//
// It is stable where [Sort] is: of rows that tie, those that come first in rows stay first.
// [MarkRuns] and [MarkRunsBy] mark runs of the result.
//
// Scratch is that of [Rows.Order] for len(rows) rows, and one index (4 bytes) per row. After an
// error or a panic rows are as they were. It panics if a number is not below n, and if a selected
// row that is not null has no key or no validity bit. Everything else said of [Rows.Order] holds.
func (r Rows) Sort(rows []uint32, opts ...Option) error {
	var o config
	var few [4]extract.Column // more are allocated
	return pipeline.OrderSelected(appendColumns(few[:0], r.cols), rows, r.n, apply(&o, opts))
}

// Within returns the permutation that sorts the rows of each segment, offsets[i] to offsets[i+1]-1, by
// itself. Rows before offsets[0] and from the last offset on keep their places.
//
// It is stable, and runs on the CPU, whatever [On] and [Use] say. It takes the time of
// [Ordering.SortWithin] without the move, and its scratch without the index and the copy of the
// elements. Runs of [MarkRuns] end with their segments.
//
// It panics unless offsets ascend from 0 or above to n or below. Everything else said of
// [Rows.Order] holds.
func (r Rows) Within(offsets []int, opts ...Option) (perm.Perm, error) {
	var o config
	return pipeline.OrderWithin(r.columns(), r.n, offsets, apply(&o, opts))
}

// Top returns the first k rows, in order: what ORDER BY … LIMIT k asks for. With k >= n these are all
// rows, as [Rows.Order] returns them.
//
// The selection is stable: of rows that tie, those with smaller numbers are taken and come
// first. With k up to n/32, and n/16 divided by the workers, it takes the time and the scratch of [TopK], which is
// proportional to n + k log k, and otherwise those of [Rows.Order]. The result is new memory of k numbers;
// [Into], [MarkRuns] and [MarkRunsBy] are ignored.
//
// It panics if k is negative. Everything else said of [Rows.Order] holds, but with k up to that it
// runs on the CPU, whatever [On] says.
func (r Rows) Top(k int, opts ...Option) ([]uint32, error) {
	checkTop(k, r.n)
	var o config
	return ranked.FirstRows(r.columns(), r.n, k, apply(&o, opts))
}

// Nth returns the rows of ranks ks, from 0: those that [Rows.Order] has at these places. ks may
// come in any sequence and are left alone. The median is at k = n/2.
//
// Ties come in input order: the result is the same on every engine.
//
// It takes time proportional to n: codes are extracted and counted by their digits once, and the
// rows that may be at any of the ranks collected in one pass. If more than eight ranks are among
// 65536 rows or more that share the leading bits of their codes, if an eighth of the rows, or 2^20,
// tie in the first columns, or if ranks are very many, all rows are ordered. Scratch is about one
// code (4 or 8 bytes) per row, in the worst case that of [Rows.Order] more. [Into], [MarkRuns] and
// [MarkRunsBy] are ignored.
//
// It panics unless 0 <= k < n for all k of ks. Everything else said of [Rows.Order] holds, but it
// runs on the CPU, whatever [On] says.
func (r Rows) Nth(ks []int, opts ...Option) ([]uint32, error) {
	checkNth(r.n, ks)
	var o config
	return ranked.NthRows(r.columns(), r.n, ks, apply(&o, opts))
}

// Quantiles returns for each q of qs, in [0, 1], the row that is the quantile q by the nearest
// rank. That is the first one, in the order of [Rows.Order], that has a share q of all rows up to
// it: the row of rank ceil(q*n)-1, or 0 for q = 0, SQL's percentile_disc. Other definitions are
// ranks for [Rows.Nth]: lower is int(q*float64(n-1)), and higher math.Ceil of the same. [Quantiles]
// of numbers are interpolated.
//
// Rows with nulls and NaNs count like others and have their places at an end of the order. It panics
// if a q is not in [0, 1], or if n is 0 and there is a q. Everything else said of [Rows.Nth] holds.
func (r Rows) Quantiles(qs []float64, opts ...Option) ([]uint32, error) {
	ks := make([]int, len(qs))
	for i, q := range qs {
		checkQuantile(q)
		if r.n == 0 {
			panic(fmt.Sprintf("sorter: quantile %v of no rows", q))
		}
		ks[i] = engine.QuantileRank(q, r.n)
	}
	return r.Nth(ks, opts...)
}

// SearchRange returns the rows lo … hi-1, of rows that are in order already, that tie with row in
// every column. If there are none, lo == hi is where it belongs. row may be any number that the key
// functions take, such as that of a probe that columns hold after the last of n rows.
//
// It compares about 2*log2(n) times, on the calling goroutine, and takes no scratch besides an
// [Ordering] of the columns. It panics if a column has no key function.
func (r Rows) SearchRange(row int) (lo, hi int) {
	by := By(r.cols...)
	return rangeOf(r.n, func(i int) int { return by.Compare(row, i) })
}

// Per returns the partitions of the rows: rows are in one partition if they tie in all of cols.
// Without columns all rows are one. What is said of the columns of [RowsBy] holds for these. It
// allocates nothing.
func (r Rows) Per(cols ...Column[int]) Partitions { return Partitions{r, cols} }

// Partitions are [Rows] apart by further columns, see [Rows.Per]: SQL's PARTITION BY and GROUP BY.
// They come in the order of these columns, and rows within each in the order of the Rows.
//
// Like [Rows] it holds the columns only, and is safe for concurrent use.
type Partitions struct {
	rows Rows
	by   []Column[int]
}

// Top returns the first k rows of each partition, as row_number() OVER (PARTITION BY … ORDER BY …)
// <= k does in SQL. parts has the partitions: part i of rows is that of the i-th.
//
// The selection is stable: of rows that tie, those with smaller numbers are taken and come first.
// All k are in the result where a partition has as many rows. Without columns of partitions it is
// [Rows.Top].
//
// It takes time proportional to n, and that of an order of the rows that are left, about k of each
// partition. A hash table of the partitions and their k smallest codes drops the other rows, if the
// columns of partitions fit 64 bits together, such as numbers without nulls. It takes up to 96+8*k
// bytes for each partition and worker, which [Report] does not count. Otherwise, such as for strings,
// rows are ordered by partition first. If partitions have few more rows than k, and under a
// [MemoryLimit], with [Use] or [On] a device, all rows are ordered, which takes the time and the
// scratch of [Rows.Order]. Key functions are called up to three times for a row, those of partitions
// once more each time that the row is drawn for a sample.
//
// It panics if k is negative. [Into], [MarkRuns] and [MarkRunsBy] are ignored. Everything else
// said of [Rows.Order] holds.
func (p Partitions) Top(k int, opts ...Option) (rows []uint32, parts perm.Runs, err error) {
	checkTop(k, p.rows.n)
	var o config
	return ranked.FirstOfPartitions(columnsOf(p.by), p.rows.columns(), p.rows.n, k, apply(&o, opts))
}

// Nth returns the rows of ranks ks, from 0, within each partition. That of rank ks[j] in the i-th
// partition is rows[i*len(ks)+j], or [NoRow] if the partition has no more than ks[j] rows.
//
// Ties come in input order: the result is the same on every engine. It takes the time and the
// scratch of [Rows.Order] by the columns of partitions and of rows, and 4 bytes more for each row.
//
// It panics if a k of ks is negative. [Into], [MarkRuns] and [MarkRunsBy] are ignored. Everything
// else said of [Rows.Order] holds.
func (p Partitions) Nth(ks []int, opts ...Option) (rows []uint32, err error) {
	for _, k := range ks {
		if k < 0 {
			panic(fmt.Sprintf("sorter: Nth at %d", k))
		}
	}
	return p.nth(len(ks), func(_, j int) int { return ks[j] }, opts)
}

// Quantiles returns the rows that are the quantiles qs, in [0, 1], of each partition, as
// [Rows.Quantiles] does for all rows. The quantile qs[j] of the i-th partition is
// rows[i*len(qs)+j]. That is SQL's percentile_disc with GROUP BY.
//
// It panics if a q is not in [0, 1]. Everything else said of [Partitions.Nth] holds.
func (p Partitions) Quantiles(qs []float64, opts ...Option) (rows []uint32, err error) {
	for _, q := range qs {
		checkQuantile(q)
	}
	return p.nth(len(qs), func(size, j int) int { return engine.QuantileRank(qs[j], size) }, opts)
}

// nth returns as many rows of each partition as each says, see [pipeline.NthOfPartitions].
func (p Partitions) nth(each int, rank func(size, j int) int, opts []Option) ([]uint32, error) {
	var o config
	return ranked.NthOfPartitions(columnsOf(p.by), p.rows.columns(), p.rows.n, each, rank, apply(&o, opts))
}

// checkTop panics if k is negative, of n rows or elements.
func checkTop(k, n int) {
	if k < 0 {
		panic(fmt.Sprintf("sorter: the first %d of %d rows", k, n))
	}
}

// checkNth panics unless 0 <= k < n for all k of ks, of n rows or elements.
func checkNth(n int, ks []int) {
	for _, k := range ks {
		if k < 0 || k >= n {
			panic(fmt.Sprintf("sorter: rank %d of %d rows", k, n))
		}
	}
}
