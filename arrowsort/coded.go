package arrowsort

import (
	"fmt"

	"example.com/sorter"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// storageOf returns the column of the storage of an extension type.
func storageOf(col column, typ arrow.ExtensionType) column {
	out := column{typ: typ.StorageType(), rows: col.rows}
	for _, chunk := range col.chunks {
		out.chunks = append(out.chunks, chunk.(array.ExtensionArray).Storage())
	}
	return out
}

// dictionaryKey returns the key of dictionaries: the ranks of their values, which are sorted once.
// Where dictionaries have more values than the column has rows, these are looked up instead.
func (c *call) dictionaryKey(col column, typ *arrow.DictionaryType, k SortKey) (key, error) {
	chunks := make([]*array.Dictionary, len(col.chunks))
	for i, chunk := range col.chunks {
		chunks[i] = chunk.(*array.Dictionary)
	}
	values, bases := c.distinctValues(chunks, typ.ValueType)
	if values.rows > col.rows {
		plain, err := c.decoded(chunks, typ.ValueType)
		if err == nil {
			return c.keyOf(plain, k)
		}
		if c.cancelled() {
			return key{}, c.ctx.Err()
		} // arrow-go takes no rows of some types, such as views: their values are sorted
	}
	ranks, null, err := c.ranked(values, k)
	if err != nil {
		return key{}, err
	}
	codes := scratch[uint32](c, col.rows)
	col.share(c, func(first int, chunk arrow.Array, lo, hi int) {
		dictionary := chunk.(*array.Dictionary)
		values := dictionary.Data().Dictionary()
		base := bases[values]
		lookUp(codes[first:first+hi-lo], ranks[base:base+values.Len()], dictionary.Indices(), lo, null)
	})
	return key{column: sorter.AscOf(codes)}, nil
}

// distinctValues returns the values of all dictionaries, each dictionary once, and where the
// values of each begin.
func (c *call) distinctValues(chunks []*array.Dictionary, typ arrow.DataType) (column, map[arrow.ArrayData]int) {
	var all []arrow.Array
	rows, bases := 0, make(map[arrow.ArrayData]int)
	for _, chunk := range chunks {
		data := chunk.Data().Dictionary()
		if _, seen := bases[data]; !seen {
			bases[data] = rows
			rows += data.Len()
			all = append(all, owned(c, array.MakeFromData(data)))
		}
	}
	return columnOf(typ, all...), bases
}

// decoded returns the values that dictionaries stand for.
func (c *call) decoded(chunks []*array.Dictionary, typ arrow.DataType) (column, error) {
	plain := make([]arrow.Array, len(chunks))
	for i, chunk := range chunks {
		var err error
		if plain[i], err = compute.TakeArray(c.ctx, owned(c, array.MakeFromData(chunk.Data().Dictionary())), chunk.Indices()); err != nil {
			return column{}, err
		}
		owned(c, plain[i])
	}
	return columnOf(typ, plain...), nil
}

// ranked returns the rank of each value in the order by k, and that of null: equal values have
// the same rank, and so have nulls.
func (c *call) ranked(values column, k SortKey) (ranks []uint32, null uint32, err error) {
	by, err := c.keyOf(values, k)
	if err != nil {
		return nil, 0, err
	}
	ranks, last, err := c.dense(values.rows, by.column)
	if err != nil {
		return nil, 0, err
	}
	null = nullRank(k, last)
	if by.nulls.any() {
		for i := range ranks {
			if by.nulls.null(i) {
				ranks[i] = null
			}
		}
	}
	return ranks, null, nil
}

// dense returns the rank of each row by one column, from 1, without gaps, and the last rank.
func (c *call) dense(rows int, by sorter.Column[int]) (ranks []uint32, last uint32, err error) {
	var runs perm.Runs
	p := perm.Perm(scratch[uint32](c, rows))
	p, err = sorter.RowsBy(rows, by).Order(c.with(sorter.Into(p), sorter.MarkRuns(&runs))...)
	if err != nil {
		return nil, 0, err
	}
	ranks = scratch[uint32](c, rows)
	rank.Window{Order: p, Peers: runs}.DenseRank(ranks)
	return ranks, uint32(runs.Len()), nil
}

// nullRank returns the rank of null beside ranks from 1 to last.
func nullRank(k SortKey, last uint32) uint32 {
	if k.NullPlacement == SortNullsAtStart {
		return 0
	}
	return last + 1
}

// lookUp writes the ranks of values that indices have from row lo on to dst.
func lookUp(dst, ranks []uint32, indices arrow.Array, lo int, null uint32) {
	switch indices.DataType().(arrow.FixedWidthDataType).Bytes() {
	case 1:
		lookUpIn[uint8](dst, ranks, indices, lo, null)
	case 2:
		lookUpIn[uint16](dst, ranks, indices, lo, null)
	case 4:
		lookUpIn[uint32](dst, ranks, indices, lo, null)
	case 8:
		lookUpIn[uint64](dst, ranks, indices, lo, null)
	}
}

// lookUpIn is lookUp of indices of one width; they are not negative.
func lookUpIn[I uint8 | uint16 | uint32 | uint64](dst, ranks []uint32, indices arrow.Array, lo int, null uint32) {
	nulls := indices.Data().NullN() != 0
	for i, index := range valuesIn[I](indices)[lo : lo+len(dst)] {
		if nulls && indices.IsNull(lo+i) {
			dst[i] = null
		} else {
			dst[i] = ranks[index]
		}
	}
}

// runEndKey returns the key of run-end encoded columns: the ranks of the values of runs.
func (c *call) runEndKey(col column, typ *arrow.RunEndEncodedType, k SortKey) (key, error) {
	values, runs := c.runsOf(col, typ)
	ranks, _, err := c.ranked(values, k)
	if err != nil {
		return key{}, err
	}
	for i, run := range runs {
		runs[i] = ranks[run]
	}
	return key{column: sorter.AscOf(runs)}, nil
}

// runsOf returns the values of the runs of col, and the number of each row's run, in scratch.
func (c *call) runsOf(col column, typ *arrow.RunEndEncodedType) (column, []uint32) {
	values, rows, run := column{typ: typ.Encoded()}, scratch[uint32](c, col.rows), 0
	col.each(func(first int, chunk arrow.Array) {
		encoded := chunk.(*array.RunEndEncoded)
		of := owned(c, encoded.LogicalValuesArray())
		values.chunks = append(values.chunks, of)
		values.rows += of.Len()
		offset, rows := chunk.Data().Offset(), rows[first:first+chunk.Len()]
		for from, i := 0, encoded.GetPhysicalOffset(); from < len(rows); i++ {
			to := min(runEnd(encoded.RunEndsArr(), i)-offset, len(rows))
			for j := range rows[from:to] {
				rows[from+j] = uint32(run)
			}
			from = to
			run++
		}
	})
	return values, rows
}

// runEnd returns the end of run i.
func runEnd(ends arrow.Array, i int) int {
	switch ends := ends.(type) {
	case *array.Int16:
		return int(ends.Value(i))
	case *array.Int32:
		return int(ends.Value(i))
	case *array.Int64:
		return int(ends.Value(i))
	}
	panic(fmt.Sprintf("arrowsort: run ends of type %s", ends.DataType()))
}
