package pipeline

import (
	"cmp"
	"math"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/sortkey"
)

// sortStrings sorts strings, which unlike the keys of other elements may be read
// as often as it pays: whether they are in order, or nearly, is found out first, by
// comparing neighbours, and costs less than to make codes and to follow those that tie.
// Others give that away at once.
func sortStrings(r *run, texts []string, payload cpu.Payload) error {
	if r.Fits(cpu.LayoutBytes(r.n, r.Loop.Workers, payload.Size())) {
		l, err := cpu.Detect(&r.Env, r.n, stepsOf(&r.Loop, texts, r.Descending), func(i, j uint32) int {
			if r.Descending {
				i, j = j, i
			}
			return extract.CompareTexts(&r.Loop, texts[i], texts[j])
		})
		if l != nil || err != nil {
			r.plan, r.used.CodeBits = plan{engine: cpu.Host, movement: withCodes}, 64
			if err == nil {
				err = cpu.Settle(&r.Env, payload, l, func(i, j uint32) bool {
					return len(texts[i]) == len(texts[j]) && extract.CompareTexts(&r.Loop, texts[i], texts[j]) == 0
				})
			}
			return err
		}
	}
	return sortWords(r, payload, extract.Words([]extract.Column{extract.Self[string]()}, r.Order()))
}

// stepsOf counts how strings follow on each other: by their prefixes, and where these tie
// by one comparison. Strings in the same memory are not read.
func stepsOf(loop *parallel.Loop, keys []string, desc bool) func(lo, hi int) cpu.Steps {
	return func(lo, hi int) (seen cpu.Steps) {
		var room [extract.Piece]uint64
		lo = max(lo, 1)
		for last := keys[lo-1]; lo < hi; {
			same := extract.SameMemory(keys[lo:hi], last)
			seen.Ties += same
			lo += same
			part := keys[lo:min(lo+len(room), hi)]
			codes, code := room[:len(part)], sortkey.Prefix(last)
			sortkey.Prefixes(codes, part, 0, math.MaxInt)
			for i, s := range part {
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
				}
				last, code = s, codes[i]
			}
			lo += len(part)
		}
		if desc {
			seen.Rises, seen.Falls = seen.Falls, seen.Rises
		}
		return seen
	}
}
