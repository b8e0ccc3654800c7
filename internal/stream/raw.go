// Package stream moves elements through memory: it stores whole cache lines past the
// caches, and combines what a partition writes to each bucket into such lines.
//
// A plain store to memory outside the caches first reads the line it writes to. Stores
// of whole lines past the caches do not.
package stream

import (
	"reflect"
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Raw is where elements lie, for those who read or write no more than their
// addresses.
type Raw struct {
	data unsafe.Pointer
	size uintptr
	n    int
}

// RawOf returns where the elements of s lie.
func RawOf[E any](s []E) Raw {
	return Raw{unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(E)), len(s)}
}

// RawAt returns the n elements of the given size at data. Callers know that they are
// there.
func RawAt(data unsafe.Pointer, size uintptr, n int) Raw { return Raw{data, size, n} }

// SliceOf returns the elements of type E that lie there. Callers know E.
func SliceOf[E any](r Raw) []E {
	// Sound: the memory of r is a []E of that length.
	return unsafe.Slice((*E)(r.data), r.n)
}

// Data returns the address of the first element; nil means that there are none.
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
	if lo < hi { // otherwise the address may be that of something else
		r.data = unsafe.Add(r.data, uintptr(lo)*r.size)
	}
	r.n = hi - lo
	return r
}

// Plain is elements that are only copied and combined. Their copier alone knows their
// type.
type Plain struct {
	by   Copier
	data unsafe.Pointer
	n    int
}

// PlainOf returns the elements of s.
func PlainOf[T any](s []T) Plain {
	return Plain{(*copies[T])(nil), unsafe.Pointer(unsafe.SliceData(s)), len(s)}
}

// PlainAt returns the n elements at data, which are of the type of by.
func PlainAt(by Copier, data unsafe.Pointer, n int) Plain { return Plain{by, data, n} }

// Raw returns where the elements of p lie.
func (p Plain) Raw() Raw { return Raw{p.data, p.by.Size(), p.n} }

// Bytes returns the size of all elements.
func (p Plain) Bytes() int { return p.n * int(p.by.Size()) }

// Copier copies elements of one type.
type Copier interface {
	Size() uintptr                       // bytes of an element
	Type() reflect.Type                  // of an element
	Copy(dst, src unsafe.Pointer, n int) // copies n elements, with write barriers
}

// copies is the copier of values of type T. Copiers are nil pointers: a method of a
// pointer is what an interface calls, and there is no other to be compiled. None is
// inlined, which would leave it in the program twice.
//
// Its methods are sound where the elements at their addresses are of this type, and
// as many.
type copies[T any] struct{}

//go:noinline
func (*copies[T]) Copy(dst, src unsafe.Pointer, n int) {
	copy(unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(src), n))
}

//go:noinline
func (*copies[T]) Size() uintptr { return unsafe.Sizeof(*new(T)) }

//go:noinline
func (*copies[T]) Type() reflect.Type { return reflect.TypeFor[T]() }

// Take takes n elements to partition into.
func Take[T any](a *scratch.Arena, n int) []T {
	// Sound: the memory is of n values of type T.
	return unsafe.Slice((*T)(TakeOf(a, reflect.TypeFor[T](), n)), n)
}

// TakeOf takes memory for n values of type t to partition into: it begins at a cache
// line if they are to be combined.
func TakeOf(a *scratch.Arena, t reflect.Type, n int) unsafe.Pointer {
	if _, combine := CombineLog(t.Size()); combine {
		return a.TakeAlignedOf(t, n)
	}
	return a.TakeOf(t, n)
}

// Overlap reports whether two slices share memory.
func Overlap[X, Y any](x []X, y []Y) bool { return RawOf(x).Overlaps(RawOf(y)) }

// Overlaps reports whether elements share memory.
func (r Raw) Overlaps(s Raw) bool {
	bytes, others := uintptr(r.n)*r.size, uintptr(s.n)*s.size
	if bytes == 0 || others == 0 {
		return false
	}
	x, y := uintptr(r.data), uintptr(s.data)
	return x < y+others && y < x+bytes
}
