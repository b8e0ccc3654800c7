package bucket

import (
	"math/bits"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/presorted"
)

// Codes without places, those of keys that are the elements, are sorted as they are: by radix
// passes over their leading bits, then repaired where neighbours agree in these.

// radixCodes sorts codes by their leading bits, as many as number them and more, then repairs codes that agree
// in these. Clustered codes are sorted by the other bits before. It returns codes or spare, the one that
// holds the sorted codes.
func (w *Worker[C]) radixCodes(codes, spare []C, lowest C, width, more int) []C {
	passes, digit := leadingBits(len(codes), width, more)
	drop := max(0, width-passes*digit)
	unsorted := drop
	if 0 < drop && drop <= 2*loops.MaxDigitBits && clustered(codes, lowest, drop) {
		for ; unsorted > 0; codes, spare = spare, codes {
			low := min(unsorted, loops.MaxDigitBits)
			sortDigit(spare, codes, &w.tables()[maxPasses], lowest, drop-unsorted, low)
			unsorted -= low
		}
	}
	w.countCodes(codes, lowest, drop, digit, passes)
	for pass := range passes {
		at := drop + pass*digit
		count := &w.counts[pass]
		if skip(count[:1<<digit], len(codes), uint32(uint64(codes[0]-lowest)>>at)&(1<<digit-1)) {
			continue
		}
		loops.Scatter(spare, codes, count, lowest, at, digit)
		codes, spare = spare, codes
	}
	for i := 1; unsorted > 0 && i < len(codes); i++ {
		if codes[i] < codes[i-1] {
			i = w.repairCode(codes, spare, i, lowest, drop)
		}
	}
	return codes
}

// countCodes counts the digits of every pass. The first digit begins at bit low.
func (w *Worker[C]) countCodes(codes []C, lowest C, low, digit, passes int) {
	c0, c1, mask := w.counters(digit, passes)
	if passes == 1 {
		for _, c := range codes {
			c0[uint32(uint64(c-lowest)>>(low&63))&mask%(1<<loops.MaxDigitBits)]++
		}
		return
	}
	loops.Digits(codes, c0, c1, lowest, low, digit)
}

// repairCode inserts codes[i] among the codes before it, which agree with it except in the
// last drop bits. After ShortSort steps it sorts the whole run of codes that share the leading
// bits, by the remaining bits. It returns the last index up to which codes are in order. The
// range of a run lacks all leading bits, so calls nest at most six deep and the time is
// linear.
func (w *Worker[C]) repairCode(codes, spare []C, i int, lowest C, drop int) int {
	c := codes[i]
	at := i
	for least := max(0, i-ShortSort); at > least && codes[at-1] > c; at-- {
		codes[at] = codes[at-1]
	}
	codes[at] = c
	if at == 0 || codes[at-1] <= c {
		return i
	}
	prefix := (c - lowest) >> drop
	from, to := at, i // of which it has the prefix
	for from > 0 && (codes[from-1]-lowest)>>drop == prefix {
		from--
	}
	for to < len(codes) && (codes[to]-lowest)>>drop == prefix {
		to++
	}
	run := codes[from:to]
	v := presorted.SummaryOf(run)
	if sorted := w.radixCodes(run, spare[from:to], v.Min, bits.Len64(uint64(v.Span())), spareBits); &sorted[0] != &run[0] {
		copy(run, sorted)
	}
	return to - 1
}
