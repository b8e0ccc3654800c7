package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// KeyComparer compares elements by their whole keys. Their codes are a prefix of these.
type KeyComparer[C Code] interface {
	presorted.Comparer
	// Follow counts the steps between elements lo, lo+1, …, by their codes and, if these are
	// equal, by the rest of their keys. It extracts the last fresh codes first, like a
	// [Source]. If it counts both rises and falls, it may count a tie as both. It is called
	// from several goroutines, never for overlapping pairs. Where none rises, it sets the bits in
	// ties of the elements that tie with their predecessors.
	Follow(codes []C, lo, fresh int, ties engine.Ties) presorted.Steps
	// RestDecides reports whether the caller sorts by the rest of the keys, for codes that are all equal. RunsDecide
	// reports whether it sorts each run of ties by the rest, for codes in order. The sort then ends, with nothing done.
	RestDecides() bool
	RunsDecide(codes []C) bool
	// Finer returns a source of codes in the same order of which fewer tie; nil if there is none. The
	// codes known are from least to most.
	Finer(codes []C, least, most C) Source[C]
}

// notGeneric returns keys without their type parameter. For a call of Compare through a generic
// interface the linker would keep every exported method of that name: that of each
// sorter.Ordering, with all that it calls, 7 KB per type of elements.
func notGeneric(keys presorted.Comparer) presorted.Comparer { return keys }

// extract fills codes from src, each once, and surveys them while they are in the cache. len(codes) > 0.
func extract[C Code](env *engine.Env, codes []C, src Source[C]) (presorted.Survey[C], error) {
	v, err := presorted.SurveyCodes(env, "extract", len(codes), func(lo, hi int, _ []C) []C {
		src(codes[lo:hi], lo)
		return codes[lo:hi]
	})
	return v, env.Stopped(err)
}

// extractAndCompare is extract that compares neighbours by keys until too many are out of order.
func extractAndCompare[C Code](env *engine.Env, codes []C, src Source[C], keys KeyComparer[C]) (presorted.Survey[C], error) {
	check := presorted.NewCheck(env, len(codes), keys.Concurrent())
	v, err := presorted.SurveyCodes(env, "extract", len(codes), func(lo, hi int, _ []C) []C {
		if check.Over() {
			src(codes[lo:hi], lo)
		} else {
			from := check.From(lo) // its code is there
			check.Count(lo, keys.Follow(codes[from:hi], from, hi-lo, check.Ties()))
		}
		return codes[lo:hi]
	})
	if err == nil {
		v.ByKeys = check.Join(func(at int) presorted.Steps { return keys.Follow(codes[at-1:at+1], at-1, 0, check.Ties()) })
	}
	return v, env.Stopped(err)
}

// view returns codes [lo, hi), at most [engine.Block] of them: in place, or made in buf, which
// holds a block.
type view[C Code] func(lo, hi int, buf []C) []C

// in returns a view of codes in memory.
func in[C Code](codes []C) view[C] {
	return func(lo, hi int, _ []C) []C { return codes[lo:hi] }
}

// copy writes the codes from lo on to dst.
func (v view[C]) copy(dst []C, lo int) {
	for len(dst) > 0 {
		part := dst[:min(engine.Block, len(dst))]
		if codes := v(lo, lo+len(part), part); &codes[0] != &part[0] {
			copy(part, codes)
		}
		dst, lo = dst[len(part):], lo+len(part)
	}
}

// sizeCodes sizes n codes that may be one side of a partition.
func sizeCodes(a *scratch.Area, n int, code uintptr) scratch.Memory { return a.Aligned(n, code) }
