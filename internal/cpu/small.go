package cpu

import (
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// SmallLen is the largest number of elements that a [Small] sorts.
const SmallLen = presorted.NearLen

// Small is a workspace for sorting up to [SmallLen] elements on the calling goroutine without
// allocation. Workspaces are pooled; each serves one goroutine at a time.
type Small[C Code] struct {
	Codes []C            // filled by the caller before each call; len == SmallLen
	Index []uint32       // for the caller's use; len == SmallLen
	Near  presorted.Near // for the caller's use

	env     engine.Env
	local   bucket.Worker[C]
	payload []byte

	masks    [SmallLen / 64]uint64 // of countValues
	followed [2]pointersOf         // of the payloads followed last
}

// pointersOf is the answer of [Payload.HasPointers] for one type of elements.
type pointersOf struct {
	by   mover
	some bool
}

var small32, small64 sync.Pool

func smallPool[C Code]() *sync.Pool {
	var c C
	if unsafe.Sizeof(c) == 4 {
		return &small32
	}
	return &small64
}

// GetSmall returns a workspace. [Small.Put] gives it back.
func GetSmall[C Code]() *Small[C] {
	if w, ok := smallPool[C]().Get().(*Small[C]); ok {
		return w
	}
	w := new(Small[C])
	w.local.Env = &w.env
	w.Codes = scratch.Take[C](&w.env.Arena, SmallLen)
	w.Index = scratch.Take[uint32](&w.env.Arena, SmallLen)
	return w
}

// Put gives the workspace back.
func (w *Small[C]) Put() { smallPool[C]().Put(w) }

// Scratch returns the scratch memory of the workspace, in bytes.
func (w *Small[C]) Scratch() int64 { return w.env.Arena.Peak() }

// order returns the order of the first n codes, nil if they are sorted.
func (w *Small[C]) order(n int) []uint32 {
	if n == 0 {
		return nil
	}
	v := presorted.SummaryOf(w.Codes[:n])
	if v.Sorted() {
		return nil
	}
	return w.local.OrderOf(w.Codes[:n], v)
}

// Order writes the order of the first len(index) codes to index, ties in input order.
func (w *Small[C]) Order(index []uint32) {
	if order := w.order(len(index)); order != nil {
		copy(index, order)
		return
	}
	presorted.Forward(index, 0)
}

// Sort sorts the first n codes and returns them. The result may be other memory of w.
func (w *Small[C]) Sort(n int) []C {
	codes := w.Codes[:n]
	if n == 0 {
		return codes
	}
	v := presorted.SummaryOf(codes)
	switch {
	case v.Sorted():
		return codes
	case v.Reversed(n):
		slices.Reverse(codes)
		return codes
	case w.sortFew(codes, v):
		return codes
	}
	return w.local.Sort(codes, v.Min, v.Span())
}

// Codes of which one in leastTiedCodes ties with its predecessor may have few values. Up to mostValues are counted, each
// of which a share of 1/rareValue of the codes has (EPYC, 2 processors, 2026-11: 1000 int64 of two values 1.5
// instead of 4.6 ns; bench/results/constants.md). With AVX-512 splits take less time.
const leastTiedCodes, mostValues, rareValue = 5, 4, 16

// countValues sorts codes of few values; false, with nothing moved, if there are more, or a rare one.
func (w *Small[C]) countValues(codes []C, v presorted.Summary[C]) bool {
	var values [mostValues]C
	var ends [mostValues + 1]int
	value, n := v.Min, len(codes)
	for k := range values {
		values[k], ends[k+1] = value, n
		if value < v.Max {
			ends[k+1] = loops.UpTo(w.masks[:], codes, value)
		}
		switch {
		case ends[k+1] == n:
			for i := range k + 1 {
				part := codes[ends[i]:ends[i+1]]
				for j := range part {
					part[j] = values[i]
				}
			}
			return true
		case ends[k+1]-ends[k] < n/rareValue:
			return false
		}
		value = leastAbove(codes, value, v.Max)
	}
	return false
}

// leastAbove returns the least of codes above one of them, which is not the greatest.
func leastAbove[C Code](codes []C, one, greatest C) C {
	least := greatest - one - 1
	for _, c := range codes { // without branches: the difference of codes up to one wraps around
		least = min(least, c-one-1)
	}
	return one + 1 + least
}

// MoveSmall sorts s by the codes in w, ties in input order.
func MoveSmall[C Code](w *Small[C], s Payload) {
	if order := w.order(s.n); order != nil {
		w.follow(s, order)
	}
}

// MovePairsSmall sorts keys and values by the codes of the keys in w, ties in input order.
func MovePairsSmall[C Code](w *Small[C], keys, values Payload) {
	if order := w.order(keys.n); order != nil {
		copy(w.Index, order)
		FollowSmall(w, keys, values)
	}
}

// FollowSmall moves pair w.Index[i] to place i, for all i. It overwrites w.Index.
func FollowSmall[C Code](w *Small[C], keys, values Payload) {
	index := w.Index[:keys.n]
	again := w.local.Places(keys.n)
	copy(again, index)
	w.follow(keys, index)
	w.follow(values, again)
}

// holdsPointers is [Payload.HasPointers]. A call of that takes 15 ns.
func (w *Small[C]) holdsPointers(s Payload) bool {
	for i := range w.followed {
		if w.followed[i].by == s.by {
			return w.followed[i].some
		}
	}
	w.followed[1] = w.followed[0]
	w.followed[0] = pointersOf{s.by, s.HasPointers()}
	return w.followed[0].some
}

// follow moves the elements of s to their places, see [Payload.FollowCycles].
func (w *Small[C]) follow(s Payload, order []uint32) {
	move := s.by
	if w.holdsPointers(s) {
		move.cycles(s.data, order[:s.n])
		return
	}
	size := s.bytes()
	if len(w.payload) < size+8 {
		w.payload = scratch.Take[byte](&w.env.Arena, 2*size+8)
	}
	// Sound: s holds no pointers, scratch memory is aligned for any such elements, and
	// size bytes fit.
	payload := unsafe.Pointer(unsafe.SliceData(w.payload))
	move.Copy(payload, s.data, s.n)
	move.Gather(s.data, payload, s.n, order[:s.n], false)
}
