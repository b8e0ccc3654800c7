package parquetsort

import (
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// shape is how a Go value, and the values that it points to, hold what a node of a schema has.
type shape struct {
	kind     shapeKind
	typ      reflect.Type
	optional bool    // zero is null
	fields   []field // of a group
	elem     *shape  // of a pointer or a list
}

type shapeKind uint8

const (
	flat    shapeKind = iota // bools, numbers, arrays of bytes
	text                     // a string
	blob                     // a byte slice
	instant                  // a time.Time
	group                    // a struct
	pointer                  // nil is null
	list                     // a slice
)

// field is a field of a struct.
type field struct {
	name   string // of the column or the group
	offset uintptr
	*shape
}

// shapeOf returns the shape of T, or nil if T is none that the writer and
// [parquet.Schema.Deconstruct] take for the same values of the schema. There are such types
// with maps, interfaces and rare combinations of tags.
func shapeOf[T any](schema *parquet.Schema, config *parquet.SchemaConfig) *shape {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t == timeType {
		return nil
	}
	own := parquet.SchemaOf(reflect.New(t).Interface(), config)
	if own != schema && !parquet.EqualNodes(own, schema) {
		return nil
	}
	w := walk{schema: own}
	return w.group(t, own)
}

var timeType = reflect.TypeFor[time.Time]()

// walk goes down a schema and a Go type side by side.
type walk struct {
	schema                 *parquet.Schema
	path                   []string
	definition, repetition int  // levels
	inList                 bool // with no pointer in between
}

// group returns the shape of a struct, nil if there is none.
func (w walk) group(t reflect.Type, node parquet.Node) *shape {
	g := &shape{kind: group, typ: t}
	base := reflect.New(t).Elem()
	for _, f := range node.Fields() {
		v := f.Value(base)
		if !v.CanAddr() {
			return nil
		}
		// Where a field of an embedded struct is a pointer, v is its target.
		offset := uintptr(v.Addr().UnsafePointer()) - uintptr(base.Addr().UnsafePointer())
		if offset+v.Type().Size() > t.Size() {
			return nil
		}
		below := w
		below.path = append(slices.Clone(w.path), f.Name())
		s := below.value(v.Type(), f)
		if s == nil {
			return nil
		}
		g.fields = append(g.fields, field{f.Name(), offset, s})
	}
	return g
}

// value returns the shape of a value for a node, nil if there is none.
func (w walk) value(t reflect.Type, node parquet.Node) *shape {
	switch {
	case node.Repeated():
		w.definition++
		w.repetition++
		return w.list(t, parquet.Required(node))
	case node.Optional():
		return w.optional(t, parquet.Required(node))
	case node.Leaf():
		return w.leaf(t, node)
	}
	switch logicalType(node.Type()).(type) {
	case nil:
		if t.Kind() == reflect.Struct && t != timeType {
			return w.group(t, node)
		}
	case *format.ListType:
		w.definition++
		w.repetition++
		element := node.Fields()[0].Fields()[0]
		w.path = append(w.path, node.Fields()[0].Name(), element.Name())
		return w.list(t, element)
	}
	return nil
}

// list returns the shape of a slice.
func (w walk) list(t reflect.Type, element parquet.Node) *shape {
	if t.Kind() != reflect.Slice {
		return nil
	}
	w.inList = true
	return wrap(list, t, w.value(t.Elem(), element))
}

// optional returns the shape of a value that may be null.
func (w walk) optional(t reflect.Type, node parquet.Node) *shape {
	nested := w.definition > 0
	w.definition++
	if t.Kind() == reflect.Pointer {
		if k := t.Elem().Kind(); k == reflect.Pointer || k == reflect.Slice && !isBytes(t.Elem()) {
			return nil
		}
		w.inList = false
		return wrap(pointer, t, w.value(t.Elem(), node))
	}
	s := w.value(t, node)
	switch {
	case s == nil, s.kind == group: // its zero is null to one of them
		return nil
	case s.kind == instant && nested: // the writer loses a level
		return nil
	case w.inList && s.kind != list && s.kind != instant: // see output
		return nil
	}
	s.optional = true
	return s
}

// wrap returns the shape of a value that leads to others.
func wrap(kind shapeKind, t reflect.Type, elem *shape) *shape {
	if elem == nil {
		return nil
	}
	return &shape{kind: kind, typ: t, elem: elem}
}

// leaf returns the shape of a value of a column.
func (w walk) leaf(t reflect.Type, node parquet.Node) *shape {
	column, ok := w.schema.Lookup(w.path...)
	if !ok || column.MaxDefinitionLevel != w.definition || column.MaxRepetitionLevel != w.repetition {
		return nil
	}
	kind, ok := leafKind(t, node.Type())
	if !ok {
		return nil
	}
	return &shape{kind: kind, typ: t}
}

// leafKind returns how values of a type of columns are held by t.
func leafKind(t reflect.Type, of parquet.Type) (kind shapeKind, ok bool) {
	logical := logicalType(of)
	switch of.Kind() {
	case parquet.Boolean:
		return flat, t.Kind() == reflect.Bool
	case parquet.Int32:
		return flat, slices.Contains(int32Kinds, t.Kind())
	case parquet.Int64:
		if _, ok := logical.(*format.TimestampType); ok && t == timeType {
			return instant, true
		}
		return flat, slices.Contains(int64Kinds, t.Kind())
	case parquet.Float:
		return flat, t.Kind() == reflect.Float32
	case parquet.Double:
		return flat, t.Kind() == reflect.Float64
	case parquet.ByteArray:
		return bytesKind(t, logical)
	case parquet.FixedLenByteArray:
		return flat, isFixed(t, logical) && t.Len() == of.Length()
	}
	return flat, false
}

// logicalType returns the logical type of a type, nil if it has none.
func logicalType(t parquet.Type) any {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// Kinds of integers that the writer converts to a width as Deconstruct does.
var (
	int32Kinds = []reflect.Kind{reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32}
	int64Kinds = []reflect.Kind{reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64}
)

func bytesKind(t reflect.Type, logical any) (kind shapeKind, ok bool) {
	switch logical.(type) {
	case nil, *format.StringType, *format.EnumType:
	default:
		return flat, false
	}
	if t.PkgPath() == "encoding/json" { // RawMessage and Number, written as their contents
		return flat, false
	}
	if t.Kind() == reflect.String {
		return text, true
	}
	return blob, isBytes(t)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func isFixed(t reflect.Type, logical any) bool {
	switch logical.(type) {
	case nil, *format.UUIDType, *format.DecimalType:
		return t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8
	}
	return false
}

// place is where a column is in a row.
type place struct {
	pointers []uintptr // offsets of the pointers that lead to it
	offset   uintptr   // after the last pointer
	*shape
}

// place returns where a column is, unless a list leads to it.
func (s *shape) place(path []string) (place, bool) {
	p := place{shape: s}
	for {
		switch p.kind {
		case pointer:
			p.pointers, p.offset, p.shape = append(p.pointers, p.offset), 0, p.elem
		case list:
			return p, false
		case group:
			i := slices.IndexFunc(p.fields, func(f field) bool { return f.name == path[0] })
			p.offset, p.shape, path = p.offset+p.fields[i].offset, p.fields[i].shape, path[1:]
		default:
			return p, true
		}
	}
}

// of returns the address of the column in the row at e, nil if a pointer to it is.
//
// Sound: there is a row of the type of the shape, and offsets and pointers are those of it.
func (p *place) of(e unsafe.Pointer) unsafe.Pointer {
	for _, offset := range p.pointers {
		if e = *(*unsafe.Pointer)(unsafe.Add(e, offset)); e == nil {
			return nil
		}
	}
	return unsafe.Add(e, p.offset)
}
