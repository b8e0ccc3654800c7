package bucket

import (
	"math/bits"

	"example.com/sorter/internal/presorted"
)

// Segments that a worker orders, one by one or joined.

// RepairJoined sorts places whose words agree by their codes.
func (w *Worker[C]) RepairJoined(order []uint32, words []uint64, codes []C) {
	last := words[order[0]]
	for i := 1; i < len(order); i++ {
		x := words[order[i]]
		if x != last {
			last = x
			continue
		}
		from := i - 1
		for i++; i < len(order) && words[order[i]] == last; i++ {
		}
		if run := order[from:i]; len(run) <= ShortSort {
			insertionBy(run, codes)
		} else {
			w.repairLong(run, codes)
		}
		i--
	}
}

// Within writes the order of codes, of elements numbered from first on, to index. It returns
// the codes in order if they are asked for; it may overwrite codes.
func (w *Worker[C]) Within(codes []C, index []uint32, first uint32, inOrder bool) (sorted []C) {
	n := len(codes)
	if n == 2 { // without a branch on random codes
		a, b := codes[0], codes[1]
		_, swap := bits.Sub64(uint64(b), uint64(a), 0)
		codes[0], codes[1] = min(a, b), max(a, b)
		index[0], index[1] = first+uint32(swap), first+1-uint32(swap)
		return codes
	}
	presorted.Forward(index, int(first))
	if n <= ShortSort {
		InsertPairs(codes, index)
		return codes
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return codes
	}
	order := w.Order(codes, v.Min, v.Span())
	for i, place := range order {
		index[i] = first + place
	}
	if inOrder {
		return w.Pick(codes, order)
	}
	return nil
}
