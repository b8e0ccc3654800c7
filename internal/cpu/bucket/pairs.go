package bucket

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// Pairs is a workspace for sorting small lists of codes with their numbers. The zero value is
// ready. It serves one goroutine at a time.
type Pairs struct {
	local Worker[uint64]
	codes []uint64
}

// Sort sorts codes, and order with them, ties in their present order. len(codes) == len(order)
// <= 1<<16.
func (p *Pairs) Sort(env *engine.Env, codes []uint64, order []uint32) {
	n := len(codes)
	if n <= ShortSort {
		InsertPairs(codes, order)
		return
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return
	}
	p.local.Env = env
	p.codes = scratch.Grow(&env.Arena, p.codes, n)
	places := p.local.OrderOf(codes, v)
	p.local.words = scratch.Grow(&env.Arena, p.local.words, n)
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
	a.Shares(n, workers, MaxLen, 8) // codes
	SizeWorkers(&a, n, workers, MaxLen, 8)
	return a.Bytes()
}
