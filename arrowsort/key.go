package arrowsort

import (
	"fmt"

	"example.com/sorter"
	"github.com/apache/arrow-go/v18/arrow"
)

// key is a sort key of an input.
type key struct {
	column sorter.Column[int] // by row number, with nulls and NaNs in their place
	nulls  validity
	first  bool // nulls and NaNs come first
	// alone orders the rows that are not null, whose numbers are in rows and become the order,
	// where that is faster than an order by column. Otherwise it is nil.
	alone func(rows []uint32) error
}

// keyOf returns the key of col that k describes.
func (c *call) keyOf(col column, k SortKey) (key, error) {
	switch typ := col.typ.(type) {
	case *arrow.NullType:
		return constantKey(), nil
	case arrow.ExtensionType:
		return c.keyOf(storageOf(col, typ), k)
	case *arrow.DictionaryType:
		return c.dictionaryKey(col, typ, k)
	case *arrow.RunEndEncodedType:
		return c.runEndKey(col, typ, k)
	case *arrow.FixedSizeBinaryType:
		return fixedBinaryKey(c, col, typ.ByteWidth, k), nil
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType,
		*arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return textKey(c, col, k)
	}
	build := builders[col.typ.ID()]
	if build == nil {
		return key{}, fmt.Errorf("%w: sorting not supported for type %s", arrow.ErrNotImplemented, col.typ)
	}
	return build(c, col, k), nil
}

// builders make the keys of types that need no more than their values.
var builders = map[arrow.Type]func(c *call, col column, k SortKey) key{
	arrow.INT8:                    plainKey[int8],
	arrow.INT16:                   plainKey[int16],
	arrow.INT32:                   plainKey[int32],
	arrow.INT64:                   plainKey[int64],
	arrow.UINT8:                   plainKey[uint8],
	arrow.UINT16:                  plainKey[uint16],
	arrow.UINT32:                  plainKey[uint32],
	arrow.UINT64:                  plainKey[uint64],
	arrow.FLOAT16:                 halfKey,
	arrow.FLOAT32:                 plainKey[float32],
	arrow.FLOAT64:                 plainKey[float64],
	arrow.DATE32:                  plainKey[int32],
	arrow.DATE64:                  plainKey[int64],
	arrow.TIME32:                  plainKey[int32],
	arrow.TIME64:                  plainKey[int64],
	arrow.TIMESTAMP:               plainKey[int64],
	arrow.DURATION:                plainKey[int64],
	arrow.INTERVAL_MONTHS:         plainKey[int32],
	arrow.INTERVAL_DAY_TIME:       dayTimeKey,
	arrow.INTERVAL_MONTH_DAY_NANO: monthDayNanoKey,
	arrow.DECIMAL32:               plainKey[int32],
	arrow.DECIMAL64:               plainKey[int64],
	arrow.DECIMAL128:              decimal128Key,
	arrow.DECIMAL256:              decimal256Key,
	arrow.BOOL:                    boolKey,
}

// numberKey returns the key of the values of col by row number.
func numberKey[K number](c *call, col column, values []K, k SortKey) key {
	out := placed(directed(sorter.AscOf(values), sorter.DescOf(values), k), validityOf(col), k)
	if out.nulls.any() {
		out.alone = func(rows []uint32) error {
			some := scratch[K](c, len(rows))
			compact(some, values, out.nulls)
			return sorter.SortPairs(some, rows, c.with(direction(k)...)...)
		}
	}
	return out
}

// directed returns the column of the direction of k.
func directed(asc, desc sorter.Column[int], k SortKey) sorter.Column[int] {
	if k.Order == SortOrderDescending {
		return desc
	}
	return asc
}

// direction returns the options for an order of values by k.
func direction(k SortKey) []sorter.Option {
	options := []sorter.Option{sorter.NaNsLast()}
	if k.NullPlacement == SortNullsAtStart {
		options[0] = sorter.NaNsFirst()
	}
	if k.Order == SortOrderDescending {
		options = append(options, sorter.Descending())
	}
	return options
}

// placed returns a key with nulls and NaNs where k has them.
func placed(column sorter.Column[int], nulls validity, k SortKey) key {
	out := key{nulls: nulls, first: k.NullPlacement == SortNullsAtStart}
	switch {
	case out.first && nulls.any():
		out.column = column.NaNsFirst().NullsFirst(nulls.null)
	case out.first:
		out.column = column.NaNsFirst()
	case nulls.any():
		out.column = column.NaNsLast().NullsLast(nulls.null)
	default:
		out.column = column.NaNsLast()
	}
	return out
}

// constantKey returns a key by which all rows are equal.
func constantKey() key {
	return key{column: sorter.Asc(func(int) bool { return false })}
}
