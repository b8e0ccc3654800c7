package engine

import (
	"unsafe"

	"example.com/sorter/internal/scratch"
)

// Code is the unsigned form of a key.
type Code interface{ uint32 | uint64 }

// Buffers holds a block of codes per worker, taken at first use. The zero value has none.
type Buffers[C Code] struct {
	env  *Env
	own  [][]C
	each scratch.Memory
}

// NewBuffers returns the buffers of the workers of env.
func NewBuffers[C Code](env *Env) Buffers[C] {
	return Buffers[C]{env, make([][]C, max(1, env.Loop.Workers)), SizeBuffers(nil, env.Loop.Workers, unsafe.Sizeof(C(0)))}
}

// SizeBuffers sizes buffers of codes of the given size, and returns the memory of
// each.
func SizeBuffers(a *scratch.Area, workers int, size uintptr) scratch.Memory {
	return a.MemoryEach(max(1, workers), Block, size)
}

// Of returns the buffer of a worker, [Block] codes long; nil if b has none.
func (b Buffers[C]) Of(worker int) []C {
	if b.own == nil {
		return nil
	}
	if b.own[worker] == nil {
		b.own[worker] = scratch.In[C](&b.env.Arena, b.each)
	}
	return b.own[worker]
}

// Give gives all buffers back.
func (b Buffers[C]) Give() {
	for _, own := range b.own {
		if own != nil {
			scratch.Give(&b.env.Arena, own, 1)
		}
	}
}
