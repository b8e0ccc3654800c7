package pipeline

import (
	"cmp"
	"math"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// ownTexts reports whether elements are strings, and their own keys.
func (f *facts) ownTexts() bool {
	return f.backend == nil && f.algorithm == engine.Auto && extract.OwnTexts(f.words)
}

// textsInOrder sorts strings that are in order, or nearly. Unlike the keys of other elements these may be read as
// often as it pays. So neighbours are compared first, which takes less time than to make codes and to compare those
// that tie. The comparison ends once too many are out of order.
func textsInOrder(t *task) (done bool, err error) {
	r, texts := t.r, cpu.Slice[string](t.elements)
	l, err := presorted.Detect(&r.Env, r.n, stepsOf(&r.Loop, texts, r.Descending), func(i, j uint32) int {
		if r.Descending {
			i, j = j, i
		}
		return extract.CompareTexts(&r.Loop, texts[i], texts[j])
	})
	if l == nil || err != nil {
		return false, err
	}
	return true, cpu.Settle(&r.Env, t.elements, l, func(i, j uint32) bool {
		return len(texts[i]) == len(texts[j]) && extract.CompareTexts(&r.Loop, texts[i], texts[j]) == 0
	})
}

// stepsOf counts the steps between neighbouring strings, extract.Piece at a time, and marks ties. Strings that
// share memory are not read. Otherwise prefixes are compared first, unless many tie.
func stepsOf(loop *parallel.Loop, keys []string, desc bool) func(lo, hi int, ties engine.Ties) presorted.Steps {
	return func(lo, hi int, ties engine.Ties) (seen presorted.Steps) {
		lo = max(lo, 1)
		for last := keys[lo-1]; lo < hi; {
			same := extract.SameMemory(keys[lo:hi], last)
			ties.SetAll(lo, lo+same)
			seen.Ties += same
			lo += same
			part := keys[lo:min(lo+extract.Piece, hi)]
			if len(part) == 0 {
				break
			}
			if tieInPrefixes(part) {
				seen = seen.Plus(stepsByTexts(loop, part, last, ties, lo))
			} else {
				seen = seen.Plus(stepsByPrefixes(loop, part, last, ties, lo))
			}
			last = part[len(part)-1]
			lo += len(part)
		}
		if desc {
			seen.Rises, seen.Falls = seen.Falls, seen.Rises
		}
		return seen
	}
}

// tieInPrefixes reports whether two of four pairs of neighbours tie in their prefixes.
func tieInPrefixes(keys []string) bool {
	ties := 0
	for i := range 4 {
		if at := len(keys) * (i + 1) / 5; at > 0 && sortkey.Prefix(keys[at]) == sortkey.Prefix(keys[at-1]) {
			ties++
		}
	}
	return ties > 1
}

// stepsByTexts counts the steps from last to the first key and between keys, and marks those that tie with
// their predecessors; the first key is element lo.
func stepsByTexts(loop *parallel.Loop, keys []string, last string, ties engine.Ties, lo int) (seen presorted.Steps) {
	for i, s := range keys {
		switch c := extract.CompareTexts(loop, last, s); {
		case c < 0:
			seen.Rises++
		case c > 0:
			seen.Falls++
		default:
			seen.Ties++
			ties.Set(lo + i)
		}
		last = s
	}
	return seen
}

// stepsByPrefixes is stepsByTexts for at most [extract.Piece] keys of which most differ in
// their prefixes.
func stepsByPrefixes(loop *parallel.Loop, keys []string, last string, ties engine.Ties, lo int) (seen presorted.Steps) {
	var memory [extract.Piece]uint64
	codes, code := memory[:len(keys)], sortkey.Prefix(last)
	sortkey.Prefixes(codes, keys, 0, math.MaxInt)
	for i, s := range keys {
		order := cmp.Compare(codes[i], code)
		if order == 0 {
			order = extract.CompareTexts(loop, s, last)
		}
		switch {
		case order > 0:
			seen.Rises++
		case order < 0:
			seen.Falls++
		default:
			seen.Ties++
			ties.Set(lo + i)
		}
		last, code = s, codes[i]
	}
	return seen
}
