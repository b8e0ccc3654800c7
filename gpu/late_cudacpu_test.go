//go:build cudacpu && linux && amd64

package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/engine"
)

// TestArgsortLate sorts by plans of each kind on a device that does its work late:
// what it writes to the host's memory is not there before, and what it reads there
// has to stay.
func TestArgsortLate(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	w := workspaceOf(t)
	r := rand.New(rand.NewPCG(17, 18))
	for _, mode := range []cudacpu.Mode{cudacpu.Mixed, cudacpu.Lazy} {
		cudacpu.SetMode(mode)
		for i, name := range []string{"uniform", "gauss", "log", "sorted"} {
			cudacpu.Seed(uint64(i))
			testArgsort(t, w, []engine.Algorithm{engine.BucketBitonic}, codesOf[name](r, 9000))
		}
	}
}

// TestAfterLate has the work of the caller's streams done late, too: unless a sort
// waits for it, never before.
func TestAfterLate(t *testing.T) {
	defer cudacpu.SetMode(cudacpu.Eager)
	cudacpu.SetMode(cudacpu.Lazy)
	testAfter(t, open(t), 3000)
}

// TestAfterNoStream names a stream that is none.
func TestAfterNoStream(t *testing.T) {
	e := open(t)
	m := residentMemory(t, e.dev.Context, 100)
	err := e.SortDevice(engine.Auto, m.device, 32, 100, m.device+400, 0x5300000000000003)
	var failed *sorter.DeviceError
	if !errors.As(err, &failed) || failed.Op != "cuEventRecord" {
		t.Errorf("error %v", err)
	}
	if err := e.SortDevice(engine.Auto, m.device, 32, 100, m.device+400); err != nil {
		t.Errorf("the sort behind it: %v", err)
	}
	if err := m.free(e.dev.Context); err != nil {
		t.Error(err)
	}
}
