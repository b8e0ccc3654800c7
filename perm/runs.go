package perm

import (
	"fmt"
	"iter"
	"math/bits"
)

// Runs are the runs of equal rows in an order: which positions begin a run. Options of package
// sorter fill them ([sorter.MarkRuns]), and package rank computes ranks from them. A Runs is
// immutable, safe for concurrent use and cheap to copy. The zero value has no rows.
//
// It is a bitmap of one bit per row, an eighth of a byte, whatever the number of runs. Offsets
// would take 4 or 8 bytes per run, and most orders have nearly as many runs as rows. Runs are
// found 32 positions at a time.
//
// [sorter.MarkRuns]: https://pkg.go.dev/example.com/sorter#MarkRuns
type Runs struct {
	n      int
	count  int
	starts []uint32 // bit i%32 of starts[i/32] is set if a run begins at position i
}

// RunsOf returns the runs of n rows that begin where bits are set: bit i%32 of starts[i/32] for
// position i. It counts the bits and keeps starts, which must not change any more. It panics if
// n is negative, if starts is shorter than n bits, or unless a run begins at position 0 of one
// row or more.
func RunsOf(n int, starts []uint32) Runs {
	if n < 0 || len(starts) < n/32+min(n%32, 1) || n > 0 && starts[0]&1 == 0 {
		panic(fmt.Sprintf("perm: runs of %d rows from %d words, of which bit 0 must be set", n, len(starts)))
	}
	r := Runs{n: n, starts: starts}
	r.count = r.Count(0, n)
	return r
}

// RunsAt returns the runs that offsets describe, such as partitions that are known: run i has
// the positions offsets[i] to offsets[i+1]-1. Runs without rows are left out. It takes one bit
// per row. It panics unless offsets ascend from 0, or are empty.
func RunsAt(offsets []int) Runs {
	if len(offsets) == 0 {
		return Runs{}
	}
	n := max(0, offsets[len(offsets)-1])
	starts, last := make([]uint32, n/32+min(n%32, 1)), 0
	for i, at := range offsets {
		if at < last || at > n || i == 0 && at != 0 {
			panic(fmt.Sprintf("perm: offset %d is %d, after %d", i, at, last))
		}
		if last = at; at < n {
			starts[at/32] |= 1 << (at % 32)
		}
	}
	return RunsOf(n, starts)
}

// Rows returns the number of rows, of all runs together.
func (r Runs) Rows() int { return r.n }

// Len returns the number of runs: that of distinct rows.
func (r Runs) Len() int { return r.count }

// All returns the runs, in order: the positions [lo, hi) of each in the order. It takes a few
// ns per run and one word read for each 32 rows, and allocates nothing.
func (r Runs) All() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < r.n; {
			hi := r.Next(lo + 1)
			if !yield(lo, hi) {
				return
			}
			lo = hi
		}
	}
}

// Next returns the first position at or after i at which a run begins; r.Rows() if there is
// none. It reads a word for each 32 positions. It panics if i is negative.
func (r Runs) Next(i int) int {
	if uint(i) < uint(r.n) {
		if word := r.starts[uint(i)/32] >> (uint(i) % 32); word != 0 {
			return min(i+bits.TrailingZeros32(word), r.n)
		}
	}
	return r.nextWord(i)
}

// nextWord is Next if no run begins at or after i in its word.
func (r Runs) nextWord(i int) int {
	if i < 0 {
		panic(fmt.Sprintf("perm: position %d of %d rows", i, r.n))
	}
	for word := uint(i)/32 + 1; word < uint(len(r.starts)); word++ {
		if starts := r.starts[word]; starts != 0 {
			return min(int(word*32)+bits.TrailingZeros32(starts), r.n)
		}
	}
	return r.n
}

// At returns the run of position i: the positions [lo, hi), lo <= i < hi. It reads a word for
// each 32 of them. It panics unless 0 <= i < r.Rows().
func (r Runs) At(i int) (lo, hi int) {
	r.check(i)
	return r.begin(i), r.Next(i + 1)
}

// Begins reports whether a run begins at position i. It panics unless 0 <= i < r.Rows().
func (r Runs) Begins(i int) bool {
	r.check(i)
	return r.starts[i/32]>>(i%32)&1 != 0
}

// check panics unless 0 <= i < r.Rows().
func (r Runs) check(i int) {
	if uint(i) >= uint(r.n) {
		panic(fmt.Sprintf("perm: position %d of %d rows", i, r.n))
	}
}

// Count returns the number of runs that begin at positions [lo, hi). It reads a word for each
// 32 of them. It panics unless 0 <= lo <= hi <= r.Rows().
func (r Runs) Count(lo, hi int) int {
	if lo < 0 || lo > hi || hi > r.n {
		panic(fmt.Sprintf("perm: positions %d to %d of %d rows", lo, hi, r.n))
	}
	count := 0
	for ; lo < hi; lo = (lo/32 + 1) * 32 {
		word := r.starts[lo/32] >> (lo % 32)
		if left := hi - lo; left < 32 {
			word &= 1<<left - 1
		}
		count += bits.OnesCount32(word)
	}
	return count
}

// Offsets returns where runs begin, and the number of rows at the end: r.Len()+1 numbers. Run i
// has the positions offsets[i] to offsets[i+1]-1.
func (r Runs) Offsets() []int {
	offsets := make([]int, 0, r.count+1)
	for lo := range r.All() {
		offsets = append(offsets, lo)
	}
	return append(offsets, r.n)
}

// begin returns where the run of position i begins; i < r.n.
func (r Runs) begin(i int) int {
	word := r.starts[i/32] << (31 - i%32)
	for word == 0 { // bit 0 of starts[0] is set
		i = i/32*32 - 1
		word = r.starts[i/32]
	}
	return i - bits.LeadingZeros32(word)
}
