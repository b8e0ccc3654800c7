package perm

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
)

// group is the number of consecutive positions that share one cut.
const group = 64

// Apply reorders s in place: s[i] becomes the element that was at p[i]. p is unchanged.
//
// It follows the cycles of p, one dependent memory access after the other, and is many times
// slower than [Gather]: use it if there is no memory for a second slice. Scratch is len(s)/64
// elements and len(s)/8 bytes. It runs on at most workers goroutines (0: GOMAXPROCS).
//
// It panics before anything moves unless p is a valid permutation of len(s) elements, see
// [Perm.Valid].
//
// To walk cycles in parallel it cuts them: it draws one position in every group of 64 at
// random (the result does not depend on it) and saves its element. A path from one cut to the
// next is then independent of all other paths. Cycles without a cut are short, because cuts
// are random. The worker with their smallest position walks them.
func Apply[E any](s []E, p Perm, workers int) {
	if len(s) != len(p) {
		panic(fmt.Sprintf("perm: applying %d indices to %d elements", len(p), len(s)))
	}
	var few [16]uint64 // avoids an allocation up to 1024 elements
	marks := few[:]
	if n := words(len(s)); n > len(few) {
		marks = make([]uint64, n)
	}
	if err := p.mark(marks); err != nil {
		panic(err.Error())
	}
	if goroutines(len(s), workers) <= 1 {
		applySerial(s, p, marks)
		return
	}
	cuts := cuts{seed: rand.Uint64(), n: uint32(len(s))}
	saved := make([]E, (len(s)+group-1)/group)
	each(len(saved)*group, workers, func(lo, hi int) {
		for g := lo / group; g < hi/group; g++ {
			saved[g] = s[cuts.of(uint32(g))]
		}
	})
	each(len(saved)*group, workers, func(lo, hi int) {
		for g := lo / group; g < hi/group; g++ {
			walkPath(s, p, saved, cuts, uint32(g), marks)
		}
	})
	each(len(s), workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if marks[i>>6]>>(i&63)&1 != 0 && cuts.leads(p, uint32(i)) {
				walkCycle(s, p, uint32(i))
			}
		}
	})
}

// ApplyBytes returns the scratch memory of [Apply] for n elements of the given size, in
// bytes.
func ApplyBytes(n int, size uintptr) int64 {
	return int64(n/group+1)*int64(size) + int64(n)/8
}

// cuts chooses one position in every group.
type cuts struct {
	seed uint64
	n    uint32
}

func (c cuts) of(g uint32) uint32 {
	h := (uint64(g) + c.seed) * 0x9e3779b97f4a7c15
	return min(g*group+uint32(h>>58), c.n-1)
}

func (c cuts) at(i uint32) bool { return c.of(i/group) == i }

// leads reports whether i is the smallest position of a cycle without a cut that has at least
// two positions.
func (c cuts) leads(p Perm, i uint32) bool {
	if p[i] == i || c.at(i) {
		return false
	}
	for j := p[i]; j != i; j = p[j] {
		if j < i || c.at(j) {
			return false
		}
	}
	return true
}

// walkPath moves the elements from the cut of group g up to the next cut and clears their bits
// in ahead. Without ahead, each position would have to be checked for a cut in its cycle, by
// several memory accesses, and nearly all have one.
func walkPath[E any](s []E, p Perm, saved []E, c cuts, g uint32, ahead []uint64) {
	for i := c.of(g); ; {
		atomic.AndUint64(&ahead[i>>6], ^(1 << (i & 63))) // paths share words
		j := p[i]
		if c.at(j) {
			s[i] = saved[j/group]
			return
		}
		s[i] = s[j]
		i = j
	}
}

// walkCycle moves the elements of the cycle through start.
func walkCycle[E any](s []E, p Perm, start uint32) {
	first := s[start]
	i := start
	for p[i] != start {
		s[i] = s[p[i]]
		i = p[i]
	}
	s[i] = first
}

// applySerial walks every cycle once. ahead has all bits set; a visited position's bit is
// cleared.
func applySerial[E any](s []E, p Perm, ahead []uint64) {
	for i, v := range p {
		if v == uint32(i) || ahead[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		first := s[i]
		j := uint32(i)
		for p[j] != uint32(i) {
			ahead[j>>6] &^= 1 << (j & 63)
			s[j] = s[p[j]]
			j = p[j]
		}
		ahead[j>>6] &^= 1 << (j & 63)
		s[j] = first
	}
}
