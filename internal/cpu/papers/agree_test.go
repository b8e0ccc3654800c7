package papers_test

import (
	"context"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// TestAlgorithmsAgree holds every algorithm of the engine, and its own, to the stable sort of the standard
// library, bit for bit, over distributions and the sizes around all that any of
// them cuts.
func TestAlgorithmsAgree(t *testing.T) {
	sizes := papers.Sizes()
	run := func(job *engine.Job) error { return cpu.Engine{}.Order(context.Background(), job) }
	some := 4
	if !testkit.Long() {
		some = 14
	}
	for i, n := range sizes {
		for j, d := range dist.All {
			if n > 1000 && (i+j)%some != 0 || testkit.ThinnedTo(3, i+j/some) {
				continue
			}
			codes, bits := d.Draw(n, dist.Rand(uint64(n))), 64
			if (i+j/some)%2 == 0 {
				bits = 32
				for k := range codes {
					codes[k] >>= 32
				}
			}
			want := papers.StableOrder(codes)
			for k, a := range append(papers.Named(), engine.Auto) {
				workers := []int{1, 2, 5}[(i+j+k)%3]
				got, err := papers.OrderOf(run, codes, bits, a, workers)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%v, %s, n=%d, %d bits, %d workers: not the stable order, error %v", a, d.Name, n, bits, workers, err)
				}
			}
		}
	}
}
