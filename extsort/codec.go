package extsort

import (
	"encoding"
	"errors"
	"fmt"
	"unsafe"
)

// Codec turns elements into bytes and back: those that hold pointers, or vary in length. Its
// methods may be called by several goroutines at a time.
type Codec[E any] interface {
	// Append appends the encoding of e to dst, and returns the longer slice. It keeps neither. It is a
	// [CodecError] if the result does not begin with the bytes of dst.
	Append(dst []byte, e E) ([]byte, error)
	// Decode returns the element of an encoding. The memory of src is reused: an element has to
	// copy the bytes that it keeps.
	Decode(src []byte) (E, error)
}

// CodecError is an error of a [Codec].
type CodecError struct {
	Op    string // append or decode
	Bytes int64  // of the encoding that was to be decoded
	Err   error  // of the codec; of a panic in Decode, its value
}

// Error names the operation.
func (e *CodecError) Error() string {
	if e.Op == "append" {
		return fmt.Sprintf("extsort: codec, append: %v", e.Err)
	}
	return fmt.Sprintf("extsort: codec, %s of %d bytes: %v", e.Op, e.Bytes, e.Err)
}

// Unwrap returns the error of the codec.
func (e *CodecError) Unwrap() error { return e.Err }

// lender is a codec whose elements are their bytes. While they are sorted and merged, elements
// point to the encoded bytes.
type lender[E any] interface {
	Lend(src []byte) E
	Bytes(e E) []byte
	Own(batch []E) // makes what elements point to the caller's
}

// Strings returns the codec of strings. They are copied once when they are appended. [Sorter.All]
// yields copies, which are the caller's: several that follow each other share memory of up to
// 4 KiB. [Sorter.Batches] copies nothing: its strings are valid until the next batch.
func Strings() Codec[string] { return stringCodec{} }

type stringCodec struct{}

func (stringCodec) Append(dst []byte, e string) ([]byte, error) { return append(dst, e...), nil }

func (stringCodec) Decode(src []byte) (string, error) { return string(src), nil }

func (stringCodec) Lend(src []byte) string {
	// Sound: the bytes do not change while the string is in use, see Strings.
	return unsafe.String(unsafe.SliceData(src), len(src))
}

func (stringCodec) Bytes(e string) []byte {
	// Sound: nothing writes to the bytes.
	return unsafe.Slice(unsafe.StringData(e), len(e))
}

func (stringCodec) Own(batch []string) { ownAll(batch) }

// Bytes returns the codec of byte slices. A nil slice comes out as an empty one. Of copies and
// of the slices of batches everything said of [Strings] holds.
func Bytes() Codec[[]byte] { return bytesCodec{} }

type bytesCodec struct{}

func (bytesCodec) Append(dst, e []byte) ([]byte, error) { return append(dst, e...), nil }

func (bytesCodec) Decode(src []byte) ([]byte, error) { return append([]byte{}, src...), nil }

func (bytesCodec) Lend(src []byte) []byte { return src[:len(src):len(src)] }

func (bytesCodec) Bytes(e []byte) []byte { return e }

func (bytesCodec) Own(batch [][]byte) { ownAll(batch) }

// emptyCodec is the codec of elements of no bytes.
type emptyCodec[E any] struct{}

func (emptyCodec[E]) Append(dst []byte, _ E) ([]byte, error) { return dst, nil }

func (emptyCodec[E]) Decode([]byte) (e E, err error) { return e, nil }

func (emptyCodec[E]) Lend([]byte) (e E) { return e }

func (emptyCodec[E]) Bytes(E) []byte { return nil }

func (emptyCodec[E]) Own([]E) {}

// ownedBytes is the memory that copies of elements share.
const ownedBytes = 4 << 10

// ownAll replaces elements by copies. Elements of up to a quarter of ownedBytes share memory.
func ownAll[T string | []byte](batch []T) {
	for len(batch) > 0 {
		n, bytes := 0, 0
		for n < len(batch) && (n == 0 || bytes+len(batch[n]) <= ownedBytes) {
			bytes += len(batch[n])
			n++
		}
		shared := make([]byte, 0, bytes)
		for i, e := range batch[:n] {
			from := len(shared)
			shared = append(shared, e...)
			copied := shared[from:len(shared):len(shared)]
			// Sound: nothing writes to the bytes of a string, and a byte slice is one.
			switch to := any(&batch[i]).(type) {
			case *string:
				*to = unsafe.String(unsafe.SliceData(copied), len(copied))
			case *[]byte:
				*to = copied
			}
		}
		batch = batch[n:]
	}
}

// Binary returns the codec of elements whose type has the methods of [encoding.BinaryAppender]
// and [encoding.BinaryUnmarshaler], such as time.Time and netip.Addr. UnmarshalBinary has to
// copy the bytes that it keeps, as its documentation demands.
func Binary[E any, P interface {
	*E
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}]() Codec[E] {
	return binaryCodec[E, P]{}
}

type binaryCodec[E any, P interface {
	*E
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}] struct{}

func (binaryCodec[E, P]) Append(dst []byte, e E) ([]byte, error) { return P(&e).AppendBinary(dst) }

func (binaryCodec[E, P]) Decode(src []byte) (e E, err error) {
	err = P(&e).UnmarshalBinary(src)
	return e, err
}

// errEnded reports a codec that ended the goroutine of a writer.
var errEnded = &CodecError{Op: "decode", Err: errors.New("runtime.Goexit was called")}

// decodeAll calls step, which decodes elements, and returns its error. A panic of the codec is
// one as well: some elements are decoded on goroutines that are not the caller's. at points to
// the length of the encoding in hand.
func decodeAll(at *int, step func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		var cause error
		switch v := recover().(type) {
		case nil:
			return // Goexit goes on
		case error:
			cause = fmt.Errorf("panic: %w", v)
		default:
			cause = fmt.Errorf("panic: %v", v)
		}
		err = &CodecError{"decode", int64(*at), cause}
	}()
	err = step()
	done = true
	return err
}
