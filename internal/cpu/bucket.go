package cpu

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// local is one worker's workspace for sorting buckets in the cache: by vectors, see
// local_vectors.go, or by radix passes.
//
// For radix passes an element becomes one 64-bit word: the 32 leading bits of its code in the
// upper half, its place in the bucket in the lower half. The leading bits start at the highest
// bit in which codes of the bucket can differ. Least-significant-digit radix passes sort the
// words by enough of these bits to separate nearly all codes. Places keep the order stable.
// Neighbours that agree in the sorted bits are repaired afterwards. So 64-bit codes cost no more
// passes than 32-bit codes.
type local[C Code] struct {
	env    *engine.Env
	words  []uint64
	spare  []uint64
	counts *digitCounts // like all slices here, taken at first use
	places []uint32     // the order that is returned
	long   *local[C]    // workspace for long runs of equal leading bits
	codes  []C          // codes of a long run, or scratch of sortCodes
	sorted []C          // codes in order
	plus   C            // codes of keys have this beyond the codes that are sorted

	spreading
}

const (
	// The counters of two digits of 11 bits are half of a first-level cache.
	minDigitBits = 6
	maxDigitBits = 11
	maxPasses    = 2 // enough for spareBits more than it takes to number maxLocal

	// spareBits is how many bits more than bits.Len(n-1) are sorted at least. Then one of 64
	// uniform codes has to be repaired.
	spareBits = 6

	// shortSort is the length up to which insertion sort wins over radix
	// passes with their counters.
	shortSort = 24
)

// locals returns a workspace for each worker, empty until used.
func locals[C Code](env *engine.Env) []local[C] {
	w := make([]local[C], max(1, env.Loop.Workers))
	for i := range w {
		w[i].env = env
	}
	return w
}

// digitCounts are the counters of all passes.
type digitCounts [maxPasses][1 << maxDigitBits]uint32

// tables returns the counters of all passes.
func (w *local[C]) tables() *digitCounts {
	if w.counts == nil {
		w.counts = &scratch.In[digitCounts](&w.env.Arena, layOutTables(nil, 1))[0]
	}
	return w.counts
}

// takePlaces returns memory for an order of n elements; n may exceed maxLocal.
func (w *local[C]) takePlaces(n int) []uint32 {
	w.places = atLeast(w.env, w.places, n)
	return w.places[:n]
}

// pick returns the codes of the elements at the given places.
func (w *local[C]) pick(codes []C, places []uint32) []C {
	w.sorted = atLeast(w.env, w.sorted, len(places))
	sorted := w.sorted[:len(places)]
	for i, x := range places {
		sorted[i] = codes[x]
	}
	return sorted
}

// atLeast returns s if len(s) >= n. Otherwise it gives s back and takes at least n elements.
func atLeast[T any](env *engine.Env, s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	scratch.Give(&env.Arena, s, 1)
	return scratch.Take[T](&env.Arena, scratch.Fit[T](n))
}

// layOutLocals lays out the workspaces in which workers order n elements together: each
// element is ordered by one worker, with fewer than maxLocal others, and delivered by one,
// with fewer than delivered others.
func layOutLocals(a *scratch.Area, n, workers, delivered int, code uintptr) {
	layOutLocalsOf(a, n, workers, maxLocal, delivered, code)
}

// layOutLocalsOf is layOutLocals for at most the given number of elements at a time.
func layOutLocalsOf(a *scratch.Area, n, workers, most, delivered int, code uintptr) {
	words := func() { // and spare ones
		layOutMatrices(a, n, workers, most)
		a.Shares(n, workers, most, 8)
	}
	words()
	layOutTables(a, min(workers, n))
	layOutPlaces(a, n, workers, delivered)
	a.Times(nesting(n, code)-1, func() { // of long runs
		a.Shares(n, workers, most, code)
		words()
		layOutPlaces(a, n, workers, most)
	})
}

// layOutPlaces lays out the places of at most the given number of elements at a time.
func layOutPlaces(a *scratch.Area, n, workers, most int) {
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, most+vecsort.Slack, 4)
}

// layOutPicked lays out the codes in order with which workers deliver n elements, see
// pick.
func layOutPicked(a *scratch.Area, n, workers int, code uintptr) { a.Shares(n, workers, n, code) }

// nesting bounds how many workspaces sort long runs of equal leading bits, one inside the
// other: each sorts by bits that those inside it do not, if half as many codes at least
// are in them, and if fewer, all of these take less memory than one.
func nesting(n int, code uintptr) int {
	passes, digit := leading(max(n/2, shortSort+1), 32)
	return (8*int(code)-1)/(passes*digit) + 1
}

// layOutTables lays out the counters of the workspaces, and returns the memory of each.
func layOutTables(a *scratch.Area, workers int) scratch.Memory {
	return a.MemoryEach(max(1, workers), 1, unsafe.Sizeof(digitCounts{}))
}

