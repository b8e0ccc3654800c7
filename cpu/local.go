package cpu

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// local is one worker's workspace for sorting buckets in the cache.
//
// An element becomes one 32-bit word: as many leading bits of its code as fit
// above its position in the bucket. Least-significant-digit radix passes over
// the code part sort the words, positions keep ties stable for free, and the
// rare neighbours whose leading bits agree while their codes differ are
// repaired afterwards. So codes of 64 bits cost no more passes than codes of
// 32.
type local[C Code] struct {
	env    *engine.Env
	words  []uint32
	spare  []uint32
	counts [maxPasses][1 << maxDigitBits]uint32
	long   *local[C] // workspace for long runs of equal leading bits
	codes  []C       // codes of a long run, or room for sorting codes alone
	sorted []C       // codes in order
}

const (
	maxDigitBits = 11
	maxPasses    = 3 // 32 bits in digits of 11

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

// reserve makes room for n words.
func (w *local[C]) reserve(n int) {
	w.words, w.spare = atLeast(w.env, w.words, n), atLeast(w.env, w.spare, n)
}

// room returns room for n words, which may be more than fit the cache.
func (w *local[C]) room(n int) []uint32 {
	w.words = atLeast(w.env, w.words, n)
	return w.words[:n]
}

// pick returns the codes of the elements that words stand for under mask.
func (w *local[C]) pick(codes []C, words []uint32, mask uint32) []C {
	w.sorted = atLeast(w.env, w.sorted, len(words))
	sorted := w.sorted[:len(words)]
	for i, x := range words {
		sorted[i] = codes[x&mask]
	}
	return sorted
}

// atLeast returns s, or instead of it memory for n elements and a few more.
func atLeast[T any](env *engine.Env, s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	scratch.Give(&env.Arena, s, 1)
	return scratch.Take[T](&env.Arena, max(n, min(n+n/2, maxLocal)))
}

// order sorts the positions 0 … len(codes)-1 by code, ties by position.
// len(codes) <= maxLocal; codes are at least lowest and exceed it by at most
// width bits. The positions are the returned words' bits under mask; the slice
// belongs to w.
func (w *local[C]) order(codes []C, lowest C, width int) (words []uint32, mask uint32) {
	n := len(codes)
	w.reserve(n)
	low := bits.Len(uint(n - 1)) // bits of a position
	// Eight bits more than it takes to number the elements tell nearly all of
	// even codes apart; what else would fit into the word is not worth a pass.
	key := min(width, 32-low, low+8)
	drop := width - key
	mask = 1<<low - 1
	if n <= shortSort {
		words = w.words[:n]
		for i, c := range codes {
			words[i] = uint32((c-lowest)>>drop)<<low | uint32(i)
		}
		insertion(words)
	} else {
		words = w.radix(codes, lowest, drop, low, key)
	}
	if drop > 0 {
		w.repair(words, codes, low, mask, drop)
	}
	return words, mask
}

// insertion sorts a few words.
func insertion(words []uint32) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		j := i
		for ; j > 0 && words[j-1] > x; j-- {
			words[j] = words[j-1]
		}
		words[j] = x
	}
}

// radix builds the words and sorts them by the key bits above low.
func (w *local[C]) radix(codes []C, lowest C, drop, low, key int) []uint32 {
	n := len(codes)
	// Digits much wider than the positions would cost more for clearing and
	// summing counters than a further pass.
	digit := min(max(low-1, 6), maxDigitBits)
	passes := min(max((key+digit-1)/digit, 1), maxPasses)
	digit = (key + passes - 1) / passes
	w.build(codes, lowest, drop, low, digit, passes)

	words, spare := w.words[:n], w.spare[:n]
	for pass := range passes {
		shift := low + pass*digit
		count := &w.counts[pass]
		if skip(count[:1<<digit], n, words[0]>>shift&(1<<digit-1)) {
			continue
		}
		scatter(spare, words, count, shift, digit)
		words, spare = spare, words
	}
	return words
}

// build writes the words and counts the digits of every pass.
func (w *local[C]) build(codes []C, lowest C, drop, low, digit, passes int) {
	words := w.words[:len(codes)]
	for pass := range passes {
		clear(w.counts[pass][:1<<digit])
	}
	mask := uint32(1)<<digit - 1
	c0, c1, c2 := &w.counts[0], &w.counts[1], &w.counts[2]
	switch passes {
	case 1:
		for i, c := range codes {
			k := uint32(uint64(c-lowest) >> (drop & 63))
			words[i] = k<<(low&31) | uint32(i)
			c0[k&mask%(1<<maxDigitBits)]++
		}
	case 2:
		for i, c := range codes {
			k := uint32(uint64(c-lowest) >> (drop & 63))
			words[i] = k<<(low&31) | uint32(i)
			c0[k&mask%(1<<maxDigitBits)]++
			c1[k>>(digit&31)%(1<<maxDigitBits)]++
		}
	default:
		for i, c := range codes {
			k := uint32(uint64(c-lowest) >> (drop & 63))
			words[i] = k<<(low&31) | uint32(i)
			c0[k&mask%(1<<maxDigitBits)]++
			c1[k>>(digit&31)&mask%(1<<maxDigitBits)]++
			c2[k>>(2*digit&31)%(1<<maxDigitBits)]++
		}
	}
}

