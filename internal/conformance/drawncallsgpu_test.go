//go:build cudacpu && linux && amd64

package conformance_test

import (
	"testing"

	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/testkit"
)

// TestGPUDrawnCalls is TestDrawnCalls where calls may run on a device.
func TestGPUDrawnCalls(t *testing.T) {
	cudacpu.Seed(*drawnSeed + 1)
	checkDrawnCases(t, onGPU(t), testkit.Pick(30, 300))
}
