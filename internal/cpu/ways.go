package cpu

import (
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ways"
)

// This file has all ways of the package, each family in the order in which its ways are tried. The general way follows
// them: a partition into buckets. Package bucket has those of one bucket.

// way is a shortcut for codes of some shape. Its measured gain is in package ways.
type way = ways.Shortcut[*task, sizes, *task]

var (
	sampledKeyWays  []way // keys before all of them are read
	surveyedKeyWays []way // keys out of order
	splitWays       []way // keys before they are partitioned, also in further rounds
	prefixWays      []way // elements whose codes do not decide alone
	moveWays        []way // codes out of order that are not keys, or are paired with values, also in further rounds
	orderWays       []way // codes for which there are no moves, also in further rounds
)

// Sizes of ways are those of sorts, which have ways, so no literal of the lists can name them.
func init() {
	sampledKeyWays = []way{
		{
			Is: ways.FewValues, Bytes: heavyBytes,
			Fits: func(t *task) bool { return t.keys.haveFewValues() },
			Do:   func(t *task) (bool, error) { return t.keys.countHeavy() },
		},
		{
			Is: ways.Counting, Bytes: noBytes, // planned with the sort: sizes do not have the bits of keys
			Fits: func(t *task) bool { return t.keys.haveFewBits() },
			Do:   func(t *task) (bool, error) { return t.keys.countNarrow() },
		},
	}
	surveyedKeyWays = []way{
		{
			Is: ways.FewValues, Bytes: heavyBytes,
			Fits: func(t *task) bool { return t.keys.haveOneValue() },
			Do:   func(t *task) (bool, error) { return t.keys.countHeavy() },
		},
		{
			Is: ways.CodesInOrder, Bytes: followBytes,
			Fits: func(t *task) bool { return t.keys.mayMove() },
			Do:   func(t *task) (bool, error) { return t.keys.follow() },
		},
		{
			Is: ways.Counting, Bytes: countingBytes,
			Fits: func(t *task) bool { return t.keys.narrow() },
			Do:   func(t *task) (bool, error) { return t.keys.count() },
		},
	}
	splitWays = []way{
		{
			Is: ways.SplitKeys, Bytes: noBytes,
			Fits: func(t *task) bool { return t.codes.splitting() },
			Do:   func(t *task) (bool, error) { return t.codes.split() },
		},
	}
	prefixWays = []way{
		{
			Is: ways.KeysInOrder, Bytes: checkBytes,
			Fits: func(t *task) bool { return t.prefixes.compared() },
			Do:   func(t *task) (bool, error) { return t.prefixes.moveByKeys() },
		},
		{
			Is: ways.Constant, Bytes: noBytes,
			Fits: func(t *task) bool { return t.prefixes.flat() },
			Do:   func(t *task) (bool, error) { return t.prefixes.goOnByRest() },
		},
		{
			Is: ways.RunsInOrder, Bytes: noBytes,
			Fits: func(t *task) bool { return t.prefixes.sorted() },
			Do:   func(t *task) (bool, error) { return t.prefixes.goOnByRuns() },
		},
		{
			Is: ways.FinerCodes, Prepares: true, Bytes: noBytes,
			Fits: always,
			Do:   func(t *task) (bool, error) { return t.prefixes.refine() },
		},
	}
	moveWays = []way{
		{
			Is: ways.CodesInOrder, Bytes: findBytes,
			Fits: always,
			Do:   func(t *task) (bool, error) { return t.moves.find() },
		},
	}
	orderWays = []way{
		{
			Is: ways.SplitRows, Bytes: splitRowsBytes,
			Fits: func(t *task) bool { return t.codes.splitting() },
			Do:   func(t *task) (bool, error) { return t.codes.split() },
		},
	}
}

// task is what ways are tried for: one of these, of codes of one size. A program has the code of lists once.
type task struct {
	keys     keysOfShape
	codes    codesToSplit
	prefixes prefixes
	moves    movesToFind
}

// try does the first way of a list that is done.
func (t *task) try(list []way) (done bool, err error) { return ways.First(t, t, list) }

// keysOfShape is a [keySort].
type keysOfShape interface {
	haveFewValues() bool
	haveOneValue() bool
	countHeavy() (done bool, err error)
	haveFewBits() bool
	countNarrow() (done bool, err error)
	mayMove() bool
	follow() (done bool, err error)
	narrow() bool
	count() (done bool, err error)
}

// codesToSplit is a [codeRound] or an [orderRound].
type codesToSplit interface {
	splitting() bool
	split() (done bool, err error)
}

// prefixes is a [prefixed].
type prefixes interface {
	compared() bool
	moveByKeys() (done bool, err error)
	flat() bool
	goOnByRest() (done bool, err error)
	sorted() bool
	goOnByRuns() (done bool, err error)
	refine() (done bool, err error)
}

// movesToFind is a [moveSearch].
type movesToFind interface{ find() (done bool, err error) }

func always(*task) bool { return true }

// sizes are those of a sort: n codes of some bytes each.
type sizes struct {
	n, workers int
	code       uintptr
}

func noBytes(sizes) int64 { return 0 }

// sizeTried sizes ways that keep their memory where they are not done.
func sizeTried(a *scratch.Area, s sizes, list []way) {
	for i := range list {
		a.Hold(list[i].Bytes(s))
	}
}

// sizeWays sizes the ways of a list, and the general way after them: each gives its memory back where it is not done.
func sizeWays(a *scratch.Area, s sizes, list []way, general func()) {
	most := int64(0)
	for i := range list {
		most = max(most, list[i].Bytes(s))
	}
	a.Either(general, func() { a.Hold(most) })
}

// comparesKeys reports whether neighbours are compared by whole keys while codes are extracted: a fact for keys-in-order.
func comparesKeys() bool { return ways.On(ways.KeysInOrder) }

// maySplit reports whether n codes of keys may be split from the first round on: a fact for the ways before split-keys.
func maySplit(env *engine.Env, n int) bool { return ways.On(ways.SplitKeys) && splitsKeys(env, n) }

// sortFew sorts codes out of order, surveyed as v, by one of the ways of at most [SmallLen] codes; false if none is done,
// and the sequence of codes is any. They take no memory besides w.
func (w *Small[C]) sortFew(codes []C, v presorted.Summary[C]) bool {
	n := len(codes)
	return ways.Take(ways.SmallInOrder, v.Nearly(n), func() bool { return presorted.SortNear(codes, v.Rises < v.Falls) }) ||
		ways.Take(ways.SmallValues, !bucket.Splits() && v.Ties(n) >= n/leastTiedCodes, func() bool { return w.countValues(codes, v) })
}
