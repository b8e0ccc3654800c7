package cpu

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/fetch"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Payload is a slice of elements without its static type; the mover has it. Generic code is
// compiled once per element type, so only the loops that move single elements are generic. The
// four words of a Payload stay in registers.
type Payload struct {
	by   mover
	data unsafe.Pointer
	n    int
}

// PayloadOf returns s as a payload.
func PayloadOf[E any](s []E) Payload {
	return Payload{(*elements[E])(nil), unsafe.Pointer(unsafe.SliceData(s)), len(s)}
}

// plain returns p as a [stream.Plain].
func (p Payload) plain() stream.Plain { return stream.PlainAt(p.by, p.data, p.n) }

// Slice returns the elements of p, which must be of type E.
func Slice[E any](p Payload) []E {
	// Sound: the memory of p is a []E of that length, as callers guarantee.
	return unsafe.Slice((*E)(p.data), p.n)
}

// Len returns the number of elements.
func (p Payload) Len() int { return p.n }

// Type returns the type of the elements.
func (p Payload) Type() reflect.Type { return p.by.Type() }

// Size returns the bytes of an element.
func (p Payload) Size() uintptr { return p.by.Size() }

// Data returns the address of the first element; nil if the slice is nil.
func (p Payload) Data() unsafe.Pointer { return p.data }

// HasPointers reports whether elements contain pointers.
func (p Payload) HasPointers() bool { return scratch.HoldsPointers(p.Type()) }

// elements returns p for moves.
func (p Payload) elements() presorted.Elements {
	return presorted.Elements{By: p.by, Data: p.data, N: p.n}
}

// Raw returns the memory of p.
func (p Payload) Raw() stream.Raw { return stream.RawAt(p.data, p.Size(), p.n) }

// Part returns the elements [lo, hi).
func (p Payload) Part(lo, hi int) Payload {
	part := p.Raw().Part(lo, hi)
	return Payload{p.by, part.Data(), part.Len()}
}

// First returns the first n elements. It does not call the mover.
func (p Payload) First(n int) Payload {
	if uint(n) > uint(p.n) {
		panic("cpu: part of a payload out of range")
	}
	return Payload{p.by, p.data, n}
}

// From returns the elements from lo on.
func (p Payload) From(lo int) Payload { return p.Part(lo, p.n) }

// Take takes scratch for n elements of the type of p.
func (p Payload) Take(a *scratch.Arena, n int) Payload {
	p.data, p.n = a.TakeOf(p.Type(), n), n
	return p
}

// Give gives memory from Take back. p may be a part of it.
func (p Payload) Give(a *scratch.Arena, workers int) { a.GiveBack(p.data, workers) }

// Copy copies src to p. It panics unless the lengths are equal.
func (p Payload) Copy(src Payload) {
	if p.n != src.n {
		panic("cpu: copy between payloads of different lengths")
	}
	p.by.Copy(p.data, src.data, p.n)
}

// Clear sets all elements to zero.
func (p Payload) Clear() { p.by.clear(p.data, p.n) }

// Gather sets p[i] = src[index[i]]. len(index) >= p.Len().
func (p Payload) Gather(src Payload, index []uint32) {
	p.by.Gather(p.data, src.data, src.n, index[:p.n], false)
}

// GatherPast is [Payload.Gather]. If src exceeds the caches, it stores whole lines past them
// (16 cores of a Xeon 2023, 2026-11: 20.2 instead of 24.9 ms for 24 million 24-byte elements;
// bench/results/constants.md).
func (p Payload) GatherPast(src Payload, index []uint32) {
	p.by.Gather(p.data, src.data, src.n, index[:p.n], stream.Past(src.bytes()))
}

// CopyPast copies src to p from lo on. If p exceeds the caches, it stores whole lines past
// them.
func (p Payload) CopyPast(lo int, src Payload) {
	dst := p.Part(lo, lo+src.n)
	if stream.Past(p.bytes()) && !p.HasPointers() {
		stream.CopyLines(dst.Bytes(), src.Bytes())
	} else {
		dst.Copy(src)
	}
}

// FollowCycles sets p[i] = p[order[i]] for all i, in place, along the cycles of order. It
// overwrites order. len(order) >= p.Len().
func (p Payload) FollowCycles(order []uint32) {
	if p.n > 1 {
		p.by.cycles(p.data, order[:p.n])
	}
}

// Swap exchanges elements i and j.
func (p Payload) Swap(i, j int) {
	if i != j {
		p.by.Exchange(p.Part(i, i+1).data, p.Part(j, j+1).data, 1)
	}
}

// Exchange swaps the elements of p with those of q, the first with the last. q has as many.
func (p Payload) Exchange(q Payload) {
	if p.n > 0 && p.n == q.n {
		p.by.Exchange(p.data, q.data, p.n)
	}
}

// Few is the largest length that FollowFew accepts.
const Few = 16

// From leastThroughStack elements of at most mostThroughStack bytes on FollowFew moves them through the stack,
// whose memory takes as long to clear as fewer or larger ones take to move in place. EPYC, 2026-11: up to 35 %.
const (
	leastThroughStack = 9
	mostThroughStack  = 32
)

// FollowFew is [Payload.FollowCycles] for at most [Few] elements.
func (p Payload) FollowFew(order *[Few]uint32) {
	// Sound: movers keep nothing, and order has as many numbers.
	numbers := Hidden(unsafe.Pointer(order))
	if p.n < leastThroughStack || !p.by.few(p.data, numbers, p.n) {
		p.by.cycles(p.data, at[uint32](numbers, p.n))
	}
}

// Apply is [perm.Apply]. It is for sorts under a memory limit, in programs that call [LinkApply].
func (p Payload) Apply(index perm.Perm, workers int) { (*linkedApply.Load())(p, index, workers) }

