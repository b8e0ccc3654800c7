package scratch

import "fmt"

// Area counts memory before an [Arena] takes it. The function that lays out a workspace
// describes its memory to an area, and the workspace takes its memory by the same
// descriptions. So an estimate and its takes cannot differ. A nil area counts nothing: it is
// for taking a workspace, without the memory that others take inside of it.
type Area struct{ bytes int64 }

// Bytes bounds the bytes that an arena holds for all laid out memory, at most [TooLarge].
func (a *Area) Bytes() int64 { return a.bytes }

// Hold counts bytes <= TooLarge, as [Arena.Hold] does.
func (a *Area) Hold(bytes int64) {
	if a != nil {
		a.bytes = min(a.bytes+bytes, TooLarge)
	}
}

// Memory describes memory that an area has counted: n elements of one size.
type Memory struct {
	n    int
	size uintptr
}

// Memory lays out the memory of [Take] for n >= 0 elements of the given size.
func (a *Area) Memory(n int, size uintptr) Memory { return a.MemoryEach(1, n, size) }

// MemoryEach is Memory for a number of equal takes. It returns the memory of each.
func (a *Area) MemoryEach(times, n int, size uintptr) Memory {
	if a != nil {
		a.hold(times, Size(n, size))
	}
	return Memory{n, size}
}

// Aligned is Memory for [TakeAligned].
func (a *Area) Aligned(n int, size uintptr) Memory {
	if a != nil {
		a.Hold(AlignedSize(n, size))
	}
	return Memory{n, size}
}

// Shares lays out the takes that [Shares] bounds.
func (a *Area) Shares(n, parts, largest int, size uintptr) {
	if a != nil {
		a.Hold(Shares(n, parts, largest, size))
	}
}

// Times lays out a number of equal workspaces that exist at once; layOut lays out one.
func (a *Area) Times(times int, layOut func()) {
	if a != nil {
		a.hold(times, a.alone(layOut))
	}
}

// Either lays out alternatives: one of them is taken, or one after another, each after the
// one before it gave its memory back.
func (a *Area) Either(ways ...func()) {
	if a == nil {
		return
	}
	most := int64(0)
	for _, layOut := range ways {
		most = max(most, a.alone(layOut))
	}
	a.Hold(most)
}

// alone returns the bytes that layOut counts, and does not count them.
func (a *Area) alone(layOut func()) int64 {
	before := a.bytes
	a.bytes = 0
	layOut()
	bytes := a.bytes
	a.bytes = before
	return bytes
}

// hold counts a number of blocks of bytes.
func (a *Area) hold(times int, bytes int64) {
	if times > 0 && bytes > TooLarge/int64(times) {
		a.Hold(TooLarge)
		return
	}
	a.Hold(int64(times) * bytes)
}

// Len returns the number of elements. It panics if size is not theirs.
func (m Memory) Len(size uintptr) int { return m.Part(m.n, size) }

// Part returns n, the number of elements that are taken of m. It panics if m has fewer, or
// elements of another size: the estimate would be too small.
//
// No input reaches the panic. Sizes come from types. Len passes the n of m itself. Other
// callers pass numbers that follow from lengths and loop counts, never from the outcome of a
// comparison, which contradicts another if keys change meanwhile:
//   - samples, buckets and tiles follow from the number of pairs, used cells from the constant
//     number of counters;
//   - a layout is a permutation, so at most all elements are copied aside;
//   - a search for a layout begins with at most as many counted falls as it has memory for,
//     drops falls beyond that count, and returns before it takes memory for more strays than
//     it admits. Its runs, spans and segments are bounded by falls and strays.
func (m Memory) Part(n int, size uintptr) int {
	if n > m.n || n > 0 && size != m.size {
		panic(fmt.Sprintf("sorter: scratch for %d elements of %d bytes, in memory for %d of %d", n, size, m.n, m.size))
	}
	return n
}
