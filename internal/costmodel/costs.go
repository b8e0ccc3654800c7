package costmodel

import (
	"example.com/sorter/internal/engine"
)

const (
	// LeastN is from how many elements on a device may ever be faster.
	LeastN = 1 << curveStart

	// OpenN is from how many elements on a sort has the device opened, and, as long as
	// nothing is measured, orders and keys alone are given to it: transfers at 55 GB/s
	// each way and the sort take about 0.3 ns per element then, and the fixed cost is some
	// 100 µs.
	OpenN = 1 << 20

	// WaitN is from how many elements for each processor on a sort waits for the device to
	// be opened, once in a process: that takes about 0.4 s, in which the CPU engine orders
	// them. Smaller sorts go on without.
	WaitN = 1 << 25
)

// Waits reports whether w is large enough to wait, on a number of processors, for the device
// to be opened.
func Waits(w engine.Work, processors int) bool { return w.Payload == 0 && w.N/processors >= WaitN }

// Worth reports whether w is expected to be faster on the device, which is open, than on
// the CPU engine.
func (c Costs) Worth(w engine.Work) bool {
	if c.Missing(w) {
		return w.N >= OpenN && w.Payload == 0
	}
	device, onCPU := c.estimate(w)
	return device < onCPU
}

const (
	// CarriedSize is up to how many bytes per element the device moves elements as long as
	// nothing is measured. 2026-11, H200: elements of 24 bytes take 0.7 of the time of a
	// gather, of 64 bytes as long.
	CarriedSize = 48
)

// Carries reports whether the device moves n elements of a size faster than the host does
// through an order, where these are least bytes or more.
func (c Costs) Carries(size, n, least int) bool {
	switch {
	case size*n < least:
		return false
	case c.payload == nil:
		return size <= CarriedSize
	}
	return c.payload.carries(uintptr(size), n)
}

// String returns the measurements in words, "" before there are any.
func (c Costs) String() string {
	switch {
	case c.codes == nil:
		return ""
	case c.payload == nil:
		return c.codes.String()
	}
	return c.codes.String() + "; " + c.payload.String()
}
