package costmodel

import (
	"time"

	"example.com/sorter/internal/engine"
)

// Stage is how far a device is when a sort asks for it.
type Stage uint8

const (
	Closed  Stage = iota // not opened yet
	Opening              // being opened, in the background
	Open
	Failed // it was not opened, or is lost or closed
)

// Choice is where a sort runs and what happens meanwhile, in the background.
type Choice struct {
	Device  bool // it runs on the device, otherwise on the CPU engine
	Open    bool // the device is opened
	Measure bool // costs are measured
}

const (
	// LeastN is the least number of elements for which a device may be faster.
	LeastN = 1 << curveStart

	// OpenN is the number of elements from which a sort opens the device, and from which
	// costs decide that were not measured.
	OpenN = 1 << 20

	// OpenTime is how long it takes to open a device. 2026-11, H200: cuInit 214 ms, its
	// context 118 ms, or both together 200 ms, and the memory of the first sorts 60 ms.
	OpenTime = 350 * time.Millisecond
)

// Choose decides where work runs. since is the time since opening began.
//
// An open device runs the sorts that are expected to be faster there. A closed one is opened in
// the background by the first sort that it would be faster for. That sort, and others until the
// device is open, wait only if the CPU engine would take longer than the rest of the opening
// and the device.
func (c Costs) Choose(w engine.Work, at Stage, since time.Duration) Choice {
	switch {
	case w.N < LeastN || at == Failed:
		return Choice{}
	case at == Open:
		return Choice{Device: c.Worth(w), Measure: c.Missing(w) && !c.clear(w)}
	case w.N < OpenN:
		return Choice{}
	}
	device, onCPU := c.estimate(w)
	return Choice{Open: device < onCPU, Device: device+float64(rest(since)) < onCPU}
}

// rest returns how long a device is still being opened. One that takes longer than usual may take
// much longer.
func rest(since time.Duration) time.Duration {
	if since < OpenTime {
		return OpenTime - since
	}
	return since / 2
}

// clearly is the ratio of two expected times from which a measurement would not change the choice:
// they are within a factor of 1.4 of those that were measured, in most cases within 1.2.
const clearly = 1.75

// clear reports whether it is clear without a measurement where w is faster. A measurement takes the
// processors and the bus for about 50 ms, which a sort of the program then lacks.
func (c Costs) clear(w engine.Work) bool {
	device, onCPU := c.estimate(w)
	return w.N >= OpenN && max(device, onCPU) > clearly*min(device, onCPU)
}

// changing is the gain from which on sorts change the engine that sorted the last one like them: times
// vary, and the first sort on an engine finds neither its memory nor the caches as it leaves them.
const changing = 1.08

// Worth reports whether w is expected to be faster on the device, which is open, than on the
// CPU engine.
func (c Costs) Worth(w engine.Work) bool {
	if c.Missing(w) && w.N < OpenN {
		return false // expectations are not exact enough
	}
	device, onCPU := c.estimate(w)
	switch c.seen.last(w) {
	case onDevice:
		return device < changing*onCPU
	case onHost:
		return changing*device < onCPU
	}
	return device < onCPU
}

// Time returns how long work is expected to take.
func (c Costs) Time(w engine.Work, device bool) time.Duration {
	onDevice, onCPU := c.estimate(w)
	if device {
		return time.Duration(onDevice)
	}
	return time.Duration(onCPU)
}
