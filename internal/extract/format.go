package extract

import (
	"context"
	"runtime"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Format is where the keys of rows lie, by row number. Text of any format is read as strings.
//
// Methods that write keys have room for them at buf, which they do not retain.
type Format interface {
	Kind() sortkey.Kind // of the keys
	Len() int           // number of rows
	// read returns the address of the keys of rows lo … lo+n-1: where they lie, or buf.
	read(buf unsafe.Pointer, lo, n int) unsafe.Pointer
	// gather writes the keys of rows to buf, gatherInts of rows that are elements.
	gather(buf unsafe.Pointer, rows []uint32)
	gatherInts(buf unsafe.Pointer, rows []int)
	// overlaps reports whether keys or offsets share memory with m.
	overlaps(m stream.Raw) bool
}

// textFormat is a format of strings.
type textFormat interface {
	Format
	text(row int) string
}

// rowComparator returns the comparison of two rows by the keys of a format, of one kind, whose type
// has the layout of K.
func rowComparator[K sortkey.Key](l Format, o sortkey.Order) func(a, b int) int {
	compare := sortkey.Comparator[K](o)
	return func(a, b int) int {
		var keys [2]K
		rows := [2]int{a, b}
		l.gatherInts(cpu.Hidden(unsafe.Pointer(&keys)), hiddenRows(rows[:]))
		runtime.KeepAlive(&rows)
		return compare(keys[0], keys[1])
	}
}

// hiddenRows returns row numbers that may be on the stack: see [cpu.Hidden].
func hiddenRows[I rowNumber](rows []I) []I {
	return unsafe.Slice((*I)(cpu.Hidden(unsafe.Pointer(unsafe.SliceData(rows)))), len(rows))
}

// sliceComparator is [rowComparator] of keys that lie in a slice.
func sliceComparator[K sortkey.Key](keys stream.Raw, o sortkey.Order) func(a, b int) int {
	compare, s := sortkey.Comparator[K](o), stream.SliceOf[K](keys)
	return func(a, b int) int { return compare(s[a], s[b]) }
}

// gatherRows writes the keys of rows to buf. Both may be on the stack.
func gatherRows(l Format, buf unsafe.Pointer, rows []uint32) {
	l.gather(cpu.Hidden(buf), hiddenRows(rows))
}

// formatKey is the keys of a format. It is also their getter, of elements that are row numbers.
type formatKey struct{ Format }

func (k *formatKey) inMemory(c *Column) bool { return c.numbered || c.picked != nil }

// Get writes the zero key for nulls, whose rows are not read: their memory is unspecified.
//
// Sound: callers have n row numbers, and room for as many keys.
func (k *formatKey) Get(to, elements unsafe.Pointer, n int, nulls uint64, _ context.Context) int {
	rows, size := unsafe.Slice((*int)(elements), n), k.Kind().Size()
	if nulls == 0 {
		k.gatherInts(to, rows)
		return n
	}
	for i := range rows {
		if key := unsafe.Add(to, uintptr(i)*size); nulls>>i&1 != 0 {
			clearKey(k.Kind(), key)
		} else {
			k.gatherInts(key, rows[i:i+1])
		}
	}
	return n
}

func (k *formatKey) nullsOf(function unsafe.Pointer) nullGetter { return nullsOfRows(function) }

func (k *formatKey) Comparison(o sortkey.Order) any { return rowsComparator(k.Format, o) }

func (k *formatKey) codes32(dst []uint32, b Batch, c *Column) { encodeFormat(dst, b, c, k) }

func (k *formatKey) codes64(dst []uint64, b Batch, c *Column) { encodeFormat(dst, b, c, k) }

// codesOrNull encodes the keys of nulls, too: those of narrow kinds can be read.
func (k *formatKey) codesOrNull(dst []uint64, b Batch, c *Column) (nulls uint64) {
	if !k.inMemory(c) {
		return keyType{}.codesOrNull(dst, b, c)
	}
	nulls, asked := c.NullsOf(b, len(dst))
	if asked == len(dst) {
		encodeFormat(dst, b, c, k)
	}
	return nulls
}

// encodeFormat writes codes of narrow kinds through a buffer of keys.
func encodeFormat[C sortkey.Code](dst []C, b Batch, c *Column, k *formatKey) {
	if !k.inMemory(c) {
		Extract(c.kind, dst, b, c.made.get, c.Order)
		return
	}
	var memory [Piece]uint64
	buf := cpu.Hidden(unsafe.Pointer(&memory))
	for i := 0; i < len(dst); i += Piece {
		codes, keys := dst[i:min(i+Piece, len(dst))], buf
		switch some := b.part(i, i+len(codes)); {
		case c.picked != nil && some.Block.Data() == nil:
			k.gather(buf, (*c.picked)[some.Lo:some.Lo+len(codes)])
		case c.picked != nil:
			k.gatherInts(buf, stream.SliceOf[int](some.Block)[:len(codes)])
		case some.at == nil:
			keys = k.read(buf, some.Lo, len(codes))
		default:
			k.gather(buf, hiddenRows(some.at[:len(codes)]))
		}
		sortkey.EncodeAt(c.kind, codes, keys, c.Order)
	}
	runtime.KeepAlive(&memory) // the compiler does not see that buf is its address
}
