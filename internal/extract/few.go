package extract

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Keys of at most [Few] elements are read one column after the other, into memory of the stack. So
// columns stay as the caller made them, wherever they lie.

// ColumnList is columns that lie in memory in equal distances.
type ColumnList struct{ at stream.Raw }

// ListOf returns the columns with which elements of a type begin.
//
// Sound: callers pass structs whose first field is a Column, or columns.
func ListOf[C any](cols []C) ColumnList { return ColumnList{stream.RawOf(cols)} }

// Len returns the number of columns.
func (l ColumnList) Len() int { return l.at.Len() }

// At returns a column.
func (l ColumnList) At(i int) *Column { return (*Column)(l.at.At(i)) }

// CheckRows panics if a column has fewer than the keys of the rows 0 … n-1, with the call's format of
// a number.
func (l ColumnList) CheckRows(n int, call string, number int) {
	for i := range l.Len() {
		c := l.At(i)
		if _, ok := c.Key.(sliceKey); ok && c.Nulls == NoNulls && n <= c.slice.Len() {
			continue // as below, in a third of the time
		}
		rows, ok := c.rows()
		if _, few := c.holds(n, rows, ok); few != "" {
			panic("sorter: " + fmt.Sprintf(call, number) + " by " + few)
		}
	}
}

// Result is [Result] of the rows 0 … n-1.
func (l ColumnList) Result(n int, into perm.Perm) perm.Perm {
	if into == nil || cap(into) < n {
		return make(perm.Perm, n)
	}
	for i := range l.Len() {
		l.At(i).checkApart(into[:n])
	}
	return into[:n]
}

// FewOf are at most [Few] elements that are numbered.
type FewOf struct {
	Block stream.Raw // the elements, unless Rows is set
	Rows  bool       // elements are their numbers
}

// NullsOf returns a bit for each of the elements numbered by at: 1 if the column's key is null.
func (e FewOf) NullsOf(c *Column, at []uint32) (nulls uint64) {
	if bits := c.bits(); bits != nil && e.Rows {
		return nullsAt(bits, at)
	}
	if e.Rows {
		var numbers [Few]int
		return c.AreNull.nulls(cpu.Hidden(unsafe.Pointer(&numbers)), numberFew(&numbers, at))
	}
	for i, x := range at {
		nulls |= c.AreNull.nulls(cpu.Hidden(e.Block.At(int(x))), 1) << i
	}
	return nulls
}

// InPlace returns the address of the column's keys of the first n elements, none of them null, if they
// lie in memory as they are, and nil if not.
func (e FewOf) InPlace(c *Column, n int) unsafe.Pointer {
	if _, ok := c.Key.(sliceKey); !ok || !e.Rows {
		return nil
	}
	return c.slice.Part(0, n).Data()
}

// KeysOf writes the column's keys of the elements numbered by at, none of them null.
func (e FewOf) KeysOf(c *Column, keys unsafe.Pointer, at []uint32) {
	if !e.Rows {
		e.readEach(c, cpu.Hidden(keys), at)
		return
	}
	switch k := c.Key.(type) {
	case sliceKey:
		gatherKeys(c.kind, keys, c.slice, at)
	case *layoutKey:
		gatherRows(k.Layout, keys, at)
	default:
		var numbers [Few]int
		n := numberFew(&numbers, at)
		c.get.Get(cpu.Hidden(keys), cpu.Hidden(unsafe.Pointer(&numbers)), n, 0, nil)
	}
}

// readEach reads the keys of elements one by one, unless they are consecutive.
//
// Sound: a getter keeps no column.
func (e FewOf) readEach(c *Column, keys unsafe.Pointer, at []uint32) {
	get, size := (*Column)(cpu.Hidden(unsafe.Pointer(c))).getter(), c.kind.Size()
	if n := len(at); n > 0 && Consecutive(at) {
		get.Get(keys, cpu.Hidden(e.Block.Part(int(at[0]), int(at[0])+n).Data()), n, 0, nil)
		return
	}
	for i, x := range at {
		get.Get(unsafe.Add(keys, uintptr(i)*size), cpu.Hidden(e.Block.At(int(x))), 1, 0, nil)
	}
}

// numberFew writes row numbers as elements and returns how many there are.
func numberFew(numbers *[Few]int, at []uint32) int {
	for i, row := range at {
		numbers[i%Few] = int(row)
	}
	return len(at)
}
