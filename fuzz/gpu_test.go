//go:build cudacpu && linux && amd64

package fuzz

import (
	"example.com/sorter/internal/gputest"
)

// With -tags cudacpu all targets run on the GPU engine, whose kernels run on
// the CPU.
func init() {
	e, err := gputest.Open()
	if err != nil {
		panic(err)
	}
	backend = e
}
