package bucket

import (
	"math/bits"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// Codes of keys are split by AVX-512. The pivot is the median of a sample. Codes that fit half of a first-level cache are split
// in three, beside each other: those below a pivot, those equal to it, which need no more work, and those above. So codes of few
// values, or with many of one, take few rounds. More codes are split in two where they lie, which moves fewer bytes through the
// caches (Xeon, 2026-11-30: a round of 10^5 64-bit codes 0.23 instead of 0.61 ns, of 32-bit ones 0.16 instead of 0.24; of 2000
// 32-bit ones 0.16 instead of 0.13). Few codes are sorted by a network. 64-bit codes that a matrix spreads well are left to it,
// unless they are few.

// MostBeside returns the most codes that are split in three, and the memory that a sort by splits takes.
func MostBeside[C Code]() int { return 1 << 14 / int(unsafe.Sizeof(C(0))) }

// splitter sorts codes by splits, with memory of as many, or of [MostBeside]. It writes them in order, some at a time, if write
// is not nil. Their places are from at on.
type splitter[C Code] struct {
	memory []C
	write  func(at int, codes []C)
}

// splitCodes sorts codes, with memory of as many, or of [MostBeside].
func splitCodes[C Code](codes, memory []C) {
	s := splitter[C]{memory: memory}
	s.sort(PartOf(codes), splitsOf(len(codes)))
}

// splitsOf bounds the rounds of n codes; those that take more have bad pivots, and are sorted by comparison.
func splitsOf(n int) int { return 2 * bits.Len(uint(n)) }

// sort sorts a part in at most the given number of rounds.
func (s *splitter[C]) sort(p Part[C], rounds int) {
	for ; !p.equal && len(p.codes) > MostBeside[C](); rounds-- {
		if rounds == 0 {
			slices.Sort(p.codes)
			p.equal = true
			break
		}
		lower, upper := p.Split()
		s.sort(lower, rounds-1)
		p = upper
	}
	if !p.equal {
		splitRounds(p.codes, s.memory, rounds)
	}
	if s.write != nil && len(p.codes) > 0 {
		s.write(p.at, p.codes)
	}
}

// Part is codes to be sorted where they lie.
type Part[C Code] struct {
	codes []C
	at    int  // place of the first
	least C    // no code is below it
	equal bool // all are equal, or in order
}

// PartOf returns the part of all codes.
func PartOf[C Code](codes []C) Part[C] { return Part[C]{codes: codes} }

// Split splits a part, unless it has few codes. If the least code is the median, those that are equal to it are split from the
// others.
func (p Part[C]) Split() (lower, upper Part[C]) {
	n := len(p.codes)
	if p.equal || n <= MostBeside[C]() {
		return p, Part[C]{at: p.at + n}
	}
	next, equal := pivotOf(p.codes), false
	if next == p.least {
		next, equal = next+1, true
	}
	below := n
	if next > 0 { // otherwise all are the greatest code
		below = loops.SplitInPlace(p.codes, next)
	}
	return Part[C]{p.codes[:below], p.at, p.least, equal}, Part[C]{codes: p.codes[below:], at: p.at + below, least: next}
}

// SortPart sorts a part and writes its codes in order, some at a time, with the place of the first.
func (w *Worker[C]) SortPart(p Part[C], write func(at int, codes []C)) {
	s := splitter[C]{w.beside(len(p.codes)), write}
	s.sort(p, splitsOf(len(p.codes)))
}

// beside returns the memory of splits of n codes.
func (w *Worker[C]) beside(n int) []C {
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, min(n, MostBeside[C]()))
	return w.codes
}

// splitRounds sorts codes in at most the given number of rounds. Those above a pivot are sorted from memory of as many to their places.
func splitRounds[C Code](codes, memory []C, rounds int) {
	for ; len(codes) > vecsort.MostFew[C](); rounds-- {
		if rounds == 0 {
			slices.Sort(codes)
			return
		}
		below, above := splitOnce(codes, memory)
		splitTo(codes[len(codes)-above:], memory[:above], rounds-1)
		codes = codes[:below]
	}
	vecsort.SortFew(codes, codes)
}

// splitTo sorts codes to dst, which is as long, in at most the given number of rounds, and uses their memory.
func splitTo[C Code](dst, codes []C, rounds int) {
	for ; len(codes) > vecsort.MostFew[C](); rounds-- {
		if rounds == 0 {
			copy(dst, codes)
			slices.Sort(dst)
			return
		}
		below, above := splitOnceTo(dst, codes)
		splitRounds(dst[:below], codes[above:], rounds-1)
		dst, codes = dst[len(dst)-above:], codes[:above]
	}
	vecsort.SortFew(dst, codes)
}

// splitOnce splits codes by a pivot, of which equal codes are put in their places. Those above it are moved to memory.
func splitOnce[C Code](codes, memory []C) (below, above int) {
	pivot := pivotOf(codes)
	below, above = loops.SplitBelow(codes, memory, pivot)
	loops.Repeat(codes[below:len(codes)-above], pivot)
	return below, above
}

