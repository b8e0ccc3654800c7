package column

import (
	"context"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"example.com/sorter/internal/sortkey"
)

// Field is a field of the elements of a slice, found by name. It is the getter of their keys,
// and knows which are null.
type Field struct {
	kind     sortkey.Kind
	size     uintptr   // of an element
	pointers []uintptr // offsets of the pointers that lead to the key
	offset   uintptr   // of the key, after the last pointer
	valid    uintptr   // offset of a flag that is false for nulls, if there is one
	flagged  bool
}

// FieldOf returns the field of elements of type t that has a name: a name of Go, or the first
// word of a tag. Dots lead to fields of fields.
func FieldOf(t reflect.Type, name string) (*Field, error) {
	f := &Field{size: t.Size()}
	for part := range strings.SplitSeq(name, ".") {
		t = f.follow(t)
		if t.Kind() != reflect.Struct {
			return nil, fmt.Errorf("field %q: %v is no struct", name, t)
		}
		found, err := fieldNamed(t, part)
		if err != nil {
			return nil, err
		}
		for _, i := range found.Index { // more than one if fields between are embedded
			t = f.follow(t)
			f.offset += t.Field(i).Offset
			t = t.Field(i).Type
		}
	}
	if t = f.follow(t); f.typed(t) || f.nullable(t) {
		return f, nil
	}
	return nil, fmt.Errorf("field %q: a %v is no key", name, t)
}

// mostPointers bounds the pointers to a field: a type such as type P *P points to itself.
const mostPointers = 100

// follow returns t, or the type that it points to, which is a pointer after too many of them.
func (f *Field) follow(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && len(f.pointers) < mostPointers {
		f.pointers, f.offset, t = append(f.pointers, f.offset), 0, t.Elem()
	}
	return t
}

// typed reports whether t is a type of keys, which it records.
func (f *Field) typed(t reflect.Type) (ok bool) {
	f.kind, ok = sortkey.OfType(t)
	return ok
}

// nullable reports whether t is a struct of a key and a flag Valid, as in package database/sql.
func (f *Field) nullable(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() != 2 {
		return false
	}
	key, flag := t.Field(0), t.Field(1)
	if flag.Name != "Valid" || flag.Type.Kind() != reflect.Bool || !f.typed(key.Type) {
		return false
	}
	f.offset, f.valid, f.flagged = f.offset+key.Offset, f.offset+flag.Offset, true
	return true
}

// fieldNamed returns the field of a struct type that has a name.
func fieldNamed(t reflect.Type, name string) (reflect.StructField, error) {
	var tagged []reflect.StructField
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Name == name {
			return f, nil
		}
		if slices.Contains(tagNames(f.Tag), name) {
			tagged = append(tagged, f)
		}
		names = append(names, f.Name)
	}
	switch len(tagged) {
	case 0:
		return reflect.StructField{}, fmt.Errorf("%v has no field %q; it has %s", t, name, strings.Join(names, ", "))
	case 1:
		return tagged[0], nil
	}
	return reflect.StructField{}, fmt.Errorf("%v: %q is in the tags of %s and of %s", t, name, tagged[0].Name, tagged[1].Name)
}

// tagNames returns the first words of a tag's values, which end at a comma.
func tagNames(tag reflect.StructTag) (names []string) {
	for rest := string(tag); ; {
		_, value, ok := strings.Cut(rest, ":")
		if !ok {
			return names
		}
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil {
			return names
		}
		value, rest = quoted, value[len(quoted):]
		if value, err = strconv.Unquote(value); err == nil {
			if name, _, _ := strings.Cut(value, ","); name != "" {
				names = append(names, name)
			}
		}
	}
}

// Nullable reports whether keys may be null: a pointer to the key is nil, or a flag is false.
func (f *Field) Nullable() bool { return len(f.pointers) > 0 || f.flagged }

// address returns the address of the key of the element at e, nil if it is null.
//
// Sound: there is an element of the type that f was made for, and offsets and pointers are
// those of that type.
func (f *Field) address(e unsafe.Pointer) unsafe.Pointer {
	for _, offset := range f.pointers {
		if e = *(*unsafe.Pointer)(unsafe.Add(e, offset)); e == nil {
			return nil
		}
	}
	if f.flagged && !*(*bool)(unsafe.Add(e, f.valid)) {
		return nil
	}
	return unsafe.Add(e, f.offset)
}

// IsNull reports whether the key of the element at e is null.
func (f *Field) IsNull(e unsafe.Pointer) bool { return f.address(e) == nil }

func (f *Field) Nulls(elements unsafe.Pointer, n int) (nulls uint64) {
	for i := range n {
		if f.IsNull(unsafe.Add(elements, uintptr(i)*f.size)) {
			nulls |= 1 << i
		}
	}
	return nulls
}

// Text returns the key of the element at e, a string or byte slice that is never null, as a string.
//
// Sound: strings and byte slices begin with a header, which is a string.
func (f *Field) Text(e unsafe.Pointer) *string { return (*string)(unsafe.Add(e, f.offset)) }

// fieldKeys is the getter of the keys of a field; K has the layout of their type.
type fieldKeys[K sortkey.Key] struct{ *Field }

func (g fieldKeys[K]) field() *Field { return g.Field }

