//go:build cgo && linux && (amd64 || arm64)

package cu_test

import (
	"log"

	"example.com/sorter"
	"example.com/sorter/gpu"
	sortercu "example.com/sorter/gpu/cu"
	"gorgonia.org/cu"
)

// Codes that a stream of gorgonia.org/cu still works on are ordered after that, on the
// device.
func ExampleStreamOf() {
	var (
		e            *gpu.Engine
		codes, order cu.DevicePtr
		stream       cu.Stream
	)
	if err := e.OrderDevice(sorter.Auto, gpu.Ptr(codes), 32, 1<<20, gpu.Ptr(order), sortercu.StreamOf(stream)); err != nil {
		log.Fatal(err)
	}
}