// splitOnceTo is splitOnce of codes to be sorted to dst. Those below the pivot are moved there.
func splitOnceTo[C Code](dst, codes []C) (below, above int) {
	pivot := pivotOf(codes)
	above, below = loops.SplitAbove(codes, dst, pivot)
	loops.Repeat(dst[below:len(dst)-above], pivot)
	return below, above
}

// pivotOf returns the median of codes at even distances, of more of them where there are more codes.
func pivotOf[C Code](codes []C) C {
	n := len(codes)
	switch {
	case n < 1024:
		return median9(codes, 0, n/9)
	case n < 8192:
		step := n / 27
		a, b, c := median9(codes, 0, step), median9(codes, 9*step, step), median9(codes, 18*step, step)
		return max(min(a, b), min(max(a, b), c))
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

// Splits reports whether codes can be split. Without these instructions radix passes are faster, and [SelectCode] takes as
// long as an order.
func Splits() bool { return vecsort.AVX512() }

// splitsFirst reports whether n codes in the cache are split before it is known whether a matrix spreads them well: up to
// 2^14 of 32 bits, or 2^11 of 64 (EPYC, 2026-11: 1000 uniform uint32 1.3 instead of 1.8 ns, 4000 1.7 instead of 2.5, 16 000 2.5
// instead of 2.2, float32 2.6 instead of 3.1; uint64 300 2.7 instead of 4.1, 1000 3.5 instead of 3.3).
func splitsFirst[C Code](n int) bool {
	if unsafe.Sizeof(C(0)) == 4 {
		return Splits() && n <= 1<<14
	}
	return Splits() && n <= 1<<11
}

// even reports whether a matrix is likely to spread codes of a bucket.
func even[C Code](codes []C, span C) bool {
	var sample [MostSample]C
	uneven, tied := Crowded(sampleInto(sample[:], codes), span)
	return !uneven && !tied
}

// sampleInto writes codes at even distances to a sample and returns it.
func sampleInto[C Code](sample, codes []C) []C {
	step := len(codes) / len(sample)
	for i := range sample {
		sample[i] = codes[step*i]
	}
	return sample
}

// MostSample is the most codes of a sample by which splits are chosen.
const MostSample = 128

// Crowded reports whether a sample of [MostSample] codes of a range crowds: whether more than crowd lie in a part of
// the range that has share of them if they are even, and whether an eighth of it comes again. Of 3000 samples of uniform codes none was uneven, of normal
// ones nearly all. It sorts the sample.
func Crowded[C Code](sample []C, span C) (uneven, tied bool) {
	const share, crowd = 16, 38
	tied = tiedSample(sample)
	wide := span / C(len(sample)/share)
	for i, x := range sample[crowd:] {
		uneven = uneven || x-sample[i] <= wide
	}
	return uneven, tied
}

// tiedSample sorts at most [MostSample] codes and reports whether an eighth of them comes again.
func tiedSample[C Code](sample []C) bool {
	vecsort.SortFew(sample, sample)
	again := 0
	for i, x := range sample[1:] {
		if x == sample[i] {
			again++
		}
	}
	return again >= len(sample)/8
}

// SortCodes sorts codes on the calling goroutine, with memory of as many, or of [MostBeside], if they are more than 128.
func SortCodes[C Code](codes, memory []C) {
	switch n := len(codes); {
	case !Splits():
		slices.Sort(codes)
	case n > vecsort.MostFew[C]():
		splitCodes(codes, memory)
	default:
		vecsort.SortFew(codes, codes)
	}
}

// SelectCode returns the code of rank k, from 0, and the number of lesser ones. It moves codes, with memory as that of [SortCodes].
func SelectCode[C Code](codes, memory []C, k int) (code C, before int) {
	return selectRounds(codes, memory, k, splitsOf(len(codes)))
}

// selectRounds is SelectCode in at most the given number of rounds, before a sort by comparison.
func selectRounds[C Code](codes, memory []C, k, rounds int) (code C, before int) {
	for p := PartOf(codes); len(codes) > MostBeside[C]() && rounds > 0; rounds-- {
		lower, upper := p.Split()
		if p = lower; k >= upper.at-before {
			p, k, before = upper, k-(upper.at-before), upper.at
		} else if p.equal {
			return p.least, before
		}
		codes = p.codes
	}
	for ; len(codes) > vecsort.MostFew[C]() && rounds > 0; rounds-- {
		pivot := pivotOf(codes)
		below, above := loops.SplitBelow(codes, memory, pivot)
		switch upTo := len(codes) - above; {
		case k < below:
			codes = codes[:below]
		case k < upTo:
			return pivot, before + below
		default:
			before, k = before+upTo, k-upTo
			codes, memory = memory[:above], codes
		}
	}
	if len(codes) > vecsort.MostFew[C]() {
		slices.Sort(codes)
	} else {
		vecsort.SortFew(codes, codes)
	}
	i, _ := slices.BinarySearch(codes, codes[k])
	return codes[k], before + i
}