// linkedApply is [applyBy] in programs that call [LinkApply]; nil in others, which are 9 KB smaller per type
// of elements: the linker drops methods that no interface calls.
var linkedApply atomic.Pointer[func(p Payload, index perm.Perm, workers int)]

var applyBy = func(p Payload, index perm.Perm, workers int) { p.by.apply(p.data, p.n, index, workers) }

// LinkApply makes [Payload.Apply] part of the program. It comes before a call of that.
func LinkApply() {
	if linkedApply.Load() == nil { // calls of several goroutines then only read
		linkedApply.Store(&applyBy)
	}
}

// ApplyBytes returns the scratch memory of Apply, in bytes.
func (p Payload) ApplyBytes() int64 { return perm.ApplyBytes(p.n, p.Size()) }

// bytes returns the size of all elements, in bytes.
func (p Payload) bytes() int { return p.n * int(p.Size()) }

// Bytes returns the memory of elements without pointers.
func (p Payload) Bytes() []byte {
	// Sound: the memory of p is that long. Its elements hold no pointers, so any byte may be
	// read and written.
	return unsafe.Slice((*byte)(p.data), p.bytes())
}

// lines returns 64-byte elements as lines.
func (p Payload) lines() [][64]byte {
	// Sound: the memory of p is that long; lines are moved by stream.Lines alone.
	return unsafe.Slice((*[64]byte)(p.data), p.n)
}

// takeAligned takes scratch for elements of the type of p, to partition into.
func (p Payload) takeAligned(env *engine.Env, m scratch.Memory) Payload {
	p.n = m.Len(p.Size())
	p.data = stream.TakeOf(&env.Arena, p.Type(), p.n)
	return p
}

// take takes scratch for elements of the type of p.
func (p Payload) take(env *engine.Env, m scratch.Memory) Payload {
	return p.Take(&env.Arena, m.Len(p.Size()))
}

// mover moves elements of one type: n of them from an address on. Its methods are all the
// functions of this package that are compiled for every element type.
type mover interface {
	presorted.Mover
	clear(p unsafe.Pointer, n int)
	few(p unsafe.Pointer, order unsafe.Pointer, n int) bool
	cycles(p unsafe.Pointer, order []uint32)
	apply(p unsafe.Pointer, n int, index perm.Perm, workers int)
	placers() (placer[uint32], placer[uint64])
	gatherSlices(dst unsafe.Pointer, slices []unsafe.Pointer, words []uint64)
}

// elements is the mover of elements of type E. Movers are nil pointers, since an interface
// calls pointer methods; value methods would be compiled twice. None is inlined, for the same
// reason.
//
// Its methods are sound if the addresses hold n elements of type E. Payloads are made by
// PayloadOf or from memory taken for the same type.
type elements[E any] struct{}

func at[E any](p unsafe.Pointer, n int) []E { return unsafe.Slice((*E)(p), n) }

//go:noinline
func (*elements[E]) Size() uintptr { return unsafe.Sizeof(*new(E)) }

//go:noinline
func (*elements[E]) Type() reflect.Type { return reflect.TypeFor[E]() }

//go:noinline
func (*elements[E]) Copy(dst, src unsafe.Pointer, n int) { copy(at[E](dst, n), at[E](src, n)) }

//go:noinline
func (*elements[E]) clear(p unsafe.Pointer, n int) { clear(at[E](p, n)) }

//go:noinline
func (*elements[E]) Exchange(front, back unsafe.Pointer, n int) {
	a, b := at[E](front, n), at[E](back, n)
	for i := range a {
		j := len(b) - 1 - i
		a[i], b[j] = b[j], a[i]
	}
}

//go:noinline
func (*elements[E]) Gather(dst, src unsafe.Pointer, n int, index []uint32, past bool) {
	to, from := at[E](dst, len(index)), at[E](src, n)
	if past {
		done := stream.GatherLines(to, from, index, fetch.Pays(from))
		to, index = to[done:], index[done:]
	}
	fetch.Gather(to, from, index)
}

// few is FollowFew through the stack; false, with nothing moved, if elements are too large.
//
//go:noinline
func (*elements[E]) few(p, order unsafe.Pointer, n int) bool {
	if unsafe.Sizeof(*new(E)) > mostThroughStack {
		return false
	}
	old := make([]E, Few)
	s, index := at[E](p, n), at[uint32](order, n)
	copy(old, s)
	for i, x := range index {
		s[i] = old[x%Few]
	}
	return true
}

//go:noinline
func (*elements[E]) cycles(p unsafe.Pointer, order []uint32) {
	s := at[E](p, len(order))
	for i := range s {
		next := order[i]
		if next == uint32(i) {
			continue
		}
		first, at := s[i], uint32(i)
		for next != uint32(i) {
			s[at] = s[next]
			order[at] = at
			at, next = next, order[next]
		}
		s[at] = first
		order[at] = at
	}
}

//go:noinline
func (*elements[E]) apply(p unsafe.Pointer, n int, index perm.Perm, workers int) {
	perm.Apply(at[E](p, n), index, workers)
}

//go:noinline
func (*elements[E]) placers() (placer[uint32], placer[uint64]) {
	return (*placing[E, uint32])(nil), (*placing[E, uint64])(nil)
}

// Hidden returns p, hidden from escape analysis. So memory of the stack may be passed to a
// function that is not known at compile time.
//
// Sound if the callee does not keep p and the memory outlives the call. The stack cannot move
// here, where nothing is called. A caller has the result as a pointer, which is adjusted when
// the stack moves. Inlined, the result would be an integer to the compiler, and would not be.
//
//go:nosplit
//go:noinline
func Hidden(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
