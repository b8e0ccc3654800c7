package bucket

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/scratch"
)

// Equal codes fill single lists of a matrix, and vectors give up if there are many. So buckets are
// sampled before: hashed keys of other tables, decimals and counts tie in any range.

// repeats is how often codes of a bucket come again.
type repeats int

const (
	fewTied  repeats = iota
	someTied         // vectors sort them; most neighbours that agree in leading bits are equal
	manyTied         // vectors would give up
)

const (
	// The sample is of every tieStep-th code; fewer than leastTieSampled codes are not worth one. Of the
	// s codes of a sample of d values in equal shares, s²/(2·d) have come before; with manyTimes codes
	// of each value, n/manyRepeats of n/tieStep.
	tieStep         = 64
	manyTimes       = 5
	manyRepeats     = 2 * tieStep * tieStep / manyTimes
	leastTieSampled = 1 << 12

	tieSlots = 2 * MaxLen / tieStep
)

// repeated estimates how often codes come again.
func repeated[C Code](codes []C) repeats {
	n := len(codes)
	if n < leastTieSampled {
		return fewTied
	}
	var slots [tieSlots]C
	seen := 0 // with code 0, which empty slots have, one too many
	for i := 0; i < n; i += tieStep {
		c := codes[i]
		slot := &slots[scattered(c, bits.Len(tieSlots-1))]
		if *slot == c {
			seen++
		}
		*slot = c
	}
	switch {
	case seen > 3+n/manyRepeats:
		return manyTied
	case seen > 1:
		return someTied
	}
	return fewTied
}

// clustered reports whether many codes agree in all but their last low bits and differ: a repair after a sort by the
// others would take longer than passes by these.
func clustered[C Code](codes []C, lowest C, low int) bool {
	n := len(codes)
	if n < leastTieSampled {
		return false
	}
	var slots [tieSlots]C
	seen := 0 // with leading bits 0, which empty slots have, one too many
	for i := 0; i < n; i += tieStep {
		c := codes[i] - lowest
		slot := &slots[scattered(c>>low, bits.Len(tieSlots-1))]
		if *slot>>low == c>>low && *slot != c {
			seen++
		}
		*slot = c
	}
	return seen > 1+n/tieStep/leastClustered
}

// leastClustered: one of that number of sampled codes agrees with another if clusters have about eight codes.
const leastClustered = 16

// scattered returns a number of the given bits for a code.
func scattered[C Code](c C, size int) uint {
	const golden = 0x9e3779b97f4a7c15
	return uint(uint64(c) * golden >> (64 - size))
}

// placesOfTied returns the places of words that are sorted from bit shift on, in memory that may be that
// of the words. Neighbours are compared by their codes, without a branch for each run that agrees in
// the sorted bits: nearly all are in order.
func placesOfTied[C Code, W uint32 | uint64](w *Worker[C], words []W, places []uint32, codes []C, mask W, shift int) []uint32 {
	places = places[:len(words)]
	last := codes[words[0]&mask]
	for i := 0; i < len(words); i++ {
		x := words[i]
		p := uint32(x & mask)
		c := codes[p]
		if places[i] = p; c >= last {
			last = c
			continue
		}
		j := i
		for least := max(0, i-ShortSort); j > least && codes[places[j-1]] > c; j-- {
			places[j] = places[j-1]
		}
		if places[j] = p; j == 0 || codes[places[j-1]] <= c {
			continue
		}
		// The others that agree with x follow it, or are those before it that exceed the least of them.
		to, least := i+1, c
		for ; to < len(words) && (words[to]^x)>>(shift&63) == 0; to++ {
			places[to] = uint32(words[to] & mask)
			least = min(least, codes[places[to]])
		}
		from := j - 1
		for from > 0 && codes[places[from-1]] > least {
			from--
		}
		w.repairLong(places[from:to], codes)
		i, last = to-1, codes[places[to-1]]
	}
	return places
}

