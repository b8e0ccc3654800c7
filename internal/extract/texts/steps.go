package texts

import (
	"cmp"
	"math"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// piece is the number of strings whose prefixes are compared at a time.
const piece = 256

// Steps compares strings where they lie.
type Steps struct {
	texts []string
	desc  bool
	loop  *parallel.Loop
}

// NewSteps returns the comparison of texts. Once the context of loop is cancelled, results are undefined.
func NewSteps(texts []string, desc bool, loop *parallel.Loop) *Steps {
	return &Steps{texts, desc, loop}
}

// Compare compares texts i and j.
func (t *Steps) Compare(i, j uint32) int {
	if t.desc {
		i, j = j, i
	}
	return Compare(t.loop, t.texts[i], t.texts[j])
}

// Equal reports whether texts i and j are equal.
func (t *Steps) Equal(i, j uint32) bool {
	return len(t.texts[i]) == len(t.texts[j]) && t.Compare(i, j) == 0
}

// Follow counts the steps to the texts [lo, hi), each from the one before it, piece at a time, and marks ties. Strings
// that share memory are not read. Otherwise prefixes are compared first, unless many tie.
func (t *Steps) Follow(lo, hi int, ties engine.Ties) (seen presorted.Steps) {
	lo = max(lo, 1)
	for last := t.texts[lo-1]; lo < hi; {
		same := SameMemory(t.texts[lo:hi], last)
		ties.SetAll(lo, lo+same)
		seen.Ties += same
		lo += same
		part := t.texts[lo:min(lo+piece, hi)]
		if len(part) == 0 {
			break
		}
		if tieInPrefixes(part) {
			seen = seen.Plus(stepsByTexts(t.loop, part, last, ties, lo))
		} else {
			seen = seen.Plus(stepsByPrefixes(t.loop, part, last, ties, lo))
		}
		last = part[len(part)-1]
		lo += len(part)
	}
	if t.desc {
		seen.Rises, seen.Falls = seen.Falls, seen.Rises
	}
	return seen
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
		switch c := Compare(loop, last, s); {
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

// stepsByPrefixes is stepsByTexts for at most [piece] keys of which most differ in
// their prefixes.
func stepsByPrefixes(loop *parallel.Loop, keys []string, last string, ties engine.Ties, lo int) (seen presorted.Steps) {
	var memory [piece]uint64
	codes, code := memory[:len(keys)], sortkey.Prefix(last)
	sortkey.Prefixes(codes, keys, 0, math.MaxInt)
	for i, s := range keys {
		order := cmp.Compare(codes[i], code)
		if order == 0 {
			order = Compare(loop, s, last)
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
