package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// movesOf returns the moves of codes that were surveyed as v and are not sorted, nil if there are none.
func movesOf[C Code](env *engine.Env, codes []C, v presorted.Survey[C]) (*presorted.Moves, error) {
	return findMoves(env, len(codes), presorted.InMemory(codes, 0), v)
}

// sortStrays is a [presorted.SortFunc].
func sortStrays[C Code](env *engine.Env, codes []C, place func(lo int, order []uint32)) error {
	v, err := presorted.SurveyCodes(env, "survey", len(codes), in(codes))
	if err != nil {
		return err
	}
	return orderCodes(env, codes, v, false, func(_, lo int, order []uint32, _ []C) { place(lo, order) })
}

// sizeFinding sizes the search for moves of n codes of the given size.
func sizeFinding(a *scratch.Area, n, workers int, code uintptr) {
	presorted.SizeFind(a, n, workers, code, func(strays int) {
		sizeFinding(a, strays, workers, code)
		sizeOrdering(a, strays, workers, alone(strays, workers, 0), false, code, 4)
	})
}

// Settle moves the elements of s to the places of l, ties in input order. It takes scratch for
// strays and for elements that cross chunks; if ties have to be compared, 1 index and 1 element
// per element. Until the first element moves, s is untouched and the sort can be cancelled, except that
// a reversed input moves at once.
func Settle(env *engine.Env, s Payload, l *presorted.Moves, tie func(i, j uint32) bool) error {
	if done, err := l.Settle(env, s.elements()); done {
		return err
	}
	index := scratch.In[uint32](&env.Arena, sizeIndex(nil, s.n))
	if err := l.Write(env, index, tie); err != nil {
		return err
	}
	return gatherBack(env, s, index)
}

// SettleBytes bounds the memory, in bytes, of [presorted.Detect] and [Settle] for n elements of the
// given size.
func SettleBytes(n, workers int, size uintptr) int64 {
	var a scratch.Area
	presorted.SizeDetect(&a, n, workers)
	sizeSettle(&a, n, size)
	return a.Bytes()
}

// sizeSettle sizes the order of n elements of the given size, and the memory that they
// are gathered in or copied aside to.
func sizeSettle(a *scratch.Area, n int, size uintptr) {
	sizeIndex(a, n)
	presorted.SizeFollow(a, n, size)
}

// sizeIndex sizes an order of n elements.
func sizeIndex(a *scratch.Area, n int) scratch.Memory { return a.Memory(n, 4) }
