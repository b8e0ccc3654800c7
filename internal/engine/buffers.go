package engine

import "example.com/sorter/internal/scratch"

// Code is the unsigned form of a key.
type Code interface{ uint32 | uint64 }

// Buffers holds a block of codes per worker, taken at first use. The zero value has none.
type Buffers[C Code] struct {
	env *Env
	own [][]C
}

// NewBuffers returns the buffers of the workers of env.
func NewBuffers[C Code](env *Env) Buffers[C] {
	return Buffers[C]{env, make([][]C, max(1, env.Loop.Workers))}
}

// Of returns the buffer of a worker, [Block] codes long; nil if b has none.
func (b Buffers[C]) Of(worker int) []C {
	if b.own == nil {
		return nil
	}
	if b.own[worker] == nil {
		b.own[worker] = scratch.Take[C](&b.env.Arena, Block)
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

// BuffersBytes bounds the scratch memory, in bytes, of buffers of codes of the given size.
func BuffersBytes(workers int, size uintptr) int64 {
	return int64(max(1, workers)) * scratch.Size(Block, size)
}
