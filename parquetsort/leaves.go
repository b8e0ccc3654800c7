package parquetsort

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"example.com/sorter"
	"example.com/sorter/internal/floats"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// leaf is a sorting column.
type leaf struct {
	parquet.LeafColumn
	desc, nullsFirst bool
	nansAfter        bool // NaNs are greater than other floats, not less
	order            valueOrder
}

// valueOrder is how values of a column compare, where their physical type does not say it.
type valueOrder uint8

const (
	physical  valueOrder = iota // as the physical type: integers signed, bytes unsigned
	unsigned                    // as unsigned integers
	decimal                     // big-endian bytes as a signed number
	half                        // two bytes as a float
	unordered                   // the format has no order: as the physical type, INT96 as an integer
)

// leavesOf returns the sorting columns. It panics if one is not a column of the schema.
func leavesOf(schema *parquet.Schema, columns []parquet.SortingColumn) []leaf {
	leaves := make([]leaf, len(columns))
	for i, c := range columns {
		column, ok := schema.Lookup(c.Path()...)
		if !ok {
			panic(fmt.Sprintf("parquetsort: no column %s to sort by", strings.Join(c.Path(), ".")))
		}
		column.Path = c.Path() // of columns in lists, Lookup returns the last names only
		leaves[i] = leaf{LeafColumn: column, desc: c.Descending(), nullsFirst: c.NullsFirst(), order: orderOf(column.Node.Type())}
	}
	return leaves
}

// orderOf returns the order of values that the format defines for a type, which is not always that of
// its Compare in package parquet: ColumnOrder in parquet.thrift.
func orderOf(t parquet.Type) valueOrder {
	return orderBy(t.Kind(), logicalType(t), t.ConvertedType())
}

// orderBy is orderOf a type by its parts.
func orderBy(kind parquet.Kind, logical any, converted *deprecated.ConvertedType) valueOrder {
	switch logical := logical.(type) {
	case *format.IntType:
		if !logical.IsSigned {
			return unsigned
		}
	case *format.DecimalType:
		return decimalOrder(kind)
	case *format.Float16Type:
		return half
	case *format.GeometryType, *format.GeographyType:
		return unordered
	}
	if kind == parquet.Int96 {
		return unordered
	}
	switch {
	case converted == nil:
	case *converted >= deprecated.Uint8 && *converted <= deprecated.Uint64:
		return unsigned
	case *converted == deprecated.Decimal:
		return decimalOrder(kind)
	case *converted == deprecated.Interval:
		return unordered
	}
	return physical
}

// decimalOrder returns the order of decimals: those in integers are signed anyway.
func decimalOrder(k parquet.Kind) valueOrder {
	if k == parquet.ByteArray || k == parquet.FixedLenByteArray {
		return decimal
	}
	return physical
}

// claimed returns the sorting columns that the file may state: those before the first whose order the
// format does not define, each once.
func claimed(leaves []leaf, columns []parquet.SortingColumn) (claims []parquet.SortingColumn) {
	for i, l := range leaves {
		if l.order == unordered {
			break
		}
		same := func(earlier leaf) bool { return earlier.ColumnIndex == l.ColumnIndex }
		if !slices.ContainsFunc(leaves[:i], same) {
			claims = append(claims, columns[i])
		}
	}
	return claims
}

// directed returns the column of keys in the direction of the sorting column.
func (l leaf) directed(keys sorter.Keys) sorter.Column[int] {
	if l.desc {
		return keys.Desc()
	}
	return keys.Asc()
}

// signBit returns the bit to flip in byte from of fixed-length values, so that bytes compare as values.
func (l leaf) signBit(from int) byte {
	if l.order == decimal && from == 0 {
		return 1 << 7
	}
	return 0
}

// appendDecimal appends bytes that compare as signed big-endian numbers of any lengths do, none of which
// is the beginning of another's: the length without repetitions of the sign, complemented below 0, and
// that many bytes.
func appendDecimal(dst, number []byte) []byte {
	sign := byte(0)
	if len(number) > 0 && number[0]>>7 != 0 {
		sign = 0xff
	}
	for len(number) > 0 && number[0] == sign {
		number = number[1:]
	}
	length := 1<<31 | uint32(len(number)) // a value is shorter than 1<<31 bytes
	if sign != 0 {
		length = ^length
	}
	return append(binary.BigEndian.AppendUint32(dst, length), number...)
}

// halfOf returns a 16-bit float.
func halfOf(b []byte) float32 { return floats.Half(binary.LittleEndian.Uint16(b)) }
