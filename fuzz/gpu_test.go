//go:build cudacpu && linux && amd64

package fuzz

import (
	"example.com/sorter/gpu"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
)

// With -tags cudacpu all targets run on the GPU engine, whose kernels run on
// the CPU.
func init() {
	backend = open()
	for way := bucket.Linear; way <= bucket.Quantiles; way++ {
		spreading = append(spreading, open(settings.Spread(way)))
	}
}

func open(opts ...gpu.Option) *gpu.Engine {
	e, err := gpu.Open(append(opts, gpu.Verify())...)
	if err != nil {
		panic(err)
	}
	return e
}
