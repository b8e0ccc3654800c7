package cpu

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// eager returns memory that exists; lazily takes memory at first use.
func eager[T any](s []T) func() []T { return func() []T { return s } }

func lazily[T any](env *engine.Env, m scratch.Memory) func() []T {
	return sync.OnceValue(func() []T { return takeAligned[T](env, m) })
}

// takeAligned takes memory to partition into.
func takeAligned[T any](env *engine.Env, m scratch.Memory) []T {
	return stream.Take[T](&env.Arena, m.Len(unsafe.Sizeof(*new(T))))
}
