package costmodel

import (
	"math"
	"testing"
	"time"

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
	measured := Costs{codes: testSorts(), payload: p}
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
		{"32-bit keys", engine.Work{Bits: 32, Keys: true}, 20},
		{"64-bit keys", engine.Work{Bits: 64, Keys: true}, 20},
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

// TestWorthBeforeMeasuring asks costs of which nothing is measured, or nothing of payload: what
// is expected decides about large sorts.
func TestWorthBeforeMeasuring(t *testing.T) {
	slow := Facts{Processors: 64, Up: 3, Down: 3}
	for _, c := range []struct {
		facts    Facts
		measured bool
		work     engine.Work
		want     bool
	}{
		{Facts{Processors: 16}, false, engine.Work{N: OpenN, Bits: 32}, true},
		{Facts{Processors: 16}, false, engine.Work{N: OpenN, Bits: 64, Keys: true}, true},
		{Facts{Processors: 16}, false, engine.Work{N: OpenN - 1, Bits: 32}, false},
		{Facts{Processors: 16}, true, engine.Work{N: OpenN - 1, Bits: 32}, true},
		{Facts{Processors: 16}, true, engine.Work{N: OpenN - 1, Bits: 32, Payload: 24}, false},
		{Facts{Processors: 16}, false, engine.Work{N: 24e6, Bits: 32, Payload: 24}, true},
		{Facts{Processors: 16}, true, engine.Work{N: 24e6, Bits: 32, Payload: 24}, true},
		{Facts{Processors: 2}, false, engine.Work{N: 24e6, Bits: 32, Payload: 24}, true},
		{slow, false, engine.Work{N: 24e6, Bits: 32, Keys: true}, false},
		{slow, false, engine.Work{N: 24e6, Bits: 32, Payload: 24}, false},
	} {
		known := Expect(c.facts)
		if c.measured {
			known.codes = testSorts()
		}
		if got := known.Worth(c.work); got != c.want {
			device, onCPU := known.estimate(c.work)
			t.Errorf("%+v, sorts measured %v, %+v: %v; %.0f ns on the device, %.0f on the CPU", c.facts, c.measured, c.work, got, device, onCPU)
		}
		if got, want := known.Missing(c.work), !c.measured || c.work.Payload > 0; got != want {
			t.Errorf("sorts measured %v, %+v: missing %v", c.measured, c.work, got)
		}
	}
}

// TestExpect compares what is expected of an H200 with 16 processors with what was measured
// there, 24 million elements, in ms. See bench/results/gpu.md.
func TestExpect(t *testing.T) {
	c := Expect(Facts{Processors: 16})
	for _, m := range []struct {
		work          engine.Work
		device, onCPU float64
	}{
		{engine.Work{Bits: 32}, 5.7, 41},
		{engine.Work{Bits: 32, Keys: true}, 5.3, 30.7},
		{engine.Work{Bits: 64, Keys: true}, 9.3, 42.9},
		{engine.Work{Bits: 32, Payload: 24}, 28.5, 68.9},
		{engine.Work{Bits: 64, Payload: 64}, 79.8, 131},
	} {
		m.work.N = 24e6
		device, onCPU := c.estimate(m.work)
		if d := device / 1e6 / m.device; d < 0.7 || d > 1.4 {
			t.Errorf("%+v: %.1f ms expected on the device, %.1f measured", m.work, device/1e6, m.device)
		}
		if d := onCPU / 1e6 / m.onCPU; d < 0.7 || d > 1.4 {
			t.Errorf("%+v: %.1f ms expected on the CPU, %.1f measured", m.work, onCPU/1e6, m.onCPU)
		}
	}
}

// TestChoose is the table of the planner's choices, by the costs of an H200 with 16 processors.
func TestChoose(t *testing.T) {
	expected := Expect(Facts{Processors: 16})
	measured := Costs{codes: testSorts(), payload: &payload{move: bySize{flat(2), flat(6)}, gather: bySize{flat(2.1), flat(10)}}}
	keys, structs := engine.Work{Bits: 32, Keys: true}, engine.Work{Bits: 32, Payload: 24}
	for _, c := range []struct {
		name  string
		costs Costs
		work  engine.Work
		n     int
		at    Stage
		since time.Duration
		want  Choice
	}{
		{"too few to ask", expected, keys, LeastN - 1, Open, 0, Choice{}},
		{"too few to open", expected, keys, OpenN - 1, Closed, 0, Choice{}},
		{"the first large sort", expected, structs, 24e6, Closed, 0, Choice{Open: true}},
		{"the second, at once", expected, structs, 24e6, Opening, 80 * time.Millisecond, Choice{Open: true}},
		{"one that begins when little is left", expected, structs, 24e6, Opening, 330 * time.Millisecond, Choice{Open: true, Device: true}},
		{"one during a long opening", expected, structs, 24e6, Opening, time.Second, Choice{Open: true}},
		{"the first once it is open", expected, structs, 24e6, Open, time.Second, Choice{Device: true}},
		{"large structs, unmeasured", expected, engine.Work{Bits: 64, Payload: 64}, 24e6, Open, 0, Choice{Device: true, Measure: true}},
		{"a long one", expected, keys, 1 << 30, Closed, 0, Choice{Open: true, Device: true}},
		{"a long one by many processors", Expect(Facts{Processors: 64, Up: 3, Down: 3}), keys, 1 << 30, Closed, 0, Choice{}},
		{"few, unmeasured", expected, keys, OpenN - 1, Open, 0, Choice{Measure: true}},
		{"few, measured", measured, keys, 1 << 17, Open, 0, Choice{}},
		{"many, measured", measured, keys, 1 << 20, Open, 0, Choice{Device: true}},
		{"structs, measured", measured, structs, 1 << 20, Open, 0, Choice{Device: true}},
		{"large structs, measured", measured, engine.Work{Bits: 32, Payload: 64}, 1 << 24, Open, 0, Choice{}},
		{"a device that is lost", measured, keys, 1 << 28, Failed, 0, Choice{}},
		{"a device that was not there", expected, keys, 1 << 28, Failed, 0, Choice{}},
	} {
		c.work.N = c.n
		if got := c.costs.Choose(c.work, c.at, c.since); got != c.want {
			device, onCPU := c.costs.estimate(c.work)
			t.Errorf("%s: %+v, want %+v; %.1f ms on the device, %.1f on the CPU", c.name, got, c.want, device/1e6, onCPU/1e6)
		}
	}
}

// TestMovesElements finds which elements the device moves, before and after their costs are
// measured.
func TestMovesElements(t *testing.T) {
	slow := &payload{gather: bySize{flat(1), flat(4)}}
	fast := &payload{gather: bySize{flat(1), flat(4)}, send: &ends{0.5, 6}} // as fast at 34 bytes
	for _, c := range []struct {
		name           string
		known          Costs
		size, n, least int
		want           bool
	}{
		{"nothing measured", Costs{}, MaxMovedSize, 1 << 24, MinMovedBytes, true},
		{"nothing measured, large elements", Costs{}, MaxMovedSize + 4, 1 << 24, MinMovedBytes, false},
		{"nothing measured, few bytes", Costs{}, 16, MinMovedBytes/16 - 1, MinMovedBytes, false},
		{"nothing measured, as many as a caller asks for", Costs{}, 16, 64, 1024, true},
		{"a device too slow to measure", Costs{payload: slow}, 16, 1 << 24, MinMovedBytes, false},
		{"small elements", Costs{payload: fast}, 16, 1 << 24, MinMovedBytes, true},
		{"large elements", Costs{payload: fast}, 40, 1 << 24, MinMovedBytes, false},
		{"few small elements", Costs{payload: fast}, 16, MinMovedBytes/16 - 1, 1, false},
	} {
		if got := c.known.MovesElements(c.size, c.n, c.least); got != c.want {
			t.Errorf("%s: %v", c.name, got)
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

// TestSeen has sorts take other times than expected: those of the last three sorts like them decide.
func TestSeen(t *testing.T) {
	w := engine.Work{N: 24e6, Bits: 32, Payload: 24, Workers: 16}
	var seen Seen
	c := Expect(Facts{Processors: 16}).Recording(&seen)
	expect := func(want bool, why string) {
		t.Helper()
		if got := c.Choose(w, Open, 0).Device; got != want {
			device, onCPU := c.estimate(w)
			t.Errorf("%s: on the device %v; %.1f and %.1f ms", why, got, device/1e6, onCPU/1e6)
		}
	}
	expect(true, "as expected")
	seen.Add(w, false, 20e6)
	expect(false, "a CPU that took 20 ms")
	other := w
	other.N = 5e7
	if !c.Worth(other) {
		t.Error("a sort that is not alike")
	}
	seen.Add(w, true, 100e6)
	expect(false, "the first sort on the device, which says nothing")
	seen.Add(w, true, 15e6)
	expect(true, "a device that took 15 ms")
	seen.Add(w, true, 16e6)
	seen.Add(w, true, 200e6)
	expect(true, "one pause of the device")
	seen.Add(w, true, 200e6)
	expect(false, "a device that has become slow")
	for range staleAfter {
		seen.Add(w, false, 50e6)
	}
	expect(true, "a device that has not been tried for long")
	w.N = LeastN - 1
	seen.Add(w, true, 1)
	for i := range 2 * mostAlike {
		w.N, w.Payload = 1<<20, uintptr(i)
		seen.Add(w, true, 1e6)
	}
	w = engine.Work{N: 1 << 20, Bits: 32}
	seen.Add(w, false, 1e6)
	for k := range 3 { // times are forgotten later each time
		for range staleAfter<<k - 1 {
			seen.Add(w, true, 1e6)
		}
		if got := seen.sorts[likeness(w)].times[onHost].known; got == 0 {
			t.Errorf("forgotten too early, %d times before", k)
		}
		seen.Add(w, true, 1e6)
		if got := seen.sorts[likeness(w)].times[onHost].known; got > 0 {
			t.Errorf("not forgotten, %d times before", k)
		}
		seen.Add(w, false, 1e6)
	}
	if len(seen.sorts) > mostAlike {
		t.Errorf("%d kinds of sorts are remembered", len(seen.sorts))
	}
}

// h200 is the costs of an H200 with 16 processors, 2^24 elements, in ns per element, 2026-11: orders of
// 64-bit codes take 9.4 ms on the device and 24.8 on the CPU; few values take less on the CPU.
func h200() Costs {
	m := &sortTimes{workers: 16, device: [kinds]line{{5e5, 0.24}, {5e5, 0.53}, {5e5, 0.2}, {5e5, 0.36}},
		cpu: [kinds]curve{flat(1.2), flat(1.48), flat(0.85), flat(1.15)}}
	p := &payload{move: bySize{flat(1), flat(3)}, gather: bySize{flat(1.3), flat(3.5)}}
	return Costs{codes: m, payload: p, samples: [engine.Samples]*ratios{
		engine.Drifting: {device: [kinds]float64{1.1, 1, 1.1, 1}, cpu: [kinds]float64{1, 1, 1, 1}},
		engine.Few:      {device: [kinds]float64{1, 1, 1, 1}, cpu: [kinds]float64{0.6, 0.3, 0.3, 0.2}},
	}}
}

func close(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }

// TestWorthBySample asks about codes of each sample.
func TestWorthBySample(t *testing.T) {
	c := h200()
	for _, x := range []struct {
		name string
		work engine.Work
		want bool
	}{
		{"nanoseconds with jitter, order", engine.Work{Bits: 64, Sample: engine.Drifting}, true},
		{"seconds with jitter, order", engine.Work{Bits: 32, Sample: engine.Drifting}, true},
		{"few values, order", engine.Work{Bits: 32, Sample: engine.Few}, true},
		{"few values, order of 64 bits", engine.Work{Bits: 64, Sample: engine.Few}, false},
		{"few values, order by two more words", engine.Work{Bits: 64, Sample: engine.Few, Further: 2}, true},
		{"few values of 32 bits, order by three more words", engine.Work{Bits: 32, Sample: engine.Few, Further: 3}, true},
		{"mixed, order by three more words", engine.Work{Bits: 64, Further: 3}, true},
		{"few values, keys", engine.Work{Bits: 64, Keys: true, Sample: engine.Few}, false},
		{"mixed keys", engine.Work{Bits: 64, Keys: true}, true},
	} {
		x.work.N = 1 << 24
		if got := c.Worth(x.work); got != x.want {
			device, onCPU := c.estimate(x.work)
			t.Errorf("%s: %v; %.1f ms on the device, %.1f on the CPU", x.name, got, device/1e6, onCPU/1e6)
		}
	}
	bare, onCPU := c.estimate(engine.Work{N: 1 << 24, Bits: 64, Sample: engine.Few})
	device, more := c.estimate(engine.Work{N: 1 << 24, Bits: 64, Sample: engine.Few, Further: 2})
	if own, other := c.estimate(engine.Work{N: 1 << 24, Bits: 64}); !close(device, bare+2*own) || !close(more, onCPU+other) {
		t.Errorf("two more words: %.1f ms on the device, %.1f on the CPU", device/1e6, more/1e6)
	}
	c.samples = [engine.Samples]*ratios{}
	small := engine.Work{N: OpenN - 1, Bits: 64, Sample: engine.Drifting}
	if !c.Missing(small) || c.Worth(small) {
		t.Error("few codes of a sample that is not measured")
	}
}

// TestSeenBySample has the CPU sort few values fast: that says nothing about other codes.
func TestSeenBySample(t *testing.T) {
	var seen Seen
	c := h200().Recording(&seen)
	few := engine.Work{N: 1 << 24, Bits: 64, Sample: engine.Few}
	for range 3 {
		seen.Add(few, false, 4e6)
	}
	for _, s := range []engine.Sample{engine.Mixed, engine.Drifting} {
		if w := few; c.Worth(w) {
			t.Error("few values that take 4 ms on the CPU")
		} else if w.Sample = s; !c.Worth(w) {
			t.Errorf("%v codes are judged by few values", s)
		}
	}
}

// simulated runs sorts, after a number on either engine, of which each takes a time on the engine that is
// chosen, and returns the time of all, and the number of changes of the engine.
func simulated(c Costs, w engine.Work, first, sorts int, times func(i int) (device, onCPU float64)) (total float64, changes int) {
	var seen Seen
	c = c.Recording(&seen)
	before := neither
	for i := range first {
		device, onCPU := times(-1 - i)
		seen.Add(w, true, device)
		seen.Add(w, false, onCPU)
	}
	for i := range sorts {
		took, onCPU := times(i)
		used := onDevice
		if !c.Worth(w) {
			used, took = onHost, onCPU
		}
		if total += took; before != neither && used != before {
			changes++
		}
		before = used
		seen.Add(w, used == onDevice, took)
	}
	return total, changes
}

// TestNearTies has both engines take about the same time, which varies by a twentieth: the engine does not
// change with it.
func TestNearTies(t *testing.T) {
	w := engine.Work{N: 1 << 22, Bits: 64, Payload: 8}
	estimate, _ := h200().estimate(w)
	noise := func(i int) float64 { return estimate * (1 + 0.1*(float64((i+500)*7919%97)/96-0.5)) }
	for _, ratio := range []float64{0.98, 1, 1.02} {
		total, changes := simulated(h200(), w, 3, 1000, func(i int) (device, onCPU float64) { return noise(i), ratio * noise(i+50) })
		if changes > 4 {
			t.Errorf("ratio %g: %d changes of the engine", ratio, changes)
		}
		if least := 1000 * estimate * min(1, ratio); total > 1.04*least {
			t.Errorf("ratio %g: %.3f times as long as the better engine", ratio, total/least)
		}
	}
}

// TestWrongExpectations has key functions, which are not in the model, slow one engine more than the other. Few
// of the sorts are spent on finding that out again.
func TestWrongExpectations(t *testing.T) {
	w := engine.Work{N: 1 << 22, Bits: 64, Payload: 8}
	device, onCPU := h200().estimate(w)
	for _, c := range []struct{ device, onCPU float64 }{{2.5, 1}, {4, 2}, {1, 4}, {1, 1}} {
		d, h := c.device*device, c.onCPU*onCPU
		total, changes := simulated(h200(), w, 0, 1000, func(int) (float64, float64) { return d, h })
		if least := 1000 * min(d, h); total > 1.03*least || changes > 14 {
			t.Errorf("%g and %g times as long as expected: %.3f times as long as the better engine, %d changes", c.device, c.onCPU, total/least, changes)
		}
	}
}
