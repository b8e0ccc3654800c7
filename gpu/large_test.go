//go:build !cudacpu

package gpu

// large are further sizes for tests on a device: about where a second level of
// partition begins, and well behind.
var large = []int{900_000, 950_000, 1 << 20, 3_000_000}

func smallSizes(string) []int { return []int{2, 3, 1000, 9000} }
