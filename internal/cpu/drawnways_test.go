package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// element is an element that has a number.
type element[Rest any] struct {
	number uint32
	_      Rest
}

// moveDrawn sorts elements of a type by codes, and returns their numbers.
func moveDrawn[E any](n int, made func(number uint32) E, number func(e E) uint32, sort func(s Payload, size uintptr) error) ([]uint32, error) {
	s := make([]E, n)
	for i := range s {
		s[i] = made(uint32(i))
	}
	err := sort(PayloadOf(s), unsafe.Sizeof(*new(E)))
	order := make([]uint32, n)
	for i, e := range s {
		order[i] = number(e)
	}
	return order, err
}

func ofType[Rest any](n int, sort func(s Payload, size uintptr) error) ([]uint32, error) {
	return moveDrawn(n, func(x uint32) element[Rest] { return element[Rest]{number: x} }, func(e element[Rest]) uint32 { return e.number }, sort)
}

// moveBySize are sorts of elements of several sizes, with pointers and without.
var moveBySize = []func(n int, sort func(s Payload, size uintptr) error) ([]uint32, error){
	func(n int, sort func(s Payload, size uintptr) error) ([]uint32, error) {
		return moveDrawn(n, func(x uint32) uint32 { return x }, func(x uint32) uint32 { return x }, sort)
	},
	ofType[[4]byte], ofType[[8]byte], ofType[[12]byte], ofType[[20]byte], ofType[[28]byte], ofType[[36]byte], ofType[[60]byte], ofType[[96]byte], ofType[[200]byte],
	ofType[[3]byte], ofType[*int], ofType[string],
}

// drawnWay is a sort of codes.
type drawnWay struct {
	name  string
	bound int64 // of its memory
	moves bool  // elements, which stay where they are where it fails
	sort  func(env *engine.Env) ([]uint32, error)
}

// drawWay draws a sort of codes.
func drawWay[C Code](t *testing.T, r *rand.Rand, codes []C, workers int) drawnWay {
	all := waysOf(t, codes, moveBySize[r.IntN(len(moveBySize))], workers)
	return all[r.IntN(len(all))]
}

// waysOf returns the sorts of codes, also of elements by them.
func waysOf[C Code](t *testing.T, codes []C, bySize func(n int, sort func(s Payload, size uintptr) error) ([]uint32, error), workers int) []drawnWay {
	n, code, stable := len(codes), unsafe.Sizeof(C(0)), sync.OnceValue(func() []uint32 { return stableOrder(codes) })
	var size uintptr
	_, _ = bySize(0, func(_ Payload, s uintptr) error { size = s; return nil })
	order := func(ties bool) func(env *engine.Env) ([]uint32, error) {
		return func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			return order, Order(env, n, sourceOf(codes), ties, func(_, lo int, part []uint32, sorted []C) {
				copy(order[lo:], part)
				checkPart(t, codes, lo, n, part, sorted, ties)
			})
		}
	}
	checkKeys := func(keys []C, order []uint32, err error) {
		for i, x := range order {
			if err != nil {
				x = uint32(i)
			}
			if keys[i] != codes[x] {
				t.Errorf("key %d of %d is another, error %v", i, n, err)
				break
			}
		}
	}
	refined := func(cut C) func(env *engine.Env) ([]uint32, error) {
		return func(env *engine.Env) ([]uint32, error) {
			return bySize(n, func(s Payload, _ uintptr) error {
				u := newUntied(t, codes, cut)
				tied, err := MoveRefined[C](env, s, u.source(), u)
				if tied {
					t.Error("the rest of keys is left to the caller")
				}
				return err
			})
		}
	}
	byKeys := func(cut C) func(env *engine.Env) ([]uint32, error) {
		return func(env *engine.Env) ([]uint32, error) {
			order, u := make([]uint32, n), newUntied(t, codes, cut)
			tied, err := OrderByKeys[C](env, n, u.source(), u, func(_, lo int, part []uint32, _ []C) { copy(order[lo:], part) })
			if tied {
				t.Error("the rest of keys is left to the caller")
			}
			return order, err
		}
	}
	keys := func(flip C) func(env *engine.Env) ([]uint32, error) {
		return func(env *engine.Env) ([]uint32, error) {
			own, order := flipped(codes, flip), slices.Clone(stable())
			err := flippedKeys(own, flip).Sort(env)
			checkKeys(flipped(own, flip), order, err)
			return order, err
		}
	}
	const cut = 1<<20 - 1
	return []drawnWay{
		{"order", OrderBytes(n, workers, code), false, order(false)},
		{"order with ties", OrderBytes(n, workers, code), false, order(true)},
		{fmt.Sprint("move ", size), MoveBytes(n, workers, size, code), true, func(env *engine.Env) ([]uint32, error) {
			return bySize(n, func(s Payload, _ uintptr) error { return Move(env, s, sourceOf(codes)) })
		}},
		{fmt.Sprint("pairs ", size), SortPairsBytes(n, workers, size, code), true, func(env *engine.Env) ([]uint32, error) {
			keys := slices.Clone(codes)
			order, err := bySize(n, func(s Payload, _ uintptr) error { return SortPairs(env, drawnKeys(keys), s) })
			checkKeys(keys, order, err)
			return order, err
		}},
		{"in place", InPlaceBytes(n, code), false, func(env *engine.Env) ([]uint32, error) {
			order := make([]uint32, n)
			sorted, err := OrderInPlace(env, order, sourceOf(codes))
			if err == nil {
				checkKeys(sorted, order, nil)
			}
			return order, err
		}},
		{fmt.Sprint("refined ", size), MoveRefinedBytes(n, workers, size, code, 0), true, refined(0)},
		{fmt.Sprint("refined, finer codes ", size), MoveRefinedBytes(n, workers, size, code, 0), true, refined(cut)},
		{"by keys", OrderBytes(n, workers, code), false, byKeys(0)},
		{"by keys, finer codes", OrderBytes(n, workers, code), false, byKeys(cut)},
		{"keys", KeysBytes(n, workers, code), false, keys(0)},
		{"keys with other bits", KeysBytes(n, workers, code), false, keys(^C(0) / 3)},
	}
}

