//go:build cudacpu && linux && amd64

package conformance_test

import (
	"testing"

	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/testkit"
)

// TestGPUDrawnCalls is TestDrawnCalls where calls may run on a device, whose bucket sort spreads codes in any of its ways, and which
// breaks ties from a few on.
func TestGPUDrawnCalls(t *testing.T) {
	cudacpu.Seed(*drawnSeed + 1)
	for way := bucket.BySample; way <= bucket.Quantiles; way++ {
		t.Run(way.String(), func(t *testing.T) {
			checkDrawnCases(t, onGPU(t, settings.Spread(way), settings.LeastTied(1+10*int(way))), testkit.Pick(10, 100))
		})
	}
}
