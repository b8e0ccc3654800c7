//go:build cudacpu && linux && amd64

package gpu

import (
	"errors"
	"fmt"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/gputest"
)

// TestAfterLate has the work of the caller's streams done late, too: unless a sort
// waits for it, never before.
func TestAfterLate(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	cudacpu.SetMode(cudacpu.Lazy)
	testAfter(t, open(t), 3000)
}

// TestPartsAfterLate has the work of streams done late that parts name, on each of several devices.
func TestPartsAfterLate(t *testing.T) {
	for devices := 1; devices <= 3; devices++ {
		gputest.Machine(t, devices, true)
		cudacpu.SetMode(cudacpu.Lazy)
		t.Run(fmt.Sprint(devices), func(t *testing.T) { testPartsAfter(t, openDevices(t, devices)) })
	}
}

// TestAfterNoStream names a stream that is none.
func TestAfterNoStream(t *testing.T) {
	e := open(t)
	m := residentMemory(t, e.devs[0].Context, 100)
	err := e.SortDevice(engine.Auto, m.device, 32, 100, m.device+400, 0x5300000000000003)
	var failed *sorter.DeviceError
	if !errors.As(err, &failed) || failed.Op != "cuEventRecord" {
		t.Errorf("error %v", err)
	}
	if err := e.SortDevice(engine.Auto, m.device, 32, 100, m.device+400); err != nil {
		t.Errorf("the sort after it: %v", err)
	}
	if err := m.free(e.devs[0].Context); err != nil {
		t.Error(err)
	}
}
