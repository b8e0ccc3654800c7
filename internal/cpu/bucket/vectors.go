package bucket

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/vecsort"
)

// A bucket is sorted by vectors where the processor has them and its codes are spread well enough
// for their lists, and by radix passes otherwise. [vecsort] has the algorithm.

// matrix returns an empty matrix for n codes at offsets up to span from their lowest, and the
// number of bits that offsets lose.
func (w *Worker[C]) matrix(n int, span C) (m vecsort.Matrix, drop int) {
	size := vecsort.Memory(n)
	w.words = scratch.Grow(&w.Env.Arena, w.words, (size+1)/2)
	drop = max(0, bits.Len64(uint64(span))-32)
	// Sound: words are that long, and memory of words holds no pointers.
	memory := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(w.words))), size)
	return vecsort.New(memory, n, uint32(span>>drop)), drop
}

// dealt deals codes to a matrix in one of the ways. It reports whether the matrix took them, and
// whether places are of codes that lost bits.
func (w *Worker[C]) dealt(codes []C, lowest, span C, narrow []uint32) (m vecsort.Matrix, lossy, ok bool) {
	s := &w.spreading
	if s.passed > 0 {
		s.passed--
		return m, false, false
	}
	first := byCode
	if s.turns > 0 {
		s.turns--
		first = s.way
	}
	for way := first; way < spreads; way++ {
		if m, lossy, ok = w.dealtBy(way, way != first, codes, lowest, span, narrow); ok {
			if s.failed = 0; way != first {
				s.way, s.turns = way, mostTurns
			}
			w.Env.Trace.SortedByVectors()
			return m, lossy, true
		}
	}
	s.failed = min(s.failed+1, mostFailed)
	s.passed = 1<<s.failed - 1
	return m, false, false
}

// dealtBy is dealt in one way. A line is tested first if it is new.
func (w *Worker[C]) dealtBy(way spread, test bool, codes []C, lowest, span C, narrow []uint32) (m vecsort.Matrix, lossy, ok bool) {
	switch way {
	case bentAscending, bentDescending, fineAscending, fineDescending:
		fine := way >= fineAscending
		l, ok := lineOf(way == bentDescending || way == fineDescending, lowest, span, w.Plus)
		if !ok || narrow != nil || fine && !vecsort.HasFine(len(codes)) || test && !l.Smooth(codes) {
			return m, false, false
		}
		m, _ = w.matrix(len(codes), ^C(0)>>(8*unsafe.Sizeof(span)-32))
		vecsort.BendBy(&m, &l, codes, fine)
		return m, true, vecsort.DealPlacesBy(&m, &l, codes)
	case ascending, descending:
		l, ok := lineOf(way == descending, lowest, span, w.Plus)
		if !ok || test && !l.Even(codes) {
			return m, false, false
		}
		m, _ = w.matrix(len(codes), ^C(0)>>(8*unsafe.Sizeof(span)-32))
		if narrow != nil {
			return m, false, m.DealCodesBy(any(&l).(*vecsort.Line[uint32]), narrow)
		}
		return m, true, vecsort.DealPlacesBy(&m, &l, codes)
	}
	m, drop := w.matrix(len(codes), span)
	if way == bent {
		vecsort.Bend(&m, codes, lowest, drop)
	}
	if narrow != nil {
		return m, false, m.DealCodes(narrow, uint32(lowest))
	}
	return m, drop > 0, vecsort.DealPlaces(&m, codes, lowest, drop)
}

// lineOf returns the line of codes, less plus, of floats. The kind of keys is not known here. Any
// codes have such a line: whether it spreads them evenly or not, the order is right.
func lineOf[C Code](desc bool, lowest, span, plus C) (vecsort.Line[C], bool) {
	flip, turn := floats.Ordered[C](desc, desc).Inverse()
	return vecsort.LineOf(lowest, lowest+span, flip, turn-plus)
}

// orderVectors is order by vectors; nil if the codes are not spread well enough.
func (w *Worker[C]) orderVectors(codes []C, lowest, span C, tied repeats) []uint32 {
	words, shift := w.wordVectors(codes, lowest, span)
	switch {
	case words == nil || shift == 0:
		return words
	case tied > fewTied:
		return placesOfTied(w, words, words, codes, 1<<(shift&31)-1, shift)
	}
	return w.repairedVectors(words, codes, shift)
}

