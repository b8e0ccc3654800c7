package parquetsort

import (
	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
)

// by returns rows of a table, the first n, in the order of sorting columns. It takes no memory.
func (t *table) by(leaves []leaf, n int) sorter.Rows {
	columns := make([]sorter.Column[int], len(leaves))
	for i, l := range leaves {
		columns[i] = l.keys(&t.columns[l.ColumnIndex])
	}
	return sorter.RowsBy(n, columns...)
}

// keys returns the column that sorts by the values of a column of a table.
func (l leaf) keys(c *tableColumn) sorter.Column[int] {
	switch {
	case l.MaxRepetitionLevel > 0, c.kind == parquet.Int96, l.order == half, l.order == decimal && c.kind == parquet.ByteArray:
		return sorter.Asc(func(row int) []byte { return l.encoded(c, row) })
	case l.order == decimal:
		return l.placed(c, directed(l, func(row int) []byte {
			b := append([]byte(nil), c.bytes(row, row+1)...)
			b[0] ^= l.signBit(0)
			return b
		}))
	}
	switch c.kind {
	case parquet.ByteArray:
		return l.placed(c, l.directed(sorter.Arena(c.data, c.offsets)))
	case parquet.FixedLenByteArray:
		return l.placed(c, l.directed(sorter.FixedBinary(c.data, c.width)))
	case parquet.Boolean:
		return numberKeys(l, c, func(b []byte) bool { return b[0] != 0 })
	case parquet.Float:
		return numberKeys(l, c, f32)
	case parquet.Double:
		return numberKeys(l, c, f64)
	case parquet.Int32:
		if l.order == unsigned {
			return numberKeys(l, c, u32)
		}
		return numberKeys(l, c, func(b []byte) int32 { return int32(u32(b)) })
	}
	if l.order == unsigned {
		return numberKeys(l, c, u64)
	}
	return numberKeys(l, c, func(b []byte) int64 { return int64(u64(b)) })
}

// numberKeys returns the column of values of one of the types that have a width.
func numberKeys[K sorter.Key](l leaf, c *tableColumn, number func([]byte) K) sorter.Column[int] {
	data, width := c.data, c.width
	return l.placed(c, directed(l, func(row int) K { return number(data[row*width:]) }))
}

// placed puts the nulls of a column where the sorting column has them.
func (l leaf) placed(c *tableColumn, by sorter.Column[int]) sorter.Column[int] {
	if c.definition == 0 {
		return by
	}
	return withNulls(l, by, c.isNull)
}

// encoded returns bytes of a row that compare as rows do, whatever the direction.
func (l leaf) encoded(c *tableColumn, row int) (key []byte) {
	lo, hi := c.span(uint32(row))
	for entry := lo; entry < hi; entry++ {
		key = l.appendElement(key, c.value(entry))
	}
	return append(key, endOfList)
}
