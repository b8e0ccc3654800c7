package beamsort

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Fixed returns the codec of elements of one size without pointers: numbers, bools, arrays and
// structs of these. The encoding is the element as it is in memory, with zeros in the padding
// between fields, so that equal elements have equal bytes. It is the fastest codec: blocks are
// made and read by copying. It panics if T holds pointers or has no bytes.
func Fixed[T any]() Codec[T] {
	t := reflect.TypeFor[T]()
	if t.Size() == 0 {
		panic(fmt.Sprintf("beamsort: Fixed: %v has no bytes", t))
	}
	l := &layout{size: int(t.Size())}
	if !l.add(t, 0) {
		panic(fmt.Sprintf("beamsort: Fixed: %v holds pointers, use another codec", t))
	}
	return fixedCodec[T]{l}
}

// given is handed to a codec, which has to append to it: so one that does not is found.
const given = "beamsort"

// encode appends the encoding of an element.
func (o *Ordering[T]) encode(dst []byte, e T) ([]byte, error) {
	from := len(dst)
	out, err := o.codec.Append(append(dst, given...), e)
	if err != nil {
		return nil, err
	}
	if at := from + len(given); len(out) < at || string(out[from:at]) != given {
		return nil, errGiven
	}
	return append(out[:from], out[from+len(given):]...), nil
}

var errGiven = errors.New("the result of Append does not begin with the bytes that were given")

type fixedCodec[T any] struct{ *layout }

func (c fixedCodec[T]) Append(dst []byte, e T) ([]byte, error) {
	from := len(dst)
	// Sound: T has no pointers, and size bytes.
	dst = append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&e)), c.size)...)
	c.clear(dst[from:])
	return dst, nil
}

func (c fixedCodec[T]) Decode(src []byte) (e T, err error) {
	if len(src) != c.size {
		return e, fmt.Errorf("beamsort: %d bytes are no %T of %d", len(src), e, c.size)
	}
	// Sound: T has no pointers, and size bytes.
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&e)), c.size), src)
	return e, nil
}

// layout is the size of elements and the bytes in them that are no field's.
type layout struct {
	size    int
	padding []span
}

type span struct{ from, to int }

// add collects the padding of a value of type t at an offset. It reports false if t holds
// pointers.
func (l *layout) add(t reflect.Type, at int) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return l.addArray(t, at)
	case reflect.Struct:
		return l.addStruct(t, at)
	}
	return false
}

func (l *layout) addArray(t reflect.Type, at int) bool {
	item := &layout{}
	if !item.add(t.Elem(), 0) {
		return false
	}
	if len(item.padding) == 0 {
		return true
	}
	for i := range t.Len() {
		l.add(t.Elem(), at+i*int(t.Elem().Size()))
	}
	return true
}

func (l *layout) addStruct(t reflect.Type, at int) bool {
	end := at
	for i := range t.NumField() {
		f := t.Field(i)
		from := at + int(f.Offset)
		l.pad(end, from)
		end = from + int(f.Type.Size())
		if f.Name == "_" {
			l.pad(from, end)
		} else if !l.add(f.Type, from) {
			return false
		}
	}
	l.pad(end, at+int(t.Size()))
	return true
}

func (l *layout) pad(from, to int) {
	if from < to {
		l.padding = append(l.padding, span{from, to})
	}
}

// clear zeroes the padding of encoded elements.
func (l *layout) clear(encoded []byte) {
	for _, p := range l.padding {
		for at := 0; at < len(encoded); at += l.size {
			clear(encoded[at+p.from : at+p.to])
		}
	}
}

// memory returns the bytes of elements without pointers.
func memory[T any](elements []T, size int) []byte {
	// Sound: callers have checked that T has no pointers and size bytes, and the bytes are those
	// of the slice.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(elements))), len(elements)*size)
}
