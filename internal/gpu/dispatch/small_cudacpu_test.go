//go:build cudacpu && linux && amd64

package dispatch

import (
	"errors"
	"testing"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
)

// TestSmallRefuses has the driver of a small device refuse kernels that take more
// shared memory than it has: the sorts of the other tests take no more.
func TestSmallRefuses(t *testing.T) {
	s := openSmall(t)
	for a, way := range standard {
		err := s.Load(way.modules)
		if fits := device.Shared(way.modules) <= smallShared; fits != (err == nil) || !fits && (!errors.As(err, new(*engine.DeviceError)) || !errors.Is(err, cuda.InvalidValue)) {
			t.Errorf("%v takes %d bytes: error %v", a, device.Shared(way.modules), err)
		}
	}
}