// skip reports whether all n words share the digit, and otherwise turns the
// counts into first positions.
func skip(count []uint32, n int, digit uint32) bool {
	if count[digit] == uint32(n) {
		return true
	}
	at := uint32(0)
	for i, c := range count {
		count[i] = at
		at += c
	}
	return false
}

// scatter moves words to the positions of their digits, in order.
func scatter(dst, src []uint32, next *[1 << maxDigitBits]uint32, shift, digit int) {
	mask, _ := uint32(1)<<digit-1, next[0]
	for _, x := range src {
		k := x >> (shift & 31) & mask % (1 << maxDigitBits)
		at := next[k]
		next[k] = at + 1
		dst[at] = x
	}
}

// repair orders the neighbours whose words agree above the position although
// drop further bits of their codes were left out.
func (w *local[C]) repair(words []uint32, codes []C, low int, mask uint32, drop int) {
	for i := 1; i < len(words); i++ {
		if words[i]>>low != words[i-1]>>low {
			continue
		}
		from := i - 1
		for i < len(words) && words[i]>>low == words[from]>>low {
			i++
		}
		if run := words[from:i]; len(run) <= shortSort {
			insertionBy(run, codes, mask)
		} else {
			w.repairLong(run, codes, mask)
		}
	}
}

// insertionBy sorts a few words, in order of position, by the whole code.
func insertionBy[C Code](words []uint32, codes []C, mask uint32) {
	for i := 1; i < len(words); i++ {
		x := words[i]
		c := codes[x&mask]
		j := i
		for ; j > 0 && codes[words[j-1]&mask] > c; j-- {
			words[j] = words[j-1]
		}
		words[j] = x
	}
}

// repairLong sorts a run, in order of position, by its own leading bits. Its
// range is narrower by the bits that the run shares, so this nests at most
// four deep.
func (w *local[C]) repairLong(run []uint32, codes []C, mask uint32) {
	n := len(run)
	w.codes = atLeast(w.env, w.codes, n)
	if w.long == nil {
		w.long = &local[C]{env: w.env}
	}
	own := w.codes[:n]
	for i, x := range run {
		own[i] = codes[x&mask]
	}
	v := look(own)
	if v.sorted() {
		return
	}
	order, ownMask := w.long.order(own, v.min, v.width())
	// The long workspace's spare half is free now; its words hold the order.
	sorted := w.long.spareOf(order)
	for i, x := range order {
		sorted[i] = run[x&ownMask]
	}
	copy(run, sorted)
}

// spareOf returns the buffer that words, the result of order, does not occupy.
func (w *local[C]) spareOf(words []uint32) []uint32 {
	if &words[0] == &w.words[0] {
		return w.spare[:len(words)]
	}
	return w.words[:len(words)]
}

// sortCodes sorts codes themselves, len(codes) <= maxLocal. They are at least
// lowest and exceed it by at most width bits. What it returns may belong to w.
func (w *local[C]) sortCodes(codes []C, lowest C, width int) []C {
	n := len(codes)
	if n <= shortSort {
		insertion2(codes)
		return codes
	}
	w.codes = atLeast(w.env, w.codes, n)
	spare := w.codes[:n]
	// Enough leading bits to tell nearly all codes apart; the rest is repaired.
	key := min(width, 2*maxDigitBits)
	drop := width - key
	digit := (key + 1) / 2
	c0, c1 := &w.counts[0], &w.counts[1]
	clear(c0[:1<<digit])
	clear(c1[:1<<digit])
	mask := uint32(1)<<digit - 1
	for _, c := range codes {
		k := uint32(uint64(c-lowest) >> (drop & 63))
		c0[k&mask%(1<<maxDigitBits)]++
		c1[k>>(digit&31)%(1<<maxDigitBits)]++
	}
	first := uint32((codes[0] - lowest) >> drop)
	if !skip(c0[:1<<digit], n, first&mask) {
		scatterCodes(spare, codes, c0, lowest, drop, mask)
		codes, spare = spare, codes
	}
	if !skip(c1[:1<<digit], n, first>>digit) {
		scatterCodes(spare, codes, c1, lowest, drop+digit, mask)
		codes, spare = spare, codes
	}
	if drop > 0 {
		repairCodes(codes, lowest, drop)
	}
	return codes
}

func scatterCodes[C Code](dst, src []C, next *[1 << maxDigitBits]uint32, lowest C, shift int, mask uint32) {
	_ = next[0]
	for _, c := range src {
		k := uint32(uint64(c-lowest)>>(shift&63)) & mask % (1 << maxDigitBits)
		at := next[k]
		next[k] = at + 1
		dst[at] = c
	}
}

// insertion2 sorts a few codes.
func insertion2[C Code](codes []C) {
	for i := 1; i < len(codes); i++ {
		x := codes[i]
		j := i
		for ; j > 0 && codes[j-1] > x; j-- {
			codes[j] = codes[j-1]
		}
		codes[j] = x
	}
}

// repairCodes sorts the runs that agree in all but the last drop bits.
func repairCodes[C Code](codes []C, lowest C, drop int) {
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			continue
		}
		prefix := (codes[i] - lowest) >> drop
		from, to := i-1, i+1
		for from > 0 && (codes[from-1]-lowest)>>drop == prefix {
			from--
		}
		for to < len(codes) && (codes[to]-lowest)>>drop == prefix {
			to++
		}
		slices.Sort(codes[from:to])
		i = to
	}
}
