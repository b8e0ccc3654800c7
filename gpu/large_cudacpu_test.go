//go:build cudacpu && linux && amd64

package gpu

import (
	"testing"

	"example.com/sorter/internal/cudacpu"
)

// large are further sizes for tests; kernels on the CPU are too slow for any.
var large []int

// shrink makes all devices small ones until the test ends.
func shrink(t *testing.T) {
	cudacpu.Configure(cudacpu.SmallDevice)
	t.Cleanup(func() { cudacpu.Configure(cudacpu.DefaultDevice) })
}

// smallSizes are for a run under a sanitizer. That of threads takes seconds for
// more than a tile: codes for each kind of plan have to do.
func smallSizes(codes string) []int {
	kinds := map[string]bool{"uniform": true, "gauss": true, "outliers": true}
	if cudacpu.Sanitizer() == "thread" && !kinds[codes] {
		return []int{3, 1000}
	}
	return []int{2, 3, 1000, 9000}
}
