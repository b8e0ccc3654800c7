package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Pairs is a workspace for sorting small lists of codes with their numbers. The zero value is
// ready. It serves one goroutine at a time.
type Pairs struct {
	local local[uint64]
	codes []uint64
}

// Sort sorts codes, and order with them, ties in their present order. len(codes) == len(order)
// <= 1<<16.
func (p *Pairs) Sort(env *engine.Env, codes []uint64, order []uint32) {
	n := len(codes)
	if n <= shortSort {
		insertionPairs(codes, order)
		return
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return
	}
	p.local.env = env
	p.codes = atLeast(env, p.codes, n)
	places := p.local.orderOf(codes, v)
	p.local.words = atLeast(env, p.local.words, n)
	p.local.apply(order, places)
	copy(p.codes, codes)
	for i, x := range places {
		codes[i] = p.codes[x]
	}
}

// PairsBytes bounds the scratch memory, in bytes, of workspaces that sort lists of n
// elements together, each by one worker.
func PairsBytes(n, workers int) int64 {
	var a scratch.Area
	a.Shares(n, workers, maxLocal, 8) // codes
	sizeLocals(&a, n, workers, maxLocal, 8)
	return a.Bytes()
}

// SortInPlace is [Pairs.Sort] without memory. It is slower. order must ascend wherever codes
// tie.
func SortInPlace(env *engine.Env, codes []uint64, order []uint32) {
	if len(codes) <= shortSort {
		insertionPairs(codes, order)
		return
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return
	}
	f := newFlag(env, codes, order, v.Min^v.Max)
	f.sort(0, len(codes), f.top)
}

func insertionPairs[C Code, T uint32 | uint64](codes []C, order []T) {
	for i := 1; i < len(codes); i++ {
		c, o := codes[i], order[i]
		j := i
		for ; j > 0 && codes[j-1] > c; j-- {
			codes[j], order[j] = codes[j-1], order[j-1]
		}
		codes[j], order[j] = c, o
	}
}
