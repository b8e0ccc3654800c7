//go:build linux && (amd64 || arm64)

package gpu

import (
	"strings"
	"testing"

	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// TestWorthWhileMeasuring asks an engine whose device is open, for the first time and
// while another caller measures: it answers by what is expected.
func TestWorthWhileMeasuring(t *testing.T) {
	e := &Engine{opened: done, measuring: true, costs: costmodel.Expect(costmodel.Facts{Processors: 16})}
	for _, c := range []struct {
		work engine.Work
		want bool
	}{
		{engine.Work{N: costmodel.OpenN, Bits: 32}, true},
		{engine.Work{N: 24e6, Bits: 32, Payload: 24}, true},
		{engine.Work{N: costmodel.OpenN - 1, Bits: 32}, false},
		{engine.Work{N: costmodel.LeastN - 1, Bits: 32}, false},
	} {
		if got := e.Worth(c.work); got != c.want {
			t.Errorf("%+v: %v", c.work, got)
		}
	}
}

// TestCalibrate measures this machine, and the device that it has.
func TestCalibrate(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	e.mu.Lock()
	for _, w := range []engine.Work{{N: 1 << 20, Bits: 32}, {N: 1 << 20, Bits: 32, Payload: 24}, {N: 1 << 20, Bits: 32, Sample: engine.Drifting}} {
		e.calibrate(w)
		e.mu.Unlock()
		e.users.Wait()
		e.mu.Lock()
	}
	missing := e.costs.Missing(engine.Work{Payload: 24, Sample: engine.Drifting})
	e.mu.Unlock()
	if missing {
		t.Fatalf("something is missing: %s", e.Calibration())
	}
	if text := e.Calibration(); !strings.Contains(text, "order64") || !strings.Contains(text, "64 B: move") || !strings.Contains(text, "drifting codes") {
		t.Errorf("in words: %s", text)
	}
	t.Log(e.Calibration())
}
