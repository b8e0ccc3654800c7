package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// moveSearch looks for the moves of n codes that were surveyed as v and are not sorted.
type moveSearch[C Code] struct {
	env   *engine.Env
	n     int
	words presorted.Words[C]
	v     presorted.Survey[C]
	moves *presorted.Moves
}

// findMoves returns the moves of n codes that were surveyed as v and are not sorted; nil if there are none.
func findMoves[C Code](env *engine.Env, n int, words presorted.Words[C], v presorted.Survey[C]) (*presorted.Moves, error) {
	s := &moveSearch[C]{env: env, n: n, words: words, v: v}
	_, err := (&task{moves: s}).try(moveWays)
	return s.moves, err
}

// movesOf is findMoves of codes in memory.
func movesOf[C Code](env *engine.Env, codes []C, v presorted.Survey[C]) (*presorted.Moves, error) {
	return findMoves(env, len(codes), presorted.InMemory(codes, 0), v)
}

func (s *moveSearch[C]) find() (done bool, err error) {
	s.moves, err = presorted.Find(s.env, s.n, s.words, s.v, sortStrays[C])
	return s.moves != nil, err
}

// sortStrays is a [presorted.SortFunc].
func sortStrays[C Code](env *engine.Env, codes []C, place func(lo int, order []uint32)) error {
	v, err := presorted.SurveyCodes(env, "survey", len(codes), in(codes))
	if err != nil {
		return err
	}
	return orderCodes(env, codes, v, false, func(_, lo int, order []uint32, _ []C) { place(lo, order) })
}

// findBytes bounds the memory of a search for moves.
func findBytes(s sizes) int64 {
	var a scratch.Area
	presorted.SizeFind(&a, s.n, s.workers, s.code, func(strays int) {
		sizeFinding(&a, strays, s.workers, s.code)
		sizeOrdering(&a, strays, s.workers, alone(strays, s.workers, 0), false, s.code, 4)
	})
	return a.Bytes()
}

// sizeFinding sizes the search for moves of n codes of the given size.
func sizeFinding(a *scratch.Area, n, workers int, code uintptr) {
	sizeTried(a, sizes{n, workers, code}, moveWays)
}