// layOutCodeLocals is layOutLocals of workspaces that sort codes alone.
func layOutCodeLocals(a *scratch.Area, n, workers int, code uintptr) {
	if code == 8 {
		layOutPlaces(a, n, workers, maxLocal)
	}
	layOutMatrices(a, n, workers, maxLocal)
	more := vecsort.Slack * max(1, min(workers, n))
	a.Shares(n+more, workers, maxLocal+vecsort.Slack, code)
	layOutTables(a, min(workers, n))
}

// leading returns the number and width of the digits by which n <= maxLocal elements are
// sorted, whose codes differ in width bits. One or two digits cover bits.Len(n-1)+spareBits
// bits, or all width bits. Wider digits cost more for clearing and summing counters. Narrower
// ones gain 5 to 10 % on some lengths of uniform codes but leave skewed codes to be repaired:
// 8 ns instead of 5 per element for a thousand codes below 2^20.
func leading(n, width int) (passes, digit int) {
	low := bits.Len(uint(n - 1))
	most := min(max(low, minDigitBits), maxDigitBits)
	passes = max(1, (min(width, low+spareBits)+most-1)/most)
	return passes, min(most, (width+passes-1)/passes)
}

// order returns the order of codes, ties by place, in memory of w. len(codes) <= maxLocal, and
// every code is in [lowest, lowest + span].
func (w *local[C]) order(codes []C, lowest, span C) []uint32 {
	n := len(codes)
	if n > shortSort && vecsort.Enabled() {
		if order := w.orderVectors(codes, lowest, span); order != nil {
			return order
		}
	}
	width := bits.Len64(uint64(span))
	w.words, w.spare = atLeast(w.env, w.words, n), atLeast(w.env, w.spare, n)
	key := min(width, 32) // bits of a code in a word
	drop := width - key
	if n <= shortSort {
		words := w.words[:n]
		for i, c := range codes {
			words[i] = word(c, lowest, drop, i)
		}
		insertion(words)
		return w.repaired(words, codes, 32, drop == 0)
	}
	passes, digit := leading(n, key)
	shift := 32 + max(0, key-passes*digit)
	words := w.radix(codes, lowest, drop, shift, digit, passes)
	return w.repaired(words, codes, shift, drop == 0 && shift == 32)
}

// word returns the word of an element.
func word[C Code](code, lowest C, drop, place int) uint64 {
	return uint64(code-lowest)>>(drop&63)<<32 | uint64(uint32(place))
}

// insertion sorts words or codes by insertion sort.
func insertion[C Code](words []C) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		j := i
		for ; j > 0 && words[j-1] > x; j-- {
			words[j] = words[j-1]
		}
		words[j] = x
	}
}

// radix builds the words and sorts them by passes digits from shift on.
func (w *local[C]) radix(codes []C, lowest C, drop, shift, digit, passes int) []uint64 {
	w.build(codes, lowest, drop, shift-32, digit, passes)
	words, spare := w.words[:len(codes)], w.spare[:len(codes)]
	for pass := range passes {
		at := shift + pass*digit
		count := &w.counts[pass]
		if skip(count[:1<<digit], len(codes), uint32(words[0]>>at)&(1<<digit-1)) {
			continue
		}
		scatter(spare, words, count, at, digit)
		words, spare = spare, words
	}
	return words
}

// build writes the words and counts the digits of every pass. The first digit begins at bit
// low of a word's upper half.
func (w *local[C]) build(codes []C, lowest C, drop, low, digit, passes int) {
	words := w.words[:len(codes)]
	c0, c1, mask := w.counters(digit, passes)
	if passes == 1 {
		for i, c := range codes {
			x := word(c, lowest, drop, i)
			words[i] = x
			c0[uint32(x>>32)>>(low&31)&mask%(1<<maxDigitBits)]++
		}
		return
	}
	for i, c := range codes {
		x := word(c, lowest, drop, i)
		words[i] = x
		k := uint32(x>>32) >> (low & 31)
		c0[k&mask%(1<<maxDigitBits)]++
		c1[k>>(digit&31)&mask%(1<<maxDigitBits)]++
	}
}

// counters returns cleared counters for the digits of two passes, and the mask of a digit.
func (w *local[C]) counters(digit, passes int) (c0, c1 *[1 << maxDigitBits]uint32, mask uint32) {
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

// scatter moves words to the positions of their digits, in order. It is not inlined, so that
// its loop has all registers (EPYC 2022, 2026-11: 3.8 ns instead of 4.4 per 32-bit code).
//
//go:noinline
func scatter(dst, src []uint64, next *[1 << maxDigitBits]uint32, shift, digit int) {
	mask, _ := uint32(1)<<digit-1, next[0]
	for _, x := range src {
		k := uint32(x>>(shift&63)) & mask % (1 << maxDigitBits)
		at := next[k]
		next[k] = at + 1
		dst[at] = x
	}
}

// repaired returns the places of words that are sorted from bit shift on. Words that agree
// there are sorted by their codes, unless all says that codes have no other bits.
func (w *local[C]) repaired(words []uint64, codes []C, shift int, all bool) []uint32 {
	places := w.takePlaces(len(words))
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
		if run := places[from:i]; len(run) <= shortSort {
			insertionBy(run, codes)
		} else {
			w.repairLong(run, codes)
		}
		i--
	}
	return places
}

