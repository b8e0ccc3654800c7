//go:build cudacpu && linux && amd64

package gputest

import (
	"testing"

	"example.com/sorter/internal/cudacpu"
)

// Large are further sizes for tests; kernels on the CPU are too slow for any.
var Large []int

// Shrink makes all devices small ones until the test ends.
func Shrink(t *testing.T) {
	cudacpu.Configure(cudacpu.SmallDevice)
	t.Cleanup(func() { cudacpu.Configure(cudacpu.DefaultDevice) })
}

// SmallSizes are for a run under a sanitizer, where more than a tile takes seconds: codes for
// each kind of plan have to do, and for that of threads one size of them.
func SmallSizes(codes string) []int {
	switch kinds := map[string]bool{"uniform": true, "gauss": true, "outliers": true}; {
	case cudacpu.Sanitizer() == "thread" && kinds[codes]:
		return []int{9000}
	case cudacpu.Sanitizer() == "thread":
		return nil
	case !kinds[codes]:
		return []int{3, 1000}
	}
	return []int{2, 3, 1000, 9000}
}

// Machine has a number of devices until the test ends, when nothing may be held that
// was not before.
func Machine(t *testing.T, devices int, direct bool) {
	t.Helper()
	before := cudacpu.Holding()
	cudacpu.SetDevices(devices, direct)
	t.Cleanup(func() {
		if held := cudacpu.Holding(); held != before {
			t.Errorf("%+v are held, %+v were before", held, before)
		}
		cudacpu.SetMode(cudacpu.Eager)
		cudacpu.SetDevices(1, true)
	})
}
