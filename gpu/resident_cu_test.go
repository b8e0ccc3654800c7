//go:build cuda && linux && (amd64 || arm64)

package gpu_test

import (
	"log"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"gorgonia.org/cu"
)

// Codes that a stream of package cu still works on are ordered after that, on the
// device.
func ExampleStreamOf() {
	var (
		e            *gpu.Engine
		codes, order cu.DevicePtr
		stream       cu.Stream
	)
	if err := e.OrderDevice(sorter.Auto, gpu.Ptr(codes), 32, 1<<20, gpu.Ptr(order), gpu.StreamOf(stream)); err != nil {
		log.Fatal(err)
	}
}
