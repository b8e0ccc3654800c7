//go:build cudacpu && linux && amd64

package conformance_test

import (
	"testing"

	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestGPURuns takes the runs of orders by every algorithm of the GPU engine.
func TestGPURuns(t *testing.T) {
	e := onGPU(t)
	for turn, k := range keyKinds {
		for i, input := range []string{"sprinkled", "16 values", "uniform", "edge values"} {
			if !testkit.Long() && (i+turn)%4 != 0 {
				continue
			}
			cudacpu.Seed(uint64(turn*10 + i))
			m := directions[(turn+i)%len(directions)].on(e, turn+i)
			drawn(k, input, gpuSizes[(turn+i)%len(gpuSizes)], uint64(i)).checkRuns(t, m)
		}
	}
	r := dist.Rand(78)
	for turn, spec := range append(usualSpecs()[1:], randomSpec(r), randomSpec(r), randomSpec(r)) {
		cudacpu.Seed(uint64(turn))
		checkOrderingRuns(t, spec, newRecords(3000+turn, uint64(turn)), directions[turn%len(directions)].on(e, turn))
	}
}
