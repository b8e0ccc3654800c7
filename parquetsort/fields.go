package parquetsort

import (
	"reflect"
	"time"
	"unsafe"

	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// fieldOrder returns the order of rows by sorting columns, if keys are in the fields of T: not in
// slices, and no optional floats, of whose zeros it depends on the processor which is null.
func fieldOrder[T any](s *shape, leaves []leaf) (sorter.Ordering[T], bool) {
	var columns []sorter.Column[T]
	for _, l := range leaves {
		p, ok := s.place(l.Path)
		if !ok || p.optional && isFloat(p.typ) {
			return sorter.Ordering[T]{}, false
		}
		columns = append(columns, fieldColumns[T](l, p)...)
	}
	return sorter.By(columns...), true
}

func isFloat(t reflect.Type) bool {
	return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
}

// fieldColumns returns the columns of a field: several for long arrays of bytes.
func fieldColumns[T any](l leaf, p place) []sorter.Column[T] {
	switch {
	case p.kind == text:
		return one(fieldColumn[T](l, p, isZero[string], same[string]))
	case p.kind == blob:
		return one(fieldColumn[T](l, p, isNil, same[[]byte]))
	case p.kind == instant:
		return one(fieldColumn[T](l, p, time.Time.IsZero, stampOf(l)))
	case p.typ.Kind() == reflect.Array:
		return arrayColumns[T](l, p)
	}
	return one(numberColumn[T](l, p))
}

func one[T any](c sorter.Column[T]) []sorter.Column[T] { return []sorter.Column[T]{c} }

func same[K any](k K) K { return k }

func isZero[K comparable](k K) bool {
	var zero K
	return k == zero
}

func isNil(k []byte) bool { return k == nil }

// numberColumn returns the column of a field that is a bool or a number.
func numberColumn[T any](l leaf, p place) sorter.Column[T] {
	switch p.typ.Kind() {
	case reflect.Bool:
		return fieldColumn[T](l, p, isZero[bool], same[bool])
	case reflect.Float32:
		return fieldColumn[T](l, p, isZero[float32], same[float32])
	case reflect.Float64:
		return fieldColumn[T](l, p, isZero[float64], same[float64])
	case reflect.Int8:
		return integer32Column[T, int8](l, p)
	case reflect.Int16:
		return integer32Column[T, int16](l, p)
	case reflect.Uint8: // in order as any integer
		return fieldColumn[T](l, p, isZero[uint8], same[uint8])
	case reflect.Uint16:
		return fieldColumn[T](l, p, isZero[uint16], same[uint16])
	case reflect.Int32:
		return integerColumn[T, int32](l, p)
	case reflect.Uint32:
		return integerColumn[T, uint32](l, p)
	case reflect.Int64:
		return integer64Column[T, int64](l, p)
	case reflect.Uint64:
		return integer64Column[T, uint64](l, p)
	case reflect.Int:
		return integer64Column[T, int](l, p)
	default:
		return integer64Column[T, uint](l, p)
	}
}

// integers are the types of fields for columns of integers.
type integers interface {
	int8 | int16 | int32 | uint32 | int64 | uint64 | int | uint
}

// integerColumn returns the column of a 32-bit integer, which may be stored in 64.
func integerColumn[T any, R int32 | uint32](l leaf, p place) sorter.Column[T] {
	if l.Node.Type().Kind() == parquet.Int64 {
		return integer64Column[T, R](l, p)
	}
	return integer32Column[T, R](l, p)
}

// integer32Column returns the column of an integer that is stored in 32 bits.
func integer32Column[T any, R integers](l leaf, p place) sorter.Column[T] {
	if l.order == unsigned {
		return fieldColumn[T](l, p, isZero[R], func(r R) uint32 { return uint32(r) })
	}
	return fieldColumn[T](l, p, isZero[R], func(r R) int32 { return int32(r) })
}

// integer64Column returns the column of an integer that is stored in 64 bits.
func integer64Column[T any, R integers](l leaf, p place) sorter.Column[T] {
	if l.order == unsigned {
		return fieldColumn[T](l, p, isZero[R], func(r R) uint64 { return uint64(r) })
	}
	return fieldColumn[T](l, p, isZero[R], func(r R) int64 { return int64(r) })
}

// stampOf returns the conversion of times to the unit of a column.
func stampOf(l leaf) func(time.Time) int64 {
	switch stamp := logicalType(l.Node.Type()).(*format.TimestampType); stamp.Unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Time.UnixMilli
	case *format.MicroSeconds:
		return time.Time.UnixMicro
	}
	return time.Time.UnixNano
}

// fieldColumn returns the column of a field of type R, whose keys are converted. zero reports
// which values of an optional field are null.
//
// Sound: R has the layout of the field at p.
func fieldColumn[T, R any, K sorter.Key](l leaf, p place, zero func(R) bool, convert func(R) K) sorter.Column[T] {
	key := func(e T) K { return convert(*(*R)(p.of(unsafe.Pointer(&e)))) }
	if _, same := any(*new(R)).(K); same && len(p.pointers) == 0 {
		offset := p.offset
		key = func(e T) K { return *(*K)(unsafe.Add(unsafe.Pointer(&e), offset)) }
	}
	return withNulls(l, directed(l, key), fieldNulls[T](p, zero))
}

// fieldNulls returns which rows are null at p; nil if none are.
func fieldNulls[T, R any](p place, zero func(R) bool) func(T) bool {
	switch {
	case p.optional:
		return func(e T) bool {
			r := p.of(unsafe.Pointer(&e))
			return r == nil || zero(*(*R)(r))
		}
	case len(p.pointers) > 0:
		return func(e T) bool { return p.of(unsafe.Pointer(&e)) == nil }
	}
	return nil
}

// directed returns the column of keys in the direction of a sorting column.
func directed[E any, K sorter.Key](l leaf, key func(E) K) sorter.Column[E] {
	if l.desc {
		return sorter.Desc(key)
	}
	return sorter.Asc(key)
}

// withNulls puts nulls where a sorting column has them. isNull is nil if there are none.
func withNulls[E any](l leaf, c sorter.Column[E], isNull func(E) bool) sorter.Column[E] {
	switch {
	case isNull == nil:
		return c
	case l.nullsFirst:
		return c.NullsFirst(isNull)
	}
	return c.NullsLast(isNull)
}

// word is a part of an array of bytes.
type word = [16]byte

// arrayColumns returns the columns of an array of bytes, one for every 16 of them.
func arrayColumns[T any](l leaf, p place) (columns []sorter.Column[T]) {
	n := p.typ.Len()
	isNull := arrayNulls[T](p, n)
	for from := 0; from == 0 || from < n; from += len(word{}) {
		sign := l.signBit(from)
		key := func(e T) (w word) {
			// Sound: there are n bytes at p.
			copy(w[:], unsafe.Slice((*byte)(p.of(unsafe.Pointer(&e))), n)[from:])
			w[0] ^= sign
			return w
		}
		columns = append(columns, withNulls(l, directed(l, key), isNull))
	}
	return columns
}

// arrayNulls is [fieldNulls] of an array of n bytes.
func arrayNulls[T any](p place, n int) func(T) bool {
	if !p.optional {
		return fieldNulls[T, byte](p, nil)
	}
	return func(e T) bool {
		r := p.of(unsafe.Pointer(&e))
		return r == nil || allZero(unsafe.Slice((*byte)(r), n)) // sound: as many as there are
	}
}

// allZero reports whether all bytes are 0.
func allZero(bytes []byte) bool {
	for _, b := range bytes {
		if b != 0 {
			return false
		}
	}
	return true
}
