//go:build cuda && linux && (amd64 || arm64)

package gpu

import (
	"example.com/sorter/internal/cuda"
	"gorgonia.org/cu"
)

// StreamOf returns a stream of package cu as one that [Engine.OrderDevice] follows.
// It stays the caller's.
func StreamOf(s cu.Stream) Stream { return Stream(cuda.StreamOf(s)) }
