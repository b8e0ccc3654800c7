//go:build linux && (amd64 || arm64)

package gpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// markedJob is a job whose ties are marked.
func markedJob[W codes.Word](ctx context.Context, a engine.Algorithm, list []W) (job *engine.Job, order []uint32) {
	job, order = newJob(ctx, a, list)
	job.Ties = make([]uint32, engine.TieWords(len(list)))
	return job, order
}

// TestTies has every algorithm mark the ties of its order.
func TestTies(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t, Verify())
	by := append(slices.Clone(algorithms), engine.Auto, engine.IndexGather, engine.Hybrid)
	if !testkit.Long() { // they differ in what is tested elsewhere
		by = []engine.Algorithm{engine.BucketBitonic, engine.Hybrid}
	}
	names := gputest.SomeCodes()
	for i, a := range by {
		for j, name := range names {
			n := []int{1, 33, 5000, 9001}[(i+j)%4]
			list := gputest.CodesOf[name](rand.New(rand.NewPCG(32, uint64(j))), n)
			testTies(t, e, a, list)
			testTies(t, e, a, gputest.Fill32(list))
		}
	}
}

func testTies[W codes.Word](t *testing.T, e *Engine, a engine.Algorithm, list []W) {
	t.Helper()
	job, order := markedJob(t.Context(), a, list)
	defer job.Arena.Release(1)
	if err := e.Order(t.Context(), job); err != nil || !slices.Equal(order, gputest.Stable(list)) {
		t.Fatalf("%v, %d codes: error %v, or wrong order", a, len(list), err)
	}
	gputest.CheckMarked(t, job.Ties, list, order)
}
