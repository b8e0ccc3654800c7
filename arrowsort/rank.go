package arrowsort

import (
	"context"
	"fmt"

	"example.com/sorter"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// Tiebreaker is how [Rank] ranks rows that are equal.
type Tiebreaker int8

// Equal rows have different ranks in input order, the lowest of these, the highest, or one rank,
// after which the next rows have the next.
const (
	TieFirst Tiebreaker = iota // 1 2 3 4 of a b b c
	TieMin                     // 1 2 2 4
	TieMax                     // 1 3 3 4
	TieDense                   // 1 2 2 3
)

// RankOptions are the options of [Rank]. The zero value ranks an array in ascending order, nulls
// at the end, and equal values in input order, as in Arrow C++.
type RankOptions struct {
	Keys       SortOptions // of an array: none for DefaultSortKey
	Tiebreaker Tiebreaker
}

// Rank returns the rank of every row of input in the order of keys, from 1, as an array of uint64.
// It is the function "rank" of Arrow C++, of record batches and tables as well. Nulls of a column are
// equal to each other, NaNs too, and a NaN and a null are not.
//
// It is [SortIndices] and a pass over its result, with the errors of that. The caller releases the
// result.
func Rank(ctx context.Context, input Datum, options RankOptions) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	if options.Tiebreaker < TieFirst || options.Tiebreaker > TieDense {
		return nil, fmt.Errorf("%w: rank with tiebreaker %d", arrow.ErrInvalid, options.Tiebreaker)
	}
	if _, ok := input.(compute.ArrayLikeDatum); ok && len(options.Keys) == 0 {
		options.Keys = SortOptions{DefaultSortKey()}
	}
	t, by, err := c.resolve("rank", input, options.Keys)
	if err != nil {
		return nil, err
	}
	p, runs, err := c.runs(t.rows, by, options.Tiebreaker != TieFirst)
	if err != nil {
		return nil, err
	}
	out := c.newNumbers(t.rows)
	switch ranks, w := out.narrow(), (rank.Window{Order: p, Peers: runs}); options.Tiebreaker {
	case TieMin:
		w.Rank(ranks)
	case TieMax:
		w.MaxRank(ranks)
	case TieDense:
		w.DenseRank(ranks)
	default:
		w.RowNumber(ranks)
	}
	return &compute.ArrayDatum{Value: out.array(c)}, nil
}

// runs returns the order of rows by keys in scratch, and its runs of equal rows if they are wanted.
func (c *call) runs(rows int, by []key, wanted bool) (perm.Perm, perm.Runs, error) {
	p, runs := scratch[uint32](c, rows), perm.Runs{}
	if !wanted {
		ordered, err := c.order(rows, by, p)
		return ordered, runs, err
	}
	ordered, err := sorter.RowsBy(rows, columnsOf(by)...).Order(c.with(sorter.Into(p), sorter.MarkRuns(&runs))...)
	return ordered, runs, err
}
