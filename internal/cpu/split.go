package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/vecsort"
)

// Codes that are not spread well enough for lists of vectors are split in three by AVX-512: those
// below a pivot, those equal to it, which need no more work, and those above. So codes of few values,
// or with many of one, take few rounds. The pivot is the median of a sample.

// splitCodes sorts codes, with memory of as many.
func splitCodes[C Code](codes, memory []C) {
	splitRounds(codes, memory, 2*bits.Len(uint(len(codes))))
}

// splitRounds is splitCodes in at most the given number of rounds; a part that takes more has bad pivots, and is sorted by
// comparison. The codes above a pivot stay in memory until they are sorted to their places.
func splitRounds[C Code](codes, memory []C, rounds int) {
	for len(codes) > vecsort.MostFew[C]() {
		if rounds--; rounds < 0 {
			slices.Sort(codes)
			return
		}
		pivot := pivotOf(codes)
		below, above := splitBelow(codes, memory, pivot)
		from := len(codes) - above
		repeat(codes[below:from], pivot)
		splitTo(codes[from:], memory[:above], rounds)
		codes = codes[:below]
	}
	if len(codes) > 0 {
		vecsort.SortFew(codes, codes)
	}
}

// splitTo sorts codes to dst, which is as long, in as many rounds as splitRounds, and uses their memory.
func splitTo[C Code](dst, codes []C, rounds int) {
	for len(codes) > vecsort.MostFew[C]() {
		if rounds--; rounds < 0 {
			copy(dst, codes)
			slices.Sort(dst)
			return
		}
		pivot := pivotOf(codes)
		above, below := splitAbove(codes, dst, pivot)
		from := len(codes) - above
		repeat(dst[below:from], pivot)
		splitRounds(dst[:below], codes[above:], rounds)
		dst, codes = dst[from:], codes[:above]
	}
	if len(codes) > 0 {
		vecsort.SortFew(dst, codes)
	}
}

// splitOnce orders codes by whether they are below, equal to or above a pivot, and counts the first and the last.
func splitOnce[C Code](codes, memory []C) (below, above int) {
	pivot := pivotOf(codes)
	below, above = splitBelow(codes, memory, pivot)
	repeat(codes[below:len(codes)-above], pivot)
	copy(codes[len(codes)-above:], memory[:above])
	return below, above
}

// pivotOf returns the median of codes at even distances, of more of them where there are more codes.
func pivotOf[C Code](codes []C) C {
	n := len(codes)
	if n < 1024 {
		return median9(codes, 0, n/9)
	}
	step := n / 81
	var medians [9]C
	for i := range medians {
		medians[i] = median9(codes, 9*i*step, step)
	}
	return median9(medians[:], 0, 1)
}

// median9 returns the median of nine codes, the first at a place and the others a step apart each: the least of
// the greatest, the median of the medians and the greatest of the least of three times three, and of these the median.
func median9[C Code](codes []C, at, step int) C {
	var least, mid, most [3]C
	for i := range least {
		a, b, c := codes[at], codes[at+step], codes[at+2*step]
		a, b = min(a, b), max(a, b)
		least[i], mid[i], most[i] = min(a, c), max(a, min(b, c)), max(b, c)
		at += 3 * step
	}
	a, c := max(least[0], least[1], least[2]), min(most[0], most[1], most[2])
	low, high := min(mid[0], mid[1]), max(mid[0], mid[1])
	b := max(low, min(high, mid[2]))
	low, high = min(a, b), max(a, b)
	return max(low, min(high, c))
}

// mostSplit bounds the codes that are split from the first round on, and so the second code of memory that each
// takes. More workers than splitWorkers gain more from a partition in parallel, and so do two of them of more 64-bit codes
// than mostShared (Xeon, 16 processors, 2026-11: 10^6 float64 with two workers, 0.66 to 1.3 times). Each worker gets splitParts.
const (
	mostSplit    = 1 << 20
	mostShared   = 1 << 18
	splitWorkers = 2
	splitParts   = 3
)

// crowded reports whether codes that vectors may split crowd: in a sample, an eighth comes again, or three
// quarters lie in a sixteenth of the range.
func (c *codeSort[C]) crowded(env *engine.Env, codes view[C], n int, v presorted.Survey[C]) bool {
	shared := env.Loop.Workers > 1 && unsafe.Sizeof(v.Min) == 8
	if n > mostSplit || env.Loop.Workers > splitWorkers || shared && n > mostShared {
		return false
	}
	var sample, memory [256]C
	for i := range sample {
		at := n / len(sample) * i
		sample[i] = codes(at, at+1, memory[:1])[0]
	}
	splitCodes(sample[:], memory[:])
	again, from := 0, 0
	for i, x := range sample {
		if i > 0 && x == sample[i-1] {
			again++
		}
		for x-sample[from] > v.Span()/16 {
			from++
		}
		if i-from >= 3*len(sample)/4 {
			return true
		}
	}
	return again >= len(sample)/8
}

// bySplits is sort by splits alone.
func (c *codeSort[C]) bySplits(env *engine.Env, codes view[C], lo, n, side int) error {
	own, above := c.sides[side]()[lo:lo+n], c.sides[1-side]()[lo:lo+n]
	parts := [][2]int{{0, n}} // begins and ends
	err := env.Stage("partition", 1, 1, func(int, int, int) {
		codes.copy(own, 0)
		for want := splitParts * env.Loop.Workers; env.Loop.Workers > 1 && len(parts) < want; {
			longest := 0
			for i, p := range parts {
				if p[1]-p[0] > parts[longest][1]-parts[longest][0] {
					longest = i
				}
			}
			p := parts[longest]
			if p[1]-p[0] < n/want {
				return
			}
			less, more := splitOnce(own[p[0]:p[1]], above[p[0]:p[1]])
			parts[longest][1] = p[0] + less
			parts = append(parts, [2]int{p[1] - more, p[1]})
		}
	})
	if err != nil {
		return err
	}
	err = env.Stage("buckets", len(parts), 1, func(_, i, _ int) {
		p := parts[i]
		splitCodes(own[p[0]:p[1]], above[p[0]:p[1]])
	})
	if err != nil {
		return err
	}
	env.Trace.SortedByVectors()
	return env.Stage("write", n, env.ChunkOf(n), func(_, from, to int) { c.write(lo+from, own[from:to]) })
}
