//go:build linux && (amd64 || arm64)

package gpu

import (
	"math"
	"strings"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
)

// flat is a curve that takes each ns for every element.
func flat(each float64) curve { return curve{each, each, each, each, each} }

// testModel is a machine with 16 workers on which the device overtakes the CPU
// at 1<<17 codes of 32 bits, and a little earlier for 64 bits.
func testModel() *model {
	return &model{
		workers: 16,
		device:  [kinds]line{{1 << 18, 0.5}, {1 << 18, 1}, {1 << 18, 0.5}, {1 << 18, 1}},
		cpu:     [kinds]curve{flat(2.5), flat(4), flat(1), flat(1.5)},
	}
}

// openedEngine returns an engine whose device is open and measured.
func openedEngine(m *model, p *payload) *Engine {
	return &Engine{opened: done, dev: &device{}, model: m, payload: p}
}

func TestWorthFollowsTheModel(t *testing.T) {
	// Gathering takes a struct of 24 bytes 0.75 ns longer than moving it, one of
	// 64 bytes 4 ns: more than the device saves.
	p := &payload{move: bySize{flat(2), flat(6)}, gather: bySize{flat(2.1), flat(10)}}
	e := openedEngine(testModel(), p)
	for _, c := range []struct {
		name string
		work engine.Work
		from int // least power of two that is worth it, 64: none
	}{
		{"order of 32 bits", engine.Work{Bits: 32}, 18},
		{"order of 8 bits", engine.Work{Bits: 8}, 18},
		{"order of 33 bits", engine.Work{Bits: 33}, 17},
		{"order by one worker", engine.Work{Bits: 32, Workers: 1}, 14},
		{"order by more workers than measured", engine.Work{Bits: 32, Workers: 64}, 18},
		{"keys of 32 bits", engine.Work{Bits: 32, Keys: true}, 20},
		{"keys of 64 bits", engine.Work{Bits: 64, Keys: true}, 20},
		{"structs of 8 bytes", engine.Work{Bits: 32, Payload: 8}, 17},
		{"structs of 24 bytes", engine.Work{Bits: 32, Payload: 24}, 18},
		{"structs of 64 bytes", engine.Work{Bits: 32, Payload: 64}, 64},
	} {
		for power := range 30 {
			w := c.work
			w.N = 1 << power
			if got, want := e.Worth(w), power >= c.from; got != want {
				device, onCPU := e.model.estimate(w, p)
				t.Errorf("%s, 2^%d: worth it: %v; %.0f ns here, %.0f on the CPU", c.name, power, got, device, onCPU)
			}
		}
	}
}

// TestWorthBeforeMeasuring asks an engine whose measurement is under way.
func TestWorthBeforeMeasuring(t *testing.T) {
	for _, m := range []*model{nil, testModel()} {
		e := openedEngine(m, nil)
		e.measuring = true
		for _, c := range []struct {
			work engine.Work
			want bool
		}{
			{engine.Work{N: worthN, Bits: 32}, true},
			{engine.Work{N: worthN, Bits: 64, Keys: true}, true},
			{engine.Work{N: worthN, Bits: 32, Payload: 24}, false},
			{engine.Work{N: maxN + 1, Bits: 32}, true},
			{engine.Work{N: worthN - 1, Bits: 32}, m != nil},
		} {
			if got := e.Worth(c.work); got != c.want {
				t.Errorf("model %v, %+v: %v", m != nil, c.work, got)
			}
		}
	}
}

func TestCurve(t *testing.T) {
	c := curve{10, 8, 6, 4, 3}
	for n, want := range map[int]float64{1: 10, 1 << 12: 10, 1 << 13: 9, 3 << 12: 8.5, 1 << 14: 8, 1 << 15: 7, 1 << 20: 3, 1 << 28: 3} {
		if got := c.at(n); math.Abs(got-want) > 1e-9 {
			t.Errorf("at(%d) = %v, want %v", n, got, want)
		}
	}
	for i := range c {
		if got := c.at(c.size(i)); got != c[i] {
			t.Errorf("point %d: %v, want %v", i, got, c[i])
		}
	}
}

func TestThrough(t *testing.T) {
	if l := through(100, 50, 200, 70); math.Abs(l.at(300)-90) > 1e-9 || math.Abs(l.fixed-30) > 1e-9 {
		t.Errorf("%+v", l)
	}
	// Noise may make the larger sort the faster one.
	if l := through(100, 50, 200, 40); l.each < 0 || l.fixed < 0 {
		t.Errorf("%+v", l)
	}
}

// TestCalibrate measures this machine, and the device that it has.
func TestCalibrate(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	e := open(t)
	e.mu.Lock()
	for _, w := range []engine.Work{{N: 1 << 20, Bits: 32}, {N: 1 << 20, Bits: 32, Payload: 24}} {
		e.calibrate(w)
		e.mu.Unlock()
		e.users.Wait()
		e.mu.Lock()
	}
	m, p := e.model, e.payload
	e.mu.Unlock()
	if m == nil || p == nil {
		t.Fatalf("model %v, payload %v", m, p)
	}
	for k := range kinds {
		if m.device[k].at(1<<20) <= 0 {
			t.Errorf("%v: device %+v", k, m.device[k])
		}
		for i, each := range m.cpu[k] {
			if each <= 0 {
				t.Errorf("%v: CPU, %d elements: %v ns", k, m.cpu[k].size(i), each)
			}
		}
	}
	for i := range p.gather.small {
		if p.gather.small[i] <= 0 || p.gather.large[i] <= 0 {
			t.Errorf("payload %+v", p)
		}
	}
	if text := e.Calibration(); !strings.Contains(text, "order64") || !strings.Contains(text, "64 B: move") {
		t.Errorf("in words: %s", text)
	}
	t.Log(e.Calibration())
}
