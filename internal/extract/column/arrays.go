package column

import (
	"context"
	"runtime"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/sortkey"
)

// Arrays of bytes of all lengths share one getter and one comparison each, which move and compare bytes. So a length
// adds no code to a program.

// arrayField is [fieldKeys] of arrays.
type arrayField struct{ *Field }

func (g arrayField) field() *Field { return g.Field }

// Get is sound: callers have n elements, and room for as many arrays.
func (g arrayField) Get(to, elements unsafe.Pointer, n int, _ uint64, _ context.Context) int {
	size := int(g.kind.Size())
	keys := sortkey.At[byte](to, n*size)
	for i := range n {
		key := keys[i*size:][:size]
		if p := g.address(unsafe.Add(elements, uintptr(i)*g.size)); p != nil {
			copy(key, sortkey.At[byte](p, size))
		} else {
			clear(key)
		}
	}
	return n
}

func (g arrayField) nullsOf(field unsafe.Pointer) NullGetter { return (*Field)(field) }

func (g arrayField) Comparison(o sortkey.Order) any { return g.comparison(o) }

// comparison is that of elements whose keys are not null.
func (g arrayField) comparison(o sortkey.Order) func(a, b unsafe.Pointer) int {
	return func(a, b unsafe.Pointer) int { return sortkey.CompareAt(g.kind, g.address(a), g.address(b), o) }
}

// arrayComparator is [rowComparator] of arrays.
func arrayComparator(l Format, o sortkey.Order) func(a, b int) int {
	kind := l.Kind()
	if in, ok := l.(inOneSlice); ok {
		keys := in.slice()
		return func(a, b int) int { return sortkey.CompareAt(kind, keys.At(a), keys.At(b), o) }
	}
	return func(a, b int) int {
		var keys [2 * sortkey.MostBytes]byte
		rows := [2]int{a, b}
		at := cpu.Hidden(unsafe.Pointer(&keys))
		l.GatherInts(at, hiddenRows(rows[:]))
		c := sortkey.CompareAt(kind, at, unsafe.Add(at, kind.Size()), o)
		runtime.KeepAlive(&rows)
		runtime.KeepAlive(&keys)
		return c
	}
}
