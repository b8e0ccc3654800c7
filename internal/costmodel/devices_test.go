package costmodel

import (
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/engine"
)

// fourH200 and slowLinks are machines: the first as measured in bench/results, the second with eight
// devices whose links together carry no more than those of two.
var (
	fourH200  = Sharing{Rates: Rates{Workers: 64, Host: 105, Up: []float64{51, 98, 130, 157}, Down: []float64{51, 99, 120, 136}, Exchange: 200}}
	slowLinks = Sharing{Rates: Rates{Workers: 16, Host: 60, Up: []float64{12, 24, 24, 24, 24, 24, 24, 24}, Down: []float64{12, 24, 24, 24, 24, 24, 24, 24}, Exchange: 100}}
)

// TestDevices checks how many devices share a sort: as many as shorten it.
func TestDevices(t *testing.T) {
	for _, c := range []struct {
		name   string
		on     Sharing
		work   engine.Work
		pinned bool
		most   int
		want   int
	}{
		{"one device", fourH200, engine.Work{N: 1 << 28, Bits: 32}, false, 1, 1},
		{"short", fourH200, engine.Work{N: 1 << 20, Bits: 64}, false, 4, 1},
		{"of middle length", fourH200, engine.Work{N: 1 << 25, Bits: 32}, false, 4, 3},
		{"long: the host's copies are the bound of three", fourH200, engine.Work{N: 1 << 28, Bits: 64}, false, 4, 3},
		{"long, of two devices", fourH200, engine.Work{N: 1 << 28, Bits: 64}, false, 2, 2},
		{"long, pinned: the links are the bound", fourH200, engine.Work{N: 1 << 28, Bits: 64}, true, 4, 4},
		{"by one worker", fourH200, engine.Work{N: 1 << 28, Bits: 32, Workers: 1}, false, 4, 1},
		{"more devices than the links carry", slowLinks, engine.Work{N: 1 << 28, Bits: 32, Keys: true}, false, 4, 2},
		{"nothing measured", Sharing{First: Facts{Processors: 64}}, engine.Work{N: 1 << 28, Bits: 32}, false, 4, 4},
		{"nothing measured, short", Sharing{First: Facts{Processors: 64}}, engine.Work{N: 1 << 18, Bits: 32}, false, 16, 1},
	} {
		if got := c.on.Devices(c.work, c.pinned, c.most); got != c.want {
			for g := range c.most {
				t.Logf("%d devices: %.0f ns", g+1, c.on.time(c.work, c.pinned, g+1))
			}
			t.Errorf("%s: %d devices, want %d", c.name, got, c.want)
		}
	}
}

// TestDevicesAsSeen has machines whose times are others than expected: the choice ends at the number
// of devices that is fastest, and follows when that changes.
func TestDevicesAsSeen(t *testing.T) {
	w := engine.Work{N: 1 << 26, Bits: 64}
	for fastest := 1; fastest <= 4; fastest++ {
		s := fourH200
		took := func(g int) float64 { return 30e6 + 5e6*max(float64(g-fastest), float64(fastest-g)) }
		for range 30 {
			g := s.Devices(w, false, 4)
			s.Add(w, false, g, took(g))
		}
		if got := s.Devices(w, false, 4); got != fastest {
			t.Errorf("%d devices, %d are fastest", got, fastest)
		}
		if got := s.Devices(engine.Work{N: 1 << 20, Bits: 64}, false, 4); got != 1 {
			t.Errorf("short lists: %d devices after long ones were seen", got)
		}
	}
	s := fourH200
	for i := range 200 {
		g := s.Devices(w, false, 4)
		took := 10e6 + 5e6*float64(g)
		if i < 10 && g == 1 { // while the machine is busy
			took = 100e6
		}
		s.Add(w, false, g, took)
	}
	if got := s.Devices(w, false, 4); got != 1 {
		t.Errorf("%d devices since the machine is idle, 1 is fastest", got)
	}
}

// TestDevicesHardlyFaster has two devices that take as long as one, within the spread of both: one
// sorts, except while two are tried.
func TestDevicesHardlyFaster(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(31, seed))
		s := Sharing{Rates: Rates{Workers: 32, Host: 90, Up: []float64{51, 98}, Down: []float64{51, 99}, Exchange: 200}}
		w := engine.Work{N: 1 << 26, Bits: 32}
		const sorts = 64 // after half of them two devices are tried again
		shared := 0
		for range sorts {
			g := s.Devices(w, false, 2)
			s.Add(w, false, g, []float64{15.6e6, 15.2e6}[g-1]*(0.97+0.08*r.Float64()))
			shared += g - 1
		}
		if shared > 5 {
			t.Errorf("seed %d: two devices sorted %d times of %d", seed, shared, sorts)
		}
	}
}
