package beamsort

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// A block is a slice of encoded elements in order. Elements of a Fixed codec follow each other;
// any other has its length before it, as a varint. An empty block is the mark that makes
// routeFn begin every part.

// appendRecord appends an element of a block.
func appendRecord(block, encoded []byte) []byte {
	block = binary.AppendUvarint(block, uint64(len(encoded)))
	return append(block, encoded...)
}

// blockView reads the elements of a block. Elements of a Fixed codec are copied, because the
// block may not be aligned; others are found once and decoded when they are asked for.
type blockView[T any] struct {
	order *Ordering[T]
	block []byte
	fixed []T
	start []int // of each coded element, and the end of the block: its length first
}

// read makes v the view of another block.
func (v *blockView[T]) read(block []byte) error {
	v.block = block
	if l := v.order.layout; l != nil {
		if len(block)%l.size != 0 {
			return fmt.Errorf("a block of %d bytes holds no elements of %d", len(block), l.size)
		}
		v.fixed = sized(v.fixed, len(block)/l.size)
		copy(memory(v.fixed, l.size), block)
		return nil
	}
	v.start = v.start[:0]
	for at := 0; at < len(block); {
		v.start = append(v.start, at)
		n, w := binary.Uvarint(block[at:])
		if w <= 0 || n > uint64(len(block)-at-w) {
			return fmt.Errorf("a block is damaged at byte %d of %d", at, len(block))
		}
		at += w + int(n)
	}
	v.start = append(v.start, len(block))
	return nil
}

// sized returns a slice of n elements, s if it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (v *blockView[T]) len() int {
	if v.order.layout != nil {
		return len(v.fixed)
	}
	return len(v.start) - 1
}

// bytes returns the block of elements lo … hi-1.
func (v *blockView[T]) bytes(lo, hi int) []byte {
	if l := v.order.layout; l != nil {
		return v.block[lo*l.size : hi*l.size]
	}
	return v.block[v.start[lo]:v.start[hi]]
}

// encoded returns the encoding of element i.
func (v *blockView[T]) encoded(i int) []byte {
	record := v.bytes(i, i+1)
	if v.order.layout != nil {
		return record
	}
	_, w := binary.Uvarint(record)
	return record[w:]
}

// element decodes element i.
func (v *blockView[T]) element(i int) (T, error) {
	if v.order.layout != nil {
		return v.fixed[i], nil
	}
	return v.order.codec.Decode(v.encoded(i))
}

// totals are counts and sums of all elements, which must be the same after the sort.
type totals struct {
	Count int64  // elements
	Bytes int64  // of their encodings, without lengths
	Sum   uint64 // of the xxHash64 of each encoding, modulo 2^64
}

func (t *totals) add(encoded []byte) {
	t.Count++
	t.Bytes += int64(len(encoded))
	t.Sum += xxhash.Sum64(encoded)
}

// addFixed adds encodings of one size that follow each other.
func (t *totals) addFixed(encoded []byte, size int) {
	t.Count += int64(len(encoded) / size)
	t.Bytes += int64(len(encoded))
	for at := 0; at < len(encoded); at += size {
		t.Sum += xxhash.Sum64(encoded[at : at+size])
	}
}

func (t *totals) plus(u totals) {
	t.Count += u.Count
	t.Bytes += u.Bytes
	t.Sum += u.Sum
}

func (t totals) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Count))
	dst = binary.AppendUvarint(dst, uint64(t.Bytes))
	return binary.LittleEndian.AppendUint64(dst, t.Sum)
}

// reader takes numbers and byte strings from a message of this package. After an error all
// results are zero.
type reader struct {
	rest []byte
	err  error
}

var errMessage = fmt.Errorf("a message between steps is damaged")

func (r *reader) uvarint() uint64 {
	n, w := binary.Uvarint(r.rest)
	if w <= 0 {
		r.rest, r.err = nil, errMessage
		return 0
	}
	r.rest = r.rest[w:]
	return n
}

func (r *reader) uint64() uint64 {
	b := r.next(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (r *reader) bytes() []byte { return r.next(r.uvarint()) }

func (r *reader) next(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.rest, r.err = nil, errMessage
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) totals() totals {
	return totals{int64(r.uvarint()), int64(r.uvarint()), r.uint64()}
}
