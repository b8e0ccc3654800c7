package cpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
)

// TestEngine orders codes of both widths by each algorithm, and reports that its context ended.
func TestEngine(t *testing.T) {
	papers.Link()
	r := rand.New(rand.NewPCG(27, 28))
	if host := (Engine{}); !host.Runs(engine.Auto) || !host.Runs(engine.BucketRadix) || !host.Runs(engine.Radix) || host.Runs(engine.Hybrid) {
		t.Error("other algorithms")
	}
	for a := engine.Auto; a < engine.Algorithms; a++ {
		if !(Engine{}).Runs(a) {
			continue
		}
		for _, bits := range []int{32, 64} {
			for _, n := range []int{1, 2, 100, 5000} {
				_, codes := drawCodes[uint64](r, n)
				for i := range codes {
					codes[i] >>= 64 - bits
				}
				ctx, cancel := context.WithCancel(context.Background())
				env := newEnv(2)
				env.Loop.Ctx = ctx
				order := make([]uint32, n)
				job := &engine.Job{N: n, Bits: bits, Algorithm: a, Env: env, Codes64: sourceOf(codes), Emit: func(lo int, part []uint32) { copy(order[lo:], part) }}
				job.Codes32 = func(dst []uint32, lo int) {
					for i := range dst {
						dst[i] = uint32(codes[lo+i])
					}
				}
				ties := make(engine.Ties, engine.TieWords(n)+1)
				job.Ties = ties
				if err := (Engine{}).Order(ctx, job); err != nil || !slices.Equal(order, stableOrder(codes)) {
					t.Errorf("%v of %d codes of %d bits: wrong order, error %v", a, n, bits, err)
				}
				for i := 1; i < n; i++ {
					if ties.Tied(i) != (codes[order[i]] == codes[order[i-1]]) {
						t.Fatalf("%v of %d codes of %d bits: place %d is tied %t", a, n, bits, i, ties.Tied(i))
					}
				}
				if cancel(); (Engine{}).Order(ctx, job) != context.Canceled {
					t.Errorf("%v of %d codes of %d bits: no error after the end", a, n, bits)
				}
				env.Arena.Release(1)
			}
		}
	}
}
