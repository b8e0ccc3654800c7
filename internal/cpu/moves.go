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
