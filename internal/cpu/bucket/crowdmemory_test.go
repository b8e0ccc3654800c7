package bucket

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestCrowdMemory orders codes of which some are a crowd and most agree in their leading bits: the
// workspaces of the others are those that the bound counts for long runs.
func TestCrowdMemory(t *testing.T) {
	testkit.SkipRace(t)
	for _, bound := range []string{"", "avx2", "none"} {
		undo := vecsort.Restrict(bound)
		r := rand.New(rand.NewPCG(15, 16))
		for range testkit.Pick(30, 100) {
			checkCrowdMemory[uint32](t, r)
			checkCrowdMemory[uint64](t, r)
		}
		undo()
	}
}

func checkCrowdMemory[C Code](t *testing.T, r *rand.Rand) {
	t.Helper()
	n, values := leastCrowded+r.IntN(MaxLen-leastCrowded), 2+r.IntN(100)
	codes := make([]C, n)
	for i := range codes {
		codes[i] = ^C(0)/4 + C(r.IntN(values))*7
		if r.IntN(25) == 0 {
			codes[i] = 0
		}
	}
	codes[n/2] = ^C(0)
	env, v := newEnv(), presorted.SummaryOf(codes)
	w := Worker[C]{Env: env}
	w.words, w.spare = scratch.Grow(&env.Arena, w.words, n), scratch.Grow(&env.Arena, w.spare, n) // of a bucket before
	order := w.Order(codes, v.Min, v.Span())
	if !slices.IsSortedFunc(order, func(i, j uint32) int { return cmp.Or(cmp.Compare(codes[i], codes[j]), cmp.Compare(i, j)) }) {
		t.Errorf("%d codes of %T: wrong order", n, codes[0])
	}
	var a scratch.Area
	SizeWorkers(&a, n, 1, n, unsafe.Sizeof(C(0)))
	if most := a.Bytes(); env.Arena.Peak() > most {
		t.Errorf("%d codes of %T, %d values: %d bytes, want at most %d", n, codes[0], values, env.Arena.Peak(), most)
	}
}
