package column

import (
	"context"
	"sync"
	"unsafe"

	"example.com/sorter/internal/sortkey"
)

// Encoded is a key function that appends the bytes of a key to dst: the keys of a column of byte slices.
type Encoded[E any] func(dst []byte, e E) []byte

// Get keeps keys in memory that no later call writes to.
//
// Sound: callers have n elements of E, and room for as many keys.
func (f Encoded[E]) Get(to, elements unsafe.Pointer, n int, nulls uint64, ask context.Context) int {
	keys, block := unsafe.Slice((*[]byte)(to), n), unsafe.Slice((*E)(elements), n)
	a := encodings.Get().(*encoding)
	defer encodings.Put(a)
	for i := range keys {
		if ask != nil && ask.Err() != nil {
			return i
		}
		if keys[i] = nil; nulls>>(i%64)&1 == 0 {
			keys[i] = a.keep(f(a.free, block[i]))
		}
	}
	return n
}

// encoding is memory for keys. Parts that keys have taken are never written again: the collector frees the memory when
// the last key is gone.
type encoding struct {
	free []byte // empty, with the capacity that is left
}

// encodings has memory for each goroutine that encodes.
var encodings = sync.Pool{New: func() any { return new(encoding) }}

// encodingBytes is the capacity of new memory. Of keys of more than an eighth, each has memory of its own.
const encodingBytes = 32 << 10

// keep returns a key that was appended to a.free, and takes its memory. One that did not fit, or lies elsewhere, is
// returned as it is.
func (a *encoding) keep(key []byte) []byte {
	switch n := len(key); {
	case n == 0:
		return nil
	case n <= cap(a.free) && unsafe.SliceData(key) == unsafe.SliceData(a.free):
		a.free = a.free[n:n:cap(a.free)]
	case 2*n > cap(a.free) && n <= encodingBytes/8:
		a.free = make([]byte, 0, encodingBytes)
	}
	return key[:len(key):len(key)]
}

// Comparison encodes both elements.
func (f Encoded[E]) Comparison(o sortkey.Order) any {
	compare := sortkey.Comparator[[]byte](o)
	return func(a, b E) int {
		both := encodedPairs.Get().(*[2][encodedPairBytes]byte)
		c := compare(f(both[0][:0], a), f(both[1][:0], b))
		encodedPairs.Put(both)
		return c
	}
}

// encodedPairBytes is the length up to which the keys of a comparison take no new memory.
const encodedPairBytes = 256

var encodedPairs = sync.Pool{New: func() any { return new([2][encodedPairBytes]byte) }}

// nullsOf is that of [Func].
func (f Encoded[E]) nullsOf(function unsafe.Pointer) NullGetter {
	return Func[E, int](nil).nullsOf(function)
}