// Get calls no function, so it does not ask. Nulls are those of the field.
//
// Sound: callers have n elements and room for as many keys, and K has the layout of the keys.
func (g fieldKeys[K]) Get(to, elements unsafe.Pointer, n int, _ uint64, _ context.Context) int {
	keys := unsafe.Slice((*K)(to), n)
	if !g.Nullable() {
		size, e := g.size, unsafe.Add(elements, g.offset)
		for len(keys) > 4 { // e stays an address within the elements
			k := (*[4]K)(keys)
			k[0], k[1] = *(*K)(e), *(*K)(unsafe.Add(e, size))
			k[2], k[3] = *(*K)(unsafe.Add(e, 2*size)), *(*K)(unsafe.Add(e, 3*size))
			keys, e = keys[4:], unsafe.Add(e, 4*size)
		}
		for i := range keys {
			keys[i] = *(*K)(unsafe.Add(e, uintptr(i)*size))
		}
		return n
	}
	for i := range keys {
		var k K
		if p := g.address(unsafe.Add(elements, uintptr(i)*g.size)); p != nil {
			k = *(*K)(p)
		}
		keys[i] = k
	}
	return n
}

func (g fieldKeys[K]) nullsOf(field unsafe.Pointer) NullGetter { return (*Field)(field) }

func (g fieldKeys[K]) Comparison(o sortkey.Order) any { return g.comparison(o) }

// comparison is that of elements whose keys are not null. Sound as Get.
func (g fieldKeys[K]) comparison(o sortkey.Order) func(a, b unsafe.Pointer) int {
	compare := sortkey.Comparator[K](o)
	return func(a, b unsafe.Pointer) int { return compare(*(*K)(g.address(a)), *(*K)(g.address(b))) }
}

// The code for each kind that is no array is in tables that functions make: the linker leaves a table out that no call of
// a program needs, which saves 300 KB where nothing is sorted by names of fields, and nothing compared by columns.

type (
	getterOfField = func(f *Field) Getter
	rowComparison = func(l Format, o sortkey.Order) func(a, b int) int
)

func fieldKeysOf[K sortkey.Key](f *Field) Getter { return fieldKeys[K]{f} }

// fieldGetters are the getters of fields, see [Field].
func fieldGetters() [sortkey.Kinds]getterOfField {
	return [sortkey.Kinds]getterOfField{
		sortkey.Bool: fieldKeysOf[bool],
		sortkey.Int8: fieldKeysOf[int8], sortkey.Int16: fieldKeysOf[int16], sortkey.Int32: fieldKeysOf[int32], sortkey.Int64: fieldKeysOf[int64],
		sortkey.Uint8: fieldKeysOf[uint8], sortkey.Uint16: fieldKeysOf[uint16], sortkey.Uint32: fieldKeysOf[uint32], sortkey.Uint64: fieldKeysOf[uint64],
		sortkey.Float32: fieldKeysOf[float32], sortkey.Float64: fieldKeysOf[float64],
		sortkey.Floats2: fieldKeysOf[[2]float32], sortkey.Floats3: fieldKeysOf[[3]float32], sortkey.Floats4: fieldKeysOf[[4]float32],
		sortkey.Integer128: fieldKeysOf[sortkey.Int128], sortkey.Unsigned128: fieldKeysOf[sortkey.Uint128], sortkey.Time: fieldKeysOf[time.Time],
		sortkey.String: fieldKeysOf[string], sortkey.Bytes: fieldKeysOf[[]byte], sortkey.Addr: fieldKeysOf[netip.Addr],
	}
}

// rowComparisons compare rows by the keys of a format.
func rowComparisons() [sortkey.Kinds]rowComparison {
	return [sortkey.Kinds]rowComparison{
		sortkey.Bool: rowComparator[bool],
		sortkey.Int8: rowComparator[int8], sortkey.Int16: rowComparator[int16], sortkey.Int32: rowComparator[int32], sortkey.Int64: rowComparator[int64],
		sortkey.Uint8: rowComparator[uint8], sortkey.Uint16: rowComparator[uint16], sortkey.Uint32: rowComparator[uint32], sortkey.Uint64: rowComparator[uint64],
		sortkey.Float32: rowComparator[float32], sortkey.Float64: rowComparator[float64],
		sortkey.Floats2: rowComparator[[2]float32], sortkey.Floats3: rowComparator[[3]float32], sortkey.Floats4: rowComparator[[4]float32],
		sortkey.Integer128: rowComparator[sortkey.Int128], sortkey.Unsigned128: rowComparator[sortkey.Uint128], sortkey.Time: rowComparator[time.Time],
		sortkey.String: rowComparator[string], sortkey.Bytes: rowComparator[[]byte], sortkey.Addr: rowComparator[netip.Addr],
	}
}

// getter returns the getter of the field.
func (f *Field) getter() Getter {
	if f.kind.IsArray() {
		return arrayField{f}
	}
	return fieldGetters()[f.kind](f)
}

// rowsComparator returns the comparison of two rows by the keys of a format.
func rowsComparator(l Format, o sortkey.Order) func(a, b int) int {
	if k := l.Kind(); !k.IsArray() {
		return rowComparisons()[k](l, o)
	}
	return arrayComparator(l, o)
}
