package gpu

import (
	"errors"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
)

// TestPublicErrors gives errors the types that users test for, and leaves those of
// others alone.
func TestPublicErrors(t *testing.T) {
	inner := &engine.DeviceError{Device: "GPU 0", Op: "cuMemAlloc_v2", Code: 2, Err: engine.ErrNoDevice}
	err := public(inner)
	failed, ok := err.(*sorter.DeviceError)
	if !ok || *failed != sorter.DeviceError(*inner) || err.Error() != inner.Error() || !errors.Is(err, sorter.ErrNoDevice) {
		t.Errorf("%T %v, want %v", err, err, inner)
	}
	for _, other := range []error{nil, errClosed, sorter.ErrMemoryLimit, err} {
		if got := public(other); got != other {
			t.Errorf("%v became %v", other, got)
		}
	}
}

// TestOpenFails opens a device that no machine has.
func TestOpenFails(t *testing.T) {
	e, err := Open(Device(1 << 20))
	if !errors.Is(err, sorter.ErrNoDevice) {
		t.Fatalf("engine %v, error %v", e, err)
	}
	var inner *engine.DeviceError
	if errors.As(err, &inner) {
		t.Errorf("%v has a type that users cannot name", err)
	}
}

// TestPublicTypes uses the types that were aliases once as programs do.
func TestPublicTypes(t *testing.T) {
	for _, b := range []sorter.Backend{sorter.CPU(), new(Engine)} {
		if b.Name() == "" || !b.Runs(sorter.IndexGather) {
			t.Errorf("%v: name %q, or it does not run IndexGather", b, b.Name())
		}
	}
	var a sorter.Algorithm = sorter.Radix
	if a.String() != "Radix" || !new(Engine).Runs(a) {
		t.Errorf("%v is not Radix, or the engine lacks it", a)
	}
	st := sorter.Stats{Stages: []sorter.Stage{{Name: "sort", Time: 1}}}
	for _, stage := range st.Stages {
		if stage.Name != "sort" || stage.Time.Nanoseconds() != 1 {
			t.Errorf("stage %+v", stage)
		}
	}
	if infos, err := Devices(); err == nil {
		for i, info := range infos {
			if info.Ordinal != i || info.Name == "" || info.Memory == 0 {
				t.Errorf("device %d: %+v", i, info)
			}
		}
	}
}
