//go:build cudacpu && linux && amd64

package conformance_test

import (
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/testkit"
)

// TestGPUDrawnCalls is TestDrawnCalls where calls may run on a device, whose bucket sort spreads codes in any of its ways.
func TestGPUDrawnCalls(t *testing.T) {
	cudacpu.Seed(*drawnSeed + 1)
	var devices []sorter.Backend
	for way := bucket.BySample; way <= bucket.Quantiles; way++ {
		devices = append(devices, onGPU(t, settings.Spread(way)))
	}
	checkDrawnCases(t, devices, testkit.Pick(30, 300))
}
