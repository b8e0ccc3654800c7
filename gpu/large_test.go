//go:build !cudacpu

package gpu

import "testing"

// large are further sizes for tests on a device: about where a second level of
// partition begins, and well behind.
var large = []int{900_000, 950_000, 1 << 20, 3_000_000}

// shrink leaves devices as they are.
func shrink(*testing.T) {}

func smallSizes(string) []int { return []int{2, 3, 1000, 9000} }
