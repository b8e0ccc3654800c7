// Package stream moves elements through memory: it stores whole cache lines past the
// caches, and combines the writes of a partition to each bucket into such lines.
//
// A plain store to memory outside the caches first reads the line it writes to. Stores
// of whole lines past the caches do not.
package stream

import (
	"reflect"
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Raw is the memory of elements of unknown type: address, element size, length.
type Raw struct {
	data unsafe.Pointer
	size uintptr
	n    int
}

// RawOf returns the memory of s.
func RawOf[E any](s []E) Raw {
	return Raw{unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(E)), len(s)}
}

// RawAt returns n elements of the given size at data, which callers guarantee to be there.
func RawAt(data unsafe.Pointer, size uintptr, n int) Raw { return Raw{data, size, n} }

// SliceOf returns the elements of r, which must be of type E.
func SliceOf[E any](r Raw) []E {
	// Sound: the memory of r is a []E of that length.
	return unsafe.Slice((*E)(r.data), r.n)
}

// Data returns the address of the first element; nil if there are none.
func (r Raw) Data() unsafe.Pointer { return r.data }

// Len returns the number of elements.
func (r Raw) Len() int { return r.n }

// Size returns the bytes of an element.
func (r Raw) Size() uintptr { return r.size }

// At returns the address of element i.
func (r Raw) At(i int) unsafe.Pointer {
	if uint(i) >= uint(r.n) {
		panic("stream: element out of range")
	}
	return unsafe.Add(r.data, uintptr(i)*r.size)
}

// Part returns the elements [lo, hi).
func (r Raw) Part(lo, hi int) Raw {
	if uint(lo) > uint(hi) || uint(hi) > uint(r.n) {
		panic("stream: part out of range")
	}
	if lo < hi { // otherwise the address may lie past the memory
		r.data = unsafe.Add(r.data, uintptr(lo)*r.size)
	}
	r.n = hi - lo
	return r
}

// Plain is elements that are only copied and combined. Their Copier knows the type.
type Plain struct {
	by   Copier
	data unsafe.Pointer
	n    int
}

// PlainOf returns the elements of s.
func PlainOf[T any](s []T) Plain {
	return Plain{(*copies[T])(nil), unsafe.Pointer(unsafe.SliceData(s)), len(s)}
}

// PlainAt returns the n elements at data, of by's type.
func PlainAt(by Copier, data unsafe.Pointer, n int) Plain { return Plain{by, data, n} }

// Raw returns the memory of p.
func (p Plain) Raw() Raw { return Raw{p.data, p.by.Size(), p.n} }

// Bytes returns the size of all elements.
func (p Plain) Bytes() int { return p.n * int(p.by.Size()) }

// Size returns the bytes of an element.
func (p Plain) Size() uintptr { return p.by.Size() }

// Copier copies elements of one type.
type Copier interface {
	Size() uintptr                       // bytes of an element
	Type() reflect.Type                  // of an element
	Copy(dst, src unsafe.Pointer, n int) // copies n elements, with write barriers
}

// copies is the Copier of type T. Copiers are nil pointers, since an interface calls pointer
// methods; value methods would be compiled twice. None is inlined, for the same reason.
//
// Its methods are sound if the addresses hold n values of type T.
type copies[T any] struct{}

//go:noinline
func (*copies[T]) Copy(dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(src), n))
}

//go:noinline
func (*copies[T]) Size() uintptr { return unsafe.Sizeof(*new(T)) }

//go:noinline
func (*copies[T]) Type() reflect.Type { return reflect.TypeFor[T]() }

// Take takes scratch for n elements, to partition into.
func Take[T any](a *scratch.Arena, n int) []T {
	// Sound: the memory is of n values of type T.
	return unsafe.Slice((*T)(TakeOf(a, reflect.TypeFor[T](), n)), n)
}

// TakeOf takes scratch for n values of type t, to partition into. It begins at a cache line if
// elements of that size are combined.
func TakeOf(a *scratch.Arena, t reflect.Type, n int) unsafe.Pointer {
	if _, combine := CombineLog(t.Size()); combine {
		return a.TakeAlignedOf(t, n)
	}
	return a.TakeOf(t, n)
}

// Overlap reports whether two slices share memory.
func Overlap[X, Y any](x []X, y []Y) bool { return RawOf(x).Overlaps(RawOf(y)) }

// Overlaps reports whether r and s share memory.
func (r Raw) Overlaps(s Raw) bool {
	bytes, others := uintptr(r.n)*r.size, uintptr(s.n)*s.size
	if bytes == 0 || others == 0 {
		return false
	}
	x, y := uintptr(r.data), uintptr(s.data)
	return x < y+others && y < x+bytes
}
