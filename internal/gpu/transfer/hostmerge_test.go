//go:build linux && (amd64 || arm64)

package transfer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/testkit"
)

// hostRunsOf cuts codes into runs that end at the given places, each in stable
// order.
func hostRunsOf[W codes.Word](codes []W, ends ...int) (runs []hostRun[W]) {
	start := 0
	for _, end := range append(ends, len(codes)) {
		run := hostRun[W]{}
		for _, i := range gputest.Stable(codes[start:end]) {
			run.codes = append(run.codes, codes[start+int(i)])
			run.positions = append(run.positions, uint32(start)+i)
		}
		runs = append(runs, run)
		start = end
	}
	return runs
}

// TestHostMerge merges runs of all lengths, none included, whole and in parts
// that begin anywhere.
func TestHostMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i, values := range []uint64{1, 3, 1000, 1 << 63} {
		for j, ends := range [][]int{{}, {0}, {5}, {100, 100}, {1, 2, 3}, {10_000, 20_000, 30_000, 40_000}, {3, 40_000}, {8000, 16_000, 24_000, 32_000, 40_000}, {7000, 14_000, 14_001, 28_000, 28_000, 42_000}} {
			if testkit.ThinnedTo(4, i+j) { // one goroutine merges
				continue
			}
			wide := gputest.Fill(3*MergeWindow-100, func(int) uint64 { return r.Uint64N(values) << 1 })
			testHostMerge(t, r, wide, ends)
			narrow := make([]uint32, len(wide))
			for i, c := range wide {
				narrow[i] = uint32(c >> 8)
			}
			testHostMerge(t, r, narrow, ends)
		}
	}
}

func testHostMerge[W codes.Word](t *testing.T, r *rand.Rand, codes []W, ends []int) {
	t.Helper()
	runs, want := hostRunsOf(codes, ends...), hostRunsOf(codes)[0]
	job := &engine.Job{Env: &engine.Env{}}
	defer job.Arena.Release(1)
	m := newMerger[W](job, len(runs))
	for _, lo := range []int{0, r.IntN(len(codes))} {
		hi := lo + r.IntN(len(codes)-lo) + 1
		err := m.windows(runs, lo, hi, func(lo, hi int, parts []hostRun[W]) error {
			to := m.windowRuns[1].cut(0, hi-lo)
			m.tree(parts, to)
			if !slices.Equal(to.codes, want.codes[lo:hi]) || !slices.Equal(to.positions, want.positions[lo:hi]) {
				return fmt.Errorf("places %d to %d are wrong", lo, hi)
			}
			return nil
		})
		if err != nil {
			t.Errorf("runs that end at %d: %v", ends, err)
		}
	}
}

// BenchmarkHostMerge is the time of one worker.
func BenchmarkHostMerge(b *testing.B) {
	n := testkit.Pick(1<<16, 1<<22)
	r := rand.New(rand.NewPCG(23, 24))
	codes := gputest.Fill(n, func(int) uint64 { return r.Uint64() })
	for _, k := range []int{2, 4, 8, 16} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			var ends []int
			for i := range k - 1 {
				ends = append(ends, (i+1)*n/k)
			}
			runs := hostRunsOf(codes, ends...)
			job := &engine.Job{Env: &engine.Env{}}
			defer job.Arena.Release(1)
			m := newMerger[uint64](job, k)
			for b.Loop() {
				m.windows(runs, 0, n, func(lo, hi int, parts []hostRun[uint64]) error {
					m.tree(parts, m.windowRuns[1].cut(0, hi-lo))
					return nil
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}