// drawnKeys are keys that are their codes.
func drawnKeys[C Code](s []C) Keys[C] {
	k := flippedKeys(s, 0)
	k.View = in(s)
	return k
}

// flippedKeys are keys that differ from their codes by some bits.
func flippedKeys[C Code](s []C, flip C) Keys[C] {
	return Keys[C]{
		Len: len(s),
		View: func(lo, hi int, buf []C) []C {
			for i := range buf[:hi-lo] {
				buf[i] = s[lo+i] ^ flip
			}
			return buf[:hi-lo]
		},
		At: func(i uint32) C { return s[i] ^ flip },
		Write: func(lo int, codes []C) {
			for i, c := range codes {
				s[lo+i] = c ^ flip
			}
		},
		Own: PayloadOf(s), Words: s, Flip: flip, Bits: s, Code: func(bits C) C { return bits ^ flip },
	}
}

// flipped returns codes of which some bits are others.
func flipped[C Code](codes []C, flip C) []C {
	all := slices.Clone(codes)
	for i := range all {
		all[i] ^= flip
	}
	return all
}

// checkPart expects parts of an order to end where codes change, if ties are asked for.
func checkPart[C Code](t *testing.T, codes []C, lo, n int, part []uint32, sorted []C, ties bool) {
	if !ties && sorted != nil {
		t.Error("codes that nobody asked for")
	}
	for i, c := range sorted {
		if c != codes[part[i]] {
			t.Errorf("place %d: code %x of element %d", lo+i, c, part[i])
			return
		}
	}
	if !ties || len(part) == 0 {
		return
	}
	if len(sorted) != len(part) {
		t.Fatalf("%d codes of %d elements from place %d on", len(sorted), len(part), lo)
	}
	upTo := 0
	for _, c := range codes {
		if c <= sorted[len(sorted)-1] {
			upTo++
		}
	}
	if upTo != lo+len(part) {
		t.Errorf("places %d to %d are a part, %d codes are up to its last", lo, lo+len(part), upTo)
	}
}

// untied is a refiner whose keys are the codes, of which it gives those without some bits first.
type untied[C Code] struct {
	t     *testing.T
	codes []C
	cut   C // these bits
	given []atomic.Bool
}

func newUntied[C Code](t *testing.T, codes []C, cut C) *untied[C] {
	return &untied[C]{t: t, codes: codes, cut: cut, given: make([]atomic.Bool, len(codes))}
}

// source returns a source that gives each code once.
func (u *untied[C]) source() Source[C] {
	return func(dst []C, at int) {
		for i := range dst {
			if dst[i] = u.codes[at+i] &^ u.cut; u.given[at+i].Swap(true) {
				u.t.Errorf("code %d was given before", at+i)
			}
		}
	}
}

func (u *untied[C]) Follow(codes []C, lo, fresh int, ties engine.Ties) (seen presorted.Steps) {
	known, keys := len(codes)-fresh, u.codes[lo:][:len(codes)]
	u.source()(codes[known:], lo+known)
	for i := 1; i < len(keys); i++ {
		switch {
		case keys[i] > keys[i-1]:
			seen.Rises++
		case keys[i] < keys[i-1]:
			seen.Falls++
		default:
			seen.Ties++
		}
	}
	for i := 1; i < len(keys) && seen.Rises == 0; i++ {
		if keys[i] == keys[i-1] {
			ties.Set(lo + i)
		}
	}
	return seen
}

func (u *untied[C]) Compare(i, j uint32) int { return cmp.Compare(u.codes[i], u.codes[j]) }

func (u *untied[C]) RestDecides() bool {
	for _, c := range u.codes {
		if (c^u.codes[0])&^u.cut != 0 {
			u.t.Error("codes differ, and the rest of keys is asked for")
			break
		}
	}
	return false
}

func (u *untied[C]) RunsDecide(codes []C) bool {
	if !slices.IsSorted(codes) {
		u.t.Error("codes are in no order, and runs are asked for")
	}
	return false
}

func (u *untied[C]) Concurrent() bool { return true }

// Finer returns all bits of the codes, once.
func (u *untied[C]) Finer(codes []C, least, most C) Source[C] {
	if u.cut == 0 {
		return nil
	}
	if least != slices.Min(codes) || most != slices.Max(codes) {
		u.t.Errorf("codes from %x to %x", least, most)
	}
	u.cut, u.given = 0, make([]atomic.Bool, len(u.codes))
	return u.source()
}

func (u *untied[C]) Along(*Placement[C]) error { return nil }
func (u *untied[C]) Moved(Payload)             {}
func (u *untied[C]) Finish(err error) error    { return err }
func (u *untied[C]) Refine(_ int, order []uint32, codes []C) {
	if len(order) != len(codes) {
		u.t.Errorf("%d elements with %d codes", len(order), len(codes))
	}
}
