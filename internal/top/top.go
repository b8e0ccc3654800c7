// Package top keeps the first k elements of a stream. It does not know the type of elements.
package top

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/small"
)

// Elements are the operations of an [Accumulator] that depend on the type of its elements.
type Elements interface {
	// Make returns new memory for n elements.
	Make(n int) cpu.Payload
	// Put copies the elements of src that at numbers to slots of dst.
	Put(dst cpu.Payload, slots []uint32, src cpu.Payload, at []uint32)
	// Drop clears slots of p.
	Drop(p cpu.Payload, slots []uint32)
	// Compare compares the elements at two addresses by all columns.
	Compare(a, b unsafe.Pointer) int
}

// Accumulator keeps the first k elements of a stream. Equal ones come in the sequence in which they were
// pushed.
//
// Batches are compared with the bound: by a field where it lies, then by the codes of the first word, then,
// where these tie with that of the k-th element, by a comparison. Elements that pass are copied to memory for k
// elements and a block, which is cut to the first k when enough have been added.
//
// Calls of key functions, which may panic, change nothing that is observable. A cut writes after its last call. A
// push collects the numbers of elements that pass, and copies these at its end; where they are too many, it works
// on a copy of what is held.
type Accumulator struct {
	k        int
	of       Elements
	by       *small.Ordering
	options  call.Options // those of the order
	words    []extract.Word
	decisive bool // equal codes mean equal elements
	pointers bool // elements hold pointers
	every    int  // elements that are added between two cuts
	held     held

	env   engine.Env
	input input
	masks [piece / 64]uint64
	*space
}

// space is memory for the elements of a push.
type space struct {
	codes32 [piece]uint32
	codes64 [piece]uint64
	passed  [4 + piece/32]uint32 // the elements of a piece that pass by a field
	found   int                  // elements found: their numbers, their codes, the slots that they are put to
	at      [mostFound]uint32
	codes   [mostFound]uint64
	slots   [mostFound]uint32
}

var spaces = sync.Pool{New: func() any { return new(space) }}

const (
	// piece is the number of elements that are compared with one bound. Their codes stay in the first-level cache.
	piece = 2048
	// mostFound is the number of elements of a push that are collected before they are copied.
	mostFound = 2 * piece
	// leastEvery is the least number of elements that are added between two cuts.
	leastEvery = 256
)

// New returns an accumulator of the first k elements, 0 <= k <= MostK, by the columns of an ordering.
func New(by *small.Ordering, k int, of Elements, o *call.Options) *Accumulator {
	a := &Accumulator{k: k, by: by, of: of, every: max(leastEvery, k)}
	a.options = call.Options{Stable: true, Descending: o.Descending, NaNs: o.NaNs, Workers: o.Workers}
	a.words = extract.Words(by.Columns(), o.Order())
	a.decisive = len(a.words) == 0 || extract.Decisive(a.words)
	a.held.elements = of.Make(0)
	a.pointers = a.held.elements.HasPointers()
	a.held.limit = ^uint64(0)
	if len(a.words) > 0 {
		a.words[0].Open(extract.Input{Len: piece}, &a.env)
	}
	return a
}

// MostK is the largest k.
const MostK = 1<<31 - 1

// K returns how many elements a keeps.
func (a *Accumulator) K() int { return a.k }

// Same reports whether both keep the first of as many elements in one order.
func (a *Accumulator) Same(b *Accumulator) bool {
	return a.k == b.k && a.by == b.by && a.options.Order() == b.options.Order()
}

// Ordering returns the ordering by which a keeps elements.
func (a *Accumulator) Ordering() *small.Ordering { return a.by }

// Push adds the elements of s.
func (a *Accumulator) Push(s cpu.Payload) {
	if a.k == 0 || s.Len() == 0 {
		return
	}
	in := a.begin()
	for lo := 0; lo < s.Len(); lo += piece {
		if in.isFull(lo) {
			in.flush(s, lo)
		}
		part := s.Part(lo, min(lo+piece, s.Len()))
		in.filter(part.Raw(), lo-in.from)
	}
	in.commit(s)
}