// mostCounted is the part of n codes, n/mostCounted, that may differ for their values to be counted
// (Xeon, 2026-11, 50 thousand 32-bit codes: 1.4 ns with 100 values, 2.0 with 2000, 2.5 by radix passes;
// an order of 10^6 hashed keys of 256 values 7.7 instead of 9.2, of 10^4 8.2 instead of 9.0).
const mostCounted = 24

// valueTable has the number of codes of each value, by hash.
type valueTable[C Code] struct {
	size   int // bits of a slot's number: as many slots as a quarter of the codes, or up to twice as many
	lowest C
	slots  []C // values less the lowest, plus 1: 0 is none
	counts []uint32
	values []C // in order
}

// slot returns the slot of a value that the table has.
func (t *valueTable[C]) slot(value C) uint {
	x := value - t.lowest + 1
	h := scattered(x, t.size)
	for t.slots[h] != x {
		h = (h + 1) & (1<<t.size - 1)
	}
	return h
}

// tabulated counts the values of codes, and writes the slot of each code to slots unless that is nil. ok is
// false if more than n/mostCounted differ.
func (w *Worker[C]) tabulated(codes []C, lowest, span C, slots []uint16) (t valueTable[C], ok bool) {
	n := len(codes)
	switch {
	case span+1 == 0:
		return t, false // no number is left for an empty slot
	case w.uncounted > 0:
		w.uncounted--
		return t, false
	}
	t.size, t.lowest = bits.Len(uint(n-1))-2, lowest
	w.words = scratch.Grow(&w.Env.Arena, w.words, matrixWords(n))
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, n)
	// Sound: a code and a counter for each of at most n/2 slots take less than n words, and memory of
	// words holds no pointers.
	t.slots = unsafe.Slice((*C)(unsafe.Pointer(unsafe.SliceData(w.words))), 1<<t.size)
	t.counts = unsafe.Slice((*uint32)(unsafe.Pointer(&w.words[n/2])), 1<<t.size)
	clear(t.slots)
	values, most := w.codes[:0], n/mostCounted
	for i, c := range codes {
		x := c - lowest + 1
		h := scattered(x, t.size)
		for t.slots[h] != x {
			if t.slots[h] == 0 {
				if len(values) == most {
					w.uncounted = mostTurns
					return t, false
				}
				t.slots[h], t.counts[h] = x, 0
				values = append(values, c)
				break
			}
			h = (h + 1) & (1<<t.size - 1)
		}
		t.counts[h]++
		if i < len(slots) {
			slots[i] = uint16(h)
		}
	}
	t.values = w.radixCodes(values, w.codes[n/2:n/2+len(values)], lowest, bits.Len64(uint64(span)), spareBits)
	return t, true
}

// countValues sorts codes in place by counting each value. It returns false, with codes untouched, if they
// have too many.
func (w *Worker[C]) countValues(codes []C, lowest, span C) bool {
	t, ok := w.tabulated(codes, lowest, span, nil)
	for _, c := range t.values {
		n := t.counts[t.slot(c)]
		loops.Repeat(codes[:n], c)
		codes = codes[n:]
	}
	return ok
}

// orderValues is order by counting each value; nil if there are too many.
func (w *Worker[C]) orderValues(codes []C, lowest, span C) []uint32 {
	n := len(codes)
	if w.nested {
		return nil // bounds have no codes for it
	}
	w.spare = scratch.Grow(&w.Env.Arena, w.spare, n)
	// Sound: memory of words holds no pointers.
	slots := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(w.spare))), n)
	t, ok := w.tabulated(codes, lowest, span, slots)
	if !ok {
		return nil
	}
	at := uint32(0)
	for _, c := range t.values {
		h := t.slot(c)
		t.counts[h], at = at, at+t.counts[h]
	}
	places := w.Places(n)
	for i, h := range slots {
		p := t.counts[h]
		t.counts[h] = p + 1
		places[p] = uint32(i)
	}
	return places
}
