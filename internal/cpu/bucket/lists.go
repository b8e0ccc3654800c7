package bucket

import (
	"math/bits"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Lists orders sorted lists of codes, up to [MaxLen] together, in the cache of one worker. It serves one
// goroutine at a time. The zero value is ready.
//
// An element becomes a word as in the sort of a bucket. The lower half is a number that the
// caller gives, ascending in the order in which ties come.
type Lists[C Code] struct {
	local  Worker[C]
	n      int   // words
	ends   []int // of the lists
	least  C
	drop   int // lowest bits of a code that are not in its word
	low    int // first sorted bit of a word's upper half
	digit  int // bits of a digit
	passes int // 0: the lists are merged
}

// mostMerged is the largest number of lists that are merged, instead of radix-sorted.
const mostMerged = 4

// shortMerge is the length up to which lists are merged with a branch per word.
const shortMerge = 8

// Begin begins an order of n codes from least to most in the given number of lists, with memory
// of env.
func (l *Lists[C]) Begin(env *engine.Env, n, lists int, least, most C) {
	w := &l.local
	w.Env = env
	w.words, w.spare = scratch.Grow(&w.Env.Arena, w.words, n), scratch.Grow(&w.Env.Arena, w.spare, n)
	width := bits.Len64(uint64(most - least))
	key := min(width, 32)
	l.n, l.ends, l.least, l.drop, l.low, l.passes = 0, l.ends[:0], least, width-key, 0, 0
	if lists <= mostMerged || n <= ShortSort {
		return
	}
	l.passes, l.digit = leading(n, key)
	l.low = max(0, key-l.passes*l.digit)
	w.counters(l.digit, l.passes)
}

// Add adds a list of codes, of elements numbered from first on.
func (l *Lists[C]) Add(codes []C, first uint32) {
	w, least, drop := &l.local, l.least, l.drop&63
	words := w.words[l.n:][:len(codes)]
	l.n += len(codes)
	switch l.passes {
	case 0:
		for i, c := range codes {
			words[i] = uint64(c-least)>>drop<<32 | uint64(first+uint32(i))
		}
		l.ends = append(l.ends, l.n)
	case 1:
		c0, low, mask := &w.counts[0], l.low&31, uint32(1)<<l.digit-1
		for i, c := range codes {
			x := uint64(c-least)>>drop<<32 | uint64(first+uint32(i))
			words[i] = x
			c0[uint32(x>>32)>>low&mask%(1<<loops.MaxDigitBits)]++
		}
	default:
		c0, c1, low, digit, mask := &w.counts[0], &w.counts[1], l.low&31, l.digit&31, uint32(1)<<l.digit-1
		for i, c := range codes {
			x := uint64(c-least)>>drop<<32 | uint64(first+uint32(i))
			words[i] = x
			k := uint32(x>>32) >> low
			c0[k&mask%(1<<loops.MaxDigitBits)]++
			c1[k>>digit&mask%(1<<loops.MaxDigitBits)]++
		}
	}
}

// Sort returns the words in order, and as much memory that is free. code returns the code of
// the element of a number. If a code is outside of the bounds that Begin was given, or a list
// is not sorted, the result is some permutation of the words.
func (l *Lists[C]) Sort(code func(number uint32) C) (words, spare []uint64) {
	w := &l.local
	words, spare = w.words[:l.n], w.spare[:l.n]
	for pass := range l.passes {
		at := 32 + l.low + pass*l.digit
		count := &w.counts[pass]
		if skip(count[:1<<l.digit], l.n, uint32(words[0]>>at)&(1<<l.digit-1)) {
			continue
		}
		loops.Scatter(spare, words, count, 0, at, l.digit)
		words, spare = spare, words
	}
	if l.passes == 0 {
		words, spare = MergeLists(words, spare, l.ends, mergeWords)
	}
	if l.drop > 0 || l.low > 0 {
		l.repair(words, 32+l.low, code)
	}
	return words, spare
}

// MergeLists merges lists of words that end where ends say, which it overwrites, in rounds of
// neighbouring lists: merge merges a and b into dst. It returns the memory that holds the
// result first.
func MergeLists(words, spare []uint64, ends []int, merge func(dst, a, b []uint64)) (merged, free []uint64) {
	for len(ends) > 1 {
		from, half := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			mid, end := ends[i], ends[min(i+1, len(ends)-1)]
			merge(spare[from:end], words[from:mid], words[mid:end])
			half = append(half, end)
			from = end
		}
		words, spare, ends = spare, words, half
	}
	return words, spare
}

// mergeWords merges a and b into dst. len(dst) == len(a) + len(b).
func mergeWords(dst, a, b []uint64) {
	for h := min(len(a), len(b)); h > shortMerge; h = min(len(a), len(b)) {
		la, lb, n := len(a)-h, len(b)-h, len(dst)-h
		i, x := mergeEnds(dst[:h], dst[n:], a[:h], b[:h], a[la:], b[lb:])
		if i > la+x || h-i > lb+h-x { // only if a list is not sorted
			break
		}
		dst, a, b = dst[h:n], a[i:la+x], b[h-i:lb+h-x]
	}
	for len(a) > 0 && len(b) > 0 {
		if b[0] < a[0] {
			dst[0], b = b[0], b[1:]
		} else {
			dst[0], a = a[0], a[1:]
		}
		dst = dst[1:]
	}
	copy(dst[copy(dst, a):], b)
}

// mergeEnds merges a and b from the front until low is full, and c and d from the back until
// high is full. All have the same length, so no list is exhausted. It returns how many words
// of a it took and how many of c it left.
func mergeEnds(low, high, a, b, c, d []uint64) (i, x int) {
	h := len(low)
	high, a, b, c, d = high[:h], a[:h], b[:h], c[:h], d[:h]
	last := h - 1
	x = last
	for k := range low {
		p, q := a[i], b[k-i]
		_, first := bits.Sub64(p, q, 0)
		low[k] = min(p, q)
		i += int(first)

		p, q = c[x], d[last-k+last-x]
		_, first = bits.Sub64(q, p, 0)
		high[last-k] = max(p, q)
		x -= int(first)
	}
	return i, x + 1
}

// repair sorts words that agree from bit shift on by their codes.
func (l *Lists[C]) repair(words []uint64, shift int, code func(number uint32) C) {
	for i := 1; i < len(words); i++ {
		if (words[i]^words[i-1])>>(shift&63) != 0 {
			continue
		}
		from := i - 1
		for i++; i < len(words) && (words[i]^words[from])>>(shift&63) == 0; i++ {
		}
		l.SortRun(words[from:i], code)
	}
}

// SortRun sorts words, whose numbers ascend, by the codes of these. Some of them may be in use by
// Sort.
func (l *Lists[C]) SortRun(run []uint64, code func(number uint32) C) {
	w := &l.local
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, len(run))
	codes := w.codes[:len(run)]
	for i, x := range run {
		codes[i] = code(uint32(x))
	}
	if len(run) <= ShortSort {
		InsertPairs(codes, run)
		return
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return
	}
	if w.long == nil {
		w.long = &Worker[C]{Env: w.Env, nested: true}
	}
	order := w.long.Order(codes, v.Min, v.Span())
	before := w.long.words[:len(run)] // no longer needed
	copy(before, run)
	for i, x := range order {
		run[i] = before[x]
	}
}

// SizeLists sizes the workspaces of workers that order at most the given number of
// codes at a time.
func SizeLists(a *scratch.Area, workers, most int, code uintptr) {
	a.Shares(workers*most, workers, most, code) // codes of a run that is repaired
	SizeWorkersOf(a, workers*most, workers, most, most, code)
}
