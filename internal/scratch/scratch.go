// Package scratch provides the temporary memory of a sort: pooled, accounted, and on huge
// pages if the system has them on request.
//
// A partition writes to a thousand places at a time. On 4 KiB pages most of those writes miss
// the translation cache, and the first touch of fresh pages costs more than the sort itself.
// So buffers are pooled: small ones until the garbage collector empties the pool. Large ones are
// parts of regions, which calls of unlike sizes share, and ask for huge pages. Regions are dropped
// once as much was not in use at a time for 60 to 90 s, or when a longer one is allocated.
package scratch

import (
	"math/bits"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Arena is the memory of one sort, or of a part of it. The zero value is ready. Take and
// Release may be called concurrently.
type Arena struct {
	Outer *Arena // the arena of the whole sort, which also counts this memory; nil if this is it

	mu     sync.Mutex
	blocks []*block     // taken and not yet released
	typed  []typedBlock // memory of types with pointers
	first  [8]*block    // backing array of blocks, enough for most sorts

	used, peak atomic.Int64
}

// typedBlock is memory of a type with pointers.
type typedBlock struct {
	*typed
	n int // elements requested
}

// block is pointer-free memory. A large one is region.words[at:at+len(words)].
type block struct {
	words  []uint64
	region *region
	at     int
}

// pools[c] holds small blocks of 1<<(c-1) words.
var pools [64]sync.Pool

// exact is the size in words from which a block is allocated as requested instead of rounded
// up to a power of two.
const exact = 1 << 17 // 1 MiB

// Take returns n elements that stay valid until the arena is released. Their content is
// undefined, or zero if T holds pointers. All types without pointers share one set of pools.
// Each type with pointers has pools of its own, whose memory Release clears. It panics if
// [Size] reports TooLarge; callers check that first. It may be called concurrently.
func Take[T any](a *Arena, n int) []T {
	// Sound: the memory holds n elements of T.
	return unsafe.Slice((*T)(a.TakeOf(reflect.TypeFor[T](), n)), n)
}

// TakeExact is [Take], except that small memory is not rounded up to a power of two: it is of Go's
// allocator, and neither pooled nor counted by a.
func TakeExact[T any](a *Arena, n int) []T {
	if int64(n)*int64(unsafe.Sizeof(*new(T))) < exact*8 {
		return make([]T, n)
	}
	return Take[T](a, n)
}

// In is [Take] of all elements of m.
func In[T any](a *Arena, m Memory) []T { return Take[T](a, m.Len(unsafe.Sizeof(*new(T)))) }

// PartIn is [Take] of n elements of m, which bounds a number that depends on keys. See
// [Memory.Part].
func PartIn[T any](a *Arena, m Memory, n int) []T {
	return Take[T](a, m.Part(n, unsafe.Sizeof(*new(T))))
}

// TakeOf is [Take] for n elements of type t. Like everything it calls it is not generic, which
// keeps programs small that sort many types.
func (a *Arena) TakeOf(t reflect.Type, n int) unsafe.Pointer {
	switch size := t.Size(); {
	case n == 0:
		return nil
	case size == 0:
		return unsafe.Pointer(&nothing)
	case HoldsPointers(t):
		return a.takeTyped(t, n)
	default:
		// Sound for t, which holds no pointers: the collector need not scan the memory; a
		// []uint64 is aligned for every such type; the length fits.
		return a.take(wordsFor(n, size, 0))
	}
}

// nothing is the address of elements of size zero.
var nothing struct{}

// TakeAligned is [Take] of elements that begin at a cache line. Types with pointers do so in
// large blocks of Go's allocator only.
func TakeAligned[T any](a *Arena, n int) []T {
	return unsafe.Slice((*T)(a.TakeAlignedOf(reflect.TypeFor[T](), n)), n) // sound as in Take
}

// TakeAlignedOf is [TakeAligned] for elements of type t.
func (a *Arena) TakeAlignedOf(t reflect.Type, n int) unsafe.Pointer {
	if n == 0 || HoldsPointers(t) {
		return a.TakeOf(t, n)
	}
	start := a.take(wordsFor(n, t.Size(), line))
	// Sound as in TakeOf: the elements fit after the skipped bytes, fewer than a line.
	return unsafe.Add(start, -uintptr(start)%line)
}

// take returns memory of the given number of words, without pointers.
func (a *Arena) take(words int) unsafe.Pointer {
	b := get(words)
	a.Hold(int64(len(b.words)) * 8)
	a.mu.Lock()
	if a.blocks == nil {
		a.blocks = a.first[:0]
	}
	a.blocks = append(a.blocks, b)
	a.mu.Unlock()
	return unsafe.Pointer(unsafe.SliceData(b.words))
}

// Release gives all memory back to the pools, on up to workers goroutines. No slice returned
// by Take may be used afterwards.
func (a *Arena) Release(workers int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.blocks {
		put(b)
	}
	for _, b := range a.typed {
		b.release(b.n, workers)
	}
	a.blocks, a.typed = nil, nil
	a.first = [8]*block{}
	a.Hold(-a.used.Load())
}

// typed is a slice of a type with pointers, known by reflection.
type typed struct {
	all   reflect.Value // the slice
	start unsafe.Pointer
	bytes int64
	pool  *sync.Pool
}

var typedPools sync.Map // typedPool → *sync.Pool of *typed

// typedPool is a type and a size class, a power of two: one sort takes both large and small
// slices of a type.
type typedPool struct {
	reflect.Type
	class int
}

// takeTyped is TakeOf for types with pointers.
func (a *Arena) takeTyped(t reflect.Type, n int) unsafe.Pointer {
	size, want := int(t.Size()), fit(n, t.Size())
	found, _ := typedPools.LoadOrStore(typedPool{t, bits.Len(uint(want))}, new(sync.Pool))
	pool := found.(*sync.Pool)
	s, ok := pool.Get().(*typed)
	if !ok || s.all.Len() < n || s.all.Len()-s.all.Len()/8 > want {
		all := reflect.MakeSlice(reflect.SliceOf(t), want, want)
		s = &typed{all, all.UnsafePointer(), int64(want) * int64(size), pool}
		if n*size >= exact*8 {
			adviseHuge(s.start, uintptr(n*size))
		}
	}
	a.Hold(s.bytes)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.typed = append(a.typed, typedBlock{s, n})
	return s.start
}

// release clears the first n elements of s, the only ones that may have been written, and
// gives s back to its pool.
func (s *typed) release(n, workers int) {
	s.clear(n, workers)
	s.pool.Put(s)
}

// clear clears the first n elements, in parallel if that pays (Xeon 2023, 2026-11: 1.4 ns per
// string on one core, a tenth of a sort of strings in order).
func (s *typed) clear(n, workers int) {
	const share = 1 << 20 // bytes that justify a goroutine
	workers = max(1, min(workers, n*int(s.all.Type().Elem().Size())/share))
	var wait sync.WaitGroup
	lo := 0
	for ; workers > 1; workers-- {
		part := s.all.Slice(lo, lo+(n-lo)/workers)
		lo += part.Len()
		wait.Go(part.Clear)
	}
	s.all.Slice(lo, n).Clear()
	wait.Wait()
}

// Grow returns s if len(s) >= n. Otherwise it gives s back and takes n elements at least: all that a block of that
// size holds.
func Grow[T any](a *Arena, s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	Give(a, s, 1)
	return Take[T](a, Fit[T](n))
}

// Give gives memory of Take, or a part of it, back before the arena is released.
func Give[T any](a *Arena, s []T, workers int) {
	a.GiveBack(unsafe.Pointer(unsafe.SliceData(s)), workers)
}

// GiveBack is [Give] of the memory that contains start.
func (a *Arena) GiveBack(start unsafe.Pointer, workers int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.typed, func(b typedBlock) bool { return b.start == start }); i >= 0 {
		a.typed[i].release(a.typed[i].n, workers)
		a.Hold(-a.typed[i].bytes)
		a.typed = slices.Delete(a.typed, i, i+1)
		return
	}
	i := slices.IndexFunc(a.blocks, func(b *block) bool {
		offset := uintptr(start) - uintptr(unsafe.Pointer(unsafe.SliceData(b.words)))
		return offset < uintptr(len(b.words))*8
	})
	if i >= 0 {
		b := a.blocks[i]
		a.blocks = slices.Delete(a.blocks, i, i+1)
		a.Hold(-int64(len(b.words)) * 8)
		put(b)
	}
}