// insertionBy sorts places by their codes. Places ascend, so ties stay in order.
func insertionBy[C Code](places []uint32, codes []C) {
	for i := 1; i < len(places); i++ {
		x := places[i]
		c := codes[x]
		j := i
		for ; j > 0 && codes[places[j-1]] > c; j-- {
			places[j] = places[j-1]
		}
		places[j] = x
	}
}

// repairLong sorts a run of ascending places by the leading bits of the run's own range. That
// range lacks the bits that the run shares, so calls nest at most six deep.
func (w *local[C]) repairLong(run []uint32, codes []C) {
	w.codes = atLeast(w.env, w.codes, len(run))
	if w.long == nil {
		w.long = &local[C]{env: w.env, counts: w.counts} // free until w builds its next words
	}
	own := w.codes[:len(run)]
	for i, x := range run {
		own[i] = codes[x]
	}
	if v := summaryOf(own); !v.sorted() {
		w.long.apply(run, w.long.order(own, v.min, v.span()))
	}
}

// apply permutes numbers by places, an order that w has found. It overwrites w.words.
func (w *local[C]) apply(numbers, places []uint32) {
	for i, x := range numbers {
		w.words[i] = uint64(x)
	}
	for i, x := range places {
		numbers[i] = uint32(w.words[x])
	}
}

// sortCodes sorts codes in place or into memory of w, and returns the sorted slice. len(codes)
// <= maxLocal, and every code is in [lowest, lowest + span].
func (w *local[C]) sortCodes(codes []C, lowest, span C) []C {
	n := len(codes)
	if n <= shortSort {
		insertion(codes)
		return codes
	}
	if vecsort.Enabled() {
		if sorted := w.sortVectors(codes, lowest, span); sorted != nil {
			return sorted
		}
	}
	w.codes = atLeast(w.env, w.codes, n)
	return w.radixCodes(codes, w.codes[:n], lowest, bits.Len64(uint64(span)))
}

// radixCodes sorts codes by their leading bits, then repairs codes that agree in these. It
// returns codes or spare, the one that holds the sorted codes.
func (w *local[C]) radixCodes(codes, spare []C, lowest C, width int) []C {
	passes, digit := leading(len(codes), width)
	drop := max(0, width-passes*digit)
	w.countCodes(codes, lowest, drop, digit, passes)
	for pass := range passes {
		at := drop + pass*digit
		count := &w.counts[pass]
		if skip(count[:1<<digit], len(codes), uint32(uint64(codes[0]-lowest)>>at)&(1<<digit-1)) {
			continue
		}
		scatterCodes(spare, codes, count, lowest, at, digit)
		codes, spare = spare, codes
	}
	for i := 1; drop > 0 && i < len(codes); i++ {
		if codes[i] < codes[i-1] {
			i = w.repairCode(codes, spare, i, lowest, drop)
		}
	}
	return codes
}

// countCodes counts the digits of every pass. The first digit begins at bit low.
func (w *local[C]) countCodes(codes []C, lowest C, low, digit, passes int) {
	c0, c1, mask := w.counters(digit, passes)
	if passes == 1 {
		for _, c := range codes {
			c0[uint32(uint64(c-lowest)>>(low&63))&mask%(1<<maxDigitBits)]++
		}
		return
	}
	for _, c := range codes {
		k := uint32(uint64(c-lowest) >> (low & 63))
		c0[k&mask%(1<<maxDigitBits)]++
		c1[k>>(digit&31)&mask%(1<<maxDigitBits)]++
	}
}

// scatterCodes is [scatter] for codes.
//
//go:noinline
func scatterCodes[C Code](dst, src []C, next *[1 << maxDigitBits]uint32, lowest C, shift, digit int) {
	mask, _ := uint32(1)<<digit-1, next[0]
	for _, c := range src {
		k := uint32(uint64(c-lowest)>>(shift&63)) & mask % (1 << maxDigitBits)
		at := next[k]
		next[k] = at + 1
		dst[at] = c
	}
}

// repairCode inserts codes[i] among the codes before it, which agree with it except in the
// last drop bits. After shortSort steps it sorts the whole run of codes that share the leading
// bits, by the remaining bits. It returns the last index up to which codes are in order. The
// range of a run lacks all leading bits, so calls nest at most six deep and the time is
// linear.
func (w *local[C]) repairCode(codes, spare []C, i int, lowest C, drop int) int {
	c := codes[i]
	at := i
	for least := max(0, i-shortSort); at > least && codes[at-1] > c; at-- {
		codes[at] = codes[at-1]
	}
	codes[at] = c
	if at == 0 || codes[at-1] <= c {
		return i
	}
	prefix := (c - lowest) >> drop
	from, to := at-1, i+1
	for from > 0 && (codes[from-1]-lowest)>>drop == prefix {
		from--
	}
	for to < len(codes) && (codes[to]-lowest)>>drop == prefix {
		to++
	}
	run := codes[from:to]
	v := summaryOf(run)
	if sorted := w.radixCodes(run, spare[from:to], v.min, bits.Len64(uint64(v.span()))); &sorted[0] != &run[0] {
		copy(run, sorted)
	}
	return to - 1
}