// wordVectors returns the words of codes and places in order, in which places are the bits below
// shift. With shift 0 they are places alone, of all codes in order.
func (w *Worker[C]) wordVectors(codes []C, lowest, span C) (words []uint32, shift int) {
	m, lossy, ok := w.dealt(codes, lowest, span, nil)
	if !ok {
		return nil, 0
	}
	w.places = scratch.Grow(&w.Env.Arena, w.places, len(codes)+vecsort.Slack)
	if !lossy && m.Exact() {
		return m.Join(w.places, 1<<m.PlaceBits()-1), 0
	}
	return m.Join(w.places, ^uint32(0)), m.PlaceBits()
}

// repairedVectors turns words into places. Neighbours that agree in the bits from shift on are
// sorted by their codes. They may be of two lists, which are in order.
func (w *Worker[C]) repairedVectors(words []uint32, codes []C, shift int) []uint32 {
	mask := uint32(1)<<shift - 1
	last := ^words[0] // differs from the first in all bits
	for i := 0; i < len(words); i++ {
		x := words[i]
		words[i] = x & mask
		if (x^last)>>(shift&31) != 0 {
			last = x
			continue
		}
		from := i - 1
		for i++; i < len(words) && (words[i]^last)>>(shift&31) == 0; i++ {
			words[i] &= mask
		}
		if run := words[from:i]; len(run) <= ShortSort {
			insertionBy(run, codes)
		} else {
			w.repairLong(run, codes)
		}
		i--
	}
	return words
}

// sortVectors is Sort by vectors; nil if the codes are not spread well enough.
func (w *Worker[C]) sortVectors(codes []C, lowest, span C) []C {
	n := len(codes)
	if narrow, ok := any(codes).([]uint32); ok {
		m, _, ok := w.dealt(codes, lowest, span, narrow)
		if !ok {
			return nil
		}
		w.codes = scratch.Grow(&w.Env.Arena, w.codes, n+vecsort.Slack)
		return any(m.Join(any(w.codes).([]uint32), ^uint32(0))).([]C)
	}
	words, shift := w.wordVectors(codes, lowest, span)
	if words == nil {
		return nil
	}
	w.codes = scratch.Grow(&w.Env.Arena, w.codes, n)
	sorted := w.codes[:n]
	if shift == 0 {
		shift = 31 // places alone
	}
	if !pickInOrder(sorted, codes, words, 1<<shift-1) {
		for i, x := range w.repairedVectors(words, codes, shift) {
			sorted[i] = codes[x]
		}
	}
	return sorted
}

// pickInOrder writes the codes at the places that words & mask are to sorted, and inserts those
// that are not in order. It gives up where that takes many steps. len(sorted) == len(words) > 0.
func pickInOrder[C Code](sorted, codes []C, words []uint32, mask uint32) bool {
	sorted = sorted[:len(words)]
	last := codes[words[0]&mask]
	for i, x := range words {
		c := codes[x&mask]
		if c >= last {
			sorted[i], last = c, c
			continue
		}
		j := i
		for least := max(0, i-ShortSort); j > least && sorted[j-1] > c; j-- {
			sorted[j] = sorted[j-1]
		}
		if sorted[j] = c; j > 0 && sorted[j-1] > c {
			return false
		}
	}
	return true
}

// spread is a way to spread codes over the lists of a matrix.
type spread int

const (
	byCode         spread = iota // lists have equally wide ranges of codes
	ascending                    // equally wide ranges of floats, of which codes are as by default
	descending                   // the same in descending order
	bent                         // the ranges of codes are those of a histogram
	bentAscending                // the ranges of floats are
	bentDescending               // the same in descending order
	fineAscending                // the histogram is a finer one
	fineDescending               // the same in descending order
	spreads                      // number of ways
)

// spreading records how evenly the codes of a worker's buckets are spread: neighbouring buckets are
// alike.
type spreading struct {
	way    spread // that is tried first
	turns  int    // buckets for which way is not byCode
	failed int    // buckets in a row that no matrix took, at most mostFailed
	passed int    // buckets that are passed over

	uncounted int // buckets that are not to be counted by value, see countValues
}

const (
	mostTurns  = 15
	mostFailed = 4
)
