//go:build linux && (amd64 || arm64)

package gpu

import (
	"testing"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/parallel"
)

// TestDevicesFor has engines of several devices choose how many of them share a job: by what is
// expected, and by what jobs like it took.
func TestDevicesFor(t *testing.T) {
	e := &Engine{}
	e.settings.Ordinals = []int{0, 1, 2}
	e.sharing.Rates = costmodel.Rates{Workers: 32, Host: 200, Up: []float64{50, 100, 150}, Down: []float64{50, 100, 150}, Exchange: 200}
	job := func(n int) *engine.Job {
		return &engine.Job{N: n, Bits: 64, Env: &engine.Env{Loop: parallel.Loop{Workers: 32}}}
	}
	hybrid := job(1 << 28)
	hybrid.Algorithm = engine.Hybrid
	for want, j := range map[int]*engine.Job{3: job(1 << 28), 1: job(1 << 16)} {
		if got := e.devicesFor(j); got != want {
			t.Errorf("%d codes: %d devices, want %d", j.N, got, want)
		}
	}
	if got := e.devicesFor(hybrid); got != 1 {
		t.Errorf("hybrid: %d devices", got)
	}
	for range 20 {
		j := job(1 << 28)
		d := e.devicesFor(j)
		e.sharing.Add(workOf(j), false, d, float64(100e6+50e6*d))
	}
	if got := e.devicesFor(job(1 << 28)); got != 1 {
		t.Errorf("%d devices, although more of them took longer", got)
	}
	if got := e.devicesFor(job(1 << 26)); got != 3 {
		t.Errorf("shorter lists: %d devices", got)
	}
	e.settings.ShareN = 1
	if got := e.devicesFor(job(engine.Block + 1)); got != 2 {
		t.Errorf("a block and an element: %d devices", got)
	}
}
