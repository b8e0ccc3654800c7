package parquetsort

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// Types of the compact protocol of thrift that are told apart here.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// thriftReader finds where the parts of a value in the compact protocol lie. After bytes that are none, bad is set and
// all methods do nothing.
type thriftReader struct {
	b     []byte
	at    int
	depth int
	bad   bool
}

// mostDepth bounds how deep values lie in others.
const mostDepth = 64

// fields calls each with the fields of a struct. It has to pass the value.
func (r *thriftReader) fields(each func(id int16, kind byte)) {
	if r.depth++; r.depth > mostDepth {
		r.bad = true
	}
	for id := int16(0); !r.bad; {
		head := r.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			u := r.uvarint()
			id = int16(u>>1) ^ -int16(u&1)
		}
		each(id, head&0xf)
	}
	r.depth--
}

// listLen returns the length of a list, and passes its head.
func (r *thriftReader) listLen() int {
	n, _ := r.listHead()
	return n
}

func (r *thriftReader) listHead() (n int, kind byte) {
	head := r.byte()
	n = int(head >> 4)
	if n == 0xf {
		n = int(r.uvarint())
	}
	if n < 0 || n > len(r.b)-r.at {
		r.bad = true // an element has a byte at least
		return 0, 0
	}
	return n, head & 0xf
}

// skip passes a value.
func (r *thriftReader) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.pass(1)
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.pass(8)
	case thriftBinary:
		r.pass(r.uvarint())
	case thriftUUID:
		r.pass(16)
	case thriftStruct:
		r.fields(func(_ int16, kind byte) { r.skip(kind) })
	case thriftList, thriftSet:
		n, of := r.listHead()
		for range n {
			r.element(of)
		}
	case thriftMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		kinds := r.byte()
		for i := uint64(0); i < n && !r.bad; i++ {
			r.element(kinds >> 4)
			r.element(kinds & 0xf)
		}
	default:
		r.bad = true
	}
}

// element passes an element of a collection, in which booleans take a byte.
func (r *thriftReader) element(kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		r.pass(1)
		return
	}
	r.skip(kind)
}

func (r *thriftReader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *thriftReader) uvarint() uint64 {
	u, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return u
}

func (r *thriftReader) pass(n uint64) {
	if n > uint64(len(r.b)-min(r.at, len(r.b))) {
		r.bad = true
		return
	}
	r.at += int(n)
}

// marshal encodes a struct of package format. In a list of structs it stands as it is.
func marshal(v any) ([]byte, error) {
	return thrift.Marshal(new(thrift.CompactProtocol), v)
}

// appendField appends the head of a field that follows one whose id is by delta less.
func appendField(b []byte, delta, kind byte) []byte { return append(b, delta<<4|kind) }

// appendInt appends an integer of 16 to 64 bits.
func appendInt(b []byte, i int64) []byte {
	return binary.AppendUvarint(b, uint64(i)<<1^uint64(i>>63))
}

// appendListHead appends the head of a list of n elements.
func appendListHead(b []byte, n int, kind byte) []byte {
	if n < 0xf {
		return append(b, byte(n)<<4|kind)
	}
	return binary.AppendUvarint(append(b, 0xf0|kind), uint64(n))
}
