package parquetsort

import (
	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
)

// rowOrder returns the order of rows of values by sorting columns. NaNs come before other floats.
func rowOrder(leaves []leaf) sorter.Ordering[parquet.Row] {
	var columns []sorter.Column[parquet.Row]
	for _, l := range leaves {
		if l.order == decimal && l.MaxRepetitionLevel == 0 && l.Node.Type().Kind() == parquet.FixedLenByteArray {
			columns = append(columns, fixedColumns(l)...)
		} else {
			columns = append(columns, rowColumn(l))
		}
	}
	return sorter.By(columns...)
}

// fixedColumns returns the columns of decimals of one length, one for every 16 bytes.
func fixedColumns(l leaf) (columns []sorter.Column[parquet.Row]) {
	for from := 0; from == 0 || from < l.Node.Type().Length(); from += len(word{}) {
		sign := l.signBit(from)
		columns = append(columns, valueColumn(l, func(v parquet.Value) (w word) {
			copy(w[:], v.ByteArray()[from:])
			w[0] ^= sign
			return w
		}))
	}
	return columns
}

func rowColumn(l leaf) sorter.Column[parquet.Row] {
	kind := l.Node.Type().Kind()
	switch {
	case l.MaxRepetitionLevel > 0, kind == parquet.Int96:
		return sorter.Asc(func(row parquet.Row) []byte { return l.appendKeys(nil, row) })
	case l.order == decimal:
		return valueColumn(l, func(v parquet.Value) []byte { return appendDecimal(nil, v.ByteArray()) })
	case l.order == half:
		return valueColumn(l, func(v parquet.Value) float32 { return halfOf(v.ByteArray()) })
	case kind == parquet.Boolean:
		return valueColumn(l, parquet.Value.Boolean)
	case kind == parquet.Int32 && l.order == unsigned:
		return valueColumn(l, parquet.Value.Uint32)
	case kind == parquet.Int32:
		return valueColumn(l, parquet.Value.Int32)
	case kind == parquet.Int64 && l.order == unsigned:
		return valueColumn(l, parquet.Value.Uint64)
	case kind == parquet.Int64:
		return valueColumn(l, parquet.Value.Int64)
	case kind == parquet.Float:
		return valueColumn(l, parquet.Value.Float)
	case kind == parquet.Double:
		return valueColumn(l, parquet.Value.Double)
	}
	return valueColumn(l, parquet.Value.ByteArray)
}

// valueColumn returns the column of values that are not repeated.
func valueColumn[K sorter.Key](l leaf, key func(parquet.Value) K) sorter.Column[parquet.Row] {
	c := directed(l, func(row parquet.Row) K { return key(l.first(row)) })
	if l.MaxDefinitionLevel == 0 {
		return c
	}
	return withNulls(l, c, func(row parquet.Row) bool { return l.first(row).IsNull() })
}

// first returns the first value of the column in a row, null if there is none.
func (l leaf) first(row parquet.Row) parquet.Value {
	if i := l.index(row); i < len(row) {
		return row[i]
	}
	return parquet.Value{}
}

// index returns where the values of the column begin in a row. Rows without lists have one value
// of each column.
func (l leaf) index(row parquet.Row) int {
	i := l.ColumnIndex
	if i < len(row) && row[i].Column() == i && (i == 0 || row[i-1].Column() == i-1) {
		return i
	}
	for i = range row {
		if row[i].Column() == l.ColumnIndex {
			return i
		}
	}
	return len(row)
}

// appendKeys appends bytes that compare as the values of the column in rows do.
func (l leaf) appendKeys(dst []byte, row parquet.Row) []byte {
	for i := l.index(row); i < len(row) && row[i].Column() == l.ColumnIndex; i++ {
		dst = l.appendElement(dst, row[i])
	}
	return append(dst, endOfList)
}
