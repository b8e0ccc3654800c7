package rowsort

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// kind says how a type's values become keys.
type kind uint8

const (
	noKeys   kind = iota // the engine's comparator sorts
	equal                // all values tie: the type NULL
	signed               // integers
	unsigned             // unsigned integers, top bit flipped
	floating             // floats as ordered codes
	date                 // days, in microseconds since 1970
	instant              // microseconds since 1970
	span                 // microseconds of TIME
	whole                // YEAR, BIT, SET
	enum                 // number of the name
	text                 // weights of the collation
	exact                // decimals as ordered bytes
)

// timeType is the type of DATE, DATETIME and TIMESTAMP, which has no exported name.
var timeType = reflect.TypeOf(types.Datetime)

// kindOf returns the kind of the engine's own types. Types that another module defines may
// compare as they like, so they have no keys.
func kindOf(t sql.Type) (kind, *collation) {
	switch t := t.(type) {
	case types.NumberTypeImpl_:
		return kindOfNumber(t), nil
	case types.StringType:
		if c := collationOf(t.Collation()); c != nil {
			return text, c
		}
		return noKeys, nil
	case types.DecimalType_:
		return exact, nil
	case types.TimespanType_:
		return span, nil
	case types.YearType_, types.BitType_, types.SetType:
		return whole, nil
	case types.EnumType:
		return enum, nil
	}
	switch {
	case t == types.Null:
		return equal, nil
	case reflect.TypeOf(t) != timeType:
		return noKeys, nil
	case t.Type() == sqltypes.Date:
		return date, nil
	}
	return instant, nil
}

func kindOfNumber(t types.NumberTypeImpl_) kind {
	switch t.Type() {
	case sqltypes.Uint8, sqltypes.Uint16, sqltypes.Uint24, sqltypes.Uint32, sqltypes.Uint64:
		return unsigned
	case sqltypes.Float32, sqltypes.Float64:
		return floating
	}
	return signed
}
