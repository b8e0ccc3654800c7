package costmodel

import (
	"math"
	"testing"

	"example.com/sorter/internal/engine"
)

// flat is a curve that takes each ns for every element.
func flat(each float64) curve { return curve{each, each, each, each, each} }

// testModel is a machine with 16 workers on which the device overtakes the CPU
// at 1<<17 32-bit codes, and a little earlier for 64 bits.
func testSorts() *sortTimes {
	return &sortTimes{
		workers: 16,
		device:  [kinds]line{{1 << 18, 0.5}, {1 << 18, 1}, {1 << 18, 0.5}, {1 << 18, 1}},
		cpu:     [kinds]curve{flat(2.5), flat(4), flat(1), flat(1.5)},
	}
}

// TestWorthFollowsTheModel finds the size from which on each kind of work is for the device.
func TestWorthFollowsTheModel(t *testing.T) {
	// Gathering takes a struct of 24 bytes 0.75 ns longer than moving it, one of
	// 64 bytes 4 ns: more than the device saves.
	p := &payload{move: bySize{flat(2), flat(6)}, gather: bySize{flat(2.1), flat(10)}}
	measured := Costs{testSorts(), p}
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
			if got, want := measured.Worth(w), power >= c.from; got != want {
				device, onCPU := measured.estimate(w)
				t.Errorf("%s, 2^%d: worth it: %v; %.0f ns on the device, %.0f on the CPU", c.name, power, got, device, onCPU)
			}
		}
	}
}

// TestWorthBeforeMeasuring asks costs of which nothing is known, or nothing of payload.
func TestWorthBeforeMeasuring(t *testing.T) {
	for _, known := range []Costs{{}, {codes: testSorts()}} {
		for _, c := range []struct {
			work engine.Work
			want bool
		}{
			{engine.Work{N: OpenN, Bits: 32}, true},
			{engine.Work{N: OpenN, Bits: 64, Keys: true}, true},
			{engine.Work{N: OpenN, Bits: 32, Payload: 24}, false},
			{engine.Work{N: 1 << 30, Bits: 32}, true},
			{engine.Work{N: OpenN - 1, Bits: 32}, known.codes != nil},
		} {
			if got := known.Worth(c.work); got != c.want {
				t.Errorf("sorts measured %v, %+v: %v", known.codes != nil, c.work, got)
			}
			if got, want := known.Missing(c.work), known.codes == nil || c.work.Payload > 0; got != want {
				t.Errorf("sorts measured %v, %+v: missing %v", known.codes != nil, c.work, got)
			}
		}
	}
}

// TestCarries finds which elements the device moves, before and after their costs are
// measured.
func TestCarries(t *testing.T) {
	slow := &payload{gather: bySize{flat(1), flat(4)}}
	fast := &payload{gather: bySize{flat(1), flat(4)}, carry: &ends{0.5, 6}} // as fast at 34 bytes
	for _, c := range []struct {
		name           string
		known          Costs
		size, n, least int
		want           bool
	}{
		{"nothing measured", Costs{}, CarriedSize, 1 << 24, LeastCarried, true},
		{"nothing measured, large elements", Costs{}, CarriedSize + 4, 1 << 24, LeastCarried, false},
		{"nothing measured, few bytes", Costs{}, 16, LeastCarried/16 - 1, LeastCarried, false},
		{"nothing measured, as many as a caller asks for", Costs{}, 16, 64, 1024, true},
		{"a device too slow to measure", Costs{payload: slow}, 16, 1 << 24, LeastCarried, false},
		{"small elements", Costs{payload: fast}, 16, 1 << 24, LeastCarried, true},
		{"large elements", Costs{payload: fast}, 40, 1 << 24, LeastCarried, false},
		{"few small elements", Costs{payload: fast}, 16, LeastCarried/16 - 1, 1, false},
	} {
		if got := c.known.Carries(c.size, c.n, c.least); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestWaits has work wait for a device that is worth half a second.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		work       engine.Work
		processors int
		want       bool
	}{
		{engine.Work{N: WaitN}, 1, true}, {engine.Work{N: WaitN - 1}, 1, false}, {engine.Work{N: WaitN}, 2, false},
		{engine.Work{N: 1 << 30}, 16, true}, {engine.Work{N: 1 << 30, Payload: 8}, 16, false},
	} {
		if got := Waits(c.work, c.processors); got != c.want {
			t.Errorf("%+v, %d processors: %v", c.work, c.processors, got)
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
