package conformance_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
)

// fielded is an element whose fields are keys: of each type one that has a value, and one that may be null.
type fielded struct {
	Row     int
	Int8    int8
	Int16   int16
	Int32   int32 `json:"i32,omitempty"`
	Int64   int64
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Float32 float32
	Float64 float64
	String  string
	Bytes   []byte
	Deep    struct {
		Time   time.Time
		Int128 sorter.Int128
		ID     [16]byte
		Mac    mac
		Hash   [20]byte
		Addr   netip.Addr
	}
	MayInt32   *int32
	MayUint64  *uint64
	MayFloat64 *float64
	MayString  *string
	MayInt8    nullable8
	MayTime    nullableTime
}

// nullable8 and nullableTime are keys with a flag, as package database/sql has them.
type (
	nullable8 struct {
		V     int8
		Valid bool
	}
	nullableTime struct {
		Time  time.Time
		Valid bool
	}
)

// fieldNames are the names by which ByFields finds the fields of a type of key.
var fieldNames = map[reflect.Type]string{
	reflect.TypeFor[int8]():          "Int8",
	reflect.TypeFor[int16]():         "Int16",
	reflect.TypeFor[int32]():         "i32",
	reflect.TypeFor[int64]():         "Int64",
	reflect.TypeFor[uint16]():        "Uint16",
	reflect.TypeFor[uint32]():        "Uint32",
	reflect.TypeFor[uint64]():        "Uint64",
	reflect.TypeFor[float32]():       "Float32",
	reflect.TypeFor[float64]():       "Float64",
	reflect.TypeFor[string]():        "String",
	reflect.TypeFor[[]byte]():        "Bytes",
	reflect.TypeFor[time.Time]():     "Deep.Time",
	reflect.TypeFor[sorter.Int128](): "Deep.Int128",
	reflect.TypeFor[[16]byte]():      "Deep.ID",
	reflect.TypeFor[mac]():           "Deep.Mac",
	reflect.TypeFor[[20]byte]():      "Deep.Hash",
	reflect.TypeFor[netip.Addr]():    "Deep.Addr",
}

var nullableNames = map[reflect.Type]string{
	reflect.TypeFor[int32]():     "MayInt32",
	reflect.TypeFor[uint64]():    "MayUint64",
	reflect.TypeFor[float64]():   "MayFloat64",
	reflect.TypeFor[string]():    "MayString",
	reflect.TypeFor[int8]():      "MayInt8",
	reflect.TypeFor[time.Time](): "MayTime",
}

// asField returns the column as fields have it: nulls come last, and NaNs where the options say.
func (c *columnOf[K]) asField() (drawnColumn, bool) {
	field := *c
	field.nans = oracle.Least
	if field.place == nullsFirst {
		field.place = nullsLast
	}
	return &field, c.fieldName() != ""
}

func (c *columnOf[K]) fieldName() string {
	if c.place != noNulls {
		return nullableNames[reflect.TypeFor[K]()]
	}
	return fieldNames[reflect.TypeFor[K]()]
}

func (c *columnOf[K]) field(row int) (value any, null bool) {
	if c.place != noNulls && c.nulls[row] {
		return nil, true
	}
	return c.keys[row], false
}

// byFields returns an Ordering by names of fields, of elements or of pointers to them; nil if there is no field
// for a column.
func (x *drawnCall) byFields() onSlices {
	if x.n > 70_000 {
		return nil
	}
	own, names, used := *x.drawnCase, []string(nil), map[string]bool{}
	own.cols, own.sorted = nil, map[sortedBy][]int{}
	for _, c := range x.cols {
		field, ok := c.asField()
		if !ok || used[field.fieldName()] {
			return nil
		}
		used[field.fieldName()] = true
		own.cols, names = append(own.cols, field), append(names, field.signedName())
	}
	x.drawnCase = &own
	x.note("by fields %q", names)
	x.elementColumns("fields")
	rows := own.fieldedRows()
	if x.IntN(2) == 0 {
		by, err := sorter.ByFields[*fielded](names...)
		x.failed(err)
		return orderingOf[*fielded]{by, func(row int) *fielded { return &rows[row] }, (*fielded).row}
	}
	by, err := sorter.ByFields[fielded](names...)
	x.failed(err)
	return orderingOf[fielded]{by, func(row int) fielded { return rows[row] }, func(e fielded) int { return e.Row }}
}

// row returns the element's row, 0 of none.
func (e *fielded) row() int {
	if e == nil {
		return 0
	}
	return e.Row
}

func (c *columnOf[K]) signedName() string {
	if c.desc {
		return "-" + c.fieldName()
	}
	return c.fieldName()
}

// fieldedRows returns the elements of all rows.
func (c *drawnCase) fieldedRows() []fielded {
	rows := make([]fielded, c.n+1)
	for i := range rows {
		rows[i].Row = i
		for _, col := range c.cols {
			if value, null := col.field(i); !null {
				rows[i].set(col.fieldName(), value)
			}
		}
	}
	return rows
}

// set gives a field its value.
func (e *fielded) set(name string, value any) {
	switch key := value.(type) {
	case int8:
		if name == "Int8" {
			e.Int8 = key
		} else {
			e.MayInt8 = nullable8{key, true}
		}
	case int16:
		e.Int16 = key
	case int32:
		setEither(name == "i32", &e.Int32, &e.MayInt32, key)
	case int64:
		e.Int64 = key
	case uint16:
		e.Uint16 = key
	case uint32:
		e.Uint32 = key
	case uint64:
		setEither(name == "Uint64", &e.Uint64, &e.MayUint64, key)
	case float32:
		e.Float32 = key
	case float64:
		setEither(name == "Float64", &e.Float64, &e.MayFloat64, key)
	case string:
		setEither(name == "String", &e.String, &e.MayString, key)
	case []byte:
		e.Bytes = key
	case time.Time:
		if name == "MayTime" {
			e.MayTime = nullableTime{key, true}
		} else {
			e.Deep.Time = key
		}
	case sorter.Int128:
		e.Deep.Int128 = key
	case [16]byte:
		e.Deep.ID = key
	case mac:
		e.Deep.Mac = key
	case [20]byte:
		e.Deep.Hash = key
	case netip.Addr:
		e.Deep.Addr = key
	default:
		panic(fmt.Sprintf("no field for %T", value))
	}
}

func setEither[K any](plain bool, value *K, pointer **K, key K) {
	if plain {
		*value = key
		return
	}
	*pointer = &key
}
