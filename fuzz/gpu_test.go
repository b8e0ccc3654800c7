//go:build cudacpu && linux && amd64

package fuzz

import (
	"example.com/sorter/gpu"
)

// With -tags cudacpu all targets run on the GPU engine, whose kernels run on
// the CPU.
func init() {
	e, err := gpu.Open(gpu.Verify())
	if err != nil {
		panic(err)
	}
	backend = e
}
