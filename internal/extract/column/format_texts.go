package column

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// arena is the format of texts that lie one after the other: row i has the bytes from offset i up to
// offset i+1.
type arena[O uint32 | uint64] struct {
	data    string
	offsets []O
}

// Arena returns the format of texts in an arena. Offsets are those of one more than the rows, or none.
func Arena[O uint32 | uint64](data []byte, offsets []O) Format {
	return &arena[O]{stringOf(data), offsets}
}

func (a *arena[O]) Kind() sortkey.Kind { return sortkey.String }

func (a *arena[O]) Len() int { return max(0, len(a.offsets)-1) }

func (a *arena[O]) overlaps(m stream.Raw) bool {
	return stream.RawOf(a.offsets).Overlaps(m) || stream.RawAt(unsafe.Pointer(unsafe.StringData(a.data)), 1, len(a.data)).Overlaps(m)
}

func (a *arena[O]) Text(row int) string { return a.from(row, a.offsets[row], a.offsets[row+1]) }

// from returns the text of a row between two offsets.
func (a *arena[O]) from(row int, lo, hi O) string {
	if lo > hi || uint64(hi) > uint64(len(a.data)) {
		panic(fmt.Sprintf("sorter: row %d lies at offsets %d to %d of an arena of %d bytes", row, lo, hi, len(a.data)))
	}
	return a.data[lo:hi]
}

func (a *arena[O]) Read(buf unsafe.Pointer, row, n int) unsafe.Pointer {
	keys, ends := sortkey.At[string](buf, n), a.offsets[row+1:row+1+n]
	lo := a.offsets[row]
	for i, hi := range ends {
		keys[i] = a.from(row+i, lo, hi)
		lo = hi
	}
	return buf
}

func (a *arena[O]) Gather(buf unsafe.Pointer, rows []uint32) { gatherArena(a, buf, rows) }

func (a *arena[O]) GatherInts(buf unsafe.Pointer, rows []int) { gatherArena(a, buf, rows) }

func gatherArena[O uint32 | uint64, I rowNumber](a *arena[O], buf unsafe.Pointer, rows []I) {
	keys := sortkey.At[string](buf, len(rows))
	for i, row := range rows {
		keys[i] = a.Text(int(row))
	}
}

// texts are the texts of rows.
type texts interface {
	Text(row int) string
	len() int
	overlaps(m stream.Raw) bool
}

// textRows is the format of texts that are found one by one.
type textRows[T texts] struct{ rows T }

func (t *textRows[T]) Kind() sortkey.Kind { return sortkey.String }

func (t *textRows[T]) Len() int { return t.rows.len() }

func (t *textRows[T]) Text(row int) string { return t.rows.Text(row) }

func (t *textRows[T]) overlaps(m stream.Raw) bool { return t.rows.overlaps(m) }

func (t *textRows[T]) Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer {
	keys := sortkey.At[string](buf, n)
	for i := range keys {
		keys[i] = t.rows.Text(lo + i)
	}
	return buf
}

func (t *textRows[T]) Gather(buf unsafe.Pointer, rows []uint32) { gatherTexts(t.rows, buf, rows) }

func (t *textRows[T]) GatherInts(buf unsafe.Pointer, rows []int) { gatherTexts(t.rows, buf, rows) }

func gatherTexts[T texts, I rowNumber](t T, buf unsafe.Pointer, rows []I) {
	keys := sortkey.At[string](buf, len(rows))
	for i, row := range rows {
		keys[i] = t.Text(int(row))
	}
}

// byteSlices are texts that lie in a slice of byte slices.
type byteSlices [][]byte

func (s byteSlices) len() int { return len(s) }

func (s byteSlices) Text(row int) string { return stringOf(s[row]) }

func (s byteSlices) overlaps(m stream.Raw) bool { return stream.RawOf(s).Overlaps(m) }

// wideOctets are texts of one width that lie one after the other.
type wideOctets struct {
	data  string
	width int
}

func (o wideOctets) len() int { return len(o.data) / o.width }

func (o wideOctets) Text(row int) string { return o.data[row*o.width : (row+1)*o.width] }

func (o wideOctets) overlaps(m stream.Raw) bool {
	return stream.RawAt(unsafe.Pointer(unsafe.StringData(o.data)), 1, len(o.data)).Overlaps(m)
}

// ViewSize is the size in bytes of a view.
const ViewSize = 16

// inView is the largest number of bytes that lie in the view itself.
const inView = 12

// views are texts as Apache Arrow has them in views: the length, and then the bytes themselves, or
// four of them, the number of a buffer and the offset there; numbers of 4 bytes, the lowest first.
type views struct {
	views   []byte
	buffers [][]byte
}

// Views returns the format of texts in views. len(all) is a multiple of ViewSize.
func Views(all []byte, buffers [][]byte) Format { return &views{all, buffers} }

func (v *views) Kind() sortkey.Kind { return sortkey.String }

func (v *views) Len() int { return len(v.views) / ViewSize }

func (v *views) Text(row int) string {
	view := (*[ViewSize]byte)(v.views[ViewSize*row : ViewSize*row+ViewSize])
	n := binary.LittleEndian.Uint32(view[:])
	if n <= inView {
		return unsafe.String(&view[4], int(n)) // sound: these bytes are in the view
	}
	buffer, lo := binary.LittleEndian.Uint32(view[8:]), uint64(binary.LittleEndian.Uint32(view[12:]))
	if int64(buffer) >= int64(len(v.buffers)) || lo+uint64(n) > uint64(len(v.buffers[buffer])) {
		panic(fmt.Sprintf("sorter: row %d lies at offset %d of buffer %d with %d bytes, past the buffers", row, lo, buffer, n))
	}
	return stringOf(v.buffers[buffer][lo : lo+uint64(n)])
}

func (v *views) Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer {
	keys := sortkey.At[string](buf, n)
	for i := range keys {
		keys[i] = v.Text(lo + i)
	}
	return buf
}

func (v *views) Gather(buf unsafe.Pointer, rows []uint32) { gatherViews(v, buf, rows) }

func (v *views) GatherInts(buf unsafe.Pointer, rows []int) { gatherViews(v, buf, rows) }

func gatherViews[I rowNumber](v *views, buf unsafe.Pointer, rows []I) {
	keys := sortkey.At[string](buf, len(rows))
	for i, row := range rows {
		keys[i] = v.Text(int(row))
	}
}

func (v *views) overlaps(m stream.Raw) bool {
	if stream.RawOf(v.views).Overlaps(m) {
		return true
	}
	for _, buffer := range v.buffers {
		if stream.RawOf(buffer).Overlaps(m) {
			return true
		}
	}
	return false
}
