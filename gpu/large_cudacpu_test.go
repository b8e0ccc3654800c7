//go:build cudacpu

package gpu

// large are further sizes for tests; kernels on the CPU are too slow for any.
var large []int
