package arrowsort

import (
	"context"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/rank"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// SelectK returns the numbers of the first k rows of input in the order of keys, as an array of
// uint64. They are the first k of [SortIndices], or all if there are fewer. It is the function
// "select_k_unstable" of Arrow C++, but stable.
//
// It takes time proportional to n + k log k for k up to n/32, see sorter.Rows.Top, and that of
// SortIndices otherwise. A negative k is arrow.ErrInvalid; other errors are those of SortIndices. The
// caller releases the result.
func SelectK(ctx context.Context, input Datum, k int64, keys SortOptions) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	if k < 0 {
		return nil, fmt.Errorf("%w: select_k of %d rows", arrow.ErrInvalid, k)
	}
	t, by, err := c.resolve("select_k", input, keys)
	if err != nil {
		return nil, err
	}
	first, err := sorter.RowsBy(t.rows, columnsOf(by)...).Top(int(min(k, int64(t.rows))), c.options...)
	if err != nil {
		return nil, err
	}
	return c.numbersOf(first), nil
}

// numbersOf returns row numbers as an array of uint64.
func (c *call) numbersOf(rows []uint32) Datum {
	out := c.newNumbers(len(rows))
	copy(out.narrow(), rows)
	return &compute.ArrayDatum{Value: out.array(c)}
}

// Distinct returns one row number for each set of rows that are equal by keys: the first. They are
// in the order of keys, as an array of uint64. Nulls of a column are equal to each other, NaNs too, and
// −0 equals 0.
//
// It is [SortIndices] and a pass over its result, with the errors of that. The caller releases the
// result.
func Distinct(ctx context.Context, input Datum, keys SortOptions) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	t, by, err := c.resolve("distinct", input, keys)
	if err != nil {
		return nil, err
	}
	rows, err := c.distinct(t.rows, by)
	if err != nil {
		return nil, err
	}
	return c.numbersOf(rows), nil
}

// distinct returns the first row of each run of equal rows, in order.
func (c *call) distinct(rows int, by []key) ([]uint32, error) {
	p, runs, err := c.runs(rows, by, true)
	if err != nil {
		return nil, err
	}
	return rank.Window{Order: p, Peers: runs}.Distinct(), nil
}

// Unique returns the rows of input without those that equal an earlier row in every column, in
// input order. Equality is that of [Distinct]. It is compute.Unique for record batches and tables
// as well; of a chunked array the result is a chunked array.
//
// It is Distinct by all columns, a sort of its result, and a gather of rows, with the errors of
// [Sort]. The caller releases the result.
func Unique(ctx context.Context, input Datum) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	t, err := c.tableOf("unique", input)
	if err != nil {
		return nil, err
	}
	by, err := c.keysOf(t, t.allKeys())
	if err != nil {
		return nil, err
	}
	rows, err := c.distinct(t.rows, by)
	if err != nil {
		return nil, err
	}
	if err := sorter.SortKeys(rows, c.options...); err != nil {
		return nil, err
	}
	return c.take(input, t, rows)
}
