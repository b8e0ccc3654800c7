package presorted

import (
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Elements are those of a slice, without their static type; the mover has it.
type Elements struct {
	By   Mover
	Data unsafe.Pointer
	N    int
}

// Mover moves elements of one type: n of them from an address on.
type Mover interface {
	stream.Copier
	// Exchange swaps front[i] with back[n-1-i] for all i.
	Exchange(front, back unsafe.Pointer, n int)
	// Gather sets dst[i] = src[index[i]]; past asks for stores past the caches.
	Gather(dst, src unsafe.Pointer, n int, index []uint32, past bool)
}

// raw returns the memory of e.
func (e Elements) raw() stream.Raw { return stream.RawAt(e.Data, e.By.Size(), e.N) }

// part returns the elements [lo, hi).
func (e Elements) part(lo, hi int) Elements {
	part := e.raw().Part(lo, hi)
	return Elements{e.By, part.Data(), part.Len()}
}

// take takes scratch for n elements of the type of e.
func (e Elements) take(a *scratch.Arena, n int) Elements {
	return Elements{e.By, a.TakeOf(e.By.Type(), n), n}
}

// gather sets e[i] = src[index[i]]. len(index) == e.N.
func (e Elements) gather(src Elements, index []uint32) {
	e.By.Gather(e.Data, src.Data, src.N, index, false)
}

// reverse reverses e on all workers. It takes no scratch and cannot be cancelled.
func (e Elements) reverse(env *engine.Env) error {
	env.Commit()
	half := e.N / 2
	return env.Stage("reverse", half, env.ChunkOf(half), func(_, lo, hi int) {
		front, back := e.part(lo, hi), e.part(e.N-hi, e.N-lo)
		e.By.Exchange(front.Data, back.Data, front.N)
	})
}
