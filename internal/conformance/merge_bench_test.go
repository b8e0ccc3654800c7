package conformance_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// BenchmarkMergeRuns compares a merge of k sorted runs with a loser tree, of 24-byte elements (8
// million) and 104-byte elements (3 million) by uniform 64-bit keys, both with two workers. It
// reports ns per element, the tree's, and the ratio of the medians.
func BenchmarkMergeRuns(b *testing.B) {
	type e24 struct{ key, a, b uint64 }
	for _, k := range []int{2, 4, 8, 16, 64, 256, 1024} {
		benchMergeRuns(b, testkit.Pick(100_000, 8_000_000), k, func(x uint64) e24 { return e24{x, x, x} }, func(e e24) uint64 { return e.key })
	}
	for _, k := range []int{2, 8, 64, 512} {
		benchMergeRuns(b, testkit.Pick(50_000, 3_000_000), k, func(x uint64) [13]uint64 { return [13]uint64{x, x} }, func(e [13]uint64) uint64 { return e[0] })
	}
}

func benchMergeRuns[E any](b *testing.B, n, k int, of func(key uint64) E, key func(E) uint64) {
	runs := make([][]E, k)
	keys, r := make([]uint64, n/k), dist.Rand(uint64(k))
	for i := range runs {
		for j := range keys {
			keys[j] = r.Uint64() >> 1
		}
		slices.Sort(keys)
		for _, x := range keys {
			runs[i] = append(runs[i], of(x))
		}
	}
	n = k * len(keys)
	dst := make([]E, n)
	b.Run(fmt.Sprintf("bytes=%d/k=%d", unsafe.Sizeof(*new(E)), k), func(b *testing.B) {
		var own, tree []float64
		for b.Loop() {
			start := time.Now()
			if err := sorter.Merge(dst, runs, key, sorter.Workers(2)); err != nil {
				b.Fatal(err)
			}
			own = append(own, float64(time.Since(start))/float64(n))
			start = time.Now()
			mergeByTrees(dst, runs, key)
			tree = append(tree, float64(time.Since(start))/float64(n))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(own), "ns/element")
		b.ReportMetric(median(tree), "tree-ns/element")
		b.ReportMetric(median(tree)/median(own), "ratio")
	})
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// mergeByTrees merges runs by two loser trees at a time, each for a half of the elements: all
// elements with keys below 1<<62, which are half of those that the benchmark draws, and the
// others.
func mergeByTrees[E any](dst []E, runs [][]E, key func(E) uint64) {
	lo, hi, n := make([][]E, len(runs)), make([][]E, len(runs)), 0
	for r, s := range runs {
		at := sort.Search(len(s), func(i int) bool { return key(s[i]) >= 1<<62 })
		lo[r], hi[r] = s[:at], s[at:]
		n += at
	}
	var wait sync.WaitGroup
	wait.Go(func() { mergeByTree(dst[n:], hi, key) })
	mergeByTree(dst[:n], lo, key)
	wait.Wait()
}

// contender is a node of a loser tree. Ties are won by the run with the smaller number.
type contender struct {
	code uint64
	run  int32
}

// mergeByTree merges runs by a loser tree with the key and the run in its nodes (Knuth,
// section 5.4.1). It calls key once per element. No key is MaxUint64.
func mergeByTree[E any](dst []E, runs [][]E, key func(E) uint64) {
	k := 1
	for k < len(runs) {
		k *= 2
	}
	tree, heads := make([]contender, k), make([][]E, k)
	copy(heads, runs)
	head := func(r int32) contender {
		if len(heads[r]) == 0 {
			return contender{math.MaxUint64, r}
		}
		return contender{key(heads[r][0]), r}
	}
	var play func(at int) contender
	play = func(at int) contender {
		if at >= k {
			return head(int32(at - k))
		}
		winner, loser := play(2*at), play(2*at+1)
		if loser.code < winner.code {
			winner, loser = loser, winner
		}
		tree[at] = loser
		return winner
	}
	winner := play(1)
	for i := range dst {
		from := heads[winner.run]
		dst[i] = from[0]
		heads[winner.run] = from[1:]
		at := (int(winner.run) + k) / 2
		if winner.code = math.MaxUint64; len(from) > 1 {
			winner.code = key(from[1])
		}
		for ; at > 0; at /= 2 {
			if t := tree[at]; t.code < winner.code || t.code == winner.code && t.run < winner.run {
				tree[at], winner = winner, t
			}
		}
	}
}
