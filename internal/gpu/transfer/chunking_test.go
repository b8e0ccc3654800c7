//go:build linux && (amd64 || arm64)

package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/gputest"
)

// TestSpans cuts orders with ties at any place: pieces without one have none at their
// edges either.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		n, grain := 1+r.IntN(300), 1+r.IntN(100)
		job := &engine.Job{N: n, Ties: make([]uint32, engine.TieWords(n))}
		marked := make([]bool, n+1)
		for range r.IntN(3) {
			i := r.IntN(n)
			job.Ties[i/32] |= 1 << (i % 32)
			marked[i] = true
		}
		free, tied := spans(job, grain)
		next := 0
		for len(free)+len(tied) > 0 {
			list, want := &free, false
			if len(free) == 0 || len(tied) > 0 && tied[0].lo < free[0].lo {
				list, want = &tied, true
			}
			s := (*list)[0]
			if *list = (*list)[1:]; s.lo != next || slices.Contains(marked[s.lo:s.hi+1], true) != want {
				t.Fatalf("%d places by %d, %+v, tied %v: marks %v", n, grain, s, want, job.Ties)
			}
			next = s.hi
		}
		if next != n {
			t.Fatalf("%d places by %d end at %d", n, grain, next)
		}
	}
}

// TestChunking checks decisions about lists of any length.
func TestChunking(t *testing.T) {
	d := gputest.Open(t)
	sorter, err := dispatch.New(d, dispatch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session := &Session{Workspace: gputest.WorkspaceOf(t, d), Sorter: sorter}
	const g = 1 << 30
	for _, c := range []struct {
		a      engine.Algorithm
		n      int
		bits   int
		limit  int
		chunks int
		stays  bool
	}{
		{engine.Auto, 1 << 24, 32, 4 * g, 1, false},
		{engine.Auto, dispatch.MaxNByBuckets, 32, 100 * g, 1, false},
		{engine.Auto, dispatch.MaxNByBuckets + 1, 32, 100 * g, 2, true},
		{engine.Auto, 1<<32 - 1, 32, 130 * g, 8, true},
		{engine.Auto, 1<<32 - 1, 64, 130 * g, 8, true},
		{engine.Auto, 1<<32 - 1, 64, 4 * g, 56, false},
		{engine.Auto, 1 << 27, 32, 4 * g, 2, true},
		{engine.Auto, 1 << 28, 32, 5 * g, 3, true},
		{engine.Auto, 1 << 29, 32, 4 * g, 6, false},
		{engine.MergeSort, 1<<32 - 1, 32, 130 * g, 1, false},
		{engine.Hybrid, 1 << 20, 32, 4 * g, 1, false},
		{engine.Hybrid, 1 << 28, 32, 4 * g, 16, false},
	} {
		d.Limit = c.limit
		way, err := session.chunking(&engine.Job{N: c.n, Bits: c.bits, Algorithm: c.a})
		if err != nil || way.chunks() != c.chunks || way.onDevice != c.stays {
			t.Errorf("%+v: error %v, %d chunks, %+v", c, err, way.chunks(), way)
		}
	}
}
