package gpu

import (
	"testing"

	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/kernels"
)

// TestDeviceOption has lists of devices that are none.
// TestOpenOfNil: a nil option is misuse, before a driver is loaded.
func TestOpenOfNil(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); text != "sorter: gpu: nil option" {
			t.Errorf("panic %q", text)
		}
	}()
	_, _ = Open(nil)
}

func TestDeviceOption(t *testing.T) {
	many := make([]int, kernels.MaxDestinations+1)
	for i := range many {
		many[i] = i
	}
	for _, ordinals := range [][]int{{}, {-1}, {0, 0}, {2, 1, 2}, many} {
		if err := Device(ordinals...)(&settings.Settings{}); err == nil {
			t.Errorf("devices %v", ordinals)
		}
	}
	for name, ordinals := range map[string][]int{"cuda:0": nil, "cuda:3": {3}, "cuda:2,0,11": {2, 0, 11}} {
		e := &Engine{}
		if ordinals != nil {
			if err := Device(ordinals...)(&e.settings); err != nil {
				t.Error(err)
			}
		}
		if e.Name() != name {
			t.Errorf("devices %v are called %s", ordinals, e.Name())
		}
	}
}
