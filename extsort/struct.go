package extsort

import (
	"errors"
	"reflect"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/scratch"
)

// NewStruct returns a Sorter for structs with fields of any length, whose codec is [Struct]. Structs without pointers
// are those of [New]. Of the order, key functions, memory and errors everything said of [New] and [NewCoded] holds. Kept
// runs are resumed by [ResumeCoded] with the codec, or without pointers by [Resume].
//
// The error names the first field that no codec is made for, or is [ErrMemoryLimit].
func NewStruct[E any](o sorter.Ordering[E], opts ...Option) (*Sorter[E], error) {
	if !scratch.HoldsPointers(reflect.TypeFor[E]()) {
		return New(o, opts...)
	}
	c, err := Struct[E]()
	if err != nil {
		return nil, err
	}
	return NewCoded(o, c, opts...)
}

// Struct returns a codec of structs, made from the fields of their type. Fields are numbers, bools, strings, byte slices,
// times, [net/netip.Addr], arrays and structs of these, embedded ones and those of unexported names included, and pointers
// to any, which may be nil. The error names the first field of another type: E then needs a [Codec] of its own.
//
// Elements come out equal: nil and empty byte slices differ, floats keep their bits. Each has memory of its own, which its
// strings and byte slices share. Equal pointers become pointers to copies. A time keeps its instant and the offset of
// its zone, as time.Time.MarshalBinary does, neither the name of the zone nor a monotonic clock reading.
//
// The type is read once, when the codec is made. It takes two allocations at most for an element without pointers to fields. Decode
// returns an error for an encoding that Append does not make, and takes no more memory than it holds elements and bytes.
func Struct[E any]() (Codec[E], error) {
	p, err := programOf(reflect.TypeFor[E]())
	if err != nil {
		return nil, err
	}
	return &structCodec[E]{p}, nil
}

// structCodec is the codec of a type by its program.
type structCodec[E any] struct{ p *program }

var errEncoding = errors.New("no encoding of a struct")

// Append is sound: the program is that of E, and its functions keep no address of e.
func (c *structCodec[E]) Append(dst []byte, e E) ([]byte, error) {
	return c.p.append(dst, cpu.Hidden(unsafe.Pointer(&e))), nil
}

// Decode is sound as Append.
func (c *structCodec[E]) Decode(src []byte) (E, error) {
	var e E
	d := decoder{src: src}
	if !d.decode(c.p, cpu.Hidden(unsafe.Pointer(&e))) || len(d.src) > 0 {
		return *new(E), errEncoding
	}
	return e, nil
}

// fields describes the fields, for the manifest of kept runs.
func (c *structCodec[E]) fields() string { return c.p.fields }
