package column

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// OnStack is a number of keys whose stack buffer is cleared in negligible time.
const OnStack = 16

// Keys of at most [OnStack] elements are read one column after the other, into memory of the stack. So
// columns stay as the program made them, wherever they lie.

// SpecList is specs that lie in memory in equal distances.
type SpecList struct{ at stream.Raw }

// ListOf returns specs.
func ListOf(specs []Spec) SpecList { return ListIn(stream.RawOf(specs)) }

// ListIn returns the specs with which elements begin.
func ListIn(all stream.Raw) SpecList { return SpecList{all} }

// Len returns the number of columns.
func (l SpecList) Len() int { return l.at.Len() }

// At returns a column.
func (l SpecList) At(i int) *Spec { return (*Spec)(l.at.At(i)) }

// OrderOf returns memory for the order of the rows 0 … n-1: that of into if its capacity suffices. It panics
// if a column was not made or has fewer keys, or if into overlaps one.
func (l SpecList) OrderOf(n int, into perm.Perm) perm.Perm {
	if into == nil || cap(into) < n {
		into = make(perm.Perm, n)
	}
	p := into[:n]
	for i := range l.Len() {
		c := l.At(i)
		if keys, ok := c.Slice(); !ok || c.flags&bitsFlag != 0 || n > keys.Len() || keys.Overlaps(stream.RawOf(p)) {
			c.checkRows(n)
			c.checkApart(p)
		}
	}
	return p
}

// checkRows panics if a column was not made or has fewer keys than the rows 0 … n-1.
func (s *Spec) checkRows(n int) {
	CheckMade(unsafe.Slice(s, 1))
	if s.nulls != nil && s.bits() == nil && !s.ends(n) {
		return
	}
	if _, few := s.Lacks(n, nil); few != "" {
		panic(fmt.Sprintf("sorter: order of %d rows by %s", n, few))
	}
}

// ends reports whether the column has its keys in memory and fewer than n.
func (s *Spec) ends(n int) bool {
	rows, ok := s.Rows()
	return ok && n > rows
}

// FewOf are elements that are numbered. A method is called for at most [OnStack] of them. Their numbers
// ascend, unless Rows is set.
type FewOf struct {
	Block stream.Raw // the elements, unless Rows is set
	Rows  bool       // elements are their numbers
}

// NullsOf returns a bit for each of the elements numbered by at: 1 if the column's key is null.
func (e *FewOf) NullsOf(c *Spec, at []uint32) (nulls uint64) {
	if !e.Rows {
		return e.nullsIn(c.AreNull(), at)
	}
	return NullsAt(c.AreNull(), at)
}

// nullsIn is NullsOf of elements in Block.
func (e *FewOf) nullsIn(areNull NullGetter, at []uint32) (nulls uint64) {
	if lo, hi := spanOf(at); hi-lo == len(at) {
		return areNull.Nulls(cpu.Hidden(e.Block.Part(lo, hi).Data()), hi-lo)
	}
	for i, x := range at {
		nulls |= areNull.Nulls(cpu.Hidden(e.Block.At(int(x))), 1) << i
	}
	return nulls
}

// spanOf returns the range of numbers that ascend.
func spanOf(at []uint32) (lo, hi int) { return int(at[0]), int(at[len(at)-1]) + 1 }

// InPlace returns the column's keys by the numbers of elements, if they lie in memory so.
func (e *FewOf) InPlace(c *Spec) (keys stream.Raw, ok bool) {
	if !e.Rows {
		return keys, false
	}
	return c.Slice()
}

// KeysOf writes the column's keys of the elements numbered by at, none of them null, to the first places
// of keys.
func (e *FewOf) KeysOf(c *Spec, keys stream.Raw, at []uint32) {
	switch get := c.get.(type) {
	case *formatKey:
		if e.Rows {
			GatherRows(get.Format, keys.Data(), at)
			return
		}
	case sliceAt:
		e.gather(c, keys, at)
		return
	}
	switch lo, hi := spanOf(at); {
	case e.Rows:
		getNumbered(c.get, keys, at)
	case hi-lo == len(at):
		c.get.Get(cpu.Hidden(keys.Data()), cpu.Hidden(e.Block.Part(lo, hi).Data()), len(at), 0, nil)
	default:
		e.read(c, keys, at)
	}
}

// gather is KeysOf of a slice, by elements that are row numbers.
func (e *FewOf) gather(c *Spec, keys stream.Raw, at []uint32) {
	from, _ := c.Slice()
	if e.Rows {
		gatherKeys(c.Kind(), keys.Data(), from, at)
		return
	}
	var numbers [OnStack]int
	rows := stream.SliceOf[int](e.Block)
	for i, x := range at {
		numbers[i%OnStack] = rows[x]
	}
	gatherKeys(c.Kind(), keys.Data(), from, numbers[:len(at)])
}

// getNumbered reads the keys of row numbers.
func getNumbered(get Getter, keys stream.Raw, at []uint32) {
	var numbers [OnStack]int
	for i, row := range at {
		numbers[i%OnStack] = int(row)
	}
	get.Get(cpu.Hidden(keys.Data()), cpu.Hidden(unsafe.Pointer(&numbers)), len(at), 0, nil)
}

// read is KeysOf of elements in Block that are not consecutive. A call of the getter takes as long as the keys
// of several elements: those between the ones that are meant are skipped as nulls are.
func (e *FewOf) read(c *Spec, keys stream.Raw, at []uint32) {
	hi, to, n, size := int(at[len(at)-1])+1, cpu.Hidden(keys.Data()), len(at), c.Kind().Size()
	if hi <= keys.Len() && hi < 4*n {
		skipped := ^uint64(0)
		for _, x := range at {
			skipped &^= 1 << x
		}
		c.get.Get(to, cpu.Hidden(e.Block.Data()), hi, skipped, nil)
		gatherKeys(c.Kind(), keys.Data(), keys, at) // in place: at[i] >= i
		return
	}
	for i, x := range at {
		c.get.Get(unsafe.Add(to, uintptr(i)*size), cpu.Hidden(e.Block.At(int(x))), 1, 0, nil)
	}
}
