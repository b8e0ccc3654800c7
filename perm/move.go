package perm

import (
	"fmt"

	"example.com/sorter/internal/fetch"
)

// Gather sets dst[i] = src[p[i]] for every i. p may select or repeat indices: it need
// not be a permutation.
//
// Reads are random, writes sequential: for elements that miss the cache it costs about
// one memory access each, overlapped by the processor. It takes no scratch, and runs on
// at most workers goroutines (0: GOMAXPROCS).
//
// It panics before anything moves unless len(dst) == len(p) and every index is below
// len(src). dst must not overlap src.
func Gather[E any](dst, src []E, p Perm, workers int) {
	if len(dst) != len(p) {
		panic(fmt.Sprintf("perm: gathering %d indices into %d elements", len(p), len(dst)))
	}
	check(p, len(src), workers)
	each(len(p), workers, func(lo, hi int) { fetch.Gather(dst[lo:hi], src, p[lo:hi]) })
}

// Scatter sets dst[p[i]] = src[i] for every i: the inverse of [Gather].
//
// Writes are random, which is slower than Gather; to apply one permutation to many columns,
// take its [Perm.Inverse] once and gather. It takes no scratch, and runs on at most workers
// goroutines (0: GOMAXPROCS).
//
// It panics before anything moves unless len(src) == len(p) and every index is below len(dst).
// dst must not overlap src. Indices must not repeat, which is not checked: with one worker the
// last element wins, with several it is a data race.
func Scatter[E any](dst, src []E, p Perm, workers int) {
	if len(src) != len(p) {
		panic(fmt.Sprintf("perm: scattering %d elements through %d indices", len(src), len(p)))
	}
	check(p, len(dst), workers)
	each(len(p), workers, func(lo, hi int) {
		in := src[lo:hi]
		for i, v := range p[lo:hi:hi][:len(in)] {
			dst[v] = in[i]
		}
	})
}

// outside formats the error of an index that is not below n.
func outside(index uint32, n int) string {
	return fmt.Sprintf("perm: index %d is not below the length %d", index, n)
}

// check panics on the calling goroutine if an index of p is not below n. So an invalid
// permutation neither moves half a slice nor panics on a goroutine that nobody can recover.
func check(p Perm, n, workers int) {
	bad := make(chan string, 1)
	each(len(p), workers, func(lo, hi int) {
		top := uint32(0)
		for _, v := range p[lo:hi] {
			top = max(top, v)
		}
		if uint64(top) >= uint64(n) && hi > lo {
			select {
			case bad <- outside(top, n):
			default:
			}
		}
	})
	select {
	case text := <-bad:
		panic(text)
	default:
	}
}