// Used returns the bytes held now.
func (a *Arena) Used() int64 { return a.used.Load() }

// Peak returns the most bytes held at once.
func (a *Arena) Peak() int64 { return a.peak.Load() }

// Hold adds bytes, negative to subtract, to the memory of the sort, on behalf of others.
func (a *Arena) Hold(bytes int64) {
	used := a.used.Add(bytes)
	for {
		peak := a.peak.Load()
		if used <= peak || a.peak.CompareAndSwap(peak, used) {
			break
		}
	}
	if a.Outer != nil {
		a.Outer.Hold(bytes)
	}
}

// get returns a block of at least the given number of words: less than twice as many if small,
// at most an eighth more if large. So the memory held is close to the memory requested.
func get(words int) *block {
	size := blockWords(words)
	if size >= exact {
		return takeLarge(size)
	}
	if b, ok := pools[bits.Len(uint(size))].Get().(*block); ok {
		return b
	}
	return &block{words: make([]uint64, size)}
}

// put gives a block back.
func put(b *block) {
	if len(b.words) >= exact {
		giveIdle(b)
		return
	}
	pools[bits.Len(uint(len(b.words)))].Put(b)
}

var pointers sync.Map // reflect.Type → bool

// HasPointers reports whether a T contains pointers.
func HasPointers[T any]() bool { return HoldsPointers(reflect.TypeFor[T]()) }

// HoldsPointers is [HasPointers] of a t.
func HoldsPointers(t reflect.Type) bool {
	if known, ok := pointers.Load(t); ok {
		return known.(bool)
	}
	has := holdsPointers(t)
	pointers.Store(t, has)
	return has
}

func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	default:
		return t.Kind() > reflect.Complex128
	}
}
