package cpu

import (
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/ways"
)

// way is a shortcut for codes of some shape, of a task T. Its measured gain is in package ways.
type way[T any] struct {
	is       ways.Way
	prepares bool // it only changes the codes, for the ways after it

	// fits reports whether the way may be tried. It is asked once, and draws samples last.
	fits func(t T) bool

	// do is the way. Where it is not done, nothing was moved, and the next way goes on.
	do func(t T) (done bool, err error)
}

// This file has all ways of the package, each family in the order in which its ways are tried. The general way follows
// them: a partition into buckets.

// sampledKeyWays are those of keys before all of them are read, surveyedKeyWays those of keys out of order.
var (
	sampledKeyWays = []way[keyTask]{
		{is: ways.FewValues, fits: keyTask.haveFewValues, do: keyTask.countHeavy},
	}
	surveyedKeyWays = []way[keyTask]{
		{is: ways.FewValues, fits: keyTask.haveOneValue, do: keyTask.countHeavy},
		{is: ways.CodesInOrder, fits: keyTask.mayMove, do: keyTask.follow},
		{is: ways.Counting, fits: keyTask.narrow, do: keyTask.count},
	}
)

// keyTask is a [keySort]. Lists of an interface serve codes of both sizes, and add no code to a program for each.
type keyTask interface {
	haveFewValues() bool
	haveOneValue() bool
	countHeavy() (done bool, err error)
	mayMove() bool
	follow() (done bool, err error)
	narrow() bool
	count() (done bool, err error)
}

// prefixWays are those of elements whose codes do not decide alone.
var prefixWays = []way[prefixTask]{
	{is: ways.KeysInOrder, fits: prefixTask.compared, do: prefixTask.moveByKeys},
	{is: ways.Constant, fits: prefixTask.flat, do: prefixTask.goOnByRest},
	{is: ways.RunsInOrder, fits: prefixTask.sorted, do: prefixTask.goOnByRuns},
	{is: ways.FinerCodes, prepares: true, fits: always[prefixTask], do: prefixTask.refine},
}

// prefixTask is a [prefixed].
type prefixTask interface {
	compared() bool
	moveByKeys() (done bool, err error)
	flat() bool
	goOnByRest() (done bool, err error)
	sorted() bool
	goOnByRuns() (done bool, err error)
	refine() (done bool, err error)
}

// try does the first of the ways that is done.
func try[T any](t T, list []way[T]) (done bool, err error) {
	for i := range list {
		w := &list[i]
		if !ways.On(w.is) || !w.fits(t) {
			continue
		}
		if done, err = w.do(t); err != nil {
			return false, err
		}
		if done {
			ways.Took(w.is)
		}
		if done && !w.prepares {
			return true, nil
		}
	}
	return false, nil
}

func always[T any](T) bool { return true }

// comparesKeys reports whether neighbours are compared by whole keys while codes are extracted: a fact for keys-in-order.
func comparesKeys() bool { return ways.On(ways.KeysInOrder) }

// findMoves returns the moves of n codes that were surveyed as v and are not sorted; nil if there are none. It is the
// way codes-in-order, which every sort tries before its partition, and each further round for the codes of its bucket.
func findMoves[C Code](env *engine.Env, n int, words presorted.Words[C], v presorted.Survey[C]) (*presorted.Moves, error) {
	if !ways.On(ways.CodesInOrder) {
		return nil, nil
	}
	l, err := presorted.Find(env, n, words, v, sortStrays[C])
	if l != nil {
		ways.Took(ways.CodesInOrder)
	}
	return l, err
}

// splitKeys sorts n codes of keys by splits. It is the way split-keys, which every sort of keys tries before its
// partition, and each further round.
func (c *codeSort[C]) splitKeys(env *engine.Env, codes view[C], lo, n int, v presorted.Survey[C], side, first int) (done bool, err error) {
	if !splitting(env, codes, n, v) {
		return false, nil
	}
	if err := c.bySplits(env, codes, lo, n, side, first); err != nil {
		return false, err
	}
	ways.Took(ways.SplitKeys)
	return true, nil
}

// sortFew sorts codes out of order, surveyed as v, by one of the ways of at most [SmallLen] codes; false if none is done,
// and the sequence of codes is any. It is no list: function values would take an allocation for each call.
func (w *Small[C]) sortFew(codes []C, v presorted.Summary[C]) bool {
	n := len(codes)
	switch {
	case v.Nearly(n) && ways.On(ways.SmallInOrder) && presorted.SortNear(codes, v.Rises < v.Falls):
		ways.Took(ways.SmallInOrder)
	case !bucket.Splits() && v.Ties(n) >= n/leastTiedCodes && ways.On(ways.SmallValues) && w.countValues(codes, v):
		ways.Took(ways.SmallValues)
	default:
		return false
	}
	return true
}
