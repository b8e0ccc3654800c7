package parquetsort

import (
	"encoding/binary"
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// typedCodec is the codec of rows of a shape.
type typedCodec[T any] struct {
	ops  []op
	own  bool      // rows point to memory that the caller of Write may change
	text []uintptr // offsets of strings and byte slices
	raw  []byte
}

// op encodes and decodes a part of a value: bytes in place, or a value that holds a pointer.
type op struct {
	kind   shapeKind
	offset uintptr
	size   uintptr // of bytes in place, or of an element
	ops    []op    // of an element
	arena  *arena  // of elements
}

// typedCodecOf returns the codec of rows of type T.
func typedCodecOf[T any](s *shape) codec[T] {
	c := &typedCodec[T]{ops: opsOf(nil, s, 0)}
	c.text = textOf(c.ops)
	for _, o := range c.ops {
		c.own = c.own || o.kind == blob || o.kind == pointer || o.kind == list
	}
	return c
}

// textOf returns the offsets of strings and byte slices.
func textOf(ops []op) (offsets []uintptr) {
	for _, o := range ops {
		if o.kind == text || o.kind == blob {
			offsets = append(offsets, o.offset)
		}
	}
	return offsets
}

// opsOf appends the operations for a value at an offset. Bytes in place that follow each other
// are one.
func opsOf(ops []op, s *shape, offset uintptr) []op {
	switch s.kind {
	case group:
		for _, f := range s.fields {
			ops = opsOf(ops, f.shape, offset+f.offset)
		}
		return ops
	case flat:
		if n := len(ops); n > 0 && ops[n-1].kind == flat && ops[n-1].offset+ops[n-1].size == offset {
			ops[n-1].size += s.typ.Size()
			return ops
		}
		return append(ops, op{kind: flat, offset: offset, size: s.typ.Size()})
	case pointer, list:
		elem := s.elem.typ
		return append(ops, op{s.kind, offset, elem.Size(), opsOf(nil, s.elem, 0), &arena{of: reflect.SliceOf(elem)}})
	}
	return append(ops, op{kind: s.kind, offset: offset})
}

func (c *typedCodec[T]) Append(dst []byte, rows []T) []byte {
	fetch(c.text, rows)
	for i := range rows {
		dst = appendValue(dst, c.ops, unsafe.Pointer(&rows[i]))
	}
	return dst
}

func (c *typedCodec[T]) Decode(src []byte, rows []T) {
	for i := range rows {
		src = decodeValue(src, c.ops, unsafe.Pointer(&rows[i]))
	}
}

func (c *typedCodec[T]) Own(rows []T) {
	if c.own {
		c.raw = c.Append(c.raw[:0], rows)
		c.Decode(slices.Clone(c.raw), rows)
	}
}

// fetch reads the first byte of each string or byte slice at the offsets. Rows in order have them
// at random places in memory; these reads wait for memory together, those of a loop that copies
// wait for one after the other.
//
// Sound: there are strings or byte slices at the offsets, which both begin with a pointer, and
// then have the length.
//
//go:noinline
func fetch[T any](offsets []uintptr, rows []T) (sum byte) {
	for _, offset := range offsets {
		for i := range rows {
			if s := *(*string)(unsafe.Add(unsafe.Pointer(&rows[i]), offset)); len(s) > 0 {
				sum += s[0]
			}
		}
	}
	return sum
}

// appendValue appends the encoding of the value at p.
//
// Sound: operations are those of the type of the value, so there are fields of their kinds at
// their offsets. The same holds for decodeValue.
func appendValue(dst []byte, ops []op, p unsafe.Pointer) []byte {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case flat:
			dst = append(dst, unsafe.Slice((*byte)(at), o.size)...)
		case text:
			s := *(*string)(at)
			dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
		case blob:
			if s := *(*[]byte)(at); s == nil {
				dst = append(dst, 0)
			} else {
				dst = append(binary.AppendUvarint(dst, uint64(len(s))+1), s...)
			}
		case instant:
			t := (*time.Time)(at)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(t.Unix()))
			dst = binary.LittleEndian.AppendUint32(dst, uint32(t.Nanosecond()))
		case pointer:
			if to := *(*unsafe.Pointer)(at); to == nil {
				dst = append(dst, 0)
			} else {
				dst = appendValue(append(dst, 1), o.ops, to)
			}
		case list:
			dst = appendList(dst, o, (*header)(at))
		}
	}
	return dst
}

// header is a slice of elements of any type.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

func appendList(dst []byte, o *op, h *header) []byte {
	if h.data == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(h.len)+1)
	for i := range h.len {
		dst = appendValue(dst, o.ops, unsafe.Add(h.data, uintptr(i)*o.size))
	}
	return dst
}

// decodeValue decodes the value at p, and returns the bytes after its encoding. Strings and byte
// slices point to src. What src holds has passed its checksum.
func decodeValue(src []byte, ops []op, p unsafe.Pointer) []byte {
	for i := range ops {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		switch o.kind {
		case flat:
			copy(unsafe.Slice((*byte)(at), o.size), src[:o.size])
			src = src[o.size:]
		case text:
			var n int
			n, src = length(src)
			*(*string)(at) = unsafe.String(unsafe.SliceData(src[:n]), n) // nothing writes to src
			src = src[n:]
		case blob:
			src = decodeBytes(src, (*[]byte)(at))
		case instant:
			seconds, nanos := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint32(src[8:])
			*(*time.Time)(at) = time.Unix(int64(seconds), int64(nanos)).UTC()
			src = src[12:]
		case pointer:
			var to unsafe.Pointer
			if null := src[0] == 0; null {
				src = src[1:]
			} else {
				to = o.arena.take(1)
				src = decodeValue(src[1:], o.ops, to)
			}
			*(*unsafe.Pointer)(at) = to
		case list:
			src = decodeList(src, o, (*header)(at))
		}
	}
	return src
}

// length decodes a length.
func length(src []byte) (n int, rest []byte) {
	if src[0] < 0x80 {
		return int(src[0]), src[1:]
	}
	u, read := binary.Uvarint(src)
	return int(u), src[read:]
}

func decodeBytes(src []byte, to *[]byte) (rest []byte) {
	n, src := length(src)
	if n == 0 {
		*to = nil
		return src
	}
	n--
	*to = src[:n:n]
	return src[n:]
}

func decodeList(src []byte, o *op, to *header) (rest []byte) {
	n, src := length(src)
	if n == 0 {
		*to = header{}
		return src
	}
	n--
	*to = header{o.arena.take(n), n, n}
	for i := range n {
		src = decodeValue(src, o.ops, unsafe.Add(to.data, uintptr(i)*o.size))
	}
	return src
}

// arena hands out memory for elements of one type, many of which share an allocation.
type arena struct {
	of   reflect.Type // a slice of them
	free reflect.Value
	used int
}

// arenaLen is the number of elements of an allocation.
const arenaLen = 256

// take returns memory for n elements that are zero.
func (a *arena) take(n int) unsafe.Pointer {
	if n == 0 {
		return unsafe.Pointer(new(struct{})) // not nil, and not the end of an allocation
	}
	if !a.free.IsValid() || a.free.Len()-a.used < n {
		if n > arenaLen/4 {
			return reflect.MakeSlice(a.of, n, n).UnsafePointer()
		}
		a.free, a.used = reflect.MakeSlice(a.of, arenaLen, arenaLen), 0
	}
	p := unsafe.Add(a.free.UnsafePointer(), uintptr(a.used)*a.of.Elem().Size())
	a.used += n
	return p
}
