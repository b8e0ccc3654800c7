// Package list restores lists that are sorted again and again, and checks what
// became of them.
package list

import (
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
)

// InOrder reports elements that compare says are out of order.
func InOrder[E any](s []E, compare func(a, b E) int) error {
	for i := 1; i < len(s); i++ {
		if compare(s[i-1], s[i]) > 0 {
			return fmt.Errorf("elements %d and %d of %d are out of order", i-1, i, len(s))
		}
	}
	return nil
}

var seed = maphash.MakeSeed()

// Digest is the same for every permutation of s.
func Digest[E comparable](s []E) uint64 {
	var sum atomic.Uint64
	InParallel(len(s), func(lo, hi int) {
		part := uint64(0)
		for _, e := range s[lo:hi] {
			part += maphash.Comparable(seed, e)
		}
		sum.Add(part)
	})
	return sum.Load()
}

// WrongSteps counts the i from 1 to n-1 for which place i does not follow the one before.
func WrongSteps(n int, follows func(i int) bool) int64 {
	var wrong atomic.Int64
	InParallel(n, func(lo, hi int) {
		part := int64(0)
		for i := max(lo, 1); i < hi; i++ {
			if !follows(i) {
				part++
			}
		}
		wrong.Add(part)
	})
	return wrong.Load()
}

// Copy copies src to dst on all processors. len(dst) >= len(src).
func Copy[E any](dst, src []E) {
	InParallel(len(src), func(lo, hi int) { copy(dst[lo:hi], src[lo:hi]) })
}

// InParallel calls body for as many parts of [0, n) as there are processors;
// short ranges are not worth a goroutine.
func InParallel(n int, body func(lo, hi int)) {
	parts := runtime.GOMAXPROCS(0)
	if n < 1<<18 {
		parts = 1
	}
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { body(n*i/parts, n*(i+1)/parts) })
	}
	all.Wait()
}
