//go:build cudacpu && linux && amd64

package gpu

import "example.com/sorter/internal/cudacpu"

// large are further sizes for tests; kernels on the CPU are too slow for any.
var large []int

// smallSizes are for a run under a sanitizer. That of threads takes seconds for
// more than a tile: codes for each kind of plan have to do.
func smallSizes(codes string) []int {
	kinds := map[string]bool{"uniform": true, "gauss": true, "outliers": true}
	if cudacpu.Sanitizer() == "thread" && !kinds[codes] {
		return []int{3, 1000}
	}
	return []int{2, 3, 1000, 9000}
}