// Merge adds the elements that other, of the same ordering, holds.
func (a *Accumulator) Merge(other *Accumulator) {
	if a.k == 0 || len(other.held.codes) == 0 {
		return
	}
	in := a.begin()
	a.takeSpace()
	from := other.held // of a itself, too: elements are put to slots that it does not have
	for lo := 0; lo < len(from.codes); lo += piece {
		if in.isFull(0) {
			in.flush(from.elements, 0)
		}
		hi := min(lo+piece, len(from.codes))
		for i, code := range from.codes[lo:hi] {
			if slot := from.slots[lo+i]; code <= in.limit && in.passes(code, from.elements.Raw().At(int(slot))) {
				a.find(slot, code)
			}
		}
	}
	in.commit(from.elements)
}

// Bound returns the address of the k-th element, nil if fewer are held. It stays there until the next call.
func (a *Accumulator) Bound() unsafe.Pointer {
	if a.k == 0 || len(a.held.codes) < a.k {
		return nil
	}
	a.cut(&a.held)
	return a.held.elements.Raw().At(int(a.held.last))
}

// Cut drops all elements except the first k, and returns their slots and the memory of these.
func (a *Accumulator) Cut() (elements cpu.Payload, slots []uint32) {
	if a.k > 0 && len(a.held.codes) > a.k {
		a.cut(&a.held)
	}
	return a.held.elements, a.held.slots
}

// Options returns the options by which its elements are sorted, for one call.
func (a *Accumulator) Options() call.Options { return a.options }

// input is a push at work.
type input struct {
	a     *Accumulator
	to    *held
	copy  held   // to, where it is not that of the accumulator
	from  int    // the element that the numbers of those found count from
	limit uint64 // no element with a larger code can be among the first k
}

// begin begins a push. The first k are cut off when there are k of them, and then whenever a number of others was added.
func (a *Accumulator) begin() *input {
	if h := &a.held; len(h.codes) >= a.k && !h.full || len(h.codes) >= a.k+a.every {
		a.cut(h)
	}
	a.input = input{a: a, to: &a.held, limit: a.held.limit}
	if a.space != nil { // of a push that panicked
		a.found = 0
	}
	return &a.input
}

// takeSpace takes memory for a piece, unless there is some.
func (a *Accumulator) takeSpace() {
	if a.space == nil {
		a.space = spaces.Get().(*space)
	}
}

// find notes an element that passes.
func (s *space) find(at uint32, code uint64) {
	s.at[s.found], s.codes[s.found] = at, code
	s.found++
}

// isFull reports whether there is no room for the elements of a piece, from number lo on, among those found.
func (in *input) isFull(lo int) bool {
	return in.a.space != nil && in.a.found > mostFound-piece || lo-in.from >= MostK
}

// flush adds the elements found to a copy of those held. Numbers count from lo on after that.
func (in *input) flush(s cpu.Payload, lo int) {
	if in.to == &in.a.held {
		in.copy = in.a.held.clone(in.a.of)
		in.to = &in.copy
	}
	in.add(s)
	if len(in.to.codes) >= in.a.k {
		in.a.cut(in.to)
	}
	in.from, in.limit = lo, in.to.limit
}

// add adds the elements found, which s has.
func (in *input) add(s cpu.Payload) {
	a := in.a
	in.to.limit = in.limit
	if a.space != nil && a.found > 0 {
		in.to.add(a, s.From(in.from))
		a.found = 0
	}
}

// commit adds the elements found to those held, or makes the copy these.
func (in *input) commit(s cpu.Payload) {
	in.add(s)
	if in.to != &in.a.held {
		in.a.held = in.copy
	}
	in.a.end()
}

// end returns the memory of a push.
func (a *Accumulator) end() {
	if a.space != nil {
		spaces.Put(a.space)
		a.space = nil
	}
	a.input = input{}
}
