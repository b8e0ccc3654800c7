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
		return fixedBinaryKey(col, typ.ByteWidth, k), nil
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
func numberKey[K number](col column, values []K, k SortKey) key {
	return keyIn(col, sorter.Chunks([][]K{values}), k)
}

// keyIn returns the key of col whose values lie in keys.
func keyIn(col column, keys sorter.Keys, k SortKey) key {
	return placed(directed(keys, k), validityOf(col), k)
}

// directed returns the column of the direction of k.
func directed(keys sorter.Keys, k SortKey) sorter.Column[int] {
	if k.Order == SortOrderDescending {
		return keys.Desc()
	}
	return keys.Asc()
}

// placed returns a key with nulls and NaNs where k has them.
func placed(column sorter.Column[int], nulls validity, k SortKey) key {
	if k.NullPlacement == SortNullsAtStart {
		return key{column.NaNsFirst().NullsFirstBits(nulls.bitmap, nulls.offset), nulls}
	}
	return key{column.NaNsLast().NullsLastBits(nulls.bitmap, nulls.offset), nulls}
}

// constantKey returns a key by which all rows are equal.
func constantKey() key {
	return key{column: sorter.Asc(func(int) bool { return false })}
}
