package rowsort

import (
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// decimalOf returns v as the comparator of decimals reads it.
func decimalOf(t sql.Type, v any) (decimal.Decimal, error) {
	scaled := t.(types.DecimalType_)
	if d, ok := v.(decimal.Decimal); ok && -d.Exponent() <= int32(scaled.Scale()) {
		return d, nil // rounding to the scale would not change it
	}
	d, err := scaled.ConvertToNullDecimal(v)
	if err != nil || !d.Valid {
		return decimal.Decimal{}, errNoKey
	}
	return d.Decimal, nil
}

// decimalKey returns a key of d in the arena.
func (c *column) decimalKey(d decimal.Decimal) (string, error) {
	var digits [96]byte
	c.reserve(len(digits))
	begin := len(c.arena)
	var ok bool
	if c.arena, ok = appendDecimal(c.arena, d, digits[:0]); !ok {
		return "", errNoKey
	}
	return encodings.BytesToString(c.arena[begin:]), nil
}

// maxExponent bounds the power of ten above a decimal's first digit. Those of SQL are below 65.
const maxExponent = 120

// appendDecimal appends a code in the order of decimals: a byte for the sign, the power of ten
// above the first digit, and pairs of digits without zeros at the end. Of negative numbers
// the bytes after the first are complemented, with an end above them all, since of two the one
// with more digits is less. Numbers that are equal, such as 1.5 and 1.50, have one code.
// digits is scratch memory.
func appendDecimal(key []byte, d decimal.Decimal, digits []byte) ([]byte, bool) {
	const negative, zero, positive = 0, 1, 2
	sign := d.Sign()
	if sign == 0 {
		return append(key, zero), true
	}
	digits = appendCoefficient(digits, d)
	power := int(d.Exponent()) + len(digits)
	if power < -maxExponent || power > maxExponent {
		return key, false
	}
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits)%2 != 0 {
		digits = append(digits, '0')
	}
	begin := len(key) + 1
	key = append(key, positive, byte(power+maxExponent))
	for i := 0; i < len(digits); i += 2 {
		key = append(key, 1+10*(digits[i]-'0')+digits[i+1]-'0')
	}
	if sign < 0 {
		key[begin-1] = negative
		for i := begin; i < len(key); i++ {
			key[i] = ^key[i]
		}
		key = append(key, 0xff)
	}
	return key, true
}

// appendCoefficient appends the digits of d without its sign.
func appendCoefficient(digits []byte, d decimal.Decimal) []byte {
	coefficient := d.Coefficient()
	if coefficient.IsInt64() && coefficient.Int64() > 0 {
		return strconv.AppendInt(digits, coefficient.Int64(), 10)
	}
	return coefficient.Abs(coefficient).Append(digits, 10)
}
