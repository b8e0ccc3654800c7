package column

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
	// Read returns the address of the keys of rows lo … lo+n-1: where they lie, or buf.
	Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer
	// Gather writes the keys of rows to buf, GatherInts of rows that are elements.
	Gather(buf unsafe.Pointer, rows []uint32)
	GatherInts(buf unsafe.Pointer, rows []int)
	// overlaps reports whether keys or offsets share memory with m.
	overlaps(m stream.Raw) bool
}

// TextFormat is a format of strings.
type TextFormat interface {
	Format
	Text(row int) string
}

// inOneSlice are formats of keys that lie in a slice.
type inOneSlice interface{ slice() stream.Raw }

// rowComparator returns the comparison of two rows by the keys of a format, of one kind, whose type
// has the layout of K.
func rowComparator[K sortkey.Key](l Format, o sortkey.Order) func(a, b int) int {
	compare := sortkey.Comparator[K](o)
	if in, ok := l.(inOneSlice); ok {
		keys := stream.SliceOf[K](in.slice())
		return func(a, b int) int { return compare(keys[a], keys[b]) }
	}
	return func(a, b int) int {
		var keys [2]K
		rows := [2]int{a, b}
		l.GatherInts(cpu.Hidden(unsafe.Pointer(&keys)), hiddenRows(rows[:]))
		runtime.KeepAlive(&rows)
		return compare(keys[0], keys[1])
	}
}

// hiddenRows returns row numbers that may be on the stack: see [cpu.Hidden].
func hiddenRows[I rowNumber](rows []I) []I {
	return unsafe.Slice((*I)(cpu.Hidden(unsafe.Pointer(unsafe.SliceData(rows)))), len(rows))
}

// GatherRows writes the keys of rows to buf. Both may be on the stack.
func GatherRows(l Format, buf unsafe.Pointer, rows []uint32) {
	l.Gather(cpu.Hidden(buf), hiddenRows(rows))
}

// formatKey is the getter of the keys of a format, of elements that are row numbers.
type formatKey struct{ Format }

func (k *formatKey) Get(to, elements unsafe.Pointer, n int, nulls uint64, _ context.Context) int {
	return getRows(k.Format, to, elements, n, nulls)
}

// getRows is [Getter.Get] of row numbers. It writes the zero key for nulls, whose rows are not read: their memory is
// unspecified.
//
// Sound: callers have n row numbers, and room for as many keys.
func getRows(l Format, to, elements unsafe.Pointer, n int, nulls uint64) int {
	rows, kind := unsafe.Slice((*int)(elements), n), l.Kind()
	if nulls == 0 {
		l.GatherInts(to, rows)
		return n
	}
	for i := range rows {
		if key := unsafe.Add(to, uintptr(i)*kind.Size()); nulls>>i&1 != 0 {
			clearKey(kind, key)
		} else {
			l.GatherInts(key, rows[i:i+1])
		}
	}
	return n
}

func (k *formatKey) nullsOf(function unsafe.Pointer) NullGetter { return nullsOfRows(function) }

func (k *formatKey) Comparison(o sortkey.Order) any { return rowsComparator(k.Format, o) }
