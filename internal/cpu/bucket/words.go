package bucket

import (
	"cmp"
	"math/bits"
	"slices"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/scratch"
)

// For the order of a bucket by radix passes an element becomes one 64-bit word: the 32 leading
// bits of its code in the upper half, its place in the bucket in the lower half. The leading bits
// start at the highest bit in which codes of the bucket can differ. Least-significant-digit radix
// passes sort the words by enough of these bits to separate nearly all codes. Places keep the
// order stable. Neighbours that agree in the sorted bits are repaired afterwards. So 64-bit codes
// cost no more passes than 32-bit codes.

// tables returns the counters of all passes.
func (w *Worker[C]) tables() *digitCounts {
	if w.counts == nil {
		w.counts = &scratch.In[digitCounts](&w.Env.Arena, sizeTables(nil, 1))[0]
	}
	return w.counts
}

// leading returns the number and width of the digits by which n <= MaxLen elements are
// sorted, whose codes differ in width bits. One or two digits cover bits.Len(n-1)+spareBits
// bits, or all width bits. Wider digits cost more for clearing and summing counters. Narrower
// ones gain 5 to 10 % on some lengths of uniform codes but leave skewed codes to be repaired:
// 8 ns instead of 5 per element for a thousand codes below 2^20.
func leading(n, width int) (passes, digit int) { return leadingBits(n, width, spareBits) }

// leadingBits is leading with another number of bits than spareBits. Fewer make narrower digits.
func leadingBits(n, width, spare int) (passes, digit int) {
	low := bits.Len(uint(n - 1))
	if spare < spareBits {
		width = min(width, low+spare)
	}
	most := min(max(low, minDigitBits), loops.MaxDigitBits)
	passes = max(1, (min(width, low+spare)+most-1)/most)
	return passes, min(most, (width+passes-1)/passes)
}

// radix builds the words and sorts them by passes digits from shift on, if low is set by all bits below it
// before.
func (w *Worker[C]) radix(codes []C, lowest C, drop, shift, digit, passes int, low bool) []uint64 {
	w.build(codes, lowest, drop, shift-32, digit, passes)
	words, spare := w.words[:len(codes)], w.spare[:len(codes)]
	if low {
		sortDigit(spare, words, &w.tables()[maxPasses], 0, 32, shift-32)
		words, spare = spare, words
	}
	for pass := range passes {
		at := shift + pass*digit
		count := &w.counts[pass]
		if skip(count[:1<<digit], len(codes), uint32(words[0]>>at)&(1<<digit-1)) {
			continue
		}
		loops.Scatter(spare, words, count, 0, at, digit)
		words, spare = spare, words
	}
	return words
}

// build writes the words and counts the digits of every pass. The first digit begins at bit
// low of a word's upper half.
func (w *Worker[C]) build(codes []C, lowest C, drop, low, digit, passes int) {
	words := w.words[:len(codes)]
	c0, c1, mask := w.counters(digit, passes)
	if passes == 1 {
		for i, c := range codes {
			x := loops.Word(c, lowest, drop, i)
			words[i] = x
			c0[uint32(x>>32)>>(low&31)&mask%(1<<loops.MaxDigitBits)]++
		}
		return
	}
	loops.Build(words, codes, c0, c1, lowest, drop, low, digit)
}

// counters returns cleared counters for the digits of two passes, and the mask of a digit.
func (w *Worker[C]) counters(digit, passes int) (c0, c1 *[1 << loops.MaxDigitBits]uint32, mask uint32) {
	counts := w.tables()
	for pass := range passes {
		clear(counts[pass][:1<<digit])
	}
	return &counts[0], &counts[1], 1<<digit - 1
}

// skip reports whether all n words share the digit. If not, it turns the counts into first
// positions.
func skip(count []uint32, n int, digit uint32) bool {
	if count[digit] == uint32(n) {
		return true
	}
	at := uint32(0)
	// Unrolled by four: one dependent addition per four counters. It saves a tenth of the sort
	// of a thousand codes.
	for ; len(count) >= 4; count = count[4:] {
		a, b, c, d := count[0], count[1], count[2], count[3]
		count[0], count[1] = at, at+a
		a += b
		count[2], count[3] = at+a, at+a+c
		at += a + c + d
	}
	for i, c := range count {
		count[i] = at
		at += c
	}
	return false
}

// sortDigit sorts words or codes by one digit from bit shift on, with the counters of count.
func sortDigit[C Code](dst, src []C, count *[1 << loops.MaxDigitBits]uint32, lowest C, shift, digit int) {
	clear(count[:1<<digit])
	mask := uint32(1)<<digit - 1
	for _, c := range src {
		count[uint32(uint64(c-lowest)>>(shift&63))&mask%(1<<loops.MaxDigitBits)]++
	}
	skip(count[:1<<digit], len(src)+1, 0) // sums
	loops.Scatter(dst, src, count, lowest, shift, digit)
}

// repaired returns the places of words that are sorted from bit shift on. Words that agree
// there are sorted by their codes, unless all says that codes have no other bits.
func (w *Worker[C]) repaired(words []uint64, codes []C, shift int, all bool) []uint32 {
	places := w.Places(len(words))
	if all {
		for i, x := range words {
			places[i] = uint32(x)
		}
		return places
	}
	last := ^words[0] // differs from the first in all bits
	for i := 0; i < len(words); i++ {
		x := words[i]
		places[i] = uint32(x)
		if (x^last)>>(shift&63) != 0 {
			last = x
			continue
		}
		from := i - 1
		for ; i < len(words) && (words[i]^last)>>(shift&63) == 0; i++ {
			places[i] = uint32(words[i])
		}
		if run := places[from:i]; len(run) <= ShortSort {
			insertionBy(run, codes)
		} else {
			w.repairLong(run, codes)
		}
		i--
	}
	return places
}

// repairLong sorts a run of ascending places by the leading bits of the run's own range. That
// range lacks the bits that the run shares, so calls nest at most six deep.
func (w *Worker[C]) repairLong(run []uint32, codes []C) {
	if w.apart {
		slices.SortFunc(run, func(i, j uint32) int { return cmp.Or(cmp.Compare(codes[i], codes[j]), cmp.Compare(i, j)) })
		return
	}
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, len(run))
	own := w.codes[:len(run)]
	for i, x := range run {
		own[i] = codes[x]
	}
	if order := w.inner().orderOwn(own); order != nil {
		w.long.apply(run, order)
	}
}
